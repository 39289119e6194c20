/**
 * A JSON Schema → a compact GBNF grammar. "Compact" is what makes it usable: one fixed spacing, one order of members and
 * no trailing blanks, so that a tiny model cannot spin in free whitespace. Everything the grammar lets through is valid
 * against the schema, but for odd patterns, `format`, `multipleOf`, `uniqueItems` and `not`, which a check afterwards holds.
 */
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import { integerRange } from './grammar/integers.ts';
import { patternGrammar } from './grammar/pattern.ts';

export type GrammarOptions = {
  /** Optional members of the outermost object that are written; the required ones always are. Absent: the model chooses. */
  include?: ReadonlySet<string>;
  /** A rule body of the caller's own for a member of the outermost object, or undefined for what the schema says. */
  member?(name: string, schema: JsonSchema): string | undefined;
  /** Rules that `member` refers to, by name. */
  rules?: Readonly<Record<string, string>>;
};

const BASE_RULES: Readonly<Record<string, string>> = {
  char: '[^"\\\\\\x00-\\x1F\\x7F] | "\\\\" (["\\\\/bfnrt] | "u" unit)',
  // A pair of surrogates is one character, as the limits of a schema count, and half a pair is none.
  unit: '[0-9a-cA-CefEF] hex hex hex | [dD] ([0-7] hex hex | [89abAB] hex hex "\\\\u" [dD] [c-fC-F] hex hex)',
  hex: '[0-9a-fA-F]',
  string: '"\\"" char* "\\""',
  integer: '"-"? ("0" | [1-9] [0-9]{0,15})',
  number: '"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,8})? ([eE] [-+]? [0-9]{1,2})?',
  boolean: '"true" | "false"',
  null: '"null"',
  value: 'string | number | boolean | null | array | object',
  array: '"[" (value (", " value){0,63})? "]"',
  object: '"{" (string ": " value (", " string ": " value){0,63})? "}"',
};
const BASE_USES: Readonly<Record<string, readonly string[]>> = {
  char: ['unit'],
  unit: ['hex'],
  string: ['char'],
  value: ['string', 'number', 'boolean', 'null', 'array', 'object'],
  array: ['value'],
  object: ['string', 'value'],
};

/** Text as a GBNF literal. */
export const literal = (text: string): string =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')}"`;
/** A JSON value, written as the grammar writes it, as a GBNF literal. */
export const jsonLiteral = (value: JsonValue): string => literal(spacedJson(value));

/** JSON with one blank after `:` and `,`, the form that models have read most. */
export const spacedJson = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value);
};

