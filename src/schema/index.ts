export { checkValue, fitsPart, type Issue } from './check.ts';
export {
  type InferArguments,
  type InferInput,
  type InferOutput,
  type ParametersInput,
  standardValidator,
  toJsonSchema,
} from './convert.ts';
export { expressionOf } from './expression.ts';
export { OLD_WORDS, schemaFaults, schemasIn } from './faults.ts';
export type { ArgumentsInput, JsonSchemaInput } from './infer.ts';
export { isValueOf, KEYWORDS, schemaIssues, TYPE_NAMES } from './meta.ts';
export {
  certainClosure,
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
  type Schema,
  type SchemaValue,
  schemaTypes,
} from './schema-value.ts';
export { surelyFits } from './surely-fits.ts';
