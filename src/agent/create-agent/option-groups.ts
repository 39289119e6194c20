/**
 * All options by name and what each may be, for a program that has no compiler. The compiler holds each group to its type,
 * so that none is forgotten.
 */
import type { CustomCommand } from '../../core/custom-command.ts';
import { SPECULATIONS } from '../../core/engine-options.ts';
import type { Limits } from '../../core/limits.ts';
import type { Sampling } from '../../core/model-port.ts';
import {
  address,
  anything,
  callback,
  database,
  either,
  filled,
  flag,
  fromOne,
  fromZero,
  type Kind,
  type KindsOf,
  listOf,
  milliseconds,
  numberFromZero,
  type OptionKinds,
  objectOf,
  oneOf,
  PROVIDER,
  record,
  recordOf,
  share,
  signal,
  text,
  texts,
  whole,
} from '../../core/option-kinds.ts';
import { MODES } from '../../core/policy/modes.ts';
import { presetNames } from '../../core/presets.ts';
import { PROVIDER_NAMES } from '../../core/provider-names.ts';
import { CURATOR_MODES, GRAPH_RAG_MODES } from '../../core/retrieval-settings.ts';
import { TOOL } from '../../core/tool/tool-fields.ts';
import { TOOL_STRATEGIES } from '../../core/tool-strategy.ts';
import { IMAGE_APIS, SEARCH_BACKENDS } from '../../core/web-settings.ts';
import { COMPACTION_MODES } from '../../core/window/compaction-mode.ts';
import type { DialectDefinition, PromptWriter } from '../../dialects/index.ts';
import { DIALECT_ORDER } from '../../dialects/order.ts';
import type { WebChoices } from '../../io/network/web-settings.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import { isServerTool } from '../mcp/server-tool-names.ts';
import type { TraceChoice } from '../telemetry/tracing.ts';
import type {
  AgentOptions,
  IoOptions,
  ModelOptions,
  PermissionOptions,
  PromptOptions,
  SearchOptions,
  TelemetryOptions,
  ToolOptions,
  WorkspaceOptions,
} from './options.ts';

export const SAMPLING = objectOf({
  temperature: numberFromZero,
  top_p: share,
  seed: whole,
  max_tokens: fromOne,
  think: flag,
  think_budget: fromOne,
} satisfies KindsOf<Sampling>);
export const RESULT_FORMS = oneOf('compact', 'full', 'summary');
const FOLDERS = objectOf(
  { config: filled, data: filled, cache: filled, sessions: filled, undo: filled } satisfies KindsOf<HalterPaths>,
  { required: ['config', 'data', 'cache', 'sessions', 'undo'] },
);
/** By the kind that is named: what belongs to another would be kept nowhere. */
const STORAGES: Readonly<Record<string, Kind>> = {
  memory: objectOf({ kind: text }, { words: 'an object' }),
  files: objectOf({ kind: text, folders: FOLDERS }),
  postgres: objectOf({ kind: text, url: database, shared: flag, folders: FOLDERS }, { required: ['url'] }),
};
const STORAGE_KIND = oneOf(...Object.keys(STORAGES));
const STORAGE: Kind = {
  words: 'an object',
  inside: Object.assign({ kind: STORAGE_KIND }, ...Object.values(STORAGES).map(({ inside }) => inside)),
  problem: (value) =>
    objectOf({ kind: STORAGE_KIND }, { required: ['kind'], words: 'an object', others: 'taken' }).problem(value) ??
    STORAGES[(value as { kind: string }).kind]?.problem(value),
};
const PLATFORMS = [
  'aix',
  'android',
  'cygwin',
  'darwin',
  'freebsd',
  'haiku',
  'linux',
  'netbsd',
  'openbsd',
  'sunos',
  'win32',
] as const satisfies readonly NodeJS.Platform[];
const DIALECT = objectOf(
  {
    format: objectOf(
      { name: filled, calls: listOf(record, 'a list of notations') },
      { required: ['name', 'calls'], others: 'taken' },
    ),
    prompt: objectOf({ offer: callback, calls: callback, result: callback } satisfies KindsOf<PromptWriter>, {
      required: ['offer', 'calls', 'result'],
      others: 'taken',
    }),
  } satisfies KindsOf<DialectDefinition>,
  { required: ['format'] },
);
const COMMAND = objectOf(
  {
    name: filled,
    description: text,
    template: text,
    from: oneOf('yours', 'folder', 'plugin', 'halter'),
  } satisfies KindsOf<CustomCommand>,
  { required: ['name', 'template'] },
);

/** Names that a program has besides halter's own. */
export type OwnNames = Readonly<Record<'dialects' | 'providers' | 'tools', readonly string[]>>;

/**
 * What a person may have written on a command line is told of later, in its words: that is `own: undefined`. A program is
 * told at once.
 */
export type AgentKinds = KindsOf<AgentOptions>;

export const optionKinds = (own: OwnNames | undefined): AgentKinds => {
  const precise: Precise = (each, otherwise = anything) => (own === undefined ? otherwise : each);
  const tool = precise(TOOL);
  return {
    workspace: either(filled, group(WORKSPACE)),
    model: either(filled, group(modelKinds(precise, own))),
    prompt: group(promptKinds(precise)),
    tools: either(listOf(tool, 'a list of tools'), group(toolKinds(precise, tool, own))),
    permissions: group(permissionKinds(precise)),
    storage: either(oneOf('memory', 'files'), STORAGE),
    search: group(SEARCH),
    mcp: group(MCP),
    limits: group(LIMITS),
    io: group(IO),
    telemetry: group(telemetryKinds(precise)),
  };
};

