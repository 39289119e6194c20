/**
 * What the model had read when it answered, kept as digests: so that a replay can say whether the same log would make the
 * same prompt today, and which message of it is another one. A prompt mostly grows, so each answer tells what is new.
 */
import type { PromptRecord } from '../events.ts';
import { digest } from '../loop-guard.ts';
import { type ModelMessage, messageText } from '../message.ts';
import type { ResultForm } from '../tool/model-content.ts';

/** What goes out of a message; what is only kept of it (usage, results as data) may differ. */
export const sentText = (message: ModelMessage): string =>
  message.role === 'user' && typeof message.content !== 'string'
    ? JSON.stringify(message.content)
    : messageText(message.content);

const digests = new WeakMap<ModelMessage, string>();
export const messageDigest = (message: ModelMessage): string => {
  const known = digests.get(message);
  if (known !== undefined) return known;
  const made = `${message.role.charAt(0)}${digest(sentText(message))}${callsDigest(message)}`;
  digests.set(message, made);
  return made;
};

const callsDigest = (message: ModelMessage): string => {
  if (message.role !== 'assistant' || message.tool_calls.length === 0) return '';
  return digest(JSON.stringify(message.tool_calls.map(({ name, arguments: args }) => [name, args])));
};

/** Tells what is new in a prompt since the one before, message by message. */
export const createPromptRecorder = (): ((messages: readonly ModelMessage[]) => PromptRecord) => {
  const before: string[] = [];
  let last: ModelMessage | undefined;
  let list: readonly ModelMessage[] | undefined;
  return (messages) => {
    let kept = before.length;
    // Nearly always the same list with some messages more. A compaction makes another list, whose last message may be
    // the same while others before it are not.
    if (kept === 0 || messages !== list || messages[kept - 1] !== last) {
      kept = 0;
      while (kept < before.length && kept < messages.length && before[kept] === digestAt(messages, kept)) kept += 1;
    }
    const digests = messages.slice(kept).map(messageDigest);
    before.length = kept;
    for (const digest of digests) before.push(digest);
    last = messages.at(-1);
    list = messages;
    return { kept, digests };
  };
};
const digestAt = (messages: readonly ModelMessage[], index: number): string =>
  messageDigest(messages[index] as ModelMessage);

/** The digests of a whole prompt, from those of the one before. */
export const recordedPrompt = (before: readonly string[], { kept, digests: added }: PromptRecord): string[] => [
  ...before.slice(0, kept),
  ...added,
];

/** In which form it had read results, as the record says it. */
export const recordedForm = (form: ResultForm): Pick<PromptRecord, 'results' | 'compact_results'> => {
  if (form === 'summary') return { results: form };
  return form === 'compact' ? { compact_results: true } : {};
};

export const formOf = ({ results, compact_results }: PromptRecord): ResultForm =>
  results ?? (compact_results ? 'compact' : 'full');
