/**
 * The names of all options and what each may be, for a program that has no compiler: one that is misspelt, or a text in
 * place of a list, would not hold, and a rule least of all.
 */

import type { Sampling } from '../../core/model-port.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { CURATOR_MODES, GRAPH_RAG_MODES } from '../../core/retrieval-settings.ts';
import { nearest } from '../../core/tool/nearest-names.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import {
  anything,
  callback,
  either,
  flag,
  type Kind,
  list,
  number,
  objectOf,
  oneOf,
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
const isTrace = oneOf('file', 'otlp');
export const TRACE: Kind = (value) =>
  record(value) === undefined && isTrace((value as { to?: unknown }).to) === undefined
    ? undefined
    : "{ to: 'otlp' } or { to: 'file' }";
const FOLDER_NAMES: readonly (keyof HalterPaths)[] = ['config', 'data', 'cache', 'sessions', 'undo'];
const FOLDERS: Kind = (value) =>
  record(value) === undefined &&
  FOLDER_NAMES.every((name) => text((value as Record<string, unknown>)[name]) === undefined)
    ? undefined
    : `an object with the paths of these folders: ${FOLDER_NAMES.join(', ')}`;

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
  web: record,
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
  environment: record,
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

const GROUPS: Readonly<Record<keyof AgentOptions, OptionKinds | undefined>> = {
  workspace: WORKSPACE,
  model: MODEL,
  prompt: PROMPT,
  tools: TOOLS,
  permissions: PERMISSIONS,
  storage: STORAGE,
  search: SEARCH,
  mcp: MCP,
  // Checked by their own names and values.
  limits: undefined,
  io: IO,
  telemetry: TELEMETRY,
};

/** `further`: options that a caller takes itself. Checks their names, and what they are. */
export const checkOptionNames = (options: object, further: OptionKinds = {}): Outcome<void> => {
  for (const [name, value] of Object.entries(options)) {
    if (isAbsent(value)) continue;
    const checked = Object.hasOwn(further, name)
      ? checkKind(name, value, further[name] as Kind)
      : checkGroup(name, value, Object.keys(further));
    if (!checked.ok) return checked;
  }
  return succeed(undefined);
};

const checkGroup = (name: string, value: unknown, further: readonly string[]): Outcome<void> => {
  if (!Object.hasOwn(GROUPS, name)) return unknownOption(name, [...Object.keys(GROUPS), ...further]);
  const kinds = GROUPS[name as keyof AgentOptions];
  if (kinds === undefined) return checkKind(name, value, record);
  const short = SHORT[name as keyof AgentOptions];
  if (short !== undefined && short(value) === undefined) return succeed(undefined);
  const group = checkKind(name, value, short === undefined ? record : either(short, record));
  if (!group.ok) return group;
  const checked = checkNames(value as object, kinds, `The option ${name}`, (inner) => `${name}.${inner}`);
  return checked.ok && name === 'storage' ? checkStorage(value as Record<string, unknown>) : checked;
};

/** What is not said would be kept nowhere. */
const checkStorage = ({ kind, url }: Record<string, unknown>): Outcome<void> => {
  if (isAbsent(kind)) return checkKind('storage.kind', kind, STORAGE['kind'] as Kind);
  return kind === 'postgres' ? checkKind('storage.url', url, text) : succeed(undefined);
};

/** The same for options of another kind; `group` is what has them, and `named` how one of them is called. */
export const checkNames = (
  given: object,
  known: OptionKinds,
  group: string,
  named = (name: string) => `${name} of ${group}`,
): Outcome<void> => {
  for (const [name, value] of Object.entries(given)) {
    if (isAbsent(value)) continue;
    if (!Object.hasOwn(known, name)) return unknownOption(name, Object.keys(known), group, looksLikeTool(value));
    const checked = checkKind(named(name), value, known[name] as Kind);
    if (!checked.ok) return checked;
  }
  return succeed(undefined);
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const checkKind = (name: string, value: unknown, kind: Kind): Outcome<void> => {
  const wanted = kind(value);
  if (wanted === undefined) return succeed(undefined);
  return failure('validation_failed', `${name} must be ${wanted}, not ${shown(value)}.`);
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

const guessOf = (name: string, known: readonly string[]): string => {
  if (Object.hasOwn(ELSEWHERE, name)) return ` Here it is ${ELSEWHERE[name]}.`;
  const near = nearest(name, known);
  return near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
};

/** Other libraries take tools as an object with their names. */
const looksLikeTool = (value: unknown): boolean =>
  record(value) === undefined && text((value as { description?: unknown }).description) === undefined;

const unknownOption = (name: string, known: readonly string[], group?: string, isTool = false): Outcome<never> => {
  const guess = isTool ? ` Tools are given as a list: tools: [${name}].` : guessOf(name, known);
  const place = group === undefined ? 'There is no option' : `${group} has no`;
  return failure('validation_failed', `${place} "${name}".${guess} The names are: ${known.join(', ')}.`);
};
