/** The parts of a regular expression whose grammar was looked at already, as far as they can be matched in one reading. */
import { SCHEMA_LIMITS } from '../limits.ts';

export type Part =
  | { kind: 'one'; fits(code: number): boolean }
  | { kind: 'sequence'; parts: readonly Part[] }
  | { kind: 'choice'; parts: readonly Part[] }
  | { kind: 'repeated'; part: Part; least: number; most: number }
  | { kind: 'place'; holds(codes: Uint32Array, at: number): boolean }
  /** What must stand before or behind a place, or must not. */
  | { kind: 'look'; ahead: boolean; wanted: boolean; part: Part };

export type Parsed = { kind: 'parsed'; part: Part } | Refused;
type Refused = { kind: 'refused'; because: string };

const DOT = 0x2e;
/** Codes below are those of ASCII. */
const USUAL = 0x80;

const ESCAPE =
  /\\(?:u\{[\dA-Fa-f]+\}|u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[\s\S])/uy;
const LEGACY_ESCAPE = /\\(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|0[0-7]{0,2}|[\s\S])/y;
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/uy;
const OPENING = /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
/** `(?i:a)`: flags of a part alone. */
const FLAGGED = /\(\?[a-z-]/y;
/** A group that was found before, by number or name. */
const BACK = /\\(?:[1-9]|k)/y;
/** Where it is no control character, older rules make two letters of it. */
const HALF_CONTROL = /\\c(?![A-Za-z])/y;

const isWord = (code: number | undefined): boolean => code !== undefined && /^\w$/.test(String.fromCodePoint(code));
const atBoundary = (codes: Uint32Array, at: number): boolean => isWord(codes[at - 1]) !== isWord(codes[at]);
const PLACES: Readonly<Record<string, Part>> = {
  '^': { kind: 'place', holds: (_, at) => at === 0 },
  $: { kind: 'place', holds: (codes, at) => at === codes.length },
  '\\b': { kind: 'place', holds: atBoundary },
  '\\B': { kind: 'place', holds: (codes, at) => !atBoundary(codes, at) },
};

export const parseExpression = (pattern: string, unicode: boolean): Parsed => {
  const parser = new Parser(pattern, unicode);
  const part = parser.choice(0);
  return parser.refused ?? { kind: 'parsed', part };
};

class Parser {
  refused: Refused | undefined;
  #at = 0;
  readonly #pattern: string;
  readonly #unicode: boolean;

  constructor(pattern: string, unicode: boolean) {
    this.#pattern = pattern;
    this.#unicode = unicode;
  }

  choice(depth: number): Part {
    const parts = [this.#sequence(depth)];
    while (this.#take(/\|/y)) parts.push(this.#sequence(depth));
    return parts.length === 1 ? (parts[0] as Part) : { kind: 'choice', parts };
  }

  #sequence(depth: number): Part {
    const parts: Part[] = [];
    while (this.refused === undefined && this.#at < this.#pattern.length && !/[|)]/.test(this.#next)) {
      const part = this.#one(depth);
      const [quantifier, least, comma, most] = this.#take(QUANTIFIER) ?? [];
      if (quantifier === undefined) parts.push(part);
      else if (least !== undefined)
        parts.push({ kind: 'repeated', part, least: Number(least), most: Number(comma ? most || Infinity : least) });
      else
        parts.push({
          kind: 'repeated',
          part,
          least: quantifier.startsWith('+') ? 1 : 0,
          most: quantifier.startsWith('?') ? 1 : Infinity,
        });
    }
    return { kind: 'sequence', parts };
  }

  #one(depth: number): Part {
    if (this.#take(BACK)) return this.#refuse('it goes back to what a group found');
    if (this.#take(FLAGGED)) return this.#refuse('it has flags for a part of it');
    if (this.#take(HALF_CONTROL)) return this.#refuse('it has half a control character');
    const [place] = this.#take(/[$^]|\\[bB]/y) ?? [];
    if (place !== undefined) return PLACES[place] as Part;
    const [opening] = this.#take(OPENING) ?? [];
    if (opening !== undefined) return this.#group(opening, depth);
    const [source] = this.#take(CLASS) ?? this.#take(this.#unicode ? ESCAPE : LEGACY_ESCAPE) ?? [];
    if (source !== undefined) return this.#set(source);
    const code = (this.#unicode ? this.#pattern.codePointAt(this.#at) : this.#pattern.charCodeAt(this.#at)) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code === DOT ? this.#set('.') : { kind: 'one', fits: (each) => each === code };
  }

  #group(opening: string, depth: number): Part {
    if (depth >= SCHEMA_LIMITS.expressionDepth) return this.#refuse('its groups are nested too deeply');
    const part = this.choice(depth + 1);
    this.#take(/\)/y);
    const [, behind, sign] = /^\(\?(<?)([=!])$/.exec(opening) ?? [];
    return sign === undefined ? part : { kind: 'look', ahead: behind === '', wanted: sign === '=', part };
  }

  /** One character alone is tried, on which no engine can go back and forth. What it says of the usual ones is kept. */
  #set(source: string): Part {
    const expression = new RegExp(`^${source}$`, this.#unicode ? 'u' : '');
    const isIn = (code: number): boolean => expression.test(String.fromCodePoint(code));
    const usual = new Uint8Array(USUAL).map((_, code) => Number(isIn(code)));
    return { kind: 'one', fits: (code) => (code < USUAL ? usual[code] === 1 : isIn(code)) };
  }

  get #next(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #refuse(because: string): Part {
    this.refused ??= { kind: 'refused', because };
    return { kind: 'sequence', parts: [] };
  }
}
