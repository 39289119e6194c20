/** What the person said, sentence by sentence, with what each says that others do not. */
import { byDistinction, hasCue, hasValue, type Line, valueKeys } from './distinctive.ts';
import { isShort, pastedLines } from './own-words.ts';

export type Sentence = Line & {
  message: number;
  /** It says something that nothing newer says. */
  isNew: boolean;
  /** It says something that no other message says. */
  isOnly: boolean;
  /** Much of what it says no other message says: it is none of many that differ by a name or a number. */
  isOwnKind: boolean;
  isCue: boolean;
  /** It holds a value, a name or a path. */
  isValue: boolean;
  /** The person asked for what it speaks of. */
  isWanted: boolean;
  /** A call did it: what it says stands in the arguments of one that ran for it, and nothing is to be kept in mind. */
  isDone: boolean;
  /** It begins or ends a long message: there stands what the message is for. */
  isRequest: boolean;
  /** A row of a log or a table that was pasted: nobody's words. */
  isPasted: boolean;
  /** All of its message, and hardly more than a word. */
  isShort: boolean;
  /** So short that it says nothing without the answer before it: a yes, a thank you. */
  isLittle: boolean;
  /** The person's words alone; `text` also says what they were said to. */
  said: string;
  /** It was said to something that stands with it. */
  isReply: boolean;
  /** Its place among the sentences of its message, what matters most first. */
  rank: number;
};
type Judged = Omit<Sentence, 'isRequest' | 'rank'>;

/**
 * In any script; what has no end is cut between words, or where there are none, between signs. A short sentence stays with
 * the one before it on its line, since it mostly speaks of that.
 */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+/u)
    .flatMap(sentencesOfLine)
    .flatMap((sentence) => (sentence.length <= SENTENCE_CHARACTERS ? [sentence] : (sentence.match(PIECES) ?? [])))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'sentence' });
const sentencesOfLine = (line: string): string[] => {
  const sentences: string[] = [];
  for (const { segment } of SEGMENTER.segment(line)) {
    const before = sentences.at(-1);
    if (before !== undefined && (isNoEnd(before, segment) || belongsTo(before, segment)))
      sentences[sentences.length - 1] = before + segment;
    else sentences.push(segment);
  }
  return sentences;
};

/**
 * What is cut short, numbered or dotted within ends no sentence: "Prof.", "Nr.", "z.B.", "3." before a month. A word as
 * short at a true end keeps two sentences together, which loses nothing.
 */
const isNoEnd = (before: string, next: string): boolean => {
  const word = LAST_DOTTED.exec(before)?.[1];
  if (word === undefined) return false;
  return (
    ORDINAL.test(word) || SHORT_NAME.test(word) || NO_VOWEL.test(word) || DOTTED.test(word) || isShortFor(word, next)
  );
};
/** In small letters, before a number or a name: "ca. 300", "ул. Ленина". */
const isShortFor = (word: string, next: string): boolean =>
  /^\p{Ll}{1,6}$/u.test(word) && (/^\p{N}/u.test(next) || (word.length <= 2 && /^\p{Lu}/u.test(next)));
