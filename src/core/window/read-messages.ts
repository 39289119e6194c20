/** What each message of the person says by itself. A long paste has thousands of lines, so it is read once for all choices. */
import { byDistinction, hasCue, hasValue, isQuestion, type Line, valueKeys } from './distinctive.ts';
import { isShort, pastedLines } from './own-words.ts';
import { sentencesOf } from './sentences.ts';

export type ReadSentence = Line & {
  /** The person's words alone; `text` also says what they were said to. */
  said: string;
  /** Its line in the message, from 0, and what that line is indented by. */
  line: number;
  indent: string;
  /** It was said to something that stands with it. */
  isReply: boolean;
  /** That was a question or a list to choose from. */
  isAsked: boolean;
  isCue: boolean;
  /** It holds a value, a name or a path. */
  isValue: boolean;
  /** A row of a log or a table that was pasted: nobody's words. */
  isPasted: boolean;
  /** All of its message, and hardly more than a word. */
  isShort: boolean;
  /** So short that it says nothing without the answer before it: a yes, a thank you. */
  isLittle: boolean;
};

/** The place of each sentence in its message, what matters most first, and those which say what the message is for. */
export type Places = { ranks: readonly number[]; requests: ReadonlySet<number> };

export type ReadMessage = {
  sentences: readonly ReadSentence[];
  /**
   * What the person says in it. A question says nothing: what it asks about stands elsewhere, and is not said again by it.
   * Neither is it by the model's words that stand with a reply.
   */
  stated: ReadonlySet<string>;
  /** Of a long message; in a short one it depends on what the others say. */
  places?: Places;
};

/** `to`: what the message was said to. */
export type ReadMessages = (message: string, to?: string) => ReadMessage;

export const createReadMessages = (): ReadMessages => {
  const known = new Map<string, ReadMessage>();
  return (message, to) => {
    if (to) return withPlaces([replyTo(message, to)], message);
    const read = known.get(message) ?? withPlaces(sentencesIn(message), message);
    known.set(message, read);
    return read;
  };
};

/** A message with what it was said to, as it stands in a prompt. */
export const withSaidTo = (message: string, to: string | undefined): string => (to ? `${message} ${to}` : message);

/** One sentence: neither stands without the other. */
const replyTo = (message: string, to: string): ReadSentence =>
  sentenceOf(withSaidTo(message, to), {
    said: message,
    to,
    isPasted: pastedLines(message).size > 0,
    isAlone: true,
    line: 0,
    indent: '',
  });

const sentencesIn = (message: string): ReadSentence[] => {
  const pasted = pastedLines(message);
  const texts = message.split('\n').flatMap((words, line) => {
    const isPasted = pasted.has(words);
    const indent = /^\s*/.exec(words)?.[0] ?? '';
    return sentencesOf(words).map((text) => ({ text, isPasted, line, indent }));
  });
  return texts.map(({ text, ...place }) => sentenceOf(text, { said: text, isAlone: texts.length === 1, ...place }));
};

/** A question mark anywhere, or several items with their marks. */
const ASKS = /[?？؟]|(?:(?:^|\s)(?:[-*•]|\(?[\p{N}\p{L}][.)、．])\s.*){2}/u;

type Form = Pick<ReadSentence, 'said' | 'line' | 'indent' | 'isPasted'> & { to?: string; isAlone: boolean };
const sentenceOf = (text: string, { said, to, isPasted, isAlone, line, indent }: Form): ReadSentence => {
  const isValue = hasValue(text);
  const isShortAlone = isAlone && isShort(text);
  return {
    text,
    said,
    line,
    indent,
    isReply: to !== undefined,
    isAsked: to !== undefined && ASKS.test(to),
    keys: valueKeys(text),
    isPasted,
    source: '',
    isCue: hasCue(said),
    isValue,
    isShort: isShortAlone,
    isLittle: isShortAlone && !isValue,
  };
};

const withPlaces = (sentences: readonly ReadSentence[], { length }: string): ReadMessage => {
  const says = ({ said, isReply, keys }: ReadSentence) => {
    if (isReply) return valueKeys(said);
    return isQuestion(said) ? [] : keys;
  };
  const stated = new Set(sentences.flatMap(says));
  return length <= LONG_CHARACTERS ? { sentences, stated } : { sentences, stated, places: longPlaces(sentences) };
};
/** Shorter messages are seldom shortened, and their sentences belong together. */
const LONG_CHARACTERS = 600;

/** Of a long message its end and its beginning come first, and then what stands out among its own sentences. */
const longPlaces = (own: readonly ReadSentence[]): Places => {
  const words = own.filter(({ isPasted }) => !isPasted);
  const first = new Set([...closingOf(words), ...words.slice(0, 1)]);
  const rest = byDistinction(own, { cues: true }).map(({ line }) => line);
  const order = new Set([...first, ...rest.filter(({ isPasted }) => !isPasted), ...rest, ...own]);
  const rankOf = new Map([...order].map((sentence, rank) => [sentence, rank]));
  return {
    ranks: own.map((sentence) => rankOf.get(sentence) ?? 0),
    requests: new Set(own.flatMap((sentence, index) => (first.has(sentence) ? [index] : []))),
  };
};

/** A greeting may follow what is asked for. The longest first, since that one says what is wanted. */
const closingOf = (own: readonly ReadSentence[]): ReadSentence[] => {
  let from = own.length;
  for (let characters = 0; from > 0 && characters < CLOSING_CHARACTERS; from -= 1)
    characters += own[from - 1]?.text.length ?? 0;
  return own.slice(from).sort((one, other) => other.text.length - one.text.length);
};
const CLOSING_CHARACTERS = 60;
