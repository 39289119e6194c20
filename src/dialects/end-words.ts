/** Why a model's server says that an answer ended. Servers have many words for few ends. */

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

/** Some servers write that there is no reason yet in words. */
export const isWord = (word: string): boolean => !['', 'null', 'none'].includes(word.trim().toLowerCase());

/** A server that gives no word ended as it wanted to. */
export const endKind = (word: string | undefined): EndKind => {
  const plain = (word ?? '').trim().toLowerCase().replace(/[\s-]/g, '_');
  return plain === '' ? 'whole' : (KINDS.get(plain) ?? 'unknown');
};

/** Something ended the answer from outside, or may have: what is open in it stays open. */
export const isCutWord = (word: unknown): boolean => typeof word === 'string' && endKind(word) !== 'whole';
