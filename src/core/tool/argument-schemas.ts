/** What the schema of a tool says of its arguments, wherever it says it: under the root, behind `$ref`, in `allOf`, in branches. */
import { certainClosure, isSchema, possibleParts, type Schema, type SchemaValue } from '../../schema/index.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../json.ts';

/** Deeper than this a union of lists is no list. */
const DEPTH_MAX = 8;

const propertiesOf = ({ properties }: Schema): [string, SchemaValue][] =>
  isSchema(properties) ? (Object.entries(properties) as [string, SchemaValue][]) : [];

/** One that any part has; what a part without names allows beside them is no argument that is known. */
export const namesArgument = (parameters: JsonSchema, name: string): boolean =>
  argumentNames(parameters).includes(name);

export const argumentNames = (parameters: JsonSchema): string[] => [
  ...new Set(possibleParts(parameters, parameters).flatMap((part) => propertiesOf(part).map(([name]) => name))),
];

/** The values that the schema itself puts in, by argument. */
export const defaultArguments = (parameters: JsonSchema): JsonObject => {
  const found: [string, JsonValue][] = possibleParts(parameters, parameters).flatMap((part) =>
    propertiesOf(part).flatMap(([name, property]) =>
      certain(parameters, property).flatMap((one): [string, JsonValue][] =>
        one.default === undefined ? [] : [[name, one.default as JsonValue]],
      ),
    ),
  );
  // The root comes first, and its word counts.
  return Object.fromEntries(found.reverse());
};

/** Arguments that can be nothing but what the schema lists. What a branch alone says holds only where the branch does. */
export const chosenArguments = (parameters: JsonSchema): string[] => {
  const names = certain(parameters, parameters).flatMap((part) =>
    propertiesOf(part).flatMap(([name, property]) => (lists(parameters, property, 0) ? [name] : [])),
  );
  return [...new Set(names)];
};

const certain = (root: Schema, schema: SchemaValue): Schema[] => (isSchema(schema) ? certainClosure(root, schema) : []);

const lists = (root: Schema, schema: SchemaValue, depth: number): boolean =>
  depth < DEPTH_MAX &&
  certain(root, schema).some(
    (part) =>
      Array.isArray(part.enum) ||
      part.const !== undefined ||
      (part.type === 'array' && part.items !== undefined && lists(root, part.items as SchemaValue, depth + 1)) ||
      [part.anyOf, part.oneOf].some(
        (branches) =>
          Array.isArray(branches) &&
          branches.length > 0 &&
          branches.every((branch) => lists(root, branch as SchemaValue, depth + 1)),
      ),
  );
