/**
 * `halter/dialects/ai-sdk` where bytes are cheap (Node, Bun, Deno): what `../ai-sdk.ts` has, and its functions look at their
 * arguments first.
 */
import { checkedCall, options, valueWith } from '../../core/checked-call.ts';
import { callback, either, flag, listOf, oneOf, text, withMethods } from '../../core/option-kinds.ts';
import * as aiSdk from '../ai-sdk.ts';
import { DIALECT_ORDER } from '../order.ts';

const READING = {
  'dialect?': oneOf(...DIALECT_ORDER, 'auto'),
  'tools?': oneOf('native', 'prompt'),
  'startInReasoning?': flag,
};
const MODEL = withMethods('a language model of the AI SDK', 'doGenerate', 'doStream');
const PROVIDER = either(callback, withMethods('a provider of the AI SDK'));
const CHAT = withMethods('a chat: harness.chat(text)', Symbol.asyncIterator);
const MESSAGES = listOf(valueWith('a message of useChat', { role: text }), 'a list of messages, as useChat sends it');

export const readCalls = checkedCall(
  'readCalls',
  { model: MODEL, 'options?': options(READING) },
  aiSdk.readCalls,
) as typeof aiSdk.readCalls;
export const readingProvider = checkedCall(
  'readingProvider',
  { provider: PROVIDER, 'options?': options(READING) },
  aiSdk.readingProvider,
) as typeof aiSdk.readingProvider;
export const readingMiddleware = checkedCall(
  'readingMiddleware',
  { 'options?': options({ ...READING, 'version?': oneOf('v2', 'v3', 'v4') }) },
  aiSdk.readingMiddleware,
) as typeof aiSdk.readingMiddleware;
export const fromUIMessages = checkedCall('fromUIMessages', { messages: MESSAGES }, aiSdk.fromUIMessages);
export const toUIMessageStream = checkedCall(
  'toUIMessageStream',
  { events: CHAT, 'options?': options({ 'onError?': callback }) },
  aiSdk.toUIMessageStream,
);
export const toUIMessageResponse = checkedCall(
  'toUIMessageResponse',
  // What else `Response` takes is its own matter.
  { events: CHAT, 'options?': valueWith('an object with onError, headers, status', { 'onError?': callback }) },
  aiSdk.toUIMessageResponse,
);
