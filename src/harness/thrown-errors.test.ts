/** Whatever goes wrong, what a harness throws is on the list of docs/reference/errors.md, and tells what it is as data. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../tests/source-files.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { HalterError, ModelFailure, OpenFailure, RunStopped } from '../core/errors.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { type ScriptedProviderTurn, scriptedProvider, startScriptedServer } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const LISTED = fs.readFileSync(path.join(ROOT, 'docs/reference/errors.md'), 'utf8').split('\n## ')[1] ?? '';
/** Of each class, the word that a program decides by. */
const CLASSES: readonly [new (...args: never[]) => Error, (error: never) => unknown][] = [
  [HalterError, (error: HalterError) => error.code],
  [ModelFailure, (error: ModelFailure) => error.code],
  [RunStopped, (error: RunStopped) => error.reason],
  [OpenFailure, (error: OpenFailure) => error.reason ?? error.code],
  [TypeError, () => 'TypeError'],
  [DOMException, (error: DOMException) => error.name],
];
const wordOf = (error: unknown): unknown => {
  const [found] = CLASSES.filter(([kind]) => error instanceof kind);
  if (found === undefined) return `not listed: ${String(error)}`;
  const [kind, word] = found;
  return LISTED.includes(`\`${kind.name}\``) || kind === DOMException
    ? word(error as never)
    : `undocumented: ${kind.name}`;
};

const look = defineTool({
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: {} },
  risk: 'safe',
  run: () => 'the same',
});
const SAID = { text: 'Yes.' };
const same = { calls: [{ name: 'look', arguments: {} }] };
const inFile = (): string => {
  const file = path.join(scratchFolder(), 'file');
  fs.writeFileSync(file, '');
  return file;
};
const keptIn = (base: string): Partial<HarnessOptions> => ({
  storage: {
    kind: 'files',
    folders: { config: base, data: base, cache: base, sessions: `${base}/s`, undo: `${base}/u` },
  },
});
const unusable = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

test.each<[string, ScriptedProviderTurn, () => Partial<HarnessOptions>, unknown]>([
  ['the same call again and again', same, () => ({ tools: [look] }), 'loop'],
  ['more rounds than the limit', same, () => ({ tools: [look], limits: { iterations: 1 } }), 504],
  [
    'arguments that never fit',
    { calls: [{ name: 'add', arguments: { n: 'x' } }] },
    () => ({
      tools: [defineTool({ name: 'add', description: 'Adds', parameters: unusable, risk: 'safe', run: () => 'x' })],
    }),
    503,
  ],
  ['a rule for a tool that there is not', SAID, () => ({ permissions: { deny: ['nosuch'] } }), 'TypeError'],
  ['a rule that does not parse', SAID, () => ({ permissions: { allow: ['bash('] } }), 'TypeError'],
  ['no such dialect', SAID, () => ({ dialect: 'nosuch' }), 'TypeError'],
  [
    'a workspace that is not there',
    SAID,
    () => ({ workspace: '/nosuch/folder' }),
    expect.stringMatching(/not_found|ENOENT/),
  ],
  ['a workspace that is a file', SAID, () => ({ workspace: inFile() }), expect.any(String)],
  [
    'an MCP server that does not start',
    SAID,
    () => ({ mcpServers: { a: { command: '/nosuch/program' } } }),
    'mcp_server',
  ],
  ['MCP servers that are none', SAID, () => ({ mcpServers: { a: {} as never } }), 'TypeError'],
  ['a rules file that is not there', SAID, () => ({ rulesFile: '/nosuch/rules.json' }), 'TypeError'],
  ['sessions in a file', SAID, () => keptIn(inFile()), 'not_a_file'],
  ['sessions in a folder that cannot be made', SAID, () => keptIn('/proc/nosuch'), 'no_folder'],
  [
    'no such provider',
    SAID,
    () => ({
      provider: undefined,
      model: 'nosuch/m',
      io: { environment: { HOME: scratchFolder() }, onWarning: () => {} },
    }),
    'model_not_found',
  ],
])('%s', async (_name, turn, options, word) => {
  const chat = async (): Promise<unknown> => {
    const provider = scriptedProvider(async () => turn);
    const harness = createHarness({ model: 'm', provider, workspace: scratchFolder(), ...options() });
    onTestFinished(() => harness.close());
    return harness.chat('hello');
  };
  const error = await chat().then(
    () => 'an answer',
    (thrown: unknown) => thrown,
  );
  expect(wordOf(error)).toEqual(word);
  expect((error as Error).message).toMatch(/\S/);
});

test.each([
  ['CUDA out of memory', 'load_failed'],
  ['slow down', 'server_error'],
])('an answer that breaks off with the words "%s" of its server rejects with them', async (said) => {
  await using server = await startScriptedServer({
    turns: [
      {
        raw: [`data: {"choices":[{"delta":{"content":"The sea "}}]}\n\n`, `data: {"error":{"message":"${said}"}}\n\n`],
      },
    ],
  });
  const model = { name: 'test-model', provider: 'openai', baseUrl: server.openaiUrl };
  const harness = createHarness({ model, workspace: scratchFolder() });
  onTestFinished(() => harness.close());
  const error = await harness.chat('Go').then(undefined, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelFailure);
  expect(error).toMatchObject({ code: 'disconnected', partial: { answer: 'The sea ' } });
  expect((error as Error).message).toContain(said);
});
