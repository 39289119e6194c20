/**
 * Every function that the package exports × what a program without a compiler may hand to it. A value of another kind is a
 * `TypeError` (or `HalterError`) with the function, the argument, what came and what is wanted; an option that nothing reads
 * is no silence. The table follows the exports of package.json.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as core from '../src/core/index.ts';
import * as dialects from '../src/dialects/index.ts';
import { ROOT } from './source-files.ts';

type Entry = string | { types: string; node?: string; default: string };
/** One minified file for pages without a bundler, where each byte counts: it checks nothing besides the dialect's name. */
const PAGE = './dialects/browser';

const { exports } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, Entry>;
};
const source = (built: string): string => built.replace('./dist/', '../src/').replace(/(?:\.d)?\.[jt]s$/, '.ts');
const ENTRIES = await Promise.all(
  Object.entries(exports).flatMap(([name, entry]) => {
    if (typeof entry === 'string' || name === PAGE) return [];
    const load = async () => ({
      name: name === '.' ? 'halter' : name.slice(2),
      given: (await import(source(entry.node ?? entry.default))) as Record<string, unknown>,
      told: (await import(source(entry.types))) as Record<string, unknown>,
    });
    return [load()];
  }),
);

test.each(ENTRIES)('$name has at run time what its types name', ({ given, told }) => {
  expect(Object.keys(given).sort()).toEqual(Object.keys(told).sort());
});

/** An argument that may be left out. */
class Optional {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}
const opt = (value: unknown): Optional => new Optional(value);
/** Any value is right here. */
const ANY = Symbol('any');

const TOOL = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} }, effects: 'none' };
const SCHEMA = { type: 'function', function: TOOL };
const CALL = { id: '1', name: 'look', arguments: {}, source: 'native', repairs: [] };
const RESULT = { ...core.ok('a sea'), metadata: { execution_time_ms: 1, data_size_bytes: 5, timestamp: 0 } };
const LIMITS = core.DEFAULT_LIMITS;
const EVENT = { type: 'user_message_added', content: 'Hi', seq: 0, at: 0 };
const PROJECTION = { system: '', results: 'compact', summaryCharacters: 100 };
const READ = { content: 'Hi', reasoning: '', calls: [], broken: [], dialect: 'auto', truncated: false };
const ANSWER = { events: [], result: READ, text: 'Hi', whole: 'Hi' };
const CONTEXT = { tools: [], isTool: () => false, mayGuess: () => false, dialect: 'auto', reads: 'auto' };
const parser = (): unknown => dialects.createParser({ dialect: 'auto' });
const MODEL = { modelId: 'm', doGenerate: () => 1, doStream: () => 1 };
async function* events() {}

