/**
 * The names of all options and what each may be, for a program that has no compiler: one that is misspelt, or a text in
 * place of a list, would not hold, and a rule least of all.
 */

import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Sampling } from '../../core/model-port.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { CURATOR_MODES, GRAPH_RAG_MODES } from '../../core/retrieval-settings.ts';
import { nearest } from '../../core/tool/nearest-names.ts';
import type { WebChoices } from '../../io/network/web-settings.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import type { TraceChoice } from '../telemetry/tracing.ts';
import {
  anything,
  callback,
  either,
  fits,
  flag,
  isAbsent,
  type Kind,
  list,
  number,
  objectOf,
  oneOf,
  type Problem,
  positive,
  record,
  recordOf,
  shown,
  signal,
  text,
  texts,
} from './option-kinds.ts';
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

/** The compiler holds each of these to its type, so that none is forgotten. */
type Kinds<T> = Readonly<Record<keyof Required<T>, Kind>>;
/** What an option with that name may be. */
export type OptionKinds = Readonly<Record<string, Kind>>;

/** Names are checked where they are looked up, and numbers where they are used. */
const CHECKED_LATER = anything;
export const SAMPLING = objectOf({
  temperature: number,
  top_p: number,
  seed: number,
  max_tokens: positive,
  think: flag,
} satisfies Kinds<Sampling>);
export const RESULT_FORMS = oneOf('compact', 'full', 'summary');
export const TRACE = objectOf<keyof TraceChoice>({ to: oneOf('file', 'otlp'), endpoint: text, content: flag }, ['to']);
const FOLDERS = objectOf(
  { config: text, data: text, cache: text, sessions: text, undo: text } satisfies Kinds<HalterPaths>,
  ['config', 'data', 'cache', 'sessions', 'undo'],
);

const WORKSPACE: Kinds<WorkspaceOptions> = { root: text, additionalRoots: texts };
const MODEL: Kinds<ModelOptions> = {
  name: text,
  provider: either(text, record),
  baseUrl: text,
  apiKey: text,
  apiKeyEnv: text,
  apiKeyFile: text,
  apiKeyCommand: text,
  contextLength: CHECKED_LATER,
  compaction: CHECKED_LATER,
  sampling: SAMPLING,
  silenceTimeoutMs: positive,
  maxRequests: positive,
  roles: recordOf(text),
  warmUp: flag,
  promptStates: flag,
  dialect: text,
  toolStrategy: CHECKED_LATER,
  describe: flag,
  resumeWith: oneOf('own', 'named'),
  providers: record,
  dialects: list,
  onLoading: callback,
};
const PROMPT: Kinds<PromptOptions> = {
  preset: text,
  system: text,
  size: oneOf('small', 'standard'),
  append: text,
  projectInstructions: either(flag, callback),
  responseSchema: either(record, callback),
  commands: list,
};
const TOOLS: Kinds<ToolOptions> = {
  available: list,
  names: texts,
  results: RESULT_FORMS,
  describeAll: either(flag, oneOf('where_they_fit')),
  stopsAfterStep: callback,
  prepareStep: callback,
  web: objectOf({
    search: text,
    searchUrl: text,
    imageUrl: text,
    imageApi: text,
    imageModel: text,
  } satisfies Kinds<WebChoices>),
};
const PERMISSIONS: Kinds<PermissionOptions> = {
  allow: texts,
  deny: texts,
  plan: flag,
  yolo: flag,
  source: oneOf('command line', 'program'),
  mode: CHECKED_LATER,
  fixedMode: flag,
  onAsk: oneOf('wait', 'deny', 'fail'),
  sandbox: flag,
  allowNetwork: flag,
  allowHosts: texts,
  allowRead: texts,
};
const STORAGE: OptionKinds = { kind: oneOf('memory', 'files', 'postgres'), folders: FOLDERS, url: text, shared: flag };
const LIMITS = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, anything]));
const SEARCH: Kinds<SearchOptions> = {
  graphRag: oneOf(...GRAPH_RAG_MODES),
  curator: oneOf(...CURATOR_MODES),
  embeddingModel: text,
  documents: flag,
};
const MCP: Kinds<McpOptions> = {
  servers: anything,
  definitions: anything,
  files: anything,
  version: text,
  required: flag,
  patienceMs: positive,
  consent: anything,
  ask: callback,
  askInSessions: anything,
};
const IO: Kinds<IoOptions> = {
  environment: recordOf(text),
  platform: text,
  offline: flag,
  allowPrivate: texts,
  connections: record,
  signal: signal,
  onWarning: callback,
  onConnection: callback,
};
const TELEMETRY: Kinds<TelemetryOptions> = { trace: TRACE, version: text };

