/**
 * A text made ready to be searched for values: letters and digits alone, in one case, with the places where words begin
 * and end. `GB29 NWBK 6016`, `gb29-nwbk-6016` and `GB29NWBK6016` are the same there.
 */

/** Built where it is first asked for: most texts are never looked at. */
export class TextIndex {
  readonly #readings: readonly string[];
  #words: { letters: string; edges: Uint8Array } | undefined;
  #addresses: { hosts: Set<string>; emails: Set<string> } | undefined;
  #amounts: { numbers: Set<number>; ids: Set<string> } | undefined;

  /** `readings`: the text, and what it holds in base64, hex, escapes and the like where that counts. */
  constructor(readings: readonly string[]) {
    this.#readings = readings;
  }

  /** The value as whole words, however they are separated. */
  holdsWords(value: string): boolean {
    if (value === '') return false;
    const { letters, edges } = this.#wordEdges();
    for (let at = letters.indexOf(value); at >= 0; at = letters.indexOf(value, at + 1)) {
      if (((edges[at] ?? 0) & BEGINS) !== 0 && ((edges[at + value.length] ?? 0) & ENDS) !== 0) return true;
    }
    return false;
  }

  /** Also in the middle of words. */
  holdsLetters(value: string): boolean {
    return this.#wordEdges().letters.includes(value);
  }

  /** In two pieces, each of whole words, in whatever order and with whatever between them. */
  holdsPieces(value: string): boolean {
    const first = longest(value.length, (length) => this.holdsLetters(value.slice(0, length)));
    const last = longest(value.length, (length) => this.holdsLetters(value.slice(value.length - length)));
    for (let at = Math.max(PIECE, value.length - last); at <= Math.min(first, value.length - PIECE); at += 1)
      if (this.holdsWords(value.slice(0, at)) && this.holdsWords(value.slice(at))) return true;
    return false;
  }

  holdsHost(host: string): boolean {
    return this.#addressSets().hosts.has(host);
  }

  holdsEmail(email: string): boolean {
    return this.#addressSets().emails.has(email);
  }

  /** An amount: no id, and no part of a date. */
  holdsNumber(number: number): boolean {
    return this.#amountSets().numbers.has(number);
  }

  /** What the text calls an id: `id: 7`, `#7`, `number 7`. */
  holdsId(id: string): boolean {
    return this.#amountSets().ids.has(id);
  }

  /** Whether the text has a field of its own for this id: a line `id: 7`, or `"id": 7` of JSON. */
  holdsIdField(id: string): boolean {
    return this.#readings.some((reading) => idFieldsIn(reading).has(id));
  }

  /** Letters and digits in lower case, readings kept apart by a blank. Bit 1: a word begins there. Bit 2: one ends before. */
  #wordEdges(): { letters: string; edges: Uint8Array } {
    if (this.#words) return this.#words;
    const found = this.#readings.map(lettersAndEdges);
    const edges = new Uint8Array(found.reduce((sum, { letters }) => sum + letters.length + 1, 1));
    let from = 0;
    for (const each of found) {
      edges.set(each.edges, from);
      from += each.letters.length + 1;
    }
    this.#words = { letters: found.map(({ letters }) => `${letters} `).join(''), edges };
    return this.#words;
  }

  #addressSets(): { hosts: Set<string>; emails: Set<string> } {
    if (this.#addresses) return this.#addresses;
    this.#addresses = { hosts: new Set(), emails: new Set() };
    for (const reading of this.#readings) {
      // A sentence may begin right behind an address: `www.example.com.They`.
      for (const { host, port, email } of addressesIn(
        folded(reading.replaceAll(ASCII.test(reading) ? ASCII_SENTENCE : SENTENCE, '. ')),
      )) {
        this.#addresses.hosts.add(withPort(host, port));
        if (email !== undefined) this.#addresses.emails.add(email);
      }
    }
    return this.#addresses;
  }

  #amountSets(): { numbers: Set<number>; ids: Set<string> } {
    if (this.#amounts) return this.#amounts;
    this.#amounts = { numbers: new Set(), ids: new Set() };
    for (const reading of this.#readings) {
      const plain = folded(reading);
      for (const [, id = ''] of plain.matchAll(ID)) this.#amounts.ids.add(lettersOf(id));
      for (const number of numbersIn(plain.replaceAll(ID, ' '))) this.#amounts.numbers.add(number);
    }
    return this.#amounts;
  }
}

