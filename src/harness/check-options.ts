/** Options of the library, checked where they are given: their names, and what they are. */
import nodeModule from 'node:module';
import { checkLimits, parseRules } from '../agent/create-agent/check-values.ts';
import { checkNames, checkOptionNames, RESULT_FORMS, SAMPLING, TRACE } from '../agent/create-agent/known-options.ts';
import {
  anything,
  callback,
  either,
  fits,
  flag,
  isAbsent,
  type Kind,
  list,
  positive,
  record,
  recordOf,
  shown,
  signal,
  text,
  texts,
} from '../agent/create-agent/option-kinds.ts';
import type { AgentOptions } from '../agent/create-agent/options.ts';
import type { StepOverrides } from '../agent/loop/step-overrides.ts';
import { nearest } from '../core/tool/nearest-names.ts';
import { NO_FILES } from '../storage/needs-sqlite.ts';
import { checkSessionId } from '../storage/session-format.ts';
import type { ChatOptions } from './chat-options.ts';
import type { HarnessOptions } from './options.ts';

const EXAMPLE = "For example: createHarness({ model: 'ollama/qwen3:4b' }).";

/** Wrong options are reported where they are written, before anything is opened. */
export const checkHarnessOptions = (options: HarnessOptions): void => {
  if (!fits(record, options))
    throw new TypeError(`createHarness takes an object of options, not ${shown(options)}. ${EXAMPLE}`);
  const { limits, permissions, model } = options;
  if (isAbsent(model)) throw new TypeError(`A harness needs a model. ${EXAMPLE}`);
  const checks = [
    () => checkOptionNames(options, SHORT_NAMES),
    () => checkLimits(limits ?? {}),
    () => parseRules(permissions ?? {}),
  ];
  for (const check of checks) {
    const checked = check();
    if (!checked.ok) throw new TypeError(checked.error.message);
  }
  checkStorageHere(options.storage);
  if (options.session === '') throw new TypeError('session is empty. Leave it out for a new conversation.');
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

const CHAT_OPTIONS: Readonly<Record<keyof ChatOptions, Kind>> = {
  signal,
  // Schemas of some libraries are functions.
  schema: either(record, callback),
  stopWhen: callback,
  prepareStep: callback,
  model: text,
};
const OVERRIDES: Readonly<Record<keyof StepOverrides, Kind>> = { tools: texts, model: text, sampling: SAMPLING };

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
const MCP_SERVER_NAMES = ['command', 'args', 'env', 'timeout', 'type', 'url', 'headers', 'oauth'];
const MCP_SERVER: Kind = {
  words: 'an object',
  problem(value) {
    const wrong = record.problem(value);
    if (wrong !== undefined) return wrong;
    const given = Object.entries(value as object).filter(([name]) => !MCP_SERVER_NAMES.includes(name));
    const slip = given.find(([name]) => nearest(name, MCP_SERVER_NAMES).length > 0);
    return slip && { path: '', unknown: slip[0], known: MCP_SERVER_NAMES, value: slip[1] };
  },
};

/** Options that a harness has besides those of an agent. */
const SHORT_NAMES: Readonly<Record<Exclude<keyof HarnessOptions, keyof AgentOptions>, Kind>> = {
  provider: either(text, record),
  baseUrl: text,
  apiKey: text,
  sampling: SAMPLING,
  systemPrompt: text,
  sandbox: flag,
  allowNetwork: flag,
  allowPrivate: texts,
  onPermission: callback,
  mcpServers: recordOf(MCP_SERVER),
  onServerQuestion: callback,
  onConnection: callback,
  session: text,
  fork: flag,
  messages: list,
  roles: recordOf(text),
  dialect: text,
  contextLength: anything,
  silenceTimeoutMs: positive,
  warmUp: flag,
  results: RESULT_FORMS,
  offline: flag,
  trace: TRACE,
  rulesFile: text,
};
