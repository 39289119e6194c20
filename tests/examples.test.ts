/** Every file of `examples/` is run as it is, with a model that speaks from a script; each asserts for itself. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedRequest, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { ROOT } from './source-files.ts';
import { starterModel, testCacheFolder } from './support/embedded-model.ts';
import { cleanEnvironment } from './support/halter-process.ts';
import { everyNth, onlyLong } from './support/long.ts';
import { AS_PACKAGE, AS_PACKAGE_ENV } from './support/program.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

const run = promisify(execFile);
const EXAMPLE_MS = 60_000;

type Call = { name: string; arguments: Record<string, string | number> };
/** What the model asks for first, and what it says when the results are in. */
type Script = { calls?: Call[]; text: string };

const SCRIPTS: Readonly<Record<string, Script>> = {
  '01-ask.ts': { calls: [{ name: 'ls', arguments: {} }], text: 'One file: a.txt.' },
  '02-own-tool.ts': { calls: [{ name: 'roll_dice', arguments: { count: 3 } }], text: 'They are rolled.' },
  '03-zod-tool.ts': { calls: [{ name: 'check_stock', arguments: { article: 'Apple' } }], text: 'There are 12.' },
  '04-positional-function.ts': { calls: [{ name: 'add', arguments: { a: 42, b: 58 } }], text: 'It is 100.' },
  '05-permissions.ts': {
    calls: [
      { name: 'write_file', arguments: { path: 'notes.md', content: '# Notes\n' } },
      { name: 'bash', arguments: { command: 'rm -rf *' } },
    ],
    text: 'Written, and nothing was deleted.',
  },
  '06-streaming.ts': { calls: [{ name: 'get_current_time', arguments: {} }], text: 'It is late.' },
  '07-cancel.ts': { calls: [{ name: 'wait_for_rain', arguments: {} }], text: 'Hello.' },
  '08-several-agents.ts': {
    calls: ['German', 'French'].map((language) => ({
      name: 'ask_translator',
      arguments: { text: 'good morning', language },
    })),
    text: 'Guten Morgen, bonjour.',
  },
  '09-embedded.ts': { text: '' },
  '10-read-tool-calls.ts': { text: '' },
  '11-server.ts': { text: 'Hello.' },
  '12-mcp.ts': {
    calls: [
      { name: 'mcp__files__list_directory', arguments: { path: '.' } },
      { name: 'mcp__files__read_text_file', arguments: { path: 'a.txt' } },
    ],
    text: 'One file, with one line in it.',
  },
};

const speaking =
  ({ calls, text }: Script) =>
  ({ body }: ScriptedRequest) => {
    const messages = body['messages'] as { role: string; content: string }[];
    const last = messages.at(-1);
    const asksForWork = last?.role === 'user' && body['tools'] !== undefined && !last.content.startsWith('Never mind');
    return asksForWork && calls ? { calls } : { text };
  };

const runExample = async (name: string, script: Script, environment: Record<string, string> = {}) => {
  const server = await startScriptedServer({
    turns: speaking(script),
    models: [{ id: 'qwen3:4b' }],
    serves: ['ollama'],
  });
  onTestFinished(() => server.close());
  const cwd = scratchFolder();
  putFiles(cwd, { 'a.txt': 'one\n' });
  const file = path.join(ROOT, 'examples', name);
  return run(process.execPath, [...AS_PACKAGE, file], {
    cwd,
    env: { ...cleanEnvironment(scratchFolder()), OLLAMA_HOST: server.url, ...AS_PACKAGE_ENV, ...environment },
    timeout: EXAMPLE_MS,
  });
};

describe('the examples', () => {
  it('are all here', () => {
    const files = fs.readdirSync(path.join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'));
    expect(files.sort()).toEqual(Object.keys(SCRIPTS));
  });

  it.each(
    everyNth(
      Object.entries(SCRIPTS).filter(([name]) => name !== '09-embedded.ts'),
      3,
    ),
  )(
    '%s runs',
    async (name, script) => {
      verifies('K1', 'K2', 'K3', 'K6', 'K7');
      const { stdout, stderr } = await runExample(name, script);
      expect(stdout).toContain(script.text);
      expect(stderr).toBe('');
    },
    EXAMPLE_MS,
  );

  // Usually tests/embedded-answers.test.ts asks that model.
  it.for(onlyLong(['09-embedded.ts']))('%s runs', { timeout: EXAMPLE_MS }, async (_name, context) => {
    verifies('K8');
    const model = await starterModel();
    if (model.problem !== undefined) return context.skip(model.problem);
    const data = scratchFolder();
    putFiles(data, { halter: null });
    fs.symlinkSync(path.join(testCacheFolder, 'models'), path.join(data, 'halter', 'models'));
    const { stdout } = await runExample('09-embedded.ts', { text: '' }, { XDG_DATA_HOME: data });
    expect(stdout).toContain('a.txt');
  });
});
