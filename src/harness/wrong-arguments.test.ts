/** What a program without a compiler hands to a public function by mistake is told in words, at once, and does nothing. */
import { expect, it, onTestFinished, test } from 'vitest';
import { defineTool, HalterError, registerTool, type Tool } from '../index.ts';
import { scriptedProvider } from '../testing/index.ts';
import { CHAT_OPTIONS } from './check-options.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const LOOK = {
  name: 'look',
  description: 'Look',
  parameters: { type: 'object', properties: {} },
  run: () => 1,
} as const;
const add = registerTool('add', 'Add', ['a'], (a) => a, ['integer']);

const open = (options: Partial<HarnessOptions> = {}): Harness => {
  const provider = scriptedProvider([{ text: 'x' }, { text: 'y' }]);
  const agent = createHarness({ model: 'm', provider, storage: 'memory', tools: [add], ...options });
  onTestFinished(() => agent.close());
  return agent;
};

const WRONG: readonly unknown[] = [5, 'y', true, [], () => 1, new Date(0), 5n, Symbol('odd')];
const NO_TEXT: readonly unknown[] = [5, true, [], {}, () => 1, null, undefined, '', 5n, Symbol('odd')];
const NO_MESSAGE: readonly unknown[] = [5, true, [], [5], {}, () => 1, null, undefined, 5n, Symbol('odd')];
const NO_SIGNAL: readonly unknown[] = [5, {}, { aborted: false }, new EventTarget()];

const CALLS: [
  who: string,
  call: (agent: Harness, value: never) => unknown,
  wrong: readonly unknown[],
  words: RegExp,
][] = [
  ['chat(message)', (agent, value) => agent.chat(value), NO_MESSAGE, /^message(\[0\])? (must be|is an empty list)/],
  ['chat(…, options)', (agent, value) => agent.chat('x', value), WRONG, /^chat\(\) takes an object with signal/],
  [
    'chat(…, { signal })',
    (agent, value) => agent.chat('x', { signal: value }),
    NO_SIGNAL,
    /^signal of chat\(\) must be an AbortSignal/,
  ],
  ['steer(message)', (agent, value) => agent.steer(value), NO_MESSAGE, /^message(\[0\])? (must be|is an empty list)/],
  ['executeTool(name)', (agent, value) => agent.executeTool(value, {}), NO_TEXT, /^executeTool\(\) takes the name/],
  [
    'executeTool(…, options)',
    (agent, value) => agent.executeTool('add', { a: 1 }, value),
    WRONG,
    /^executeTool\(\) takes an object with signal/,
  ],
  [
    'executeTool(…, { signal })',
    (agent, value) => agent.executeTool('add', { a: 1 }, { signal: value }),
    NO_SIGNAL,
    /^signal of executeTool\(\) must be/,
  ],
  [
    'executeTool(…, { signl })',
    (agent) => agent.executeTool('add', { a: 1 }, { signl: 1 } as never),
    [0],
    /^executeTool\(\) has no "signl"\. Did you mean signal\?/,
  ],
  [
    'removeTool(name)',
    (agent, value) => agent.removeTool(value),
    NO_TEXT,
    /^removeTool\(\) takes the name of a tool, not/,
  ],
  [
    'addTool(tool)',
    (agent, value) => agent.addTool(value),
    [...WRONG, null, {}, LOOK],
    /^addTool\(\) takes a tool made by/,
  ],
  [
    'addTool(wrong field)',
    (agent) => agent.addTool({ ...add, name: 'sub', effects: 'reads' } as never),
    [0],
    /^effects of addTool\(\) must be one of: none, .*Did you mean read\?/,
  ],
  ['addTool(twin)', (agent) => agent.addTool(add), [0], /^addTool\(\) was given a tool named add, and there is one/],
];
test.each(CALLS)('%s', async (_who, call, wrong, words) => {
  const agent = open();
  const told: unknown[] = [];
  for (const value of wrong) {
    const asked = async (): Promise<unknown> => await call(agent, value as never);
    const error: unknown = await asked().catch((thrown: unknown) => thrown);
    if (!(error instanceof TypeError) || !words.test(error.message)) told.push([String(value), error]);
  }
  expect(told).toEqual([]);
  expect(agent.tools).toEqual([add]);
});

