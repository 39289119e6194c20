/** llms.txt: the documentation's index for programs that read it, made from docs/README.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const LLMS_FILE = 'llms.txt';

export const llmsText = (): string => {
  const index = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'README.md'), 'utf8');
  const sections = index.slice(index.indexOf('\n## ')).replaceAll('](', '](docs/');
  return [
    '# halter',
    '',
    '> A local-first harness, in TypeScript, that lets language models call tools: any model, every call understood, nothing done that the person did not allow. `halter` is a terminal app, `halter run` answers once, `halter serve` is a web app, an HTTP API and an OpenAI-compatible endpoint, and `import { createHarness } from "halter"` is a library.',
    '',
    'Start with [the README](README.md). [Examples](examples/README.md) are files that run.',
    sections,
  ].join('\n');
};
