/** The parts of an argument that decide whom a call reaches, what it spends and what it tells them. */
import type { JsonObject, JsonValue } from '../json.ts';
import { decodedReadings } from './encodings.ts';
import { addressesIn, folded, isDateOrTime, lettersOf, withPort, wordsOf } from './text-index.ts';

/**
 * `recipient`: whom or where. `id`: which thing. `content`: words that are sent. `other`: the rest, such as a city.
 * A recipient or an id may not come from nowhere; words may.
 */
export type Role = 'recipient' | 'id' | 'content' | 'other';

export type Part = {
  kind: 'host' | 'email' | 'id' | 'number' | 'name' | 'code' | 'span';
  text: string;
  /** Where the person may have said it in another order. */
  words?: readonly string[];
  /** It is seen only where the value is decoded (base64, hex, escapes). */
  isDecoded?: true;
  /** Of a short value, which may stand in a text in two pieces. Of a long one other parts are whole. */
  isBrief?: true;
};

export type WeightyValue = {
  /** `recipients[0]`. */
  argument: string;
  role: Role;
  /** As it stands in the call. */
  text: string;
  parts: Part[];
};

const RECIPIENT =
  /^(?:recipients?|to|cc|bcc|users?|usernames?|emails?|participants?|attendees?|invitees?|members?|accounts?|ibans?|bic|urls?|uris?|hosts?|hostname|domains?|links?|websites?|webhook|endpoint|servers?|channels?|rooms?|phone|addresse?s?|destination|target|passwords?|token|secret|wallet|payee|beneficiary|contact|handle|repo|repository|remote)$/;
const ID = /^(?:ids?|uuid|guid|index|key|ref|reference|nr|no)$/;
const CONTENT =
  /^(?:subject|title|body|content|contents|message|messages|text|description|notes?|comments?|caption|summary|query|reason|prompt|question|details?|remarks?)$/;

export const roleOf = (argument: string): Role => {
  const words = argument
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  if (words.some((word) => RECIPIENT.test(word))) return 'recipient';
  if (words.some((word) => ID.test(word))) return 'id';
  return words.some((word) => CONTENT.test(word)) ? 'content' : 'other';
};

/** A value of more is looked at in spans. */
const NAME_WORDS = 8;
const NAME_CHARACTERS = 120;
export const SPAN_WORDS = 6;
const CODE_CHARACTERS = 6;
/** A shorter id may stand in a text by chance; it counts where the text calls it one. */
const ID_CHARACTERS = 6;
/** A call with more parts than this is read no further and counts as untrusted. */
export const PARTS_MAX = 4_000;

/** Everything weighty in the named arguments; undefined for more than can be looked at. */
export const weightyValues = (
  args: JsonObject,
  names: readonly string[],
  fixedRole?: Role,
): WeightyValue[] | undefined => {
  const values: WeightyValue[] = [];
  let budget = PARTS_MAX;
  const open: [string, string, JsonValue | undefined][] = names.map((name) => [name, name, args[name]]);
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const [argument, name, value] = next;
    if (Array.isArray(value))
      open.unshift(...value.map((entry, index): [string, string, JsonValue] => [`${argument}[${index}]`, name, entry]));
    else if (typeof value === 'object' && value !== null) {
      open.unshift(
        ...Object.entries(value).flatMap(([key, entry]): [string, string, JsonValue][] => [
          ...(isValueKey(key) ? [[argument, name, key] satisfies [string, string, JsonValue]] : []),
          [`${argument}.${key}`, key, entry],
        ]),
      );
    } else if (typeof value === 'string' || typeof value === 'number') {
      const role = fixedRole ?? roleOf(name);
      const isShortId = role === 'id' && String(value).length < ID_CHARACTERS;
      const parts = isShortId
        ? [{ kind: 'id' as const, text: lettersOf(String(value)) }]
        : typeof value === 'number'
          ? [numberPart(value)]
          : partsOf(value, role, fixedRole !== undefined);
      budget -= parts.length + 1;
      if (budget < 0 || open.length > PARTS_MAX) return undefined;
      if (parts.length > 0) values.push({ argument, role, text: String(value), parts });
    }
  }
  return values;
};

/** `{"to": {"mallory@x.test": 5}}`: the name of a field is words or a path, and an address or an account is none. */
const isValueKey = (key: string): boolean =>
  /.@.|:\/\//.test(key) ||
  addressesIn(folded(key)).length > 0 ||
  (key.length >= CODE_CHARACTERS && digitsIn(key) >= KEY_DIGITS);
const digitsIn = (text: string): number => text.replaceAll(/\D/g, '').length;
const KEY_DIGITS = 4;

const numberPart = (value: number): Part => ({ kind: 'number', text: String(value) });

/** `isCommand`: what looks like a mail address is a name to log in by, and a host. */
const partsOf = (value: string, role: Role, isCommand: boolean): Part[] => {
  if (value.trim() === '' || isDateOrTime(value.trim())) return [];
  const parts = new Map<string, Part>();
  for (const reading of [value, ...decodedReadings(value)]) {
    const add = (part: Part): void => {
      const key = `${part.kind} ${part.text}`;
      if (reading === value) parts.set(key, part);
      else if (!parts.has(key)) parts.set(key, { ...part, isDecoded: true });
    };
    const plain = folded(reading);
    for (const { host, port, email } of addressesIn(plain)) {
      if (email !== undefined) add({ kind: 'email', text: email });
      if (email === undefined || isCommand) add({ kind: 'host', text: withPort(host, port) });
    }
    const words = wordsOf(reading);
    for (const word of words) if (isCode(word)) add({ kind: 'code', text: word });
    const isShort = words.length <= NAME_WORDS && value.length <= NAME_CHARACTERS;
    if (reading !== value) continue;
    if (/^\s*[\d.,]+\s*$/.test(value)) add(numberPart(Number(value.replaceAll(',', ''))));
    else if (isShort && role !== 'content')
      add({ kind: 'name', text: lettersOf(value), words: role === 'other' ? words : undefined });
    else for (const span of spansOf(words)) add({ kind: 'span', text: span.join(''), words: span });
  }
  const found = [...parts.values()].filter(({ text }) => text !== '');
  return found.length > BRIEF_PARTS ? found : found.map((part) => ({ ...part, isBrief: true }));
};

/** Some twelve words. */
const BRIEF_PARTS = 4;

const isCode = (word: string): boolean => word.length >= CODE_CHARACTERS && /\d/.test(word);

/** Overlapping runs of six words. What is shorter says little of where it comes from. */
const spansOf = (words: readonly string[]): string[][] => {
  if (words.length < SPAN_WORDS) return [];
  const spans: string[][] = [];
  for (let start = 0; start + SPAN_WORDS <= words.length; start += 3)
    spans.push(words.slice(start, start + SPAN_WORDS));
  spans.push(words.slice(-SPAN_WORDS));
  return spans;
};
