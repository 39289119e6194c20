/** Readings of a text that hides another one: percent-encoding, escapes, entities, base64, hex, reversed letters. */

const MAX_DEPTH = 3;
/** Of all readings of one text together, so that nested encodings stay linear. */
const GROWTH_MAX = 4;
const MIN_ENCODED = 8;

const CODEPOINT_MAX = 0x10_ff_ff;
const fromCode = (code: number): string => (code <= CODEPOINT_MAX ? String.fromCodePoint(code) : '');

const percent = (text: string): string =>
  text.includes('%')
    ? text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
        utf8(
          run
            .slice(1)
            .split('%')
            .map((pair) => Number.parseInt(pair, 16)),
        ),
      )
    : text;

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: ' ', f: ' ' };
/** JSON, YAML and JavaScript: a line that goes on after a backslash, `\n`, `\xE9`, `\u00e9`. */
const escapes = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(
        /\\(?:\r?\n[ \t]*\\?|x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|(.))/gi,
        (_, two?: string, four?: string, braced?: string, other?: string) => {
          const code = two ?? four ?? braced;
          if (code !== undefined) return fromCode(Number.parseInt(code, 16));
          return other === undefined ? '' : (CONTROLS[other] ?? other);
        },
      )
    : text;

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const entities = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(
        /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi,
        (whole, ten?: string, hex?: string, name?: string) => {
          if (ten !== undefined) return fromCode(Number.parseInt(ten, 10));
          if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
          return NAMED[name?.toLowerCase() ?? ''] ?? whole;
        },
      )
    : text;

const DECODER = new TextDecoder();
const utf8 = (bytes: readonly number[]): string => DECODER.decode(new Uint8Array(bytes));

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By the code of a character: its six bits, and more than six can hold for what is none. */
const NO_SIX = 64;
const SIXES = new Uint8Array(128).fill(NO_SIX);
for (const [six, character] of [...ALPHABET].entries()) SIXES[character.charCodeAt(0)] = six;
SIXES['-'.charCodeAt(0)] = 62;
SIXES['_'.charCodeAt(0)] = 63;

const isControl = (byte: number): boolean => (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) || byte === 0x7f;
/** How many bytes follow the first one of a character; undefined where none begins so. */
const following = (first: number): number | undefined => {
  if (first < 0x80) return 0;
  if (first < 0xc2 || first > 0xf4) return undefined;
  return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
};

/** Undefined where it is no text. Most runs are words of a sentence, which show after a few bytes that they are none. */
const base64 = (run: string): string | undefined => {
  const bytes = new Uint8Array(run.length);
  let length = 0;
  let bits = 0;
  let held = 0;
  let open = 0;
  for (let at = 0; at < run.length; at += 1) {
    const six = SIXES[run.charCodeAt(at)] ?? NO_SIX;
    if (six === NO_SIX) continue;
    held = ((held << 6) | six) & 0xff_ff_ff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const byte = (held >> bits) & 0xff;
    if (isControl(byte)) return undefined;
    const next = open > 0 ? ((byte & 0xc0) === 0x80 ? open - 1 : undefined) : following(byte);
    if (next === undefined) return undefined;
    open = next;
    bytes[length] = byte;
    length += 1;
  }
  const text = open > 0 ? '' : DECODER.decode(bytes.subarray(0, length));
  return isText(text) ? text : undefined;
};

const hex = (run: string): string =>
  utf8((run.replaceAll(/[^0-9a-f]/gi, '').match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));

/** Text, and not the noise that any word gives when it is read as base64. */
const isText = (text: string): boolean => text.length >= 3 && !/[\0-\x08\x0e-\x1f\x7f\ufffd]/.test(text);

/** Base64 of that length is never of one case. */
const PLAIN_WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+)$/;
const isSix = (text: string, at: number): boolean => (SIXES[text.charCodeAt(at)] ?? NO_SIX) !== NO_SIX;
const endOfRun = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && isSix(text, at)) at += 1;
  return at;
};
/** Where the next line begins, behind the end of this one. */
const nextLine = (text: string, at: number): number =>
  text[at] === '\n' ? at + 1 : text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : text.length;