/** An option of a group may also be given short, as this. */
const SHORT: Readonly<Partial<Record<keyof AgentOptions, Kind>>> = {
  workspace: text,
  model: text,
  tools: list,
  storage: oneOf('memory', 'files'),
};

const GROUPS: Readonly<Record<keyof AgentOptions, OptionKinds>> = {
  workspace: WORKSPACE,
  model: MODEL,
  prompt: PROMPT,
  tools: TOOLS,
  permissions: PERMISSIONS,
  storage: STORAGE,
  search: SEARCH,
  mcp: MCP,
  // The numbers are checked where they are read.
  limits: LIMITS,
  io: IO,
  telemetry: TELEMETRY,
};

/** `further`: options that a caller takes itself. Checks their names, and what they are. */
export const checkOptionNames = (options: object, further: OptionKinds = {}): Outcome<void> => {
  const known = { ...KINDS, ...further };
  const checked = outcomeOf(objectOf(known).problem(options));
  return checked.ok ? checkStorage((options as AgentOptions).storage) : checked;
};

const KINDS: OptionKinds = Object.fromEntries(
  Object.entries(GROUPS).map(([name, group]) => {
    const short = SHORT[name as keyof AgentOptions];
    const whole = objectOf(group, [], record.words);
    return [name, short === undefined ? whole : either(short, whole)];
  }),
);

/** What is not said would be kept nowhere. */
const checkStorage = (storage: AgentOptions['storage']): Outcome<void> => {
  if (typeof storage !== 'object' || isAbsent(storage)) return succeed(undefined);
  const required = storage.kind === 'postgres' ? ['kind', 'url'] : ['kind'];
  return outcomeOf(objectOf({ storage: objectOf(STORAGE, required) }).problem({ storage }));
};

/** The same for options of another kind; `group` is what has them. */
export const checkNames = (given: object, known: OptionKinds, group: string): Outcome<void> =>
  outcomeOf(objectOf(known).problem(given), group);

const outcomeOf = (problem: Problem | undefined, group?: string): Outcome<void> => {
  if (problem === undefined) return succeed(undefined);
  const path = problem.path.replace(/^\./, '');
  const of = group === undefined ? '' : ` of ${group}`;
  if (!('unknown' in problem))
    return failure('validation_failed', `${path}${of} must be ${problem.wanted}, not ${shown(problem.value)}.`);
  return unknownOption(problem, path, group);
};

/** What other libraries call an option that is here under another name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  system: 'systemPrompt of createHarness',
  instructions: 'systemPrompt of createHarness',
  maxSteps: 'limits: { iterations } of createHarness',
  maxTurns: 'limits: { iterations } of createHarness',
  temperature: 'sampling: { temperature }',
  topP: 'sampling: { top_p }',
  seed: 'sampling: { seed }',
  maxTokens: 'sampling: { max_tokens }',
  maxOutputTokens: 'sampling: { max_tokens }',
  abortSignal: 'signal of chat()',
  output: 'schema of chat()',
  baseURL: 'baseUrl of createHarness',
};

const guessOf = (name: string, known: readonly string[], inside: (name: string) => string): string => {
  const near = nearest(name, known).map(inside);
  if (near.length > 0) return ` Did you mean ${near.join(' or ')}?`;
  return Object.hasOwn(ELSEWHERE, name) ? ` Here it is ${ELSEWHERE[name]}.` : '';
};

/** Other libraries take tools as an object with their names. */
const looksLikeTool = (value: unknown): boolean =>
  fits(record, value) && fits(text, (value as { description?: unknown }).description);

const unknownOption = (
  { unknown, known, value }: Extract<Problem, { unknown: string }>,
  path: string,
  group: string | undefined,
): Outcome<never> => {
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const guess =
    path === 'tools' && looksLikeTool(value)
      ? ` Tools are given as a list: tools: [${unknown}].`
      : guessOf(unknown, known, inside);
  const place = group === undefined ? 'There is no option' : `${group} has no`;
  return failure('validation_failed', `${place} "${inside(unknown)}".${guess} The names are: ${known.join(', ')}.`);
};
