/** A case of an attack catalogue: its form, its generators, its placeholders. What is not known is never passed over. */
import { isObject, type JsonObject, type JsonValue } from '../../src/core/json.ts';
import { CONFORMANCE_LIMITS } from '../limits.ts';

export type AttackCase = { id: string; group: string; given: JsonObject; when: JsonObject; then: JsonObject };

/** What must hold does not hold, or the case asks for something that is not known. */
export class Unmet extends Error {}
/** This system cannot show whether it holds: no bubblewrap, no second user. */
export class CannotRun extends Error {}

/** A reason that costs something to put into words is a function. */
export const hold = (holds: boolean, reason: string | (() => string)): void => {
  if (!holds) throw new Unmet(typeof reason === 'string' ? reason : reason());
};

export const asObject = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
export const asList = (value: JsonValue | undefined): JsonValue[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

export const isAttack = (value: object): value is AttackCase =>
  'id' in value &&
  typeof value.id === 'string' &&
  'group' in value &&
  typeof value.group === 'string' &&
  'given' in value &&
  isObject(value.given) &&
  'when' in value &&
  isObject(value.when) &&
  'then' in value &&
  isObject(value.then);

const PLACEHOLDER = /^\$(?:S|HOME|CONFIG|PORT|TOKEN)(?=\/|$)/;
/** Words of JSON Schema, which is data here, and the mark of a text that no generator can make. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set(
  '$lone_surrogate $ref $defs $schema $id $anchor $comment $dynamicRef $dynamicAnchor $vocabulary'.split(' '),
);
const PLACEHOLDERS_WITHIN = /\$(?:S|CONFIG)(?=\/)/g;

const count = (value: JsonValue | undefined, generator: string): number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= CONFORMANCE_LIMITS.textCharacters)
    return value;
  throw new Unmet(`the generator ${generator} is given ${JSON.stringify(value)?.slice(0, 80)}`);
};

const repeated = (unit: string, times: number): string => {
  if (unit.length * times > CONFORMANCE_LIMITS.textCharacters) throw new Unmet('a generated text would be too long');
  return unit.repeat(times);
};

const GENERATORS: Readonly<Record<string, (parameter: JsonValue) => JsonValue>> = {
  $repeat: (parameter) => {
    const [unit, times] = asList(parameter);
    return repeated(String(unit), count(times, '$repeat'));
  },
  $concat: (parameter) =>
    asList(parameter)
      .map((part) => String(expand(part)))
      .join(''),
  $line: (parameter) => repeated('x', count(parameter, '$line')),
  $line_mb: (parameter) => repeated('x', count(parameter, '$line_mb') * 1024 * 1024),
  $deep: (parameter) => {
    const [open, close, times] = asList(parameter);
    const depth = count(times, '$deep');
    return repeated(String(open), depth) + repeated(String(close), depth);
  },
};

/** Expands generators. A text that is to be used as it stands keeps its `$raw_json`, see `rawJson`. */
export const expand = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(expand);
  if (!isObject(value) || rawJson(value) !== undefined) return value;
  const generator = Object.keys(value).find(
    (key) => key.startsWith('$') && !PLACEHOLDER.test(key) && !SCHEMA_WORDS.has(key),
  );
  if (generator === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, expand(entry)]));
  }
  // Bytes, which a text of JSON cannot hold; who sends them makes them.
  if (generator === '$gzip_bomb_mb') return value;
  const make = Object.hasOwn(GENERATORS, generator) ? GENERATORS[generator] : undefined;
  if (make === undefined) throw new Unmet(`the generator ${generator} is not known`);
  return make(value[generator] as JsonValue);
};

/** Arguments given as text, as a server would send them: keys may stand twice. */
export const rawJson = (value: JsonValue | undefined): string | undefined => {
  const text = isObject(value) && Object.keys(value).length === 1 ? value['$raw_json'] : undefined;
  return typeof text === 'string' ? text : undefined;
};

export type Places = { scratch: string; home: string; config: string };

/** Puts the folders of this run in. A shell line keeps its dollars: they are the shell's. */
export const withPlaces = (value: JsonValue, places: Places): JsonValue => {
  const folders: Readonly<Record<string, string>> = {
    $S: places.scratch,
    $HOME: places.home,
    $CONFIG: places.config,
  };
  const inText = (text: string): string =>
    text
      .replace(PLACEHOLDER, (name) => folders[name] ?? name)
      .replaceAll(PLACEHOLDERS_WITHIN, (name) => folders[name] ?? name);
  if (typeof value === 'string') return inText(value);
  if (Array.isArray(value)) return value.map((entry) => withPlaces(entry, places));
  if (!isObject(value) || rawJson(value) !== undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      inText(key),
      key === 'command' && typeof entry === 'string' ? entry : withPlaces(entry, places),
    ]),
  );
};

/** Says which words of a part of a case are unknown, so that none is passed over. */
export const onlyKnown = (part: string, value: JsonObject, known: Iterable<string>): void => {
  const names = new Set(known);
  const unknown = Object.keys(value).find((word) => !names.has(word));
  if (unknown !== undefined) throw new Unmet(`"${part}" has "${unknown}", which is not known`);
};