/** A call that is right, by the names of its arguments. */
const CALLS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'halter.createHarness': { options: { model: 'm' } },
  'halter.defineTool': { definition: { ...TOOL, run: () => 1 } },
  'halter.registerTool': {
    name: 'add',
    description: 'Adds',
    paramNames: ['a'],
    fn: (a: number) => a,
    types: opt(['integer']),
    options: opt({}),
  },
  'halter.fail': { error_type: 'io_error', error_message: opt('No.'), metadata: opt({}) },
  'halter.ok': { data: ANY, metadata: opt({}) },
  'halter.sourcesLine': { names: ['look'], answer: opt('Done.') },
  'halter.summarizeResult': { name: 'look', result: RESULT, options: opt({}) },
  'core.createProjection': { options: PROJECTION },
  'core.evaluatePolicy': { rules: core.NO_RULES, tool: TOOL, args: {}, decideCommand: opt(() => undefined) },
  'core.parseRule': { text: ANY },
  'core.ruleText': { rule: { tool: 'look' } },
  'core.suggestedRule': { tool: TOOL, args: {} },
  'core.findPreset': { name: 'zoo' },
  'core.succeed': { value: ANY },
  'core.failure': { error_type: 'io_error', message: 'No.', reason: opt('why') },
  'core.callHistory': { events: [EVENT] },
  'core.displayMessage': { call: CALL, result: RESULT },
  'core.lastAnswer': { events: [EVENT] },
  'core.projectForModel': { events: [EVENT], options: PROJECTION },
  'core.projectForPerson': { events: [EVENT] },
  'core.openQuestions': { events: [EVENT] },
  'core.activePath': { events: [EVENT] },
  'core.branches': { events: [EVENT] },
  'core.givenTitle': { events: [EVENT] },
  'core.pathAt': { events: [EVENT], seq: 0 },
  'core.initialState': { limits: LIMITS },
  'core.fold': { limits: LIMITS, events: [EVENT] },
  'core.step': { state: core.initialState(LIMITS), event: EVENT },
  'core.composeSystemPrompt': { options: { size: 'small' } },
  'core.systemPrompt': { size: 'small', tools: opt(['look']), isOneCall: opt(false) },
  'core.toolSchema': { tool: TOOL },
  'core.createToolExecutor': { options: { policy: () => 'allow' } },
  'core.repairText': { name: 'look', parameters: {}, issues: ['/a is missing'] },
  'core.validateArguments': { parameters: TOOL.parameters, args: ANY, mode: 'strict', options: opt({}) },
  'dialects.dialectNames': {},
  'dialects.calledBy': { name: opt('look') },
  'dialects.isGuessed': { call: CALL },
  'dialects.withoutEnd': { text: 'Hi', end: { text: 'i' } },
  'dialects.withoutFence': { answer: 'Hi' },
  'dialects.writtenOf': { result: READ },
  'dialects.dialectsAlike': { dialect: 'hermes' },
  'dialects.detectDialect': { options: { model: 'qwen3' } },
  'dialects.startsInReasoning': { generationPrompt: '<think>' },
  'dialects.createFormatParser': { format: { name: 'mine', calls: [] }, options: opt({}) },
  'dialects.autoParseToolCalls': { text: 'Hi', options: opt({}) },
  'dialects.createParser': { options: { dialect: 'auto' } },
  'dialects.createTextParser': { options: opt({}) },
  'dialects.parseToolCalls': { text: 'Hi', options: { dialect: 'auto' } },
  'dialects.stripToolCalls': { text: 'Hi', options: opt({}) },
  'dialects.offerTools': { dialect: 'hermes', tools: [SCHEMA] },
  'dialects.renderCall': { dialect: 'hermes', call: CALL },
  'dialects.renderCalls': { dialect: 'hermes', calls: [CALL] },
  'dialects.renderResult': { dialect: 'hermes', result: { name: 'look', content: 'a sea' } },
  'dialects.callMarkAtStart': { text: 'Hi' },
  'dialects.findStrayCall': { answer: 'Hi', tools: { names: [], isTool: () => false } },
  'dialects.findTrailingCalls': { answer: 'Hi', tools: [SCHEMA], options: opt({}) },
  'dialects.findUnreadCall': { answer: 'Hi', dialect: 'hermes', isTool: opt(() => false) },
  'dialects.readAnswer': { answer: ANSWER, context: CONTEXT },
  'dialects.readBehindThoughts': { text: 'Hi', result: READ, open: parser, options: opt({}) },
  'dialects.parseJsonLeniently': { text: '{}' },
  'dialects.toTemplateMessages': { messages: [{ role: 'user', content: 'Hi' }], tools: [SCHEMA], options: opt({}) },
  'dialects.createThoughtsFirstParser': { open: parser },
  'dialects.isNamedThinker': { model: 'qwen3' },
  'dialects/ai-sdk.readCalls': { model: MODEL, options: opt({}) },
  'dialects/ai-sdk.readingProvider': { provider: () => MODEL, options: opt({}) },
  'dialects/ai-sdk.readingMiddleware': { options: opt({}) },
  'dialects/ai-sdk.fromUIMessages': { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] },
  'dialects/ai-sdk.toUIMessageStream': { events: events(), options: opt({}) },
  'dialects/ai-sdk.toUIMessageResponse': { events: events(), options: opt({}) },
  'dialects/langchain.readCalls': { model: { _generate: () => 1 }, options: opt({}) },
  'server.createApp': { options: { halter: { close: () => {} }, token: 't' } },
  'server.createProbes': {
    options: { halter: { close: () => {} }, depth: () => 1, running: () => 0, version: '', hosts: [] },
  },
  'server.listen': { app: () => 1, options: { host: '127.0.0.1', port: 0 } },
  'server.openHalter': { options: { workspace: '.' } },
  'testing.scriptedProvider': { turns: [{ text: 'Hi' }], options: opt({}) },
  'testing.scriptedNetwork': { answer: () => undefined },
  'testing.startScriptedServer': { options: opt({}) },
};

type Given = (...given: unknown[]) => unknown;
const isClass = (value: unknown): boolean => /^class\b/.test(String(value));
const library = ENTRIES.find(({ name }) => name === 'halter')?.given ?? {};
/** What `halter` and `halter/core` share is told of once. */
const FUNCTIONS = ENTRIES.flatMap(({ name: entry, given }) =>
  Object.entries(given)
    .filter(
      ([name, value]) =>
        typeof value === 'function' && !isClass(value) && (entry === 'halter' || library[name] !== value),
    )
    .map(([name, value]) => [`${entry}.${name}`, value as Given] as const),
);

test('each of them has its row', () => {
  expect(FUNCTIONS.map(([name]) => name).filter((name) => !Object.hasOwn(CALLS, name))).toEqual([]);
});

