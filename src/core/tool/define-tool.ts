/** Makes a tool from a schema and a function (K1, K3). */
import {
  checkValue,
  type InferArguments,
  type InferInput,
  type ParametersInput,
  possibleParts,
  type Schema,
  standardValidator,
  toJsonSchema,
} from '../../schema/index.ts';
import { HalterError } from '../errors.ts';
import { isObject, type JsonSchema } from '../json.ts';
import type { Kind } from '../option-kinds.ts';
import { ownData } from '../own-data.ts';
import { schemaContradictions } from '../schema-contradictions.ts';
import { schemaProblems, wordlessNotes } from '../schema-problems.ts';
import { isError, thrownText } from '../thrown-text.ts';
import type { DefinedTool, Preview, Risk, ToolContext, ToolEffects } from '../tool.ts';
import { fail, TOOL_ERROR_TYPES, type ToolOutput, type ToolResult } from '../tool-result.ts';
import { namesArgument } from './argument-schemas.ts';
import { boundedContent, type ModelContent } from './model-content.ts';
import { outputOf } from './returned-value.ts';
import { checkedDefinition, DEFINED } from './tool-fields.ts';
import { UntoldResult } from './untold-result.ts';

export type ToolDefinition<P extends ParametersInput, N extends string = string, R = unknown> = {
  name: N;
  description: string;
  /** A Zod 4 schema, any Standard Schema that can say its JSON Schema, or JSON Schema itself. */
  parameters: P;
  /** `medium` (asks) where absent. */
  risk?: Risk;
  /**
   * What it may touch; by default as its risk suggests: safe nothing, medium reads, high writes. Only where it is named is
   * a tool taken for one that reads: after a crash its call is run again, and a mode that reads lets it pass.
   */
  effects?: ToolEffects;
  /** Milliseconds for one call. 0: no limit but the tool's own. Default: the limit `toolTimeoutMs`. */
  timeout_ms?: number;
  /** The argument that rule patterns match: `path` for `my_tool(docs/**)`. */
  main_argument?: string;
  /**
   * The arguments that hold paths; empty where none does. Absent: every text argument may be a path, and a tool that
   * writes is treated as writing anywhere (no remembered rule covers it).
   */
  path_arguments?: readonly string[];
  /**
   * The arguments that decide whom the call reaches, what it spends or where it writes; all where absent. After untrusted
   * content, a call asks where such a value stands in that content alone.
   */
  sinks?: readonly string[];
  /** Of a tool that reaches the network: it only reads there. Then of its arguments only hosts are weighty. */
  reads_only?: boolean;
  /** The same arguments and the same files give the same result, so it may be given again without a run. */
  pure?: boolean;
  /** A success ends the run: the model is not asked again. */
  endsRun?: boolean;
  /**
   * Text, data, a picture as its bytes, or `ok(…)` / `fail(…)`. Maps, sets, dates, big integers and instances become JSON;
   * what cannot is refused in words. An `Error`, thrown or returned, is 501 `ToolExecutionFailed`.
   */
  run(args: InferArguments<P>, context: ToolContext): R | Promise<R>;
  preview?(args: InferArguments<P>, context: ToolContext): Promise<Preview | undefined>;
  summarize?(result: ToolResult, args?: InferArguments<P>): string[];
  /** What the model reads of a success in place of the value: text, or parts with pictures. The result stays as it is. */
  toModelOutput?(value: NoInfer<Awaited<R>>, args: InferArguments<P>): ModelContent | Promise<ModelContent>;
};

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const EFFECTS_BY_RISK = { safe: 'none', medium: 'read', high: 'write' } as const;

/** Throws HalterError 502 `InvalidToolSignature` for a name or a schema that no model could use, and for an unknown or wrong field. */
export const defineTool = <const P extends ParametersInput, const N extends string, R>(
  definition: ToolDefinition<P, N, R>,
): DefinedTool<N, InferInput<P>, R> => {
  checkNeeded(definition);
  const { name } = definition;
  const parameters = checkedParameters(name, definition.parameters);
  const { said, besides } = checkedDefinition(definition, FIELDS, name);
  const { description, risk = 'medium', run, preview, summarize, toModelOutput } = said;
  const validate = standardValidator(definition.parameters);
  return {
    ...besides,
    name,
    description,
    risk,
    effects: said.effects ?? EFFECTS_BY_RISK[risk],
    effects_implied: said.effects === undefined,
    parameters,
    timeout_ms: said.timeout_ms,
    main_argument: knownArgument(name, parameters, 'main_argument', said.main_argument),
    path_arguments: knownArguments(name, parameters, 'path_arguments', said.path_arguments),
    sinks: knownArguments(name, parameters, 'sinks', said.sinks),
    reads_only: said.reads_only,
    pure: said.pure,
    endsRun: said.endsRun,
    async run(args, context) {
      // The author's own schema may refine and transform beyond what JSON Schema can say.
      const refined = validate ? await validate(args) : { ok: true as const, value: args };
      if (!refined.ok)
        return fail('validation_failed', `Invalid arguments: ${refined.problems.map(inWords).join('; ')}`);
      const [issue] = validate ? [] : checkValue(parameters, args, { formats: true });
      if (issue) return fail('validation_failed', `Invalid arguments: ${issue.path.slice(1)} ${issue.message}`);
      const given = refined.value as InferArguments<P>;
      const value = await run(given, context);
      // Whoever runs the tool deals with what is thrown; as data an error would be an empty success.
      if (isError(value)) throw value;
      try {
        const output = isOutput(value) ? value : outputOf(value);
        if (toModelOutput === undefined || !output.success) return output;
        return { ...output, for_model: boundedContent(await toModelOutput(value as NoInfer<Awaited<R>>, given)) };
      } catch (error) {
        throw new UntoldResult(thrownText(error));
      }
    },
    preview: preview && ((args, context) => preview(args as InferArguments<P>, context)),
    summarize: summarize && ((result, args) => summarize(result, args as InferArguments<P> | undefined)),
  };
};