/** What a program is told at once; of a person's words, the kind that takes what is told of later. */
type Precise = (each: Kind, otherwise?: Kind) => Kind;

const group = (kinds: OptionKinds): Kind => objectOf(kinds, { words: record.words });

const WORKSPACE: KindsOf<WorkspaceOptions> = { root: filled, additionalRoots: listOf(filled, 'a list of folders') };

const LIMITS: KindsOf<Limits> = {
  toolCallsPerIteration: fromOne,
  iterations: fromOne,
  repairs: fromZero,
  toolTimeoutMs: milliseconds,
  summaryCharacters: fromZero,
};

const SEARCH: KindsOf<SearchOptions> = {
  graphRag: oneOf(...GRAPH_RAG_MODES),
  curator: oneOf(...CURATOR_MODES),
  embeddingModel: filled,
  documents: flag,
};

const MCP: KindsOf<McpOptions> = {
  servers: record,
  definitions: listOf(objectOf({ name: filled }, { required: ['name'], others: 'taken' }), 'a list of servers'),
  files: flag,
  version: text,
  required: flag,
  patienceMs: milliseconds,
  consent: callback,
  ask: callback,
  askInSessions: flag,
};

const IO: KindsOf<IoOptions> = {
  environment: recordOf(text),
  platform: oneOf(...PLATFORMS),
  offline: flag,
  allowPrivate: listOf(filled, 'a list of texts'),
  connections: objectOf<'resolve' | 'dial'>({ resolve: callback, dial: callback }),
  signal,
  onWarning: callback,
  onConnection: callback,
};

const modelKinds = (precise: Precise, own: OwnNames | undefined): KindsOf<ModelOptions> => ({
  name: filled,
  provider: either(precise(oneOf(...PROVIDER_NAMES, ...(own?.providers ?? [])), text), PROVIDER),
  baseUrl: precise(address, text),
  apiKey: text,
  apiKeyEnv: filled,
  apiKeyFile: filled,
  apiKeyCommand: filled,
  apiKeyFor: listOf(filled, 'a list of addresses'),
  contextLength: precise(fromOne),
  compaction: precise(oneOf(...COMPACTION_MODES)),
  sampling: SAMPLING,
  silenceTimeoutMs: milliseconds,
  maxRequests: fromOne,
  roles: recordOf(filled),
  warmUp: flag,
  promptStates: flag,
  dialect: precise(oneOf(...DIALECT_ORDER, 'auto', ...(own?.dialects ?? [])), text),
  toolStrategy: precise(oneOf(...TOOL_STRATEGIES)),
  adapters: listOf(filled, 'a list of files'),
  speculation: precise(oneOf(...SPECULATIONS)),
  describe: flag,
  resumeWith: oneOf('own', 'own_here', 'named'),
  providers: recordOf(callback),
  dialects: listOf(DIALECT, 'a list of dialects'),
  onLoading: callback,
});

const promptKinds = (precise: Precise): KindsOf<PromptOptions> => ({
  preset: precise(oneOf(...presetNames), text),
  system: text,
  size: oneOf('small', 'standard'),
  append: text,
  projectInstructions: either(flag, callback),
  responseSchema: either(record, callback),
  commands: listOf(COMMAND, 'a list of commands'),
});

const toolKinds = (precise: Precise, tool: Kind, own: OwnNames | undefined): KindsOf<ToolOptions> => ({
  available: listOf(tool, 'a list of tools'),
  names: own === undefined ? texts : listOf(toolOf(own.tools), 'a list of names of tools'),
  results: RESULT_FORMS,
  describeAll: either(flag, oneOf('where_they_fit')),
  stopsAfterStep: callback,
  prepareStep: callback,
  web: objectOf({
    search: precise(oneOf(...SEARCH_BACKENDS), text),
    searchUrl: precise(address, text),
    imageUrl: precise(address, text),
    imageApi: precise(oneOf(...IMAGE_APIS), text),
    imageModel: filled,
  } satisfies KindsOf<WebChoices>),
});

const permissionKinds = (precise: Precise): KindsOf<PermissionOptions> => ({
  allow: texts,
  deny: texts,
  plan: flag,
  yolo: flag,
  source: oneOf('command line', 'program'),
  mode: precise(oneOf(...MODES)),
  fixedMode: flag,
  onAsk: oneOf('wait', 'deny', 'fail', 'postpone'),
  sandbox: flag,
  allowNetwork: flag,
  allowHosts: listOf(filled, 'a list of hosts'),
  allowRead: listOf(filled, 'a list of paths'),
});

const telemetryKinds = (precise: Precise): KindsOf<TelemetryOptions> => ({
  trace: traceKind(precise(address, text)),
  version: text,
});

const nothing: Kind = {
  words: 'one of the tools, of which there are none',
  problem: (value) => ({ path: '', wanted: nothing.words, value }),
};

/** Those of servers are known when the servers are there. */
const toolOf = (names: readonly string[]): Kind => {
  const known = names.length === 0 ? nothing : oneOf(...names);
  return { ...known, problem: (value) => (isServerTool(String(value)) ? undefined : known.problem(value)) };
};

export const traceKind = (endpoint: Kind): Kind =>
  objectOf({ to: oneOf('file', 'otlp'), endpoint, content: flag } satisfies KindsOf<TraceChoice>, { required: ['to'] });