const isSchema = (value: JsonValue | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const asSchema = (value: JsonValue | undefined): JsonSchema => (isSchema(value) ? value : {});
const schemaList = (value: JsonValue | undefined): JsonSchema[] => (Array.isArray(value) ? value.map(asSchema) : []);
const wholeNumber = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

export const schemaTypes = (schema: JsonSchema): string[] => {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((entry) => typeof entry === 'string');
  if (isSchema(schema['properties'])) return ['object'];
  if (isSchema(schema['items'])) return ['array'];
  return [];
};

/** The grammar of one value of the schema. */
export const schemaGrammar = (schema: JsonSchema, options: GrammarOptions = {}): string =>
  new Grammar(schema, options).text();

/** The rules of one schema while they are written. */
class Grammar {
  readonly #schema: JsonSchema;
  readonly #options: GrammarOptions;
  readonly #rules = new Map<string, string>();
  /** The rule of each `$ref`, also while it is being written: a schema may hold itself. */
  readonly #references = new Map<string, string>();
  #count = 0;

  constructor(schema: JsonSchema, options: GrammarOptions) {
    this.#schema = schema;
    this.#options = options;
  }

  text(): string {
    const root = this.#body(this.#schema, 0);
    for (const [name, text] of Object.entries(this.#options.rules ?? {})) this.#rules.set(name, text);
    for (const text of [root, ...this.#rules.values()]) if (/\bchar\b/.test(text)) this.#base('char');
    return [`root ::= ${root}`, ...[...this.#rules].map(([name, text]) => `${name} ::= ${text}`)].join('\n');
  }

  #base(name: string): string {
    if (!this.#rules.has(name)) {
      this.#rules.set(name, BASE_RULES[name] ?? '');
      for (const used of BASE_USES[name] ?? []) this.#base(used);
    }
    return name;
  }

  #define(body: string): string {
    this.#count += 1;
    const name = `r${this.#count}`;
    this.#rules.set(name, body);
    return name;
  }

  /** A rule of its own for what stands in another schema. */
  #part(item: JsonSchema, depth: number): string {
    return this.#define(this.#body(item, depth + 1));
  }

  #body(item: JsonSchema, depth: number): string {
    if (item['const'] !== undefined) return jsonLiteral(item['const']);
    if (Array.isArray(item['enum'])) return item['enum'].map(jsonLiteral).join(' | ');
    if (typeof item['$ref'] === 'string') return this.#fromReference(item['$ref'], depth);
    const all = schemaList(item['allOf']);
    if (all.length > 0) return this.#body(mergeAll(item, all), depth);
    const any = [...schemaList(item['anyOf']), ...schemaList(item['oneOf'])];
    if (any.length > 0) {
      const { anyOf: _any, oneOf: _one, ...common } = item;
      return any.map((entry) => this.#part({ ...common, ...entry }, depth)).join(' | ');
    }
    const types = schemaTypes(item);
    if (types.length === 0) return this.#base('value');
    if (types.length > 1) return types.map((type) => this.#define(this.#body({ ...item, type }, depth))).join(' | ');
    switch (types[0]) {
      case 'string':
        return this.#stringBody(item);
      case 'integer':
        return rangeOf(item, true) ?? this.#base('integer');
      case 'number':
        return rangeOf(item, false) ?? this.#base('number');
      case 'boolean':
        return this.#base('boolean');
      case 'null':
        return this.#base('null');
      case 'array':
        return this.#arrayBody(item, depth);
      case 'object':
        return this.#objectBody(item, depth);
      default:
        return this.#base('value');
    }
  }

  #fromReference(reference: string, depth: number): string {
    const known = this.#references.get(reference);
    if (known !== undefined) return known;
    this.#count += 1;
    const name = `r${this.#count}`;
    this.#references.set(reference, name);
    this.#rules.set(name, '');
    const target = reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter((part) => part.length > 0)
      .reduce<JsonValue | undefined>(
        (at, part) => asSchema(at)[part.replaceAll('~1', '/').replaceAll('~0', '~')],
        this.#schema,
      );
    this.#rules.set(
      name,
      reference.startsWith('#') && isSchema(target) ? this.#body(target, depth + 1) : this.#base('value'),
    );
    return name;
  }

  #stringBody(item: JsonSchema): string {
    const pattern = typeof item['pattern'] === 'string' ? patternGrammar(item['pattern']) : undefined;
    if (pattern !== undefined) return `"\\"" (${pattern}) "\\""`;
    const least = wholeNumber(item['minLength']) ?? 0;
    const most = wholeNumber(item['maxLength']);
    if (least === 0 && most === undefined) return this.#base('string');
    this.#base('char');
    return `"\\"" char{${least},${most ?? ''}} "\\""`;
  }

  #arrayBody(item: JsonSchema, depth: number): string {
    const first = schemaList(item['prefixItems']).map((entry) => this.#part(entry, depth));
    const rest = item['items'] === false ? undefined : this.#part(asSchema(item['items']), depth);
    const least = wholeNumber(item['minItems']) ?? 0;
    const most = Math.max(wholeNumber(item['maxItems']) ?? 64, least);
    if (first.length > 0) {
      const more = Math.max(0, least - first.length);
      const tail = rest === undefined ? '' : ` (", " ${rest}){${more},${Math.max(more, most - first.length)}}`;
      return `"[" ${first.join(' ", " ')}${tail} "]"`;
    }
    if (rest === undefined || most === 0) return '"[]"';
    const some = `${rest} (", " ${rest}){${Math.max(0, least - 1)},${most - 1}}`;
    return least === 0 ? `"[" (${some})? "]"` : `"[" ${some} "]"`;
  }

  #objectBody(item: JsonSchema, depth: number): string {
    const properties = asSchema(item['properties']);
    const required = new Set(Array.isArray(item['required']) ? item['required'] : []);
    const outermost = depth === 0;
    const names = Object.keys(properties).filter(
      (name) =>
        !outermost || this.#options.include === undefined || required.has(name) || this.#options.include.has(name),
    );
    for (const name of required) if (typeof name === 'string' && !names.includes(name)) names.push(name);
    if (names.length === 0) {
      const more = item['additionalProperties'];
      if (outermost || more === false || (isSchema(item['properties']) && !isSchema(more))) return '"{}"';
      const value = this.#define(isSchema(more) ? this.#body(more, depth + 1) : this.#base('value'));
      this.#base('string');
      return `"{" (string ": " ${value} (", " string ": " ${value}){0,63})? "}"`;
    }
    const members = names.map((name) => {
      const own = outermost ? this.#options.member?.(name, asSchema(properties[name])) : undefined;
      const value = this.#define(own ?? this.#body(asSchema(properties[name]), depth + 1));
      const always = required.has(name) || (outermost && this.#options.include?.has(name) === true);
      return { text: `${jsonLiteral(name)} ": " ${value}`, always };
    });
    return membersBody(members, (body) => this.#define(body));
  }
}

/** The numbers that the bounds of a schema leave; nothing where it has none. */
const rangeOf = (item: JsonSchema, whole: boolean): string | undefined => {
  const bound = (inclusive: string, exclusive: string, step: number): number | undefined => {
    const closed = item[inclusive];
    const open = item[exclusive];
    if (typeof open === 'number') return whole ? (step > 0 ? Math.floor(open) + 1 : Math.ceil(open) - 1) : open;
    if (typeof closed === 'number') return whole ? (step > 0 ? Math.ceil(closed) : Math.floor(closed)) : closed;
    return undefined;
  };
  const least = bound('minimum', 'exclusiveMinimum', 1);
  const most = bound('maximum', 'exclusiveMaximum', -1);
  if (least === undefined && most === undefined) return undefined;
  if (whole) return integerRange(least, most);
  // Fractions within bounds: whole numbers of the range, and fractions between two of them that both lie inside.
  const low = Math.ceil(least ?? -999_999_999);
  const high = Math.floor(most ?? 999_999_999);
  if (low > high) return literal(String(least ?? most ?? 0));
  const wholes = `(${integerRange(low, high)})`;
  const positive = high - 1 >= Math.max(low, 0) ? `(${integerRange(Math.max(low, 0), high - 1)}) "." [0-9]{1,8}` : '';
  return positive === '' ? wholes : `${positive} | ${wholes}`;
};

/** Members in their order, commas only between those that are there. */
const membersBody = (
  members: readonly { text: string; always: boolean }[],
  define: (body: string) => string,
): string => {
  const firstAlways = members.findIndex((member) => member.always);
  // After a member that is always there, every further one simply brings its comma along.
  const following = (from: number): string =>
    members
      .slice(from)
      .map((member) => (member.always ? ` ", " ${member.text}` : ` (", " ${member.text})?`))
      .join('');
  if (firstAlways === 0) return `"{" ${members[0]?.text ?? ''}${following(1)} "}"`;
  const starts = members
    .slice(0, firstAlways < 0 ? members.length : firstAlways + 1)
    .map((member, index) => define(`${member.text}${following(index + 1)}`));
  return firstAlways < 0 ? `"{" (${starts.join(' | ')})? "}"` : `"{" (${starts.join(' | ')}) "}"`;
};

const mergeAll = (item: JsonSchema, parts: readonly JsonSchema[]): JsonSchema => {
  const { allOf: _all, ...rest } = item;
  const all = [rest, ...parts];
  const required = all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []));
  const properties = all.flatMap((part) => Object.entries(asSchema(part['properties'])));
  return {
    ...Object.assign({}, ...all),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
};
