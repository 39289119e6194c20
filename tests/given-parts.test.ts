/**
 * Every function that the package exports × each part of what it is given × what a program without a compiler may put there.
 * Either it is taken, or it is told in words: what comes out of the engine ("Cannot read properties of undefined") says
 * neither which argument it was nor what is wanted.
 */
import { describe, expect, test } from 'vitest';
import * as core from '../src/core/checked.ts';
import * as dialects from '../src/dialects/checked/index.ts';
import * as halter from '../src/index.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { everyNth } from './support/long.ts';

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A city' }, days: { type: 'integer', default: 1 } },
  required: ['city'],
};
const FUNCTION = { name: 'look', description: 'Looks', parameters: PARAMETERS };
const SCHEMA = { type: 'function', function: FUNCTION };
const TOOL = { ...FUNCTION, effects: 'none', risk: 'safe' };
const CALL = { id: '1', name: 'look', arguments: { city: 'Oslo', more: [1] }, source: 'native', repairs: [] };
const RESULT = {
  ...halter.ok('a sea'),
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1, data_size_bytes: 5, timestamp: 0 },
};
const MESSAGES = [
  { role: 'system', content: 'Help.' },
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  { role: 'assistant', content: 'Well', reasoning: 'so', tool_calls: [CALL] },
  { role: 'tool', tool_call_id: '1', name: 'look', content: 'a sea', result: RESULT },
];
const PROJECTION = { system: '', results: 'compact', summaryCharacters: 100 };
const READ = { content: 'Hi', reasoning: '', calls: [], broken: [], dialect: 'auto', truncated: false };
const CONTEXT = { tools: [SCHEMA], isTool: () => true, mayGuess: () => false, dialect: 'auto', reads: 'auto' };
const TEXT = 'I look. <tool_call>{"name":"look","arguments":{"city":"Oslo","days":"2"}}</tool_call>';
const MESSAGE = { role: 'assistant', content: 'Yes', reasoning: '', tool_calls: [CALL], finish: 'tool_calls' };
const EVENTS = [
  { type: 'user_message_added', content: 'Hi', seq: 1, at: 0 },
  { type: 'assistant_message_added', message: MESSAGE, seq: 2, at: 0 },
  { type: 'tool_finished', tool_call_id: '1', result: RESULT, seq: 3, at: 0 },
];
const RULES = { allow: [{ tool: 'look', pattern: 'a*' }], deny: [{ tool: 'ls' }], mode: 'default', revoked: [] };

