/** Options of the library, checked where they are given: their names, and what they are. */
import { checkLimits, parseRules } from '../agent/create-agent/check-values.ts';
import { checkNames, checkOptionNames, RESULT_FORMS, SAMPLING, TRACE } from '../agent/create-agent/known-options.ts';
import {
  anything,
  callback,
  either,
  flag,
  type Kind,
  list,
  positive,
  record,
  recordOf,
  signal,
  text,
  texts,
} from '../agent/create-agent/option-kinds.ts';
import type { AgentOptions } from '../agent/create-agent/options.ts';
import type { StepOverrides } from '../agent/loop/step-overrides.ts';
import { checkSessionId } from '../storage/session-format.ts';
import type { ChatOptions } from './chat-options.ts';
import type { HarnessOptions } from './options.ts';

/** Wrong options are reported where they are written, before anything is opened. */
export const checkHarnessOptions = (options: HarnessOptions): void => {
  const { limits, permissions = {}, model } = options;
  if (model === undefined) throw new TypeError("A harness needs a model: createHarness({ model: 'ollama/qwen3:4b' }).");
  for (const checked of [checkOptionNames(options, SHORT_NAMES), checkLimits(limits), parseRules(permissions)]) {
    if (!checked.ok) throw new TypeError(checked.error.message);
  }
  if (options.session === '') throw new TypeError('session is empty. Leave it out for a new conversation.');
  const session = options.session === undefined ? undefined : checkSessionId(options.session);
  if (session?.ok === false) throw new TypeError(`session: ${session.error.message}`);
  if (options.fork === true && options.session === undefined)
    throw new TypeError('fork goes on with a copy of a conversation: name it with session.');
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

export const checkOverrides = <O extends StepOverrides>(given: O): O => {
  const checked = checkNames(given, OVERRIDES, 'What prepareStep returned');
  if (!checked.ok) throw new TypeError(checked.error.message);
  return given;
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
  mcpServers: record,
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