const WRONG: readonly (readonly [what: string, value: unknown, shown: string])[] = [
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a number', 5, '5'],
  ['a negative number', -1, '-1'],
  ['no number', Number.NaN, 'NaN'],
  ['a big integer', 5n, '5n'],
  ['a text', 'odd', '"odd"'],
  ['true', true, 'true'],
  ['a list', [], 'a list'],
  ['a list of nothing', [null], 'null|a list'],
  ['an object', {}, 'undefined|an object'],
  ['a date', new Date(0), 'a Date'],
  ['a function', () => 1, 'a function'],
  ['a symbol', Symbol('odd'), 'Symbol\\(odd\\)'],
];
const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.includes(null) ? 'a list of nothing' : 'a list';
  return value instanceof Date ? 'a date' : typeof value;
};
/** A text that is one of some words. */
const WORDS: ReadonlySet<unknown> = new Set(['io_error', 'small', 'strict', 'hermes']);
/** Takes one of any name. */
const ANY_TEXT: ReadonlySet<string> = new Set(['dialects.dialectsAlike']);
/** An object that need have nothing in it. */
const isOpen = (argument: string): boolean => ['args', 'parameters', 'metadata', 'provider'].includes(argument);
/** What of them is of another kind than the right one. */
const wrongFor = (name: string, argument: string, right: unknown): typeof WRONG => {
  const isOptional = right instanceof Optional;
  const value = isOptional ? right.value : right;
  return WRONG.filter(([, wrong]) => {
    if (value === ANY) return false;
    if (isOptional && (wrong === undefined || wrong === null)) return false;
    if (typeof wrong === 'string' && typeof value === 'string') return WORDS.has(value) && !ANY_TEXT.has(name);
    if (kindOf(wrong) === 'object' && typeof value === 'object' && !Array.isArray(value))
      return !isOptional && !isOpen(argument) && !['detectDialect', 'openHalter'].some((one) => name.endsWith(one));
    // Either is a provider, and a script.
    if (typeof wrong === 'function' && ['provider', 'turns'].includes(argument)) return false;
    if (['object', 'a date'].includes(kindOf(wrong)) && argument === 'provider') return false;
    return kindOf(wrong) !== kindOf(value) || (typeof value === 'number' && Number.isNaN(wrong));
  });
};

const failureOf = async (call: () => unknown): Promise<Error | undefined> => {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error as Error;
  }
};

/** They say in words of their own, each with the tool's name, what is wrong with a signature; and what a harness needs. */
const OWN_WORDS = /^halter\.(?:createHarness|defineTool|registerTool)$/;
/** Their last argument is no set of options: a tool, a call, an event, a result, a response of the web. */
const TAKES_MORE: ReadonlySet<string> = new Set([
  ...['halter.fail', 'halter.ok', 'core.ruleText', 'core.suggestedRule', 'core.displayMessage'],
  ...['core.initialState', 'core.step', 'core.toolSchema', 'dialects.isGuessed', 'dialects.withoutEnd'],
  ...['dialects.writtenOf', 'dialects.renderCall', 'dialects.renderResult', 'dialects.readAnswer'],
  ...['dialects/ai-sdk.toUIMessageResponse', 'halter.defineTool'],
]);

describe.each(FUNCTIONS)('%s', (name, given) => {
  const right = CALLS[name] ?? {};
  const byName = Object.entries(right);
  const args = (): unknown[] => byName.map(([, one]) => (one instanceof Optional ? one.value : one === ANY ? {} : one));
  const rows = byName.flatMap(([argument, one], index) =>
    wrongFor(name, argument, one).map(([what, value, shown]) => ({ index, argument, what, value, shown })),
  );
  const short = name.split('.')[1] ?? '';
  if (rows.length === 0) test('takes anything', () => expect(byName.every(([, one]) => one === ANY)).toBe(true));
  test.each(rows)('$argument that is $what is told in words', async ({ index, argument, value, shown }) => {
    const error = await failureOf(() => given(...args().with(index, value)));
    expect(error, 'nothing was told').toBeInstanceOf(Error);
    expect(['TypeError', 'InvalidToolSignature']).toContain(error?.name);
    if (OWN_WORDS.test(name)) return expect(error?.message).not.toMatch(/reading '|is not a function|not iterable/);
    expect(error?.message).toMatch(/ must be | takes /);
    expect(error?.message).toMatch(new RegExp(`not (?:${shown})`));
    for (const part of [`${short}()`, argument]) expect(error?.message).toContain(part);
  });
  const last = args().at(-1);
  if (
    byName.at(-1)?.[1] === ANY ||
    typeof last !== 'object' ||
    last === null ||
    Array.isArray(last) ||
    TAKES_MORE.has(name)
  )
    return;
  test('an option that nothing reads is told', async () => {
    const error = await failureOf(() => given(...args().slice(0, -1), Object.freeze({ ...last, odd_option: 1 })));
    expect(error?.message ?? 'nothing was told').toContain('odd_option');
  });
});