const FIELDS: Readonly<Record<keyof ToolDefinition<ParametersInput>, Kind>> = DEFINED;

/** What is there in every definition. */
const checkNeeded = (definition: Partial<ToolDefinition<ParametersInput>>): void => {
  if (!isObject(definition))
    throw invalidSignature('defineTool takes an object with name, description, parameters and run');
  const { name, parameters, description, run } = definition;
  if (typeof name !== 'string' || !NAME.test(name))
    throw invalidSignature(`"${String(name)}" cannot be a tool name: letters, digits, _ . - and at most 128`);
  // A schema of ArkType is a function.
  if ((typeof parameters !== 'object' && typeof parameters !== 'function') || parameters === null)
    throw invalidSignature(
      `${name} has no parameters: { type: 'object', properties: {} } is a tool without any. Other libraries call them inputSchema, and run execute`,
    );
  if (typeof description !== 'string') throw invalidSignature(`${name} has no description, and a model goes by it`);
  if (typeof run !== 'function') throw invalidSignature(`${name} has no function "run"`);
};

/** A misspelt name would leave a path unchecked. */
const knownArguments = (
  name: string,
  parameters: JsonSchema,
  field: string,
  declared: readonly string[] | undefined,
): readonly string[] | undefined => {
  for (const argument of declared ?? []) knownArgument(name, parameters, field, argument);
  return declared && [...declared];
};

/** A rule about a misspelt one would deny nothing. */
const knownArgument = (
  name: string,
  parameters: JsonSchema,
  field: string,
  declared: string | undefined,
): string | undefined => {
  if (declared === undefined || namesArgument(parameters, declared)) return declared;
  throw invalidSignature(`${name}: ${field} names "${declared}", which is no parameter`);
};

const checkedParameters = (name: string, input: ParametersInput): JsonSchema => {
  let parameters: JsonSchema;
  try {
    parameters = ofObjects(ownData(toJsonSchema(input)));
  } catch (error) {
    throw invalidSignature(`The parameters of ${name}: ${thrownText(error)}`);
  }
  const problems = [
    ...checkValue(PARAMETERS_SCHEMA, parameters),
    ...schemaProblems(parameters),
    ...schemaContradictions(parameters),
    ...wordlessNotes(parameters),
  ];
  const [first] = problems;
  if (first) throw invalidSignature(`The parameters of ${name}: ${first.path || 'the schema'} ${first.message}`);
  return parameters;
};

/** Arguments are an object; where every choice at the top is one, the whole is, and need not say so. */
const ofObjects = (schema: Schema): JsonSchema => {
  if (schema.type !== undefined) return schema;
  const choices = possibleParts(schema, schema).filter(({ type }) => type !== undefined);
  if (choices.length > 0 && choices.every(({ type }) => type === 'object')) return { type: 'object', ...schema };
  throw new TypeError("is not of objects. A tool takes arguments by name: { type: 'object', properties: { … } }");
};

/** 502: no model could use a tool of this signature. */
export const invalidSignature = (message: string): HalterError => new HalterError('InvalidToolSignature', message);

const TYPES: JsonSchema = { enum: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] };
/** One of them, or a list. */
const TYPE_WORDS: JsonSchema = {
  if: { type: 'array' },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: { items: TYPES },
  else: TYPES,
};

/** What any set of parameters must look like: an object schema. */
const PARAMETERS_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'object' },
    properties: {
      type: 'object',
      additionalProperties: { type: ['object', 'boolean'], properties: { type: TYPE_WORDS } },
    },
    required: { type: 'array', items: { type: 'string' } },
  },
};

const inWords = ({ place, message }: { place: string; message: string }): string => `${place} ${message}`.trim();

/** What `ok(…)` and `fail(…)` make. */
export const isOutput = (value: unknown): value is ToolOutput => {
  if (!isObject(value)) return false;
  if (value['success'] === true)
    return typeof value['data'] === 'string' && hasOnly(value, ['success', 'data', 'metadata', 'is_json', 'for_model']);
  if (value['success'] !== false) return false;
  return (
    (TOOL_ERROR_TYPES as readonly unknown[]).includes(value['error_type']) && typeof value['error_message'] === 'string'
  );
};

const hasOnly = (value: object, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key));
