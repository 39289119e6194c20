/** Which arguments a call gets: the required ones always, an optional one where the request names it. */
import type { JsonSchema } from '../../core/json.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { asSchema, schemaTypes } from './grammar.ts';
import { isNumeric, type RequestFacts } from './request-facts.ts';
import { contentWords } from './words.ts';

export const requiredNames = (tool: ToolSchema): string[] => {
  const required = tool.function.parameters['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
};

/** Values that a schema lists: an enumeration, or the examples that its description quotes. */
export const listedValues = (schema: JsonSchema): string[] => {
  const own = schema['enum'] ?? asSchema(schema['items'])['enum'];
  if (Array.isArray(own)) return own.filter((value) => typeof value === 'string');
  const description = schema['description'];
  if (typeof description !== 'string') return [];
  const quoted = [...description.matchAll(/(?<![\p{L}\p{N}])['"‘“`]([^'"’”`]{1,40})['"’”`](?![\p{L}\p{N}])/gu)].map(
    (match) => match[1] ?? '',
  );
  return quoted.filter((value) => value.trim().length > 0);
};

/** Arguments that the request names, and optional numbers that a number left over may belong to. */
export type Chosen = { named: string[]; spare: string[] };

export const chooseArguments = (tool: ToolSchema, facts: RequestFacts): Chosen => {
  const properties = asSchema(tool.function.parameters['properties']);
  const required = requiredNames(tool);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const named = optional.filter((name) => isNamed(name, asSchema(properties[name]), facts));
  const spare = optional.filter((name) => !named.includes(name) && isNumeric(asSchema(properties[name])));
  const inOrder = Object.keys(properties).filter((name) => required.includes(name) || named.includes(name));
  return {
    named: [...inOrder, ...required.filter((name) => !(name in properties))],
    spare:
      spare.length === 1 &&
      facts.mentions.length > inOrder.filter((name) => isNumeric(asSchema(properties[name]))).length
        ? spare
        : [],
  };
};

const isNamed = (name: string, schema: JsonSchema, facts: RequestFacts): boolean => {
  if (facts.named(listedValues(schema)).length > 0) return true;
  const words = contentWords(name);
  const inRequest = words.length > 0 && words.every((word) => facts.words.has(word));
  switch (schemaTypes(schema)[0]) {
    case 'boolean':
    case 'string':
      return inRequest && schema['enum'] === undefined;
    case 'integer':
    case 'number':
      return inRequest && facts.mentions.length > 0;
    default:
      return false;
  }
};
