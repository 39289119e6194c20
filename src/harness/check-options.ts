/** Options of the library, checked where they are given: their names, and what they are. */
import nodeModule from 'node:module';
import { parseRules } from '../agent/create-agent/check-values.ts';
import { type AgentKinds, type OwnNames, optionKinds, SAMPLING } from '../agent/create-agent/option-groups.ts';
import type { AgentOptions, ModelOptions, ToolOptions } from '../agent/create-agent/options.ts';
import type { StepOverrides } from '../agent/loop/step-overrides.ts';
import { checkKind, checkNames } from '../core/known-options.ts';
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
  type OptionKinds,
  objectOf,
  ownWithoutNulls,
  record,
  recordOf,
  signal,
  text,
  texts,
  withoutAbsent,
} from '../core/option-kinds.ts';
import { ownData } from '../core/own-data.ts';
import { shown } from '../core/shown-value.ts';
import { TOOL } from '../core/tool/tool-fields.ts';
import type { Tool } from '../core/tool.ts';
import { NO_FILES } from '../storage/needs-sqlite.ts';
import { checkSessionId } from '../storage/session-format.ts';
import type { ChatOptions } from './chat-options.ts';
import { checkHistory } from './given-content.ts';
import { HARNESS_LIMITS } from './limits.ts';
import type { HarnessOptions } from './options.ts';
import { fromOtherForms } from './other-histories.ts';

const EXAMPLE = "For example: createHarness({ model: 'ollama/qwen3:4b' }).";

/** The options without what counts as absent. Wrong ones are reported where they are written, before anything is opened. */
export const checkHarnessOptions = (given: HarnessOptions): HarnessOptions => {
  if (!fits(record, given))
    throw new TypeError(`createHarness takes an object of options, not ${shown(given)}. ${EXAMPLE}`);
  if (isAbsent(given.model)) throw new TypeError(`A harness needs a model. ${EXAMPLE}`);
  const kinds = harnessKinds(given);
  const names = checkNames(given, kinds);
  if (!names.ok) throw new TypeError(names.error.message);
  const options = ownWithoutNulls(given, kinds);
  checkTogether(options);
  return options;
};

/** What the kind of one option alone does not say. */
const checkTogether = (options: HarnessOptions): void => {
  const rules = parseRules(options.permissions ?? {});
  if (!rules.ok) throw new TypeError(rules.error.message);
  checkTwins(availableTools(options));
  checkStorageHere(options.storage);
  const { approvalSecret: secret } = options;
  if (secret !== undefined && options.onPermission !== undefined)
    throw new TypeError('approvalSecret and onPermission both answer questions: give one of them.');
  if (secret !== undefined && secret.length < HARNESS_LIMITS.approvalSecretCharacters)
    throw new TypeError(SHORT_SECRET);
  if (options.messages !== undefined) checkHistory(fromOtherForms(options.messages), secret !== undefined);
  const session = options.session === undefined ? undefined : checkSessionId(options.session);
  if (session?.ok === false) throw new TypeError(`session: ${session.error.message}`);
  if (options.fork === true && options.session === undefined)
    throw new TypeError('fork goes on with a copy of a conversation: name it with session.');
};

const SHORT_SECRET = `approvalSecret must be at least ${HARNESS_LIMITS.approvalSecretCharacters} characters that no page knows: openssl rand -base64 32 makes one.`;

/** Told where it is chosen, and not when the first message is to be kept. */
const checkStorageHere = (storage: HarnessOptions['storage']): void => {
  const kind = typeof storage === 'object' ? storage?.kind : storage;
  if (kind !== 'files' || nodeModule.isBuiltin('node:sqlite')) return;
  throw new TypeError(`storage: ${NO_FILES}`);
};

/** Answers of a page go on with a history, and say nothing themselves. */
export const checkApprovals = (options: HarnessOptions, message: unknown, schema: unknown): void => {
  if (options.approvalSecret === undefined || options.messages === undefined)
    throw new TypeError('approvals need the options approvalSecret and messages of createHarness.');
  if (!Array.isArray(message) || message.length > 0)
    throw new TypeError('approvals go with an empty message: chat([], { approvals }).');
  if (schema !== undefined)
    throw new TypeError('approvals go on with a message that was asked without a schema: leave schema out.');
};

