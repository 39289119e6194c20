/**
 * An address of the web, and what it could carry to its host: a path and a query are words that the host gets to read. A
 * piece is free where the person wrote it, or where the whole address stands as a link in a folder's file or in a page of
 * that very host. One that stands elsewhere is carried from there; one that stands nowhere is a guess, of which few are free.
 */
import { decodedReadings } from './encodings.ts';
import type { ContentSource } from './origin.ts';
import { lettersOf, type TextIndex, withPort, wordsOf } from './text-index.ts';

type Piece = { place: 'path' | 'query' | 'user'; text: string };
export type Address = {
  /** With its port, where that is not the usual one, and without `www.` */
  host: string;
  /** What is sent to the host: the path and the query. */
  tail: string;
  pieces: readonly Piece[];
};

const FETCHED: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:', 'ftp:']);

/** Undefined for what is no address of the web. */
export const addressOf = (value: string): Address | undefined => {
  const text = value.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !FETCHED.has(url.protocol)) return undefined;
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .replace(/^www\.(?=.*\.)/, '');
  const of = (place: Piece['place'], texts: readonly string[]): Piece[] =>
    texts.filter((each) => each !== '').map((each) => ({ place, text: unescaped(each) }));
  return {
    host: withPort(host, url.port),
    tail: unescaped(`${url.pathname}${url.search}`),
    pieces: [
      ...of('user', [url.username, url.password]),
      ...of('path', url.pathname.split('/')),
      ...of('query', url.search.slice(1).split(/[&=;]/)),
    ],
  };
};

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

type Known = {
  source: ContentSource;
  index(): TextIndex;
  /** It repeats these letters from the arguments of its call. */
  echoes(letters: string): boolean;
};
export type AddressContext = {
  isPersons(letters: string): boolean;
  own: readonly Known[];
  /** Nobody's word: an address in it may have been put there. */
  printed: readonly Known[];
  untrusted: readonly Known[];
};
export type Carried = { place: Piece['place']; text: string; source?: ContentSource };

/** Pieces of an address that stand nowhere, or in a page of its host, and say little: more of them could spell a text. */
const GUESSES = 8;
/** One or two letters say little each, and much together. */
const TINY = 2;
const TINY_WEIGHT = 3;
/** Shorter ones stand in any text by chance. */
const FOUND_CHARACTERS = 3;
const PLAIN_WORDS = 3;
const PLAIN_CHARACTERS = 40;

/** The first piece that the address would carry from elsewhere, or that is more than a guess. */
export const carriedBy = (address: Address, context: AddressContext): Carried | undefined => {
  const { host, tail, pieces } = address;
  const whole = lettersOf(`${host}${tail}`);
  const link = lettersOf(tail);
  const pages = context.untrusted.filter(({ source }) => hostOf(source) === host);
  const isLink =
    context.isPersons(whole) ||
    context.own.some((entry) => entry.index().holdsWords(whole)) ||
    pages.some((entry) => entry.index().holdsWords(link));
  if (isLink && pieces.every(({ place }) => place !== 'user')) return undefined;
  const others = context.untrusted.filter((entry) => !pages.includes(entry));
  const elsewhere = [...context.own, ...context.printed, ...others];
  let guesses = 0;
  let unknown: Carried | undefined;
  for (const piece of pieces) {
    const words = wordsOf(piece.text).filter((word) => !USUAL.has(word) && !isSmallNumber(word));
    if (words.length === 0 || context.isPersons(words.join('')) || words.every(context.isPersons)) continue;
    const source = sourceOf(piece.text, elsewhere);
    if (source) return { ...piece, source };
    const isOfHost = pages.some((entry) => entry.index().holdsWords(words.join('')));
    if (isOfHost || isPlain(words)) guesses += words.every((word) => word.length <= TINY) ? TINY_WEIGHT : 1;
    else unknown ??= piece;
    if (guesses > GUESSES) unknown ??= piece;
  }
  return unknown;
};

/** The page that an untrusted text is. */
const hostOf = ({ about = '' }: ContentSource): string | undefined =>
  /^\S+$/.test(about) ? addressOf(about)?.host : undefined;

const sourceOf = (text: string, elsewhere: readonly Known[]): ContentSource | undefined => {
  for (const reading of [text, ...decodedReadings(text)]) {
    const letters = lettersOf(reading);
    if (letters.length < FOUND_CHARACTERS) continue;
    const found = elsewhere.find((entry) => !entry.echoes(letters) && entry.index().holdsWords(letters));
    if (found) return found.source;
  }
  return undefined;
};

const isSmallNumber = (word: string): boolean => /^(?:v?\d{1,3}|(?:19|20)\d\d)$/.test(word);
const isPlain = (words: readonly string[]): boolean =>
  words.length <= PLAIN_WORDS &&
  words.join('').length <= PLAIN_CHARACTERS &&
  words.every((word) => /^\p{L}{1,24}$/u.test(word));

/** Words of paths and queries that say nothing of anybody. */
const USUAL: ReadonlySet<string> = new Set(
  (
    'api rest graphql docs doc documentation guide guides manual reference ref tutorial help wiki blog post posts article articles news ' +
    'page pages index home main master head latest stable current blob tree raw src source static assets public files file download ' +
    'downloads releases release issues issue pull pulls html htm php asp aspx json xml txt md rst pdf csv rss atom feed search find q ' +
    'query s id ids lang language locale en us de fr sort order asc desc limit offset size start count per format type tab view mode tag ' +
    'tags category categories product products item items user users about contact status list all new v true false'
  ).split(' '),
);
