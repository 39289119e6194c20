import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENGINE_PACKAGE } from './install-engine.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

it('names the version that package.json asks for, there and in the documents', () => {
  const { peerDependencies } = JSON.parse(read('package.json')) as { peerDependencies: Record<string, string> };
  expect(ENGINE_PACKAGE).toBe(`node-llama-cpp@${peerDependencies['node-llama-cpp']}`);
  for (const path of ['docs/how-to/troubleshooting.md', 'docs/how-to/use-the-library.md'])
    expect(read(path)).toContain(`npm install ${ENGINE_PACKAGE}`);
  for (const path of ['src/cli/doctor/checks.ts', 'src/providers/embedded/llama-engine.ts'])
    expect(read(path)).not.toContain('npm install node-llama-cpp');
});
