/** A schema as JSON, and questions about values that need no walk through it. */
export type SchemaValue = string | number | boolean | null | SchemaValue[] | { [key: string]: SchemaValue };
export type Schema = { [key: string]: SchemaValue };

export const typeName = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

export const matchesType = (value: unknown, type: string): boolean => {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeof value === type;
  }
};

export const schemaTypes = (schema: Schema): string[] => {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((entry): entry is string => typeof entry === 'string') : [];
};

/** Whether a value has one of the types that the schema names; any where it names none. */
export const isOfType = (schema: Schema, value: unknown): boolean => {
  if (typeof schema.type === 'string') return matchesType(value, schema.type);
  const types = schemaTypes(schema);
  return types.length === 0 || types.some((type) => matchesType(value, type));
};

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const deepEqual = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && deepEqual((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
};
