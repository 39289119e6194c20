/** Where the references of a schema lead. Nothing is fetched: what lies outside leads nowhere. */
import { isSchema, type Schema } from './schema-value.ts';

/** With one schema alone, where a dynamic or a recursive reference starts does not change where it leads. */
export const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Follows `#`, `#/$defs/…`, `#anchor` and an `$id` inside the root schema. */
export const resolveReference = (root: Schema, reference: string): Schema | undefined => {
  const [base = '', fragment = ''] = reference.split('#', 2);
  const resource = base === '' ? root : named(root, ['$id'], base);
  if (resource === undefined || fragment === '') return resource;
  return fragment.startsWith('/') ? at(resource, fragment) : named(resource, ['$anchor', '$dynamicAnchor'], fragment);
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

/** The part that is called so. */
const named = (node: unknown, words: readonly string[], name: string): Schema | undefined => {
  if (typeof node !== 'object' || node === null) return undefined;
  if (isSchema(node) && words.some((word) => node[word] === name)) return node;
  for (const [key, inner] of Object.entries(node)) {
    const found = DATA.has(key) ? undefined : named(inner, words, name);
    if (found !== undefined) return found;
  }
  return undefined;
};
