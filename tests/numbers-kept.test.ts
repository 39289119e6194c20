/** Numbers of a call, as the model wrote them, wherever the call goes from there: the log, the next request, exports. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHarness, defineTool } from '../src/index.ts';
import { halterPaths } from '../src/storage/paths.ts';
import { type ScriptedServerTurn, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';

const ID = '1187654321098765432';
const WRITTEN = `{"id":${ID},"version":1.10,"counts":[1e3,{"n":0.50}]}`;
const ARGUMENTS: Readonly<Record<string, unknown>> = {
  id: ID,
  version: '1.10',
  counts: [1000, { n: 0.5 }],
};
const PARAMETERS = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    version: { type: 'string' },
    counts: { type: 'array', items: { type: ['number', 'object'] } },
  },
  required: ['id'],
} as const;

const NATIVE: ScriptedServerTurn = { calls: [{ name: 'look_up', arguments: WRITTEN }] };
/** What the next request holds of the call, without spaces and without the quotes that servers escape. */
const bare = (text: string): string => text.replaceAll(/[\s\\"]/g, '');

type Case = { name: string; turn: ScriptedServerTurn; dialect?: string; digits: readonly string[] };
const CASES: readonly Case[] = [
  { name: 'the field of a server', turn: NATIVE, digits: [`id:${ID}`, 'version:1.10', '[1e3,{n:0.50}]'] },
  // The parser makes texts of numbers where the tool wants text.
  ...[
    { dialect: 'hermes', text: `<tool_call>{"name":"look_up","arguments":${WRITTEN}}</tool_call>` },
    { dialect: 'plain-json', text: `{"name":"look_up","arguments":${WRITTEN}}` },
    { dialect: 'mistral-args', text: `[TOOL_CALLS]look_up[ARGS]${WRITTEN}` },
  ].map(({ dialect, text }) => ({
    name: dialect,
    turn: { text },
    dialect,
    digits: [`id:${ID}`, 'version:1.10', '[1e3,{n:0.50}]'],
  })),
  {
    name: 'llama4-pythonic',
    turn: { text: `[look_up(id=${ID}, version=1.10, counts=[1e3, {"n": 0.50}])]` },
    dialect: 'llama4-pythonic',
    digits: [`id=${ID}`, 'version=1.10', '[1e3,{n:0.50}]'],
  },
];

const play = async ({ turn, dialect }: Pick<Case, 'turn' | 'dialect'>) => {
  const server = await startScriptedServer({ turns: ({ number }) => (number === 0 ? turn : { text: 'Done.' }) });
  onTestFinished(() => server.close());
  const folders = halterPaths({ HOME: scratchFolder() }, 'linux');
  const workspace = scratchFolder();
  const ran: unknown[] = [];
  const tool = defineTool({
    name: 'look_up',
    description: 'Looks something up.',
    parameters: PARAMETERS,
    risk: 'safe',
    run: (args) => {
      ran.push(args);
      return 'found';
    },
  });
  const open = (session?: string) => {
    const harness = createHarness({
      model: 'test-model',
      provider: 'openai',
      baseUrl: server.openaiUrl,
      workspace,
      storage: { kind: 'files', folders },
      tools: [tool],
      ...(dialect === undefined ? {} : { dialect }),
      ...(session === undefined ? {} : { session }),
    });
    onTestFinished(() => harness.close());
    return harness;
  };
  return { server, ran, open };
};

describe('numbers of a call keep their digits', () => {
  it.each(CASES)(
    'in the next request and in one of a session that was read again: $name',
    async ({ turn, dialect, digits }) => {
      verifies('K4');
      const { server, ran, open } = await play({ turn, ...(dialect === undefined ? {} : { dialect }) });
      const harness = open();
      await harness.chat('go');
      expect(ran).toEqual([ARGUMENTS]);
      for (const text of digits) expect(bare(server.requests[1]?.text ?? '')).toContain(text);
      const { session } = harness;
      await harness.close();
      await open(session).chat('and on');
      for (const text of digits) expect(bare(server.requests[2]?.text ?? '')).toContain(text);
    },
  );

  it('in what people read of a session', async () => {
    verifies('K4');
    const turns = ({ number }: { number: number }): ScriptedServerTurn =>
      number === 0 ? { calls: [{ name: 'add_task', arguments: `{"content":${ID},"more":1.10}` }] } : { text: 'Done.' };
    const server = await startScriptedServer({ turns });
    onTestFinished(() => server.close());
    const home = scratchFolder();
    const halter = (...args: string[]) => runHalter(args, { home });
    const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--session', 'numbers'];
    expect((await halter('run', 'go', ...reach)).code).toBe(0);
    const shown = [
      await halter('sessions', 'show', 'numbers'),
      await halter('sessions', 'export', 'numbers', '--format', 'markdown'),
    ];
    for (const { out } of shown) {
      expect(out).toContain(ID);
      expect(out).toContain('1.10');
    }
  });
});

describe('a number that a value does not hold', () => {
  const parameters = {
    type: 'object',
    properties: {
      filter: { type: 'object' },
      id: { type: 'number' },
      loose: {},
      list: { type: 'array' },
      name: { type: 'string' },
    },
  } as const;
  it.each<[what: string, written: string, refused: string | undefined]>([
    ['in an object of any kind', '{"filter":{"account":9007199254740993}}', 'filter.account'],
    ['where a number is wanted', '{"id":12345678901234567890}', 'id'],
    ['where nothing is said', '{"loose":9007199254740993}', 'loose'],
    ['in a list', '{"list":[1,{"n":-9007199254740993}]}', 'list.1.n'],
    ['that is too large for any', '{"loose":1e400}', 'loose'],
    ['but a text is wanted', '{"name":9007199254740993}', undefined],
    ['of a power of ten', '{"id":1e300,"loose":9007199254740992}', undefined],
    ['with a fraction', '{"id":0.1234567890123456789}', undefined],
  ])('is never another one: %s', async (_what, written, refused) => {
    verifies('K4');
    const server = await startScriptedServer({
      turns: ({ number }) => (number === 0 ? { calls: [{ name: 'pay', arguments: written }] } : { text: 'Done.' }),
    });
    onTestFinished(() => server.close());
    let runs = 0;
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters,
      risk: 'safe',
      run: () => {
        runs += 1;
        return 'paid';
      },
    });
    const harness = createHarness({
      model: 'm',
      baseUrl: server.openaiUrl,
      provider: 'openai',
      workspace: scratchFolder(),
      storage: 'memory',
      tools: [pay],
    });
    onTestFinished(() => harness.close());
    await harness.chat('go');
    expect(runs).toBe(refused === undefined ? 1 : 0);
    if (refused !== undefined) expect(server.requests[1]?.text).toContain(`${refused} is too large`);
  });
});