export const CHAT_OPTIONS: Readonly<Record<keyof ChatOptions, Kind>> = {
  signal,
  // Schemas of some libraries are functions.
  schema: either(record, callback),
  stopWhen: callback,
  prepareStep: callback,
  model: filled,
  // What a page sent: anything but a yes of the right form denies the call.
  approvals: listOf(record, 'a list of answers'),
};
export const OVERRIDES: Readonly<Record<keyof StepOverrides, Kind>> = {
  tools: listOf(filled, 'a list of names of tools'),
  model: filled,
  sampling: SAMPLING,
};

/** An option that does nothing would be a signal that stops nothing, or tools that are on offer all the same. */
export const checkChatOptions = (given: ChatOptions | null | undefined): ChatOptions => {
  // Elsewhere null is nothing. Whoever hands on a schema waits for a value that fits it, and would get none.
  if (given !== null && typeof given === 'object' && given.schema === null)
    throw new TypeError('schema of chat() must be a schema, not null. Leave it out where the answer is text.');
  const { schema, ...options } = checkedFor('chat()', given, CHAT_OPTIONS);
  return schema === undefined ? options : { ...options, schema: ownData(schema) };
};

export type ExecuteOptions = { signal?: AbortSignal | undefined };
const EXECUTE_OPTIONS: Readonly<Record<keyof ExecuteOptions, Kind>> = { signal };
export const checkExecuteOptions = (given: ExecuteOptions | null | undefined): ExecuteOptions =>
  checkedFor('executeTool()', given, EXECUTE_OPTIONS);

/** Without what counts as absent. */
const checkedFor = <O extends object>(who: string, given: O | null | undefined, kinds: OptionKinds): O => {
  const options = given ?? ({} as O);
  checkArgument(who, options, objectOf(kinds));
  return withoutAbsent(options);
};

/** Throws `TypeError` where a function is given something else than it takes. */
const checkArgument = (who: string, given: unknown, kind: Kind): void => {
  const checked = checkKind(given, kind, who);
  if (!checked.ok) throw new TypeError(checked.error.message);
};

export const checkName = (who: string, name: unknown): void => {
  if (!fits(filled, name)) throw new TypeError(`${who} takes the name of a tool, not ${shown(name)}.`);
};

/** One more tool beside those there are. */
export const checkAddedTool = (tool: Tool, others: readonly Tool[]): void => {
  checkArgument('addTool()', tool, TOOL);
  if (others.some(({ name }) => name === tool.name))
    throw new TypeError(`addTool() was given a tool named ${tool.name}, and there is one. removeTool() takes it away.`);
};

/** A call has to mean one tool. */
const checkTwins = (tools: readonly Tool[]): void => {
  const names = tools.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new TypeError(`tools: two tools are named ${twin}.`);
};

export const availableTools = ({ tools }: Pick<HarnessOptions, 'tools'>): readonly Tool[] =>
  Array.isArray(tools) ? tools : ((tools as ToolOptions | undefined)?.available ?? []);

export const checkOverrides = <O extends StepOverrides>(who: string, given: O | undefined | null): Partial<O> => {
  if (!isAbsent(given) && !fits(record, given))
    throw new TypeError(`What ${who} returned must be ${record.words}, or nothing, not ${shown(given)}.`);
  return checkedFor(`What ${who} returned`, given, OVERRIDES);
};

/** A run that goes on where it was to end spends what nobody wanted to spend. */
export const checkStop = (who: string, given: unknown): boolean => {
  if (typeof given === 'boolean') return given;
  throw new TypeError(`${who} must return true or false, not ${shown(given)}.`);
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
    approvalSecret: filled,
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

/** All that createHarness takes. A program that makes a harness for each request makes them with the same names. */
export const harnessKinds = (options: HarnessOptions): OptionKinds => {
  const own = ownNames(options);
  const names = JSON.stringify(own);
  if (lastKinds?.names !== names) {
    const groups = optionKinds(own);
    lastKinds = { names, kinds: { ...groups, ...shortKinds(groups) } };
  }
  return lastKinds.kinds;
};
let lastKinds: { names: string; kinds: OptionKinds } | undefined;
