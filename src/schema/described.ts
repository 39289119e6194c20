/**
 * JSON Schema of makers that carry no way to say it themselves, read off the structure of their schemas: Zod Mini and
 * Valibot. Only what a model has to know; the maker's own check runs on the arguments besides.
 */
import type { Schema } from './schema-value.ts';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;
const node = (value: unknown): Node => (isNode(value) ? value : {});
const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.map(node) : []);

/** Undefined for schemas of other makers. Throws TypeError for a kind that has no words in JSON Schema. */
export const describedSchema = (schema: unknown): Schema | undefined => {
  const { _zod, kind, type, '~standard': standard } = node(schema);
  if (isNode(_zod)) return zodSchema(node(schema));
  const isValibot = node(standard)['vendor'] === 'valibot' && kind === 'schema' && typeof type === 'string';
  return isValibot ? valibotSchema(node(schema)) : undefined;
};

/** Zod 3 has neither a description that can be read nor a function that gives one. */
export const isZod3 = (schema: unknown): boolean => {
  const { _def, safeParse, _zod } = node(schema);
  return isNode(_def) && typeof safeParse === 'function' && _zod === undefined;
};

const PLAIN: ReadonlyMap<unknown, Schema> = new Map<unknown, Schema>([
  ['string', { type: 'string' }],
  ['number', { type: 'number' }],
  ['int', { type: 'integer' }],
  ['boolean', { type: 'boolean' }],
  ['null', { type: 'null' }],
  ['any', {}],
  ['unknown', {}],
]);

const object = (fields: readonly (readonly [string, Schema, isOptional: boolean])[], isStrict = false): Schema => {
  const required = fields.filter(([, , isOptional]) => !isOptional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    ...(isStrict ? { additionalProperties: false } : {}),
  };
};
const constants = (values: readonly unknown[]): Schema => ({ enum: values.filter(isConstant) });
const isConstant = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const withDescription = (schema: Schema, description: unknown): Schema =>
  typeof description === 'string' ? { ...schema, description } : schema;

const unspoken = (maker: string, kind: unknown, instead: string): TypeError =>
  new TypeError(`${maker}'s "${String(kind)}" has no words in JSON Schema here. ${instead}`);

// Zod Mini: everything stands in `_zod.def`.

const zodSchema = (schema: Node): Schema => {
  const def = node(node(schema['_zod'])['def']);
  const inner = (): Schema => zodSchema(node(def['innerType']));
  switch (def['type']) {
    case 'object':
      return object(
        Object.entries(node(def['shape'])).map(([name, part]) => [
          name,
          zodSchema(node(part)),
          isOptionalZod(node(part)),
        ]),
      );
    case 'array':
      return { type: 'array', items: zodSchema(node(def['element'])) };
    case 'tuple':
      return { type: 'array', prefixItems: nodes(def['items']).map(zodSchema) };
    case 'record':
      return { type: 'object', additionalProperties: zodSchema(node(def['valueType'])) };
    case 'enum':
      return constants(Object.values(node(def['entries'])));
    case 'literal':
      return constants(Array.isArray(def['values']) ? def['values'] : []);
    case 'union':
      return { anyOf: nodes(def['options']).map(zodSchema) };
    case 'nullable':
      return { anyOf: [inner(), { type: 'null' }] };
    case 'default':
      return { ...inner(), default: def['defaultValue'] as Schema[string] };
    case 'optional':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return inner();
    case 'pipe':
      return zodSchema(node(def['in']));
    case 'number':
      return isIntegerZod(def) ? { type: 'integer' } : { type: 'number' };
    default: {
      const plain = PLAIN.get(def['type']);
      if (plain === undefined)
        throw unspoken('Zod', def['type'], 'Use z.toJSONSchema(schema) with what it can say, or pass JSON Schema.');
      return plain;
    }
  }
};
const isOptionalZod = (schema: Node): boolean => node(schema['_zod'])['optin'] === 'optional';
const isIntegerZod = (def: Node): boolean =>
  String(def['format'] ?? '').includes('int') ||
  nodes(def['checks']).some((check) => String(node(node(check['_zod'])['def'])['format'] ?? '').includes('int'));

// Valibot: schemas are plain objects; what is piped behind them are actions.

const valibotSchema = (schema: Node): Schema => {
  const actions = nodes(schema['pipe']);
  const described = actions.findLast(({ type }) => type === 'description')?.['description'];
  const isInteger = actions.some(({ type }) => type === 'integer' || type === 'safe_integer');
  const said = valibotKind(schema);
  return withDescription(isInteger ? { ...said, type: 'integer' } : said, described);
};

const valibotKind = (schema: Node): Schema => {
  const { type, default: fallback } = schema;
  const inner = (): Schema => valibotSchema(node(schema['wrapped']));
  switch (type) {
    case 'object':
    case 'loose_object':
    case 'strict_object':
    case 'object_with_rest': {
      const entries = Object.entries(node(schema['entries']));
      const fields = entries.map(
        ([name, part]) => [name, valibotSchema(node(part)), isOptionalValibot(node(part))] as const,
      );
      return object(fields, type === 'strict_object');
    }
    case 'array':
      return { type: 'array', items: valibotSchema(node(schema['item'])) };
    case 'tuple':
      return { type: 'array', prefixItems: nodes(schema['items']).map(valibotSchema) };
    case 'record':
      return { type: 'object', additionalProperties: valibotSchema(node(schema['value'])) };
    case 'picklist':
    case 'enum':
      return constants(Array.isArray(schema['options']) ? schema['options'] : []);
    case 'literal':
      return constants([schema['literal']]);
    case 'union':
    case 'variant':
      return { anyOf: nodes(schema['options']).map(valibotSchema) };
    case 'nullable':
    case 'nullish':
      return { anyOf: [inner(), { type: 'null' }] };
    case 'optional':
    case 'exact_optional':
      return isConstant(fallback) ? { ...inner(), default: fallback } : inner();
    default: {
      const plain = PLAIN.get(type);
      if (plain === undefined)
        throw unspoken(
          'Valibot',
          type,
          'Pass toStandardJsonSchema(schema) of @valibot/to-json-schema, or JSON Schema.',
        );
      return plain;
    }
  }
};
const OPTIONAL_VALIBOT: ReadonlySet<unknown> = new Set(['optional', 'exact_optional', 'nullish']);
const isOptionalValibot = ({ type }: Node): boolean => OPTIONAL_VALIBOT.has(type);