const DIALECTS = dialects.dialectNames().filter((dialect) => dialect !== 'auto');
type Row = readonly [name: string, call: (...given: never[]) => unknown, given: readonly unknown[]];
const ROWS: readonly Row[] = [
  [
    'createHarness',
    halter.createHarness,
    [
      {
        model: { name: 'm', sampling: { temperature: 1 } },
        limits: { iterations: 1 },
        messages: MESSAGES.slice(1),
        permissions: { allow: ['ls'] },
        mcpServers: { a: { command: 'x', args: ['y'], env: { A: 'b' } } },
      },
    ],
  ],
  ['defineTool', halter.defineTool, [{ ...TOOL, path_arguments: ['city'], sinks: ['city'], run: () => 1 }]],
  [
    'registerTool',
    halter.registerTool,
    ['add', 'Adds', ['a'], (a: number) => a, ['integer'], { risk: 'safe', path_arguments: ['a'] }],
  ],
  ['fail', halter.fail, ['io_error', 'No.', { reason: 'why' }]],
  ['ok', halter.ok, [{ a: [1] }, { reason: 'why' }]],
  ['sourcesLine', halter.sourcesLine, [['look'], 'Done.']],
  [
    'summarizeResult',
    halter.summarizeResult,
    ['look', { ...RESULT, data: '{"a":[1]}' }, { items: ['a'], maxCharacters: 9 }],
  ],
  [
    'summarizeResult of a failure',
    halter.summarizeResult,
    ['look', { ...RESULT, success: false, error_type: 'io_error', error_message: 'No.' }],
  ],
  ['summarizeResult by itself', halter.summarizeResult, ['look', { ...RESULT, data: '{"a":[1]}' }]],
  ['evaluatePolicy', core.evaluatePolicy, [RULES, TOOL, { city: 'Oslo' }]],
  ['ruleText', core.ruleText, [{ tool: 'look', pattern: 'a' }]],
  ['suggestedRule', core.suggestedRule, [{ ...TOOL, main_argument: 'city' }, { city: 'Oslo' }]],
  ['toolSchema', core.toolSchema, [TOOL]],
  ['displayMessage', core.displayMessage, [CALL, RESULT]],
  ['repairText', core.repairText, ['look', PARAMETERS, ['/a is missing']]],
  ['validateArguments', core.validateArguments, [PARAMETERS, { city: 'Oslo' }, 'strict', { asText: true }]],
  ['validateArguments of a model', core.validateArguments, [PARAMETERS, { city: 'Oslo', days: '2' }, 'model']],
  ['composeSystemPrompt', core.composeSystemPrompt, [{ size: 'small', tools: ['look'], append: 'x' }]],
  [
    'createToolExecutor',
    core.createToolExecutor,
    [{ policy: () => 'allow', tools: [TOOL], limits: { iterations: 1 } }],
  ],
  ['projectForModel', core.projectForModel, [EVENTS, PROJECTION]],
  ['projectForPerson', core.projectForPerson, [EVENTS]],
  ['callHistory', core.callHistory, [EVENTS]],
  ['lastAnswer', core.lastAnswer, [EVENTS]],
  ['activePath', core.activePath, [EVENTS]],
  ['branches', core.branches, [EVENTS]],
  ['givenTitle', core.givenTitle, [EVENTS]],
  ['openQuestions', core.openQuestions, [EVENTS]],
  ['pathAt', core.pathAt, [EVENTS, 2]],
  ['fold', core.fold, [core.DEFAULT_LIMITS, EVENTS]],
  ['createParser', dialects.createParser, [{ dialect: 'hermes', tools: [SCHEMA] }]],
  ['parseToolCalls', dialects.parseToolCalls, [TEXT, { dialect: 'auto', tools: [SCHEMA] }]],
  ['parseToolCalls of inner parts', dialects.parseToolCalls, [TEXT, { dialect: 'hermes', tools: [FUNCTION] }]],
  [
    'parseToolCalls of raw values',
    dialects.parseToolCalls,
    [
      '<tool_call>\n<function=look>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>',
      { dialect: 'qwen3-coder', tools: [SCHEMA] },
    ],
  ],
  ['autoParseToolCalls', dialects.autoParseToolCalls, [TEXT, { tools: [SCHEMA] }]],
  ['findTrailingCalls', dialects.findTrailingCalls, ['Now look(city="Oslo")', [SCHEMA], { anywhere: true }]],
  ['findUnreadCall', dialects.findUnreadCall, [TEXT, 'hermes', () => true]],
  ['findStrayCall', dialects.findStrayCall, [TEXT, { names: ['look'], isTool: () => true }]],
  [
    'readAnswer',
    dialects.readAnswer,
    [{ events: [], result: READ, text: 'Hi look(city="Oslo")', whole: 'Hi look(city="Oslo")' }, CONTEXT],
  ],
  ['toTemplateMessages', dialects.toTemplateMessages, [MESSAGES, [SCHEMA], { argumentsAs: 'object' }]],
  ['toTemplateMessages as text', dialects.toTemplateMessages, [MESSAGES, [SCHEMA], { argumentsAs: 'string' }]],
  ...everyNth(DIALECTS, 9).flatMap((dialect): Row[] => [
    [`offerTools of ${dialect}`, dialects.offerTools, [dialect, [SCHEMA]]],
    [`renderCall of ${dialect}`, dialects.renderCall, [dialect, CALL]],
    [`renderCalls of ${dialect}`, dialects.renderCalls, [dialect, [CALL]]],
    [`renderResult of ${dialect}`, dialects.renderResult, [dialect, { id: '1', name: 'look', content: 'a sea' }]],
  ]),
];

