/** Every option, and every field of one, given everything that it is not: a program without a compiler hears of it at once. */
import { expect, it, test } from 'vitest';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Kind, OptionKinds } from '../core/option-kinds.ts';
import { scriptedProvider } from '../testing/index.ts';
import { CHAT_OPTIONS, harnessKinds, OVERRIDES } from './check-options.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

/** What a program may write by mistake, by a word for it. */
const VALUES: Readonly<Record<string, unknown>> = {
  nan: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  minus: -1,
  zero: 0,
  half: 0.5,
  five: 5,
  huge: 2 ** 40,
  bigint: 5n,
  true: true,
  empty: '',
  blank: ' ',
  word: 'odd',
  number_text: '5',
  address: 'http://127.0.0.1:1/v1',
  symbol: Symbol('odd'),
  callback: () => undefined,
  list: [],
  numbers: [5],
  words: ['odd'],
  blanks: [''],
  object: {},
  unknown_name: { odd_name: 1 },
  date: new Date(0),
};

/** Of these values, those that may be given. */
const FITTING = {
  none: [],
  anyText: ['empty', 'blank', 'word', 'number_text', 'address'],
  text: ['word', 'number_text', 'address'],
  id: ['word', 'number_text'],
  address: ['address'],
  flag: ['true'],
  callback: ['callback'],
  heat: ['zero', 'half', 'five', 'huge'],
  share: ['zero', 'half'],
  whole: ['minus', 'zero', 'five', 'huge'],
  fromZero: ['zero', 'five', 'huge'],
  fromOne: ['five', 'huge'],
  milliseconds: ['half', 'five'],
  texts: ['list', 'words', 'blanks'],
  names: ['list', 'words'],
  emptyList: ['list'],
  group: ['object'],
  record: ['object', 'unknown_name'],
  flagOrCallback: ['true', 'callback'],
  recordOrCallback: ['object', 'unknown_name', 'callback'],
  workspace: ['word', 'number_text', 'address', 'object'],
  toolsOrGroup: ['list', 'object'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof VALUES)[]>>;
type Fitting = keyof typeof FITTING;

const SAMPLING: Record<string, Fitting> = {
  '': 'group',
  '.temperature': 'heat',
  '.top_p': 'share',
  '.seed': 'whole',
  '.max_tokens': 'fromOne',
  '.think': 'flag',
  '.think_budget': 'fromOne',
};
const TRACE: Record<string, Fitting> = { '': 'none', '.to': 'none', '.endpoint': 'address', '.content': 'flag' };
const below = (path: string, fields: Record<string, Fitting>): Record<string, Fitting> =>
  Object.fromEntries(Object.entries(fields).map(([name, fitting]) => [`${path}${name}`, fitting]));

/** Every option is in this list: a new one that is not fails the first test below. */
const EXPECTED: Readonly<Record<string, Fitting>> = {
  workspace: 'workspace',
  'workspace.root': 'text',
  'workspace.additionalRoots': 'names',
  model: 'workspace',
  'model.name': 'text',
  'model.provider': 'none',
  'model.baseUrl': 'address',
  'model.apiKey': 'anyText',
  'model.apiKeyEnv': 'text',
  'model.apiKeyFile': 'text',
  'model.apiKeyFor': 'names',
  'model.apiKeyCommand': 'text',
  'model.contextLength': 'fromOne',
  'model.compaction': 'none',
  ...below('model.sampling', SAMPLING),
  'model.silenceTimeoutMs': 'milliseconds',
  'model.maxRequests': 'fromOne',
  'model.roles': 'group',
  'model.roles.*': 'text',
  'model.warmUp': 'flag',
  'model.promptStates': 'flag',
  'model.dialect': 'none',
  'model.toolStrategy': 'none',
  'model.adapters': 'names',
  'model.speculation': 'none',
  'model.describe': 'flag',
  'model.resumeWith': 'none',
  'model.providers': 'group',
  'model.providers.*': 'callback',
  'model.dialects': 'emptyList',
  'model.dialects[]': 'none',
  'model.dialects[].format': 'none',
  'model.dialects[].format.name': 'text',
  'model.dialects[].format.calls': 'emptyList',
  'model.dialects[].prompt': 'none',
  'model.dialects[].prompt.offer': 'callback',
  'model.dialects[].prompt.calls': 'callback',
  'model.dialects[].prompt.result': 'callback',
  'model.onLoading': 'callback',
  prompt: 'group',
  'prompt.preset': 'none',
  'prompt.system': 'anyText',
  'prompt.size': 'none',
  'prompt.append': 'anyText',
  'prompt.projectInstructions': 'flagOrCallback',
  'prompt.responseSchema': 'recordOrCallback',
  'prompt.commands': 'emptyList',
  'prompt.commands[]': 'none',
  'prompt.commands[].name': 'text',
  'prompt.commands[].description': 'anyText',
  'prompt.commands[].template': 'anyText',
  'prompt.commands[].from': 'none',
  tools: 'toolsOrGroup',
  'tools.available': 'emptyList',
  'tools.names': 'emptyList',
  'tools.results': 'none',
  'tools.describeAll': 'flag',
  'tools.stopsAfterStep': 'callback',
  'tools.prepareStep': 'callback',
  'tools.web': 'group',
  'tools.web.search': 'none',
  'tools.web.searchUrl': 'address',
  'tools.web.imageUrl': 'address',
  'tools.web.imageApi': 'none',
  'tools.web.imageModel': 'text',
  permissions: 'group',
  'permissions.allow': 'names',
  'permissions.deny': 'names',
  'permissions.plan': 'flag',
  'permissions.yolo': 'flag',
  'permissions.source': 'none',
  'permissions.mode': 'none',
  'permissions.fixedMode': 'flag',
  'permissions.onAsk': 'none',
  'permissions.sandbox': 'flag',
  'permissions.allowNetwork': 'flag',
  'permissions.allowHosts': 'names',
  'permissions.allowRead': 'names',
  storage: 'none',
  'storage.kind': 'none',
  'storage.url': 'none',
  'storage.shared': 'flag',
  'storage.folders': 'none',
  ...below(
    'storage.folders',
    Object.fromEntries(['config', 'data', 'cache', 'sessions', 'undo'].map((name) => [`.${name}`, 'text'])),
  ),
  search: 'group',
  'search.graphRag': 'none',
  'search.curator': 'none',
  'search.embeddingModel': 'text',
  'search.documents': 'flag',
  mcp: 'group',
  'mcp.servers': 'record',
  'mcp.definitions': 'emptyList',
  'mcp.definitions[]': 'none',
  'mcp.definitions[].name': 'text',
  'mcp.files': 'flag',
  'mcp.version': 'anyText',
  'mcp.required': 'flag',
  'mcp.patienceMs': 'milliseconds',
  'mcp.consent': 'callback',
  'mcp.ask': 'callback',
  'mcp.askInSessions': 'flag',
  limits: 'group',
  'limits.toolCallsPerIteration': 'fromOne',
  'limits.iterations': 'fromOne',
  'limits.repairs': 'fromZero',
  'limits.toolTimeoutMs': 'milliseconds',
  'limits.summaryCharacters': 'fromZero',
  io: 'group',
  'io.environment': 'group',
  'io.environment.*': 'anyText',
  'io.platform': 'none',
  'io.offline': 'flag',
  'io.allowPrivate': 'names',
  'io.connections': 'group',
  'io.connections.resolve': 'callback',
  'io.connections.dial': 'callback',
  'io.signal': 'none',
  'io.onWarning': 'callback',
  'io.onConnection': 'callback',
  telemetry: 'group',
  ...below('telemetry.trace', TRACE),
  'telemetry.version': 'anyText',
  provider: 'none',
  baseUrl: 'address',
  apiKey: 'anyText',
  ...below('sampling', SAMPLING),
  systemPrompt: 'anyText',
  sandbox: 'flag',
  allowNetwork: 'flag',
  allowPrivate: 'names',
  onPermission: 'callback',
  approvalSecret: 'none',
  mcpServers: 'group',
  'mcpServers.*': 'none',
  'mcpServers.*.command': 'text',
  'mcpServers.*.args': 'texts',
  'mcpServers.*.env': 'group',
  'mcpServers.*.env.*': 'anyText',
  'mcpServers.*.timeout': 'milliseconds',
  'mcpServers.*.type': 'anyText',
  'mcpServers.*.url': 'text',
  'mcpServers.*.headers': 'group',
  'mcpServers.*.headers.*': 'anyText',
  'mcpServers.*.oauth': 'group',
  'mcpServers.*.oauth.*': 'anyText',
  onServerQuestion: 'callback',
  onConnection: 'callback',
  session: 'id',
  fork: 'flag',
  messages: 'emptyList',
  roles: 'group',
  'roles.*': 'text',
  dialect: 'none',
  contextLength: 'fromOne',
  silenceTimeoutMs: 'milliseconds',
  warmUp: 'flag',
  results: 'none',
  offline: 'flag',
  ...below('trace', TRACE),
  rulesFile: 'text',
};

const pathsOf = (kinds: OptionKinds, above = ''): string[] =>
  Object.entries<Kind>(kinds).flatMap(([name, kind]) => {
    const path = name === '[]' ? `${above}[]` : above === '' ? name : `${above}.${name}`;
    const inside = pathsOf(kind.inside ?? {}, path);
    // Lists and records of plain texts are told by what they hold.
    return [path, ...inside.filter((one) => one !== `${path}[]` || kind.inside?.['[]']?.inside !== undefined)];
  });

/** What else is needed at that place, so that the value alone is what is wrong. */
const BESIDE: Readonly<Record<string, object>> = {
  'model.dialects[]': { format: { name: 'own', calls: [] } },
  'model.dialects[].format': { name: 'own', calls: [] },
  'model.dialects[].prompt': { offer: () => '', calls: () => '', result: () => '' },
  'prompt.commands[]': { name: 'own', template: 'x' },
  storage: { kind: 'postgres', url: 'postgres://127.0.0.1:1/x' },
  'storage.folders': { config: '/c', data: '/d', cache: '/e', sessions: '/s', undo: '/u' },
  'telemetry.trace': { to: 'otlp' },
  trace: { to: 'otlp' },
  'mcpServers.*': { command: 'x' },
};

/** The options with that value at that path, and the path as it is told. */
const placed = (path: string, value: unknown): [options: object, told: string] => {
  const steps = path.replaceAll('[]', '.[]').split('.');
  const last = steps.length - 1;
  const put = (depth: number, above: string): unknown => {
    const name = steps[depth] as string;
    const here = name === '[]' ? `${above}[]` : above === '' ? name : `${above}.${name}`;
    const inside = depth === last ? value : put(depth + 1, here);
    if (name === '[]') return [inside];
    return { ...BESIDE[above], [name === '*' ? 'some' : name]: inside };
  };
  const told = path === 'tools.available' ? 'tools' : path;
  return [put(0, '') as object, told.replaceAll('[]', '[0]').replaceAll('*', 'some')];
};

it('is in the table', () => {
  const kinds = harnessKinds({ model: 'm' });
  expect(Object.keys(EXPECTED).toSorted()).toEqual(pathsOf(kinds).toSorted());
  for (const name of Object.keys(DEFAULT_LIMITS)) expect(EXPECTED).toHaveProperty([`limits.${name}`]);
});

test.each(Object.entries(EXPECTED))('%s takes what is %s, and refuses the rest with its path', (path, fitting) => {
  const problems: unknown[] = [];
  const accepted: string[] = [];
  for (const [word, value] of Object.entries(VALUES)) {
    const [options, told] = placed(path, value);
    const all = { model: 'm', session: 's', provider: scriptedProvider([]), ...options };
    try {
      createHarness(all as unknown as HarnessOptions);
      accepted.push(word);
    } catch (error) {
      const { name, message } = error as Error;
      const names = message.includes(told) || (word === 'unknown_name' && message.includes('"odd_name"'));
      const says =
        /must be |must name|There is no option|not a rule|is empty|Not a session id|was not made by|needs a model/;
      if (!names || !says.test(message)) problems.push([word, name, message]);
    }
  }
  expect(problems).toEqual([]);
  expect(accepted.toSorted()).toEqual([...FITTING[fitting]].toSorted());
});

const WORDS: [path: string, value: string, meant: RegExp][] = [
  ['dialect', 'hermez', /^dialect must be one of: .*hermes.*, not "hermez"\. Did you mean hermes\?/],
  ['model.dialect', 'hermez', /^model\.dialect must be one of/],
  [
    'model.toolStrategy',
    'txt',
    /^model\.toolStrategy must be one of: auto, native, text, led, not "txt"\. Did you mean text\?/,
  ],
  ['model.speculation', 'lokup', /^model\.speculation must be one of: off, lookup, .*Did you mean lookup\?/],
  ['model.compaction', 'of', /^model\.compaction must be one of: .*Did you mean off\?/],
  [
    'permissions.mode',
    'yollo',
    /^permissions\.mode must be one of: plan, ask, edit, auto, yolo, .*Did you mean yolo\?/,
  ],
  [
    'provider',
    'olama',
    /^provider must be one of: ollama, openai, llama-cpp, embedded, or a provider .*Did you mean ollama\?/,
  ],
  ['prompt.preset', 'edisson', /^prompt\.preset must be one of: .*Did you mean edison\?/],
];
test.each(WORDS)('%s: %j is told what there is', (path, value, words) => {
  const [options] = placed(path, value);
  const all = { model: 'm', ...options } as HarnessOptions;
  expect(() => createHarness(all)).toThrow(words);
});

it('knows dialects and providers of the program', () => {
  const model = {
    name: 'm',
    dialects: [{ format: { name: 'mine', calls: [] } }],
    providers: { own: () => scriptedProvider([]) },
  } as unknown as HarnessOptions['model'];
  expect(() => createHarness({ model, dialect: 'mine', provider: 'own' })).not.toThrow();
  expect(() => createHarness({ model, dialect: 'yours' })).toThrow(/mine, not "yours"/);
});

it('shows no address of a database, which has a password in it', () => {
  const url = 'mysql://halter:secret@host/name';
  expect(() => createHarness({ model: 'm', storage: { kind: 'postgres', url } })).toThrow(
    /storage\.url .*, not "mysql…"/,
  );
});

const CHAT_EXPECTED: Readonly<Record<keyof typeof CHAT_OPTIONS, Fitting>> = {
  signal: 'none',
  schema: 'recordOrCallback',
  stopWhen: 'callback',
  prepareStep: 'callback',
  model: 'text',
  approvals: 'emptyList',
};
const STEP_EXPECTED: Readonly<Record<keyof typeof OVERRIDES, Fitting>> = {
  tools: 'names',
  model: 'text',
  sampling: 'group',
};

const BY_MESSAGE: [who: string, kinds: Readonly<Record<string, Kind>>, expected: Readonly<Record<string, Fitting>>][] =
  [
    ['chat()', CHAT_OPTIONS, CHAT_EXPECTED],
    ['prepareStep', OVERRIDES, STEP_EXPECTED],
  ];
for (const [who, kinds, expected] of BY_MESSAGE) {
  test.each(Object.entries(expected))(`${who}: %s is what is %s`, (name, fitting) => {
    const fits = Object.keys(VALUES).filter((word) => kinds[name]?.problem(VALUES[word]) === undefined);
    expect(fits.toSorted()).toEqual([...FITTING[fitting]].toSorted());
  });
}

/** What has to be there, or begins a program or a connection of its own. */
const NEEDED =
  /^(?:model$|model\.dialects\[\]|prompt\.commands\[\]\.?(?:name|template)?$|storage\.|mcp\.definitions\[\]|(?:telemetry\.)?trace\.to$|mcpServers\.)/;

test.each(Object.keys(EXPECTED).filter((path) => !NEEDED.test(path)))('%s: null is nothing', async (path) => {
  const [options] = placed(path, null);
  const rest =
    path === 'provider' ? { provider: null, model: { name: 'm', provider: scriptedProvider([{ text: 'x' }]) } } : {};
  const needed = { model: 'm', session: 's', provider: scriptedProvider([{ text: 'x' }]), storage: 'memory' };
  const agent = createHarness({ ...needed, ...options, ...rest } as unknown as HarnessOptions);
  expect((await agent.chat('Go')).answer).toBe('x');
  await agent.close();
});
