/** Options of the library, checked where they are given: their names, and what they are. */
import nodeModule from 'node:module';
import { parseRules } from '../agent/create-agent/check-values.ts';
import { checkNames } from '../agent/create-agent/known-options.ts';
import {
  type AgentKinds,
  type OptionKinds,
  type OwnNames,
  optionKinds,
  SAMPLING,
} from '../agent/create-agent/option-groups.ts';
import {
  callback,
  either,
  filled,
  fits,
  flag,
  isAbsent,
  type Kind,
  listOf,
  milliseconds,
  objectOf,
  record,
  recordOf,
  shown,
  signal,
  text,
  texts,
} from '../agent/create-agent/option-kinds.ts';
import type { AgentOptions, ModelOptions, ToolOptions } from '../agent/create-agent/options.ts';
import type { StepOverrides } from '../agent/loop/step-overrides.ts';
import { NO_FILES } from '../storage/needs-sqlite.ts';
import { checkSessionId } from '../storage/session-format.ts';
import type { ChatOptions } from './chat-options.ts';
import { checkHistory } from './given-content.ts';
import type { HarnessOptions } from './options.ts';
import { fromOtherForms } from './other-histories.ts';

const EXAMPLE = "For example: createHarness({ model: 'ollama/qwen3:4b' }).";

/** Wrong options are reported where they are written, before anything is opened. */
export const checkHarnessOptions = (options: HarnessOptions): void => {
  if (!fits(record, options))
    throw new TypeError(`createHarness takes an object of options, not ${shown(options)}. ${EXAMPLE}`);
  const { permissions, model } = options;
  if (isAbsent(model)) throw new TypeError(`A harness needs a model. ${EXAMPLE}`);
  const checks = [() => checkNames(options, harnessKinds(options)), () => parseRules(permissions ?? {})];
  for (const check of checks) {
    const checked = check();
    if (!checked.ok) throw new TypeError(checked.error.message);
  }
  checkStorageHere(options.storage);
  if (!isAbsent(options.messages)) checkHistory(fromOtherForms(options.messages));
  const session = options.session === undefined ? undefined : checkSessionId(options.session);
  if (session?.ok === false) throw new TypeError(`session: ${session.error.message}`);
  if (options.fork === true && options.session === undefined)
    throw new TypeError('fork goes on with a copy of a conversation: name it with session.');
};

/** Told where it is chosen, and not when the first message is to be kept. */
const checkStorageHere = (storage: HarnessOptions['storage']): void => {
  const kind = typeof storage === 'object' ? storage?.kind : storage;
  if (kind !== 'files' || nodeModule.isBuiltin('node:sqlite')) return;
  throw new TypeError(`storage: ${NO_FILES}`);
};

export const CHAT_OPTIONS: Readonly<Record<keyof ChatOptions, Kind>> = {
  signal,
  // Schemas of some libraries are functions.
  schema: either(record, callback),
  stopWhen: callback,
  prepareStep: callback,
  model: filled,
};
export const OVERRIDES: Readonly<Record<keyof StepOverrides, Kind>> = {
  tools: listOf(filled, 'a list of names of tools'),
  model: filled,
  sampling: SAMPLING,
};

/** An option that does nothing would be a signal that stops nothing, or tools that are on offer all the same. */
export const checkChatOptions = (given: ChatOptions): void => {
  const checked = checkNames(given, CHAT_OPTIONS, 'chat()');
  if (!checked.ok) throw new TypeError(checked.error.message);
};

export const checkOverrides = <O extends StepOverrides>(given: O | undefined | null): Partial<O> => {
  if (given === undefined || given === null) return {};
  if (!fits(record, given))
    throw new TypeError(`What prepareStep returned must be ${record.words}, or nothing, not ${shown(given)}.`);
  const checked = checkNames(given, OVERRIDES, 'What prepareStep returned');
  if (!checked.ok) throw new TypeError(checked.error.message);
  return given;
};

/** A run that goes on where it was to end spends what nobody wanted to spend. */
export const checkStop = (given: unknown): boolean => {
  if (typeof given === 'boolean') return given;
  throw new TypeError(`stopWhen must return true or false, not ${shown(given)}.`);
};

/** Files of other clients have settings of their own in them; a name that is nearly one of ours is a slip. */
const MCP_SERVER_FIELDS = objectOf(
  {
    command: filled,
    args: texts,
    env: recordOf(text),
    timeout: milliseconds,
    type: text,
    url: filled,
    headers: recordOf(text),
    oauth: recordOf(text),
  },
  { words: 'an object with command, or with url', others: 'refused_if_near' },
);
const MCP_SERVER: Kind = {
  ...MCP_SERVER_FIELDS,
  problem(value) {
    const { words, problem } = MCP_SERVER_FIELDS;
    const { command, url } = (value ?? {}) as { command?: unknown; url?: unknown };
    return problem(value) ?? (isAbsent(command ?? url) ? { path: '', wanted: words, value } : undefined);
  },
};

/** Names that the program gives to dialects and providers of its own. What is none is told of by the kinds. */
const ownNames = ({ model, tools }: HarnessOptions): OwnNames => {
  const { dialects, providers } = fits(record, model) ? (model as ModelOptions) : {};
  const available = fits(record, tools) ? (tools as ToolOptions).available : tools;
  return {
    dialects: Array.isArray(dialects) ? dialects.map((dialect) => String(dialect?.format?.name)) : [],
    providers: Object.keys(providers ?? {}),
    tools: Array.isArray(available) ? available.map((tool) => String(tool?.name)) : [],
  };
};

/** Options that a harness has besides those of an agent; many are a field of one of its groups. */
const shortKinds = (groups: AgentKinds): Readonly<Record<Exclude<keyof HarnessOptions, keyof AgentOptions>, Kind>> => {
  const inGroup = (group: keyof AgentOptions, name: string): Kind => groups[group].inside?.[name] as Kind;
  return {
    provider: inGroup('model', 'provider'),
    baseUrl: inGroup('model', 'baseUrl'),
    apiKey: inGroup('model', 'apiKey'),
    sampling: SAMPLING,
    systemPrompt: inGroup('prompt', 'system'),
    sandbox: inGroup('permissions', 'sandbox'),
    allowNetwork: inGroup('permissions', 'allowNetwork'),
    allowPrivate: inGroup('io', 'allowPrivate'),
    onPermission: callback,
    mcpServers: recordOf(MCP_SERVER),
    onServerQuestion: callback,
    onConnection: callback,
    session: filled,
    fork: flag,
    messages: listOf(record, 'a list of messages'),
    roles: inGroup('model', 'roles'),
    dialect: inGroup('model', 'dialect'),
    contextLength: inGroup('model', 'contextLength'),
    silenceTimeoutMs: inGroup('model', 'silenceTimeoutMs'),
    warmUp: inGroup('model', 'warmUp'),
    results: inGroup('tools', 'results'),
    offline: inGroup('io', 'offline'),
    trace: inGroup('telemetry', 'trace'),
    rulesFile: filled,
  };
};

/** All that createHarness takes. */
export const harnessKinds = (options: HarnessOptions): OptionKinds => {
  const groups = optionKinds(ownNames(options));
  return { ...groups, ...shortKinds(groups) };
};
