/** What becomes of `--lora` where it cannot be followed, and of a way to guess ahead that there is not. */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const SCALE = 'must be a number such as 0.5, not "half"';

it.each([
  ['another provider', ['--provider', 'openai', '--lora', 'a.gguf'], 5, 'openai takes no LoRA adapters by request'],
  ['a scale that is none', ['--provider', 'openai', '--lora', 'a.gguf:half'], 2, SCALE],
  ['a server without it', ['--provider', 'llama-cpp', '--lora', 'a.gguf'], 5, 'has no adapter a.gguf. It has none.'],
  ['an unknown way', ['--provider', 'openai', '--speculation', 'draft'], 2, 'off, lookup'],
] as const)('a run with %s says what is wrong, and asks no model', async (_what, flags, code, words) => {
  const server = await startScriptedServer({ turns: () => ({ text: 'Done.' }) });
  onTestFinished(() => server.close());
  const home = scratchFolder();
  const ran = await runHalter(['run', 'go', '--base-url', `${server.url}/v1`, ...flags], { home });
  expect(ran.err).toContain(words);
  expect(ran.code, ran.err).toBe(code);
  expect(server.requests.filter(({ path: asked }) => asked.includes('completions'))).toEqual([]);
});

it('a file that is no adapter is refused before the engine sees it', async () => {
  const folder = scratchFolder();
  putFiles(folder, { 'model.gguf': 'no model', 'a.gguf': 'no adapter' });
  const ran = await runHalter(['run', 'go', '-m', `embedded/${path.join(folder, 'model.gguf')}`, '--lora', 'a.gguf'], {
    cwd: folder,
  });
  expect(ran.code, ran.err).toBe(5);
  expect(ran.err).toMatch(/The adapter .*a\.gguf cannot be used: /);
});
