/** The names of all options, for a program that has no compiler: one that is misspelt would not hold, and a rule least of all. */

import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { nearest } from '../../core/tool/nearest-names.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
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
type Names<T> = Readonly<Record<keyof Required<T>, true>>;

const WORKSPACE: Names<WorkspaceOptions> = { root: true, additionalRoots: true };
const MODEL: Names<ModelOptions> = {
  name: true,
  provider: true,
  baseUrl: true,
  apiKey: true,
  apiKeyEnv: true,
  apiKeyFile: true,
  apiKeyCommand: true,
  contextLength: true,
  compaction: true,
  sampling: true,
  silenceTimeoutMs: true,
  maxRequests: true,
  roles: true,
  warmUp: true,
  promptStates: true,
  dialect: true,
  toolStrategy: true,
  describe: true,
  providers: true,
  dialects: true,
  onLoading: true,
};
const PROMPT: Names<PromptOptions> = {
  preset: true,
  system: true,
  size: true,
  append: true,
  projectInstructions: true,
  responseSchema: true,
  commands: true,
};
const TOOLS: Names<ToolOptions> = {
  available: true,
  names: true,
  results: true,
  describeAll: true,
  stopsAfterStep: true,
  prepareStep: true,
  web: true,
};
const PERMISSIONS: Names<PermissionOptions> = {
  allow: true,
  deny: true,
  plan: true,
  yolo: true,
  source: true,
  mode: true,
  fixedMode: true,
  onAsk: true,
  sandbox: true,
  allowNetwork: true,
  allowHosts: true,
};
const STORAGE = { kind: true, folders: true, url: true } as const;
const SEARCH: Names<SearchOptions> = { graphRag: true, curator: true, embeddingModel: true, documents: true };
const MCP: Names<McpOptions> = {
  servers: true,
  definitions: true,
  files: true,
  version: true,
  required: true,
  patienceMs: true,
  consent: true,
  ask: true,
  askInSessions: true,
};
const IO: Names<IoOptions> = {
  environment: true,
  platform: true,
  offline: true,
  allowPrivate: true,
  connections: true,
  signal: true,
  onWarning: true,
  onConnection: true,
};
const TELEMETRY: Names<TelemetryOptions> = { trace: true, version: true };

const GROUPS: Readonly<Record<keyof AgentOptions, Readonly<Record<string, true>> | undefined>> = {
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

/** `further`: names that a caller takes itself. */
export const checkOptionNames = (options: object, further: Readonly<Record<string, true>> = {}): Outcome<void> => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(further, name)) continue;
    if (!Object.hasOwn(GROUPS, name)) return unknownOption(name, [...Object.keys(GROUPS), ...Object.keys(further)]);
    const known = GROUPS[name as keyof AgentOptions];
    if (known === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const [inner, given] of Object.entries(value)) {
      if (given !== undefined && !Object.hasOwn(known, inner))
        return unknownOption(inner, Object.keys(known), `The option ${name}`);
    }
  }
  return succeed(undefined);
};

/** The same for options of another kind; `group` is what has them. */
export const checkNames = (given: object, known: Readonly<Record<string, true>>, group: string): Outcome<void> => {
  const wrong = Object.entries(given).find(([name, value]) => value !== undefined && !Object.hasOwn(known, name));
  return wrong === undefined ? succeed(undefined) : unknownOption(wrong[0], Object.keys(known), group);
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

const unknownOption = (name: string, known: readonly string[], group?: string): Outcome<never> => {
  const guess = guessOf(name, known);
  const place = group === undefined ? 'There is no option' : `${group} has no`;
  return failure('validation_failed', `${place} "${name}".${guess} The names are: ${known.join(', ')}.`);
};
