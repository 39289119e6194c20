/** What the person said, sentence by sentence, with what each says that others do not. */
import { hasCue, hasValue, type Line, valueKeys } from './distinctive.ts';

export type Sentence = Line & {
  message: number;
  /** It says something that nothing newer says. */
  isNew: boolean;
  /** It says something that no other message says. */
  isOnly: boolean;
  isCue: boolean;
  /** It holds a value, a name or a path. */
  isValue: boolean;
  /** The person asked for what it speaks of. */
  isWanted: boolean;
};

/** In any script; what has no end is cut between words, or where there are none, between signs. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?…]["')\]]?)\s+|(?<=[。！？｡؟।॥])|\n+/u)
    .flatMap((sentence) => (sentence.length <= SENTENCE_CHARACTERS ? [sentence] : (sentence.match(PIECES) ?? [])))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
const SENTENCE_CHARACTERS = 300;
const PIECES = /.{1,200}(?:\s|$)|.{1,200}/gsu;

/** From the newest message to the oldest: what is said again later is not new. */
export const judgedSentences = (messages: readonly string[], wanted: readonly string[]): Sentence[][] => {
  const known = new Set<string>();
  const asked = new Set(wanted.flatMap((text) => valueKeys(text)));
  const found: Sentence[][] = messages.map(() => []);
  const all = messages.map((message) => sentencesOf(message).map((text) => ({ text, keys: valueKeys(text) })));
  const counts = new Map<string, number>();
  for (const own of all) {
    for (const key of new Set(own.flatMap(({ keys }) => keys))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (let message = messages.length - 1; message >= 0; message -= 1) {
    const own = all[message] ?? [];
    found[message] = own.map(({ text, keys }) => ({
      text,
      message,
      keys,
      source: String(message),
      isOnly: keys.some((key) => counts.get(key) === 1),
      isNew: keys.some((key) => !known.has(key)),
      isCue: hasCue(text),
      isValue: hasValue(text),
      isWanted: keys.some((key) => asked.has(key) && key.length > 2),
    }));
    for (const { keys } of own) for (const key of keys) known.add(key);
  }
  return found;
};
