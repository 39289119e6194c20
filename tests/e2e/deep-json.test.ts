/** JSON that is nested too deeply to be read goes back to the model with these words, whatever it came in. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';
import { testServer } from '../support/test-server.ts';

const TOO_DEEP = /nested more than 256 levels deep/;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const object = (levels: number): string => `{"path": ${nested(levels)}}`;
const called = (levels: number, name = 'ls'): string => `{"name": "${name}", "arguments": ${object(levels)}}`;

type Row = {
  what: string;
  turn: ScriptedServerTurn;
  provider?: 'ollama';
  /** A server of OpenAI's or Ollama's own form; its provider is no part of a server of halter. */
  isWire?: true;
  flags?: string[];
  told?: RegExp;
};

const chunk = (fields: string): string => `{"id":"x","object":"chat.completion.chunk","created":1,${fields}}`;
const wire = (levels: number): string =>
  `"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":${object(levels)}}}]`;
const text = (words: string): ScriptedServerTurn => ({ text: words, pieceCharacters: 1_000 });

const rowsOf = (levels: number): Row[] => [
  {
    what: 'native arguments',
    isWire: true,
    turn: { calls: [{ name: 'ls', arguments: object(levels) }], pieceCharacters: 1_000 },
  },
  {
    what: 'native arguments as an object',
    isWire: true,
    turn: {
      raw: [
        `data: ${chunk(`"choices":[{"index":0,"delta":{"role":"assistant",${wire(levels)}},"finish_reason":null}]`)}\n\n`,
        `data: ${chunk('"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]')}\n\ndata: [DONE]\n\n`,
      ],
    },
  },
  {
    what: 'native arguments in one answer',
    isWire: true,
    turn: {
      headers: { 'content-type': 'application/json' },
      body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"",${wire(levels)}},"finish_reason":"tool_calls"}]}`,
    },
  },
  {
    what: 'a line of Ollama',
    isWire: true,
    provider: 'ollama',
    turn: {
      raw: [
        `{"model":"test-model","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"ls","arguments":${object(levels)}}}]},"done":false}\n`,
        '{"model":"test-model","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
      ],
    },
  },
  { what: 'a call in a tag', turn: text(`<tool_call>${called(levels)}</tool_call>`) },
  { what: 'a call without marks', turn: text(called(levels)) },
  {
    what: 'a call to nobody',
    turn: text(`<function=erase_disk>${object(levels)}</function>`),
    flags: ['--preset', 'llama-chat'],
    told: /no tool named .{1,6}erase_disk/,
  },
  { what: 'edison', turn: text(`{"tool": "system_stats", "args": ${object(levels)}}`), flags: ['--preset', 'edison'] },
  {
    what: 'zoo-keeper',
    turn: text(`I do it:\n${called(levels, 'get_working_directory')}\nFine?`),
    flags: ['--preset', 'zoo-keeper'],
  },
  {
    what: 'an answer with a schema',
    turn: text(nested(levels)),
    flags: ['--json-schema', '{"type":"object","properties":{"a":{"type":"string"}}}'],
  },
];
const LEVELS = [300, 20_000];
const ROWS = LEVELS.flatMap((levels) => rowsOf(levels).map((row) => ({ ...row, levels })));

it.each(everyNth(ROWS, 3))('$what, $levels levels deep, goes back to the model', async (row) => {
  verifies('K4');
  const { provider = 'openai', turn, flags = [], told = TOO_DEEP } = row;
  const last: ScriptedServerTurn = { text: row.what.includes('schema') ? '{"a": "b"}' : 'Done.' };
  const server = await startScriptedServer({ turns: ({ number }) => (number === 0 ? turn : last) });
  onTestFinished(() => server.close());
  const base = provider === 'ollama' ? server.url : `${server.url}/v1`;
  const ran = await runHalter([
    'run',
    'go',
    '--provider',
    provider,
    '--base-url',
    base,
    '-m',
    'test-model',
    '--format',
    'json',
    ...flags,
  ]);
  expect(ran.code, ran.err).toBe(0);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(told);
});

it.each(ROWS.filter(({ isWire, flags = [] }) => !isWire && flags[0] !== '--json-schema'))(
  '$what, $levels levels deep, goes back to the model over HTTP',
  async ({ turn, flags, told = TOO_DEEP }) => {
    verifies('K4');
    const server = await testServer((_request, number) => ({ text: number === 0 ? (turn.text ?? '') : 'Done.' }), {
      preset: flags?.[1],
    });
    const reply = await server.json<{ answer?: string }>('POST', '/api/chat', { message: 'go', mode: 'agent' });
    expect(reply).toMatchObject({ answer: 'Done.' });
    expect(JSON.stringify(server.provider.requests.at(-1))).toMatch(told);
  },
);

it.each([
  [900, ''],
  [5_000, 'nested more than 1000 levels deep'],
])('a session whose call is %i levels deep is shown, exported and gone on with', async (levels, warning) => {
  verifies('K4');
  const call: ScriptedServerTurn = { calls: [{ name: 'ls', arguments: '{"path":"."}' }] };
  const server = await startScriptedServer({ turns: ({ number }) => (number === 0 ? call : { text: 'Done.' }) });
  onTestFinished(() => server.close());
  const reach = ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model', '--session', 'deep'];
  const folders = { home: scratchFolder(), cwd: scratchFolder() };
  expect((await runHalter(['run', 'go', ...reach], folders)).code).toBe(0);
  const files = readdirSync(folders.home, { recursive: true, encoding: 'utf8' });
  const log = path.join(folders.home, files.find((name) => name.endsWith('deep.jsonl')) ?? '');
  const deep = `"arguments":{"path":${nested(levels)}}`;
  writeFileSync(log, readFileSync(log, 'utf8').replaceAll('"arguments":{"path":"."}', deep));
  expect(readFileSync(log, 'utf8')).toContain(deep);
  const commands = [
    ['sessions', 'show', 'deep'],
    ['sessions', 'show', 'deep', '--json'],
    ['sessions', 'export', 'deep'],
    ['run', 'and?', ...reach],
  ];
  for (const args of commands) {
    const ran = await runHalter(args, folders);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain(warning);
    expect(ran.err).not.toContain('defect');
  }
});
