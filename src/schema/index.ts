export { checkValue, fitsPart, type Issue } from './check.ts';
export {
  type InferArguments,
  type InferInput,
  type ParametersInput,
  standardValidator,
  toJsonSchema,
} from './convert.ts';
export { schemaFaults } from './faults.ts';
export type { ArgumentsInput, JsonSchemaInput } from './infer.ts';
export { schemaIssues } from './meta.ts';
export {
  certainParts,
  dependingParts,
  entryParts,
  heldParts,
  itemPart,
  possibleParts,
} from './parts.ts';
export {
  isSchema,
  matchesType,
  resolveReference,
  type Schema,
  type SchemaValue,
  schemaTypes,
} from './schema-value.ts';