const LAST_DOTTED = /(?:^|[\s("'«„“])([\p{L}\p{M}\p{N}.]+)\.\s*$/u;
const ORDINAL = /^(?:\p{N}{1,2}|\p{L})$/u;
const SHORT_NAME = /^\p{Lu}\p{Ll}{1,3}$/u;
const NO_VOWEL = /^[b-df-hj-np-tv-xzß]{2,5}$/iu;
const DOTTED = /\p{L}\.\p{L}/u;

/** It is too short to say by itself what it speaks of. */
const belongsTo = (before: string, next: string): boolean =>
  next.trim().length < OWN_CHARACTERS && before.length + next.length <= TOGETHER_CHARACTERS;
const OWN_CHARACTERS = 24;
const TOGETHER_CHARACTERS = 200;
const SENTENCE_CHARACTERS = 300;
const PIECES = /.{1,200}(?:\s|$)|.{1,200}/gsu;

/** Words that no other message has, of all: one of many that differ by a number has fewer. */
const OWN_KIND_SHARE = 0.3;

/** What is known of each message: the arguments of the calls that ran for it, and what it was said to. */
export type Around = { worked?: readonly string[]; saidTo?: readonly string[] };

/** A message with what it was said to, as it stands in a prompt. */
export const withSaidTo = (message: string, to: string | undefined): string => (to ? `${message} ${to}` : message);

/** From the newest message to the oldest: what is said again later is not new. */
export const judgedSentences = (
  messages: readonly string[],
  wanted: readonly string[],
  { worked = [], saidTo = [] }: Around = {},
): Sentence[][] => {
  const known = new Set<string>();
  const asked = new Set(wanted.flatMap((text) => valueKeys(text)));
  const found: Sentence[][] = messages.map(() => []);
  const all = messages.map((message, at) => {
    const to = saidTo[at];
    if (to) return [replyTo(message, to)];
    const pasted = pastedLines(message);
    return message.split('\n').flatMap((line) =>
      sentencesOf(line).map((text) => ({
        text,
        said: text,
        isReply: false,
        keys: valueKeys(text),
        isPasted: pasted.has(line),
      })),
    );
  });
  const counts = new Map<string, number>();
  for (const own of all) {
    for (const key of new Set(own.flatMap(({ keys }) => keys))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (let message = messages.length - 1; message >= 0; message -= 1) {
    const own = all[message] ?? [];
    const done = new Set(valueKeys(worked[message] ?? ''));
    const judged = own.map(
      ({ text, said, isReply, keys, isPasted }): Judged => ({
        text,
        said,
        isReply,
        message,
        keys,
        isPasted,
        isShort: own.length === 1 && isShort(text),
        isLittle: own.length === 1 && isShort(text) && !hasValue(text),
        source: String(message),
        isOnly: keys.some((key) => counts.get(key) === 1),
        isOwnKind: keys.filter((key) => counts.get(key) === 1).length >= keys.length * OWN_KIND_SHARE,
        isNew: keys.some((key) => !known.has(key)),
        isCue: hasCue(said),
        isValue: hasValue(text),
        isDone: !isReply && !hasCue(text) && isCovered(keys, done, (key) => counts.get(key) === 1),
        isWanted: keys.some((key) => asked.has(key) && key.length > 2),
      }),
    );
    const isOnly = (key: string): boolean => counts.get(key) === 1;
    found[message] = ranked(judged, (messages[message] as string).length, isOnly);
    for (const { keys } of own) for (const key of keys) known.add(key);
  }
  return found;
};

/** One sentence: neither stands without the other. */
const replyTo = (message: string, to: string) => ({
  text: withSaidTo(message, to),
  said: message,
  isReply: true,
  keys: valueKeys(`${message} ${to}`),
  isPasted: false,
});

/**
 * Whether a call has most of it, or all of it that no other message says. A fact that a call writes somewhere has words of
 * its own round it: "our port is 9090, put it into the settings".
 */
export const isCovered = (
  keys: readonly string[],
  done: ReadonlySet<string>,
  isSaidOnce: (key: string) => boolean = () => true,
): boolean => {
  const covered = keys.filter((key) => done.has(key)).length;
  if (covered > keys.length * COVERED_SHARE) return true;
  return covered > 0 && keys.every((key) => done.has(key) || !isSaidOnce(key));
};
const COVERED_SHARE = 0.6;

/**
 * Of a long message its end and its beginning come first, and then what stands out among its own sentences; of a short one
 * what says most.
 */
const ranked = (own: readonly Judged[], length: number, isOnly: (key: string) => boolean): Sentence[] => {
  if (length <= LONG_CHARACTERS) {
    // Of a greeting and a fact the fact says more that nothing else says.
    const says = ({ keys }: Judged): number => keys.filter(isOnly).length;
    const order = own.toSorted((one, other) => says(other) - says(one));
    return own.map((sentence) => ({ ...sentence, isRequest: false, rank: order.indexOf(sentence) }));
  }
  const words = own.filter(({ isPasted }) => !isPasted);
  const closing = closingOf(words);
  const first = [...closing, ...words.slice(0, 1)];
  const rest = byDistinction(own, { cues: true }).map(({ line }) => line);
  const order = [...new Set([...first, ...rest.filter(({ isPasted }) => !isPasted), ...rest, ...own])];
  const ranks = new Map(order.map((sentence, rank) => [sentence, rank]));
  return own.map((sentence) => ({
    ...sentence,
    isRequest: first.includes(sentence),
    rank: ranks.get(sentence) ?? 0,
  }));
};
/** Shorter messages are seldom shortened, and their sentences belong together. */
const LONG_CHARACTERS = 600;

/** A greeting may follow what is asked for. The longest first, since that one says what is wanted. */
const closingOf = (own: readonly Judged[]): Judged[] => {
  let from = own.length;
  for (let characters = 0; from > 0 && characters < CLOSING_CHARACTERS; from -= 1)
    characters += own[from - 1]?.text.length ?? 0;
  return own.slice(from).sort((one, other) => other.text.length - one.text.length);
};
const CLOSING_CHARACTERS = 60;