/** Eight characters of base64 and more, over lines that hold as many. */
const base64Runs = (text: string): string[] => {
  const runs: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = endOfRun(text, at);
    if (end - at < MIN_ENCODED) {
      at = end + 1;
      continue;
    }
    for (let line = nextLine(text, end); endOfRun(text, line) - line >= MIN_ENCODED; line = nextLine(text, end))
      end = endOfRun(text, line);
    runs.push(text.slice(at, end));
    at = end + 1;
  }
  return runs;
};
const SEPARATED_HEX_RUN = /(?<![0-9a-f])[0-9a-f]{2}(?:[\s:-][0-9a-f]{2}){3,}(?![0-9a-f])/gi;

/** A run may be glued to a path, such as `x/BASE64`: its pieces are read too. */
const base64Readings = (runs: readonly string[]): string[] =>
  runs.flatMap((run) => {
    if (PLAIN_WORD.test(run)) return [];
    const pieces = run.split(/[/_+-]/).filter((piece) => piece.length >= MIN_ENCODED && piece.length < run.length);
    return [run, ...pieces.filter((piece) => !PLAIN_WORD.test(piece))].flatMap((piece) => base64(piece) ?? []);
  });

const isHexDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
/** Pairs of digits, four and more. */
const hexRuns = (text: string): string[] => {
  const runs: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && isHexDigit(text.charCodeAt(at))) continue;
    if (at - start >= MIN_ENCODED) runs.push(text.slice(start, at - ((at - start) % 2)));
    start = at + 1;
  }
  return runs;
};

const hexReadings = (text: string): string[] =>
  [...hexRuns(text), ...(text.match(SEPARATED_HEX_RUN) ?? [])].map(hex).filter(isText);

/** Letters of other scripts, and the Latin ones that they look like. */
const FOREIGN = [...'аеорсухіјѕһԁԛԝкмтАВЕКМНОРСТУХІЈЅԌαονικρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡ'];
const LATIN = [...'aeopcyxijshdqwkmtABEKMHOPCTYXIJSGaovikptuxABEZHIKMNOPTYXiag'];
const ALIKE: ReadonlyMap<string, string> = new Map(FOREIGN.map((letter, index) => [letter, LATIN[index] ?? letter]));
const ALIKE_LETTER = new RegExp(`[${FOREIGN.join('')}]`, 'gu');

/** As it looks. */
const lookedAt = (text: string): string =>
  ASCII.test(text) ? text : text.replaceAll(ALIKE_LETTER, (letter) => ALIKE.get(letter) ?? letter);
const ASCII = /^[\0-\x7f]*$/;

/** Every other reading of the text, each once, without the text itself. Linear: at most four times its length together. */
export const decodedReadings = (text: string): string[] => {
  const seen = new Set([text]);
  let budget = text.length * GROWTH_MAX + MIN_ENCODED;
  let open = [text];
  for (let depth = 0; depth < MAX_DEPTH && open.length > 0; depth += 1) {
    const next: string[] = [];
    for (const reading of open.flatMap(readingsOf)) {
      if (seen.has(reading) || reading.length > budget) continue;
      budget -= reading.length;
      seen.add(reading);
      next.push(reading);
    }
    open = next;
  }
  seen.delete(text);
  return [...seen];
};

/** The text as it is, and every other reading of it. */
export type Reader = (text: string) => readonly string[];

/** Reads each text once, for all who look at the same conversation. */
export const createReader = (): Reader => {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const readings = known.get(text) ?? [text, ...decodedReadings(text)];
    known.set(text, readings);
    return readings;
  };
};

const readingsOf = (text: string): string[] => [
  percent(text),
  escapes(text),
  entities(text),
  lookedAt(text),
  ...base64Readings(base64Runs(text)),
  ...hexReadings(text),
];