const PIECE = 4;
/** The greatest length up to `limit` that holds, where every smaller one does too. */
const longest = (limit: number, holds: (length: number) => boolean): number => {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

const SENTENCE = /\.(?=\p{Lu}\p{Ll})/gu;
const ASCII_SENTENCE = /\.(?=[A-Z][a-z])/g;
const BEGINS = 1;
const ENDS = 2;
const ASCII = /^[\0-\x7f]*$/;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The text in parts that are plain, and whole lines that are not: one letter with an accent makes the rest no slower to read.
 * Nothing of a spelling goes over the end of a line.
 */
const partsOfLines = (text: string): { part: string; isPlain: boolean; from: number }[] => {
  if (ASCII.test(text)) return [{ part: text, isPlain: true, from: 0 }];
  const parts: { part: string; isPlain: boolean; from: number }[] = [];
  let from = 0;
  for (let next = text.search(FOREIGN); next >= 0; ) {
    const begin = text.lastIndexOf('\n', next) + 1;
    const newline = text.indexOf('\n', next);
    const end = newline < 0 ? text.length : newline;
    if (begin > from) parts.push({ part: text.slice(from, begin), isPlain: true, from });
    parts.push({ part: text.slice(begin, end), isPlain: false, from: begin });
    from = end;
    FOREIGN_FROM.lastIndex = end;
    next = FOREIGN_FROM.exec(text)?.index ?? -1;
  }
  if (from < text.length) parts.push({ part: text.slice(from), isPlain: true, from });
  return parts;
};
const FOREIGN = /[^\0-\x7f]/;
const FOREIGN_FROM = /[^\0-\x7f]/g;

/** One spelling of what looks the same. */
export const folded = (text: string): string =>
  partsOfLines(text)
    .map(({ part, isPlain }) => (isPlain ? part.toLowerCase() : foldedLine(part)))
    .join('');
const foldedLine = (line: string): string => line.normalize('NFKC').replace(IGNORED, '').toLowerCase();

const DECODER = new TextDecoder();
/** The words of a reading without what stands between them, and where each begins and ends. */
const lettersAndEdges = (reading: string): { letters: string; edges: Uint8Array } => {
  const parts = partsOfLines(reading).map(({ part, isPlain }) => (isPlain ? asciiLetters(part) : foreignLetters(part)));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const edges = new Uint8Array(parts.reduce((sum, { letters }) => sum + letters.length, 1));
  let from = 0;
  for (const part of parts) {
    // Where one part ends the next one begins.
    const before = edges[from] ?? 0;
    edges.set(part.edges, from);
    edges[from] = (edges[from] ?? 0) | before;
    from += part.letters.length;
  }
  return { letters: parts.map(({ letters }) => letters).join(''), edges };
};

const foreignLetters = (line: string): { letters: string; edges: Uint8Array } => {
  const words = foldedLine(line).match(WORD) ?? [];
  const letters = words.join('');
  const edges = new Uint8Array(letters.length + 1);
  let at = 0;
  for (const word of words) {
    edges[at] = (edges[at] ?? 0) | BEGINS;
    at += word.length;
    edges[at] = (edges[at] ?? 0) | ENDS;
  }
  return { letters, edges };
};

/** The same in one go, for the many long texts that are plain. */
const asciiLetters = (reading: string): { letters: string; edges: Uint8Array } => {
  const bytes = new Uint8Array(reading.length);
  const edges = new Uint8Array(reading.length + 1);
  let length = 0;
  let isWithin = false;
  for (let at = 0; at < reading.length; at += 1) {
    const given = reading.charCodeAt(at);
    const code = given >= 65 && given <= 90 ? given + 32 : given;
    const isLetter = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    if (isLetter !== isWithin) edges[length] = (edges[length] ?? 0) | (isLetter ? BEGINS : ENDS);
    isWithin = isLetter;
    if (!isLetter) continue;
    bytes[length] = code;
    length += 1;
  }
  if (isWithin) edges[length] = (edges[length] ?? 0) | ENDS;
  return { letters: DECODER.decode(bytes.subarray(0, length)), edges: edges.subarray(0, length + 1) };
};

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
export const wordsOf = (text: string): string[] =>
  partsOfLines(text).flatMap(({ part, isPlain }) =>
    isPlain ? asciiWords(part.toLowerCase()) : (foldedLine(part).match(WORD) ?? []),
  );

/** The same without a regular expression, for the many long texts that are plain. */
const asciiWords = (plain: string): string[] => {
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at <= plain.length; at += 1) {
    const code = at < plain.length ? plain.charCodeAt(at) : 0;
    const isLetter = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    if (isLetter && start < 0) start = at;
    else if (!isLetter && start >= 0) {
      words.push(plain.slice(start, at));
      start = -1;
    }
  }
  return words;
};
export const lettersOf = (text: string): string => wordsOf(text).join('');

/** Endings of file names that are also domains, or look like them. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  'txt md pdf doc docx xls xlsx ppt pptx csv tsv json jsonl yaml yml xml html htm css js mjs cjs ts tsx jsx py rb rs go java c h cpp sh zip tar gz png jpg jpeg gif svg webp mp3 mp4 log ini toml cfg conf sql db lock bak tmp ics eml'.split(
    ' ',
  ),
);
const TOKEN = /[\p{L}\p{N}_.@-]+/gu;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}])?$/u;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** 80 and 443 are those of an address that names none. */
export const withPort = (host: string, port: string | undefined): string =>
  port === undefined || /^0*(?:80|443)?$/.test(port) ? host : `${host}:${Number(port)}`;

