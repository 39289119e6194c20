/** Why a model's server says that an answer ended. Servers have many words for few ends. */
import type { ModelAnswer, ModelError, ModelPart } from '../core/model-port.ts';
import { PROVIDER_LIMITS } from './limits.ts';

export type EndKind = 'whole' | 'length' | 'filter' | 'failed' | 'broken' | 'unknown';

const WORDS: Readonly<Record<Exclude<EndKind, 'unknown'>, readonly string[]>> = {
  whole: [
    ...['stop', 'stopped', 'stop_sequence', 'stop_token', 'stop_word', 'stop_str', 'end', 'end_turn', 'turn_end'],
    ...['eos', 'eos_token', 'eot', 'eot_token', 'end_of_text', 'complete', 'completed', 'done', 'finish', 'finished'],
    ...[
      'success',
      'tool_call',
      'tool_calls',
      'tool_use',
      'function',
      'function_call',
      'function_calls',
      'load',
      'unload',
    ],
  ],
  length: [
    ...['length', 'max_length', 'model_length', 'context_length', 'limit', 'token_limit', 'max_tokens'],
    ...['max_output_tokens', 'max_completion_tokens', 'max_new_tokens', 'model_context_window_exceeded'],
  ],
  filter: [
    ...['content_filter', 'content_filtered', 'content_filter_stop', 'filter', 'filtered', 'refusal', 'safety'],
    ...['image_safety', 'recitation', 'language', 'blocklist', 'prohibited_content', 'spii', 'sensitive'],
    ...['guardrail_intervened', 'model_armor', 'moderation'],
  ],
  failed: [
    ...['error', 'failed', 'failure', 'engine_error', 'server_error', 'internal_error', 'network_error', 'exception'],
    ...['insufficient_system_resource', 'malformed_function_call'],
  ],
  broken: ['abort', 'aborted', 'cancel', 'canceled', 'cancelled', 'interrupted', 'timeout', 'disconnected'],
};
const KINDS: ReadonlyMap<string, EndKind> = new Map(
  Object.entries(WORDS).flatMap(([kind, words]) => words.map((word) => [word, kind as EndKind])),
);

/** A server that gives no word ended as it wanted to. */
export const endKind = (word: string | undefined): EndKind => {
  const plain = (word ?? '').trim().toLowerCase().replace(/[\s-]/g, '_');
  return plain === '' ? 'whole' : (KINDS.get(plain) ?? 'unknown');
};

/** What cut the answer, as half a call says it; undefined where nothing did. */
export const cutBy = (kind: EndKind): string | undefined => {
  if (kind === 'length') return 'the token limit';
  return kind === 'filter' ? "the server's filter" : kind === 'unknown' ? 'the server' : undefined;
};

/** `calls`: how many the answer has. */
export const finishOf = (word: string | undefined, calls: number): Pick<ModelAnswer, 'finish' | 'ended_by'> => {
  const kind = endKind(word);
  const finish = kind === 'length' ? 'length' : calls > 0 ? 'tool_calls' : 'stop';
  if (kind === 'filter') return { finish, ended_by: CONTENT_FILTER };
  return kind === 'unknown' ? { finish, ended_by: shown(word) } : { finish };
};
export const CONTENT_FILTER = 'content_filter';
const shown = (word = ''): string => word.slice(0, PROVIDER_LIMITS.finishWordCharacters);

/** What a person is told of an end that may not be the answer's own. */
export const endWarning = (word: string | undefined): ModelPart | undefined => {
  const kind = endKind(word);
  if (kind === 'filter')
    return { type: 'warning', code: CONTENT_FILTER, message: 'The server cut the answer by its filter.' };
  if (kind !== 'unknown') return undefined;
  const message = `The server ended the answer with "${shown(word)}", which is no known reason: it may not be whole.`;
  return { type: 'warning', code: 'unknown_finish', message };
};

/** The server gave the answer up. */
export const givenUp = (endpoint: string, word: string): ModelError => ({
  code: 'disconnected',
  message: `${endpoint} gave the answer up before its end ("${shown(word)}").`,
  hint: 'The server may have been stopped or be too busy; its log says more. Ask again.',
});
