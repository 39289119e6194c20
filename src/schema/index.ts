export {
  checkValue,
  fitsPart,
  type Issue,
  isSchema,
  matchesType,
  resolveReference,
  type Schema,
  type SchemaValue,
  schemaTypes,
} from './check.ts';
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