const cycle: Record<string, unknown> = { city: 'Oslo' };
cycle['self'] = cycle;
/** Deeper than the engine's stack: a walk that calls itself ends in a RangeError. */
const deep = (): unknown => {
  let value: unknown = {};
  for (let level = 0; level < 20_000; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};
const WRONG: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['a text', 'odd'],
  ['true', true],
  ['a list', []],
  ['a list of null', [null]],
  ['an object', {}],
  ['a function', () => 1],
  ['a big integer', 5n],
  ['a symbol', Symbol('odd')],
  ['a value that holds itself', cycle],
  ['a value 20,000 levels deep', deep()],
];

/** Every part of a value, and the value with another one in its place. */
const variants = (value: unknown, path: string): { path: string; put(wrong: unknown): unknown }[] => {
  const here = { path, put: (wrong: unknown) => wrong };
  if (typeof value !== 'object' || value === null) return [here];
  const isList = Array.isArray(value);
  const inside = Object.entries(value).flatMap(([key, one]) =>
    variants(one, isList ? `${path}[${key}]` : `${path}.${key}`).map(({ path: at, put }) => ({
      path: at,
      put: (wrong: unknown) => (isList ? value.with(Number(key), put(wrong)) : { ...value, [key]: put(wrong) }),
    })),
  );
  return [here, ...inside];
};

const ENGINE =
  /Cannot (?:read|convert|mix|set|destructure|use)|is not (?:a function|iterable|a constructor|defined)|call stack|serialize|circular|^undefined|\bin operator|Reduce of empty/i;
const failureOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe.each(ROWS)('%s', (_name, call, given) => {
  test('takes each part, or says in words what is wrong with it', async () => {
    expect(await failureOf(() => call(...(given as never[]))), 'what is right').toBeUndefined();
    const failed: string[] = [];
    for (const { path, put } of given.flatMap((one, index) =>
      variants(one, `${index + 1}`).map((variant) => ({
        ...variant,
        put: (wrong: unknown) => given.with(index, variant.put(wrong)),
      })),
    ))
      for (const [what, wrong] of WRONG) {
        const error = await failureOf(() => call(...(put(wrong) as never[])));
        if (error === undefined) continue;
        const { name, message } = error instanceof Error ? error : { name: 'none', message: String(error) };
        const isTold = ['TypeError', 'InvalidToolSignature', 'UnreadableValue'].includes(name) && !ENGINE.test(message);
        if (!isTold) failed.push(`${path}: ${what}: ${name}: ${message.slice(0, 90)}`);
      }
    expect(failed).toEqual([]);
  });
});

const OPEN = { ...PARAMETERS, properties: { ...PARAMETERS.properties, tree: {} } };
const open = () => {
  const harness = halter.createHarness({
    model: 'm',
    provider: scriptedProvider([{ text: 'x' }]),
    tools: [halter.defineTool({ ...FUNCTION, parameters: OPEN, risk: 'safe', run: () => 1 } as never)],
  });
  return harness;
};

test('executeTool answers each part of its arguments in words', async () => {
  const harness = open();
  const failed: string[] = [];
  for (const { path, put } of variants({ city: 'Oslo', days: 1, more: [1], tree: { of: [1] } }, 'args'))
    for (const [what, wrong] of WRONG) {
      const error = await failureOf(() => harness.executeTool('look', put(wrong) as never));
      if (error !== undefined) failed.push(`${path}: ${what}: ${String(error).slice(0, 90)}`);
    }
  await harness.close();
  expect(failed).toEqual([]);
});

test.each(DIALECTS)('%s leaves out what is undefined', (dialect) => {
  const call = { name: 'look', arguments: { city: 'Oslo' } };
  const more = { name: 'look', arguments: { none: undefined, city: 'Oslo' } };
  expect(dialects.renderCall(dialect, more as never)).toBe(dialects.renderCall(dialect, call));
  expect(dialects.renderCalls(dialect, [more as never])).toBe(dialects.renderCalls(dialect, [call]));
});

