/**
 * Colours for code, line by line as it streams: comments, texts, numbers, words of the language and names that stand out.
 * It reads each character once and keeps from line to line only what is still open, so it costs what printing costs.
 * Whatever it takes wrongly is painted wrongly and nothing else: the characters stay as they are.
 */
import { TERMINAL_LIMITS } from '../limits.ts';
import type { Language, Quoted } from './languages.ts';

export type TokenKind = 'keyword' | 'string' | 'comment' | 'number' | 'name';
/** `kind` absent: plain. */
export type Token = { text: string; kind?: TokenKind };

const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[a-zA-Z%]*/y;
const NAME_START = /[\p{L}_]/u;
const NAME_PART = /[\p{L}\p{N}_]/u;
/** Letters that may stand before the quotes of a text. */
const TEXT_PREFIX = /(?:^|[^\p{L}\p{N}_])(?:[fFrRbBuU]{1,2}|L)$/u;

export class CodeLexer {
  readonly #language: Language;
  /** What was open at the end of the line before. */
  #open: Quoted | undefined;

  constructor(language: Language) {
    this.#language = language;
  }

  /** The next line. */
  line(text: string): Token[] {
    const { tokens, open } = this.#read(text);
    this.#open = open;
    return tokens;
  }

  /** A line that is not whole yet: the next one will be read as if this had not been. */
  peek(text: string): Token[] {
    return this.#read(text).tokens;
  }

  #read(text: string): { tokens: Token[]; open: Quoted | undefined } {
    if (text.length > TERMINAL_LIMITS.colouredLineCharacters) return { tokens: [{ text }], open: this.#open };
    const tokens: Token[] = [];
    let open = this.#open;
    let at = 0;
    const put = (end: number, kind?: TokenKind): void => {
      const last = tokens.at(-1);
      const piece = text.slice(at, end);
      if (last !== undefined && last.kind === kind) last.text += piece;
      else tokens.push(kind === undefined ? { text: piece } : { text: piece, kind });
      at = end;
    };
    while (at < text.length) {
      if (open !== undefined) {
        const end = endOf(text, at, open);
        put(end ?? text.length, open.kind);
        if (end !== undefined || !open.long) open = undefined;
        continue;
      }
      const begun = this.#quotedAt(text, at);
      if (begun !== undefined) {
        const end = endOf(text, at + begun.open.length, begun);
        put(end ?? text.length, this.#isKey(text, end) ? 'name' : begun.kind);
        if (end === undefined && begun.long) open = begun;
      } else if (this.#isComment(text, at)) put(text.length, 'comment');
      else put(...this.#word(text, at));
    }
    return { tokens, open };
  }

  #quotedAt(text: string, at: number): Quoted | undefined {
    const found = this.#language.quoted.find(({ open }) => text.startsWith(open, at));
    if (found === undefined || found.open !== "'") return found;
    // An apostrophe in a word opens nothing.
    const before = text.slice(Math.max(0, at - 4), at);
    return NAME_PART.test(before.at(-1) ?? ' ') && !TEXT_PREFIX.test(before) ? undefined : found;
  }

  /** `#` in the middle of a word begins no comment. */
  #isComment(text: string, at: number): boolean {
    const mark = this.#language.line.find((each) => text.startsWith(each, at));
    if (mark === undefined) return false;
    return mark.length > 1 || at === 0 || /\s/.test(text[at - 1] ?? ' ');
  }

  /** A number, a name or a sign: where it ends, and what it is. */
  #word(text: string, at: number): [end: number, kind?: TokenKind] {
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text);
    if (number) return [at + number[0].length, 'number'];
    const { nameSigns = '' } = this.#language;
    const isPart = (sign: string): boolean => NAME_PART.test(sign) || nameSigns.includes(sign);
    const first = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (!NAME_START.test(first) && !nameSigns.includes(first)) return [at + first.length];
    let end = at + first.length;
    while (end < text.length && isPart(text[end] as string)) end += 1;
    return [end, this.#kindOf(text.slice(at, end), text, at, end)];
  }

  #kindOf(name: string, text: string, at: number, end: number): TokenKind | undefined {
    const { words, caseless, tags } = this.#language;
    if (tags) return /<\/?$/.test(text.slice(Math.max(0, at - 2), at)) ? 'keyword' : undefined;
    if (words.has(caseless ? name.toLowerCase() : name)) return 'keyword';
    if (this.#isKey(text, end) || text[end] === '(' || /^\p{Lu}/u.test(name)) return 'name';
    return undefined;
  }

  #isKey(text: string, end: number | undefined): boolean {
    const { key } = this.#language;
    return key !== undefined && end !== undefined && text.slice(end).trimStart().startsWith(key);
  }
}

/** Behind the closing mark; undefined where it is not on this line. */
const endOf = (text: string, from: number, { close, escapes }: Quoted): number | undefined => {
  for (let at = from; at < text.length; at += 1) {
    if (escapes && text[at] === '\\') at += 1;
    else if (text.startsWith(close, at)) return at + close.length;
  }
  return undefined;
};
