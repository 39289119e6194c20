/** Where the references of a schema lead. Nothing is fetched: what lies outside leads nowhere. */
import { isSchema, type Schema } from './schema-value.ts';

/** With one schema alone, where a dynamic or a recursive reference starts does not change where it leads. */
export const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Follows `#`, `#/$defs/…`, `#anchor` and an `$id` inside the root schema. */
export const resolveReference = (root: Schema, reference: string): Schema | undefined => resolverOf(root)(reference);

/** The same for many references of one schema, which is looked through for names once. */
export const resolverOf = (root: Schema): ((reference: string) => Schema | undefined) => {
  const anchors = new Map<Schema, Names>();
  const ids: { names?: Names } = {};
  return (reference) => {
    const [base = '', fragment = ''] = reference.split('#', 2);
    if (base !== '') ids.names ??= namesIn(root, ['$id']);
    const resource = base === '' ? root : ids.names?.get(base);
    if (resource === undefined || fragment === '') return resource;
    if (fragment.startsWith('/')) return at(resource, fragment);
    const names = anchors.get(resource) ?? namesIn(resource, ['$anchor', '$dynamicAnchor']);
    anchors.set(resource, names);
    return names.get(fragment);
  };
};

const at = (resource: Schema, pointer: string): Schema | undefined => {
  let node: unknown = resource;
  for (const part of pointer.split('/').filter(Boolean)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return isSchema(node) ? node : undefined;
};

/** As a part of an address. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Words whose values are data, whatever they look like. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

type Names = ReadonlyMap<string, Schema>;

/** The parts that have a name, the first of each. */
const namesIn = (root: Schema, words: readonly string[]): Names => {
  const found = new Map<string, Schema>();
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isSchema(node as Schema)) {
      for (const word of words) {
        const name = (node as Schema)[word];
        if (typeof name === 'string' && !found.has(name)) found.set(name, node as Schema);
      }
    }
    for (const [key, inner] of Object.entries(node)) if (!DATA.has(key)) look(inner);
  };
  look(root);
  return found;
};