const TOOLS: [what: string, tools: unknown, words: RegExp][] = [
  ['no tool', [add, 5], /^tools\[1\] must be a tool made by defineTool or registerTool, not 5/],
  ['nothing', [null], /^tools\[0\] must be a tool/],
  ['a tool of another library', [LOOK], /^tools\[0\] must be a tool made by/],
  ['a wrong field', [{ ...add, effects: 'reads' }], /^tools\[0\]\.effects must be one of: .*Did you mean read\?/],
  ['no tool, in the group', { available: [add, 5] }, /^tools\.available\[1\] must be a tool/],
  ['two of one name', [add, add], /^tools: two tools are named add/],
];
test.each(TOOLS)('tools with %s are a TypeError, as every other option', (_what, tools, words) => {
  const asked = (): Harness => open({ tools: tools as Tool[] });
  expect(asked).toThrow(TypeError);
  expect(asked).toThrow(words);
});

it('takes null for nothing, but for a schema, whose value somebody waits for', async () => {
  const agent = open();
  const none = Object.fromEntries(
    Object.keys(CHAT_OPTIONS).flatMap((name) => (name === 'schema' ? [] : [[name, null]])),
  );
  expect((await agent.chat('Go', none)).answer).toBe('x');
  expect((await agent.chat('Go', null as never)).answer).toBe('y');
  expect((await agent.executeTool('add', { a: 1 }, null as never)).data).toBe('1');
  expect((await agent.executeTool('add', { a: 1 }, { signal: null } as never)).data).toBe('1');
});

it.each(['while it runs', 'when it is over'])('refuses a second loop over one chat %s', async (when) => {
  const chat = open().chat('Go');
  const first = chat[Symbol.asyncIterator]();
  const read = async (): Promise<string[]> => {
    const types: string[] = [];
    for (let next = await first.next(); !next.done; next = await first.next()) types.push(next.value.type);
    return types;
  };
  const before = when === 'when it is over' ? await read() : [];
  const second = async (): Promise<void> => {
    for await (const _event of chat);
  };
  await expect(second()).rejects.toThrow(/read in another loop.*result\(\)/);
  expect([...before, ...(await read())]).toEqual(expect.arrayContaining(['session', 'text_delta', 'turn_end']));
  expect((await chat).answer).toBe('x');
});

test.each<[field: string, value: unknown, words: RegExp]>([
  ['endRun', true, /^look has no "endRun"\. Did you mean endsRun\?/],
  ['timeoutMs', 5, /^look has no "timeoutMs"\. Did you mean timeout_ms\?/],
  ['strict', true, /^look has no "strict"/],
  ['risk', 'low', /^risk of look must be one of: safe, medium, high, not "low"/],
  ['effects', 'reads', /^effects of look must be one of: none, read, .*not "reads"\. Did you mean read\?/],
  ['timeout_ms', -5, /^timeout_ms of look must be milliseconds: a whole number from 0/],
  ['pure', 'yes', /^pure of look must be true or false/],
  ['sinks', 'a', /^sinks of look must be a list of texts/],
  ['path_arguments', [5], /^path_arguments\[0\] of look must be a text/],
  ['summarize', 5, /^summarize of look must be a function/],
  ['toModelOutput', 'short', /^toModelOutput of look must be a function/],
])('defineTool refuses %s: %j', (field, value, words) => {
  expect(() => defineTool({ ...LOOK, [field]: value })).toThrow(words);
  expect(() => defineTool({ ...LOOK, [field]: value })).toThrow(HalterError);
});

test.each([...WRONG, null, undefined])('defineTool takes no %s', (value) => {
  expect(() => defineTool(value as never)).toThrow(HalterError);
});

test.each<[options: unknown, words: RegExp]>([
  [{ rsk: 'high' }, /has no "rsk"\. Did you mean risk\?/],
  [{ effects: 'reads' }, /effects .*must be one of: none/],
  [{ parameters: { type: 'object', properties: {} } }, /has no "parameters"/],
  ['high', /The sixth argument for add takes an object with risk .*, not "high"/],
])('registerTool refuses the options %j', (options, words) => {
  expect(() => registerTool('add', 'Add', ['a'], (a) => a, ['integer'], options as object)).toThrow(words);
});

it('makes a tool of a tool: what is said of it stays, and a risk suggests its own effects', () => {
  const look = defineTool({ ...LOOK, path_arguments: null, preview: null } as never);
  expect(look).toMatchObject({ path_arguments: undefined, preview: undefined });
  const { effects, effects_implied } = defineTool({ ...add, name: 'pay', risk: 'high' });
  expect({ effects, effects_implied }).toEqual({ effects: 'write', effects_implied: true });
  const fetched = { ...LOOK, effects: 'network', untrusted_content: true } as const;
  expect(defineTool(fetched)).toMatchObject({ untrusted_content: true, effects: 'network', effects_implied: false });
});