type FoundAddress = { host: string; port?: string; email?: string };
/** What an address logs in with, which may look like a host itself. */
const LOGIN = /:\/\/[^\s/\\?#"'<>]*@/g;
/** Hosts and mail addresses in a folded text. `www.` does not count. */
export const addressesIn = (text: string): FoundAddress[] => {
  const plain = text.includes('@') ? text.replaceAll(LOGIN, '://') : text;
  const found: FoundAddress[] = [];
  for (const match of tokensIn(plain)) {
    const token = match[0].replace(/^[.@-]+|[.@-]+$/g, '');
    const isAfterScheme = plain.startsWith('://', match.index - 3);
    const at = token.lastIndexOf('@');
    const host = token.slice(at + 1).replace(/^www\.(?=.*\.)/, '');
    if (!isAfterScheme && !isHost(host, at >= 0 || token.startsWith('www.'))) continue;
    const port = PORT.exec(plain.slice(match.index + match[0].length, match.index + match[0].length + PORT_CHARACTERS));
    const place = port?.[1] === undefined ? { host } : { host, port: port[1] };
    found.push(at > 0 && !isAfterScheme ? { host, email: `${token.slice(0, at)}@${host}` } : place);
  }
  for (const [, host = '', port] of plain.matchAll(/:\/\/\[([0-9a-f:.%]{2,60})\](?::(\d{1,5}))?/g))
    found.push(port === undefined ? { host } : { host, port });
  return found;
};

const tokensIn = (plain: string): { 0: string; index: number }[] =>
  partsOfLines(plain).flatMap(({ part, isPlain, from }) =>
    (isPlain ? asciiTokens(part) : [...part.matchAll(TOKEN)]).map(({ 0: token, index }) => ({
      0: token,
      index: index + from,
    })),
  );

/** Those that may be a host or a mail address: most words of a text have no dot in them and follow no scheme. */
const asciiTokens = (plain: string): { 0: string; index: number }[] => {
  const tokens: { 0: string; index: number }[] = [];
  let start = -1;
  let hasMark = false;
  for (let at = 0; at <= plain.length; at += 1) {
    const code = at < plain.length ? plain.charCodeAt(at) : 0;
    const isMark = code === DOT || code === AT;
    if (isMark || isTokenCode(code)) {
      if (start < 0) start = at;
      hasMark ||= isMark;
      continue;
    }
    if (start >= 0 && (hasMark || plain.startsWith('://', start - 3)))
      tokens.push({ 0: plain.slice(start, at), index: start });
    start = -1;
    hasMark = false;
  }
  return tokens;
};
const [DOT, AT, HYPHEN, UNDERLINE] = [46, 64, 45, 95];
const isTokenCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === HYPHEN ||
  code === UNDERLINE;

const PORT = /^:(\d{1,5})(?![\p{L}\p{N}])/u;
const PORT_CHARACTERS = 7;

const isHost = (text: string, isCertain: boolean): boolean => {
  if (IPV4.test(text)) return true;
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  if (labels.length < 2 || !/^(?:\p{L}{2,}|xn--[\p{L}\p{N}-]+)$/u.test(last)) return false;
  return labels.every((label) => LABEL.test(label)) && (isCertain || !FILE_ENDINGS.has(last));
};

/** A word for an id, and the id behind it; both are short, so that the search stays linear. */
const ID =
  /(?:#|(?<![\p{L}\p{N}])(?:ids?_?|number|no|nr|ref|index)["']?\s{0,2}[:=.]?\s{0,2})["']?([\p{L}\p{N}_-]{1,64})/gu;

/** Fields of an answer in YAML or JSON that are named for an id and hold nothing else. */
const ID_FIELD =
  /^[ \t]*(?:- +)?["']?(?:[a-z0-9]+[_-])?ids?_?["']?[ \t]*:[ \t]*["']?([\p{L}\p{N}_-]{1,64})["']?,?[ \t]*$/gimu;
const idFieldsIn = (text: string): Set<string> => {
  const found = new Set<string>();
  for (const [, id = ''] of text.matchAll(ID_FIELD)) found.add(lettersOf(id));
  return found;
};

/** Days and times are no amounts. */
const DATE = /\d{4}-\d{1,2}-\d{1,2}(?:[t ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?|\d{1,2}:\d{2}(?::\d{2})?/g;
const NUMBER = /(?<![\p{L}\p{N}_])\d[\d.,]*(?![\p{L}\p{N}_])/gu;

/** Amounts, however they are written: `1,000.50` and `1.000,50` are 1000.5, `98.70` is 98.7. */
export const numbersIn = (plain: string): number[] => {
  const numbers: number[] = [];
  for (const [written] of plain.replaceAll(DATE, ' ').matchAll(NUMBER)) {
    const text = written.replace(/[.,]+$/, '');
    for (const value of [text.replaceAll(',', ''), text.replaceAll('.', '').replace(',', '.')]) {
      const number = Number(value);
      if (Number.isFinite(number)) numbers.push(number);
    }
  }
  return numbers;
};

export const isDateOrTime = (text: string): boolean =>
  /^[\d\s:./,tz+-]*$/i.test(text) &&
  text.replaceAll(DATE, '').replace(/[tz\s:+./,-]|00/gi, '') === '' &&
  /[-:]/.test(text);
