export {
  checkValue,
  deepEqual,
  type Issue,
  isSchema,
  matchesType,
  resolveReference,
  type Schema,
  type SchemaValue,
  schemaTypes,
  typeName,
} from './check.ts';
export {
  type InferArguments,
  type InferInput,
  type ParametersInput,
  standardValidator,
  toJsonSchema,
} from './convert.ts';