/** What other makers write for "none", what their lists hold beside functions, and what a newer halter adds. */
const BARE = { name: 'look', parameters: PARAMETERS };
const WITHOUT = { type: 'function', function: { name: 'look' } };
const LISTS: readonly (readonly [string, unknown, readonly unknown[]])[] = [
  [
    'a description that is null',
    { ...SCHEMA, function: { ...FUNCTION, description: null } },
    [{ type: 'function', function: BARE }],
  ],
  ['parameters that are null', { type: 'function', function: { name: 'look', parameters: null } }, [WITHOUT]],
  ['a type that is null', { ...SCHEMA, type: null }, [{ function: FUNCTION }]],
  ['an inner part with null', { ...FUNCTION, description: null }, [BARE]],
  ['a tool of the server', { type: 'web_search' }, []],
  ['a tool of free text', { type: 'custom', custom: { name: 'code' } }, []],
];
const READERS: readonly (readonly [string, (tools: readonly never[]) => unknown])[] = [
  ['autoParseToolCalls', (tools) => dialects.autoParseToolCalls(TEXT, { tools })],
  ['createParser', (tools) => dialects.createParser({ dialect: 'hermes', tools }).end().result],
  ['parseToolCalls', (tools) => dialects.parseToolCalls(TEXT, { dialect: 'hermes', tools })],
  ['findTrailingCalls', (tools) => dialects.findTrailingCalls('Now look(city="Oslo")', tools)],
  ['offerTools', (tools) => dialects.offerTools('hermes', tools)],
  ['toTemplateMessages', (tools) => dialects.toTemplateMessages([], tools)],
];
const NEWER = [...EVENTS, { type: 'new_thing', seq: 4, at: 1 }];
const projected = (events: readonly unknown[]): unknown => {
  const projection = core.createProjection(PROJECTION as never);
  for (const event of events) projection.add(event as never);
  return projection.messages();
};
const NEWER_READERS: readonly (readonly [string, (events: never) => unknown])[] = [
  ['callHistory', core.callHistory],
  ['lastAnswer', core.lastAnswer],
  ['activePath', core.activePath],
  ['branches', core.branches],
  ['givenTitle', core.givenTitle],
  ['projectForPerson', core.projectForPerson],
  ['openQuestions', core.openQuestions],
];
const AS_OTHERS_WRITE: readonly (readonly [string, () => unknown, () => unknown])[] = [
  ...READERS.flatMap(([name, read]) =>
    LISTS.flatMap(([what, tool, same]): [string, () => unknown, () => unknown][] =>
      (name === 'offerTools' || name === 'toTemplateMessages') && what.startsWith('an inner')
        ? []
        : [[`${name}: ${what}`, () => read([tool as never]), () => read(same as never[])]],
    ),
  ),
  [
    'renderCall: null beside a call',
    () => dialects.renderCall('hermes', { ...CALL, id: null, written: null } as never),
    () => dialects.renderCall('hermes', { name: CALL.name, arguments: CALL.arguments } as never),
  ],
  [
    'renderResult: an id that is null',
    () => dialects.renderResult('hermes', { id: null, name: 'look', content: 'a' } as never),
    () => dialects.renderResult('hermes', { name: 'look', content: 'a' } as never),
  ],
  [
    'ruleText: a pattern that is null',
    () => core.ruleText({ tool: 'ls', pattern: null } as never),
    () => core.ruleText({ tool: 'ls' }),
  ],
  ...NEWER_READERS.map(([name, read]): [string, () => unknown, () => unknown] => [
    `${name}: an event of a newer halter`,
    () => (JSON.stringify(read(NEWER as never)) ?? '').replace(/,\{"type":"new_thing"[^}]*\}/, ''),
    () => JSON.stringify(read(EVENTS as never)) ?? '',
  ]),
  [
    'fold: an event of a newer halter',
    () => core.fold(core.DEFAULT_LIMITS, NEWER as never),
    () => core.fold(core.DEFAULT_LIMITS, EVENTS as never),
  ],
  [
    'projectForModel: an event of a newer halter',
    () => core.projectForModel(NEWER as never, PROJECTION as never),
    () => core.projectForModel(EVENTS as never, PROJECTION as never),
  ],
  ['createProjection: an event of a newer halter', () => projected(NEWER), () => projected(EVENTS)],
];
test.each(AS_OTHERS_WRITE)('%s is read on', (_name, call, same) => {
  expect(call()).toEqual(same());
});
