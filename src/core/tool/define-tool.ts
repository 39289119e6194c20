/** The two ways to make a tool: from a schema (K1, K3) and, as Zoo-Keeper does, from a positional function (K1, K2). */
import {
  checkValue,
  type InferArguments,
  type InferInput,
  type ParametersInput,
  standardValidator,
  toJsonSchema,
} from '../../schema/index.ts';
import { ErrorCode, HalterError } from '../errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../json.ts';
import type { DefinedTool, Preview, Risk, Tool, ToolContext, ToolEffects } from '../tool.ts';
import { fail, TOOL_ERROR_TYPES, type ToolOutput, type ToolResult } from '../tool-result.ts';
import { boundedContent, type ModelContent } from './model-content.ts';
import { outputOf } from './returned-value.ts';

export type ToolDefinition<P extends ParametersInput, N extends string = string, R = unknown> = {
  name: N;
  description: string;
  /** A Zod 4 schema, any Standard Schema that can say its JSON Schema, or JSON Schema itself. */
  parameters: P;
  /** `medium` (asks) where absent. */
  risk?: Risk;
  /** What it may touch; by default as its risk suggests: safe nothing, medium reads, high writes. */
  effects?: ToolEffects;
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
  summarize?(result: ToolResult): string[];
  /** What the model reads of a success in place of the value: text, or parts with pictures. The result stays as it is. */
  toModelOutput?(value: NoInfer<Awaited<R>>, args: InferArguments<P>): ModelContent;
};

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const EFFECTS_BY_RISK = { safe: 'none', medium: 'read', high: 'write' } as const;

/** Throws HalterError 502 `InvalidToolSignature` for a name or a schema that no model could use. */
export const defineTool = <const P extends ParametersInput, const N extends string, R>(
  definition: ToolDefinition<P, N, R>,
): DefinedTool<N, InferInput<P>, R> => {
  const { name, description, risk = 'medium', run, preview, summarize, toModelOutput } = definition;
  const parameters = checkedParameters(name, definition.parameters);
  if (typeof description !== 'string') throw invalid(`${name} has no description, and a model goes by it`);
  if (typeof run !== 'function') throw invalid(`${name} has no function "run"`);
  if (!Object.hasOwn(EFFECTS_BY_RISK, risk)) throw invalid(`${name}: the risk is safe, medium or high, not ${risk}`);
  const validate = standardValidator(definition.parameters);
  return {
    name,
    description,
    risk,
    effects: definition.effects ?? EFFECTS_BY_RISK[risk],
    parameters,
    timeout_ms: definition.timeout_ms,
    main_argument: definition.main_argument,
    path_arguments: knownArguments(name, parameters, 'path_arguments', definition.path_arguments),
    sinks: knownArguments(name, parameters, 'sinks', definition.sinks),
    reads_only: definition.reads_only,
    pure: definition.pure,
    endsRun: definition.endsRun,
    async run(args, context) {
      // The author's own schema may refine and transform beyond what JSON Schema can say.
      const refined = validate ? await refine(validate, args) : { ok: true as const, value: args };
      if (!refined.ok) return fail('validation_failed', refined.message);
      const value = await run(refined.value as InferArguments<P>, context);
      const output = toOutput(value);
      if (toModelOutput === undefined || !output.success) return output;
      const given = refined.value as InferArguments<P>;
      return { ...output, for_model: boundedContent(toModelOutput(value as NoInfer<Awaited<R>>, given)) };
    },
    preview: preview && ((args, context) => preview(args as InferArguments<P>, context)),
    summarize,
  };
};

/** A misspelt name would leave a path unchecked. */
const knownArguments = (
  name: string,
  parameters: JsonSchema,
  field: string,
  declared: readonly string[] | undefined,
): readonly string[] | undefined => {
  const known = parameters.properties;
  const unknown = declared?.find((argument) => !isObject(known) || !Object.hasOwn(known, argument));
  if (unknown !== undefined) throw invalid(`${name}: ${field} names "${unknown}", which is no parameter`);
  return declared;
};

const checkedParameters = (name: string, input: ParametersInput): JsonSchema => {
  if (!NAME.test(name)) {
    throw invalid(`"${name}" cannot be a tool name: letters, digits, _ . - and at most 128`);
  }
  // A schema of ArkType is a function.
  if ((typeof input !== 'object' && typeof input !== 'function') || input === null) {
    throw invalid(`${name} has no parameters: { type: 'object', properties: {} } is a tool without any`);
  }
  let parameters: JsonSchema;
  try {
    parameters = toJsonSchema(input) as JsonSchema;
  } catch (error) {
    throw invalid(`The parameters of ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const problems = checkValue(PARAMETERS_SCHEMA, parameters);
  const [first] = problems;
  if (first) throw invalid(`The parameters of ${name}: ${first.path || 'the schema'} ${first.message}`);
  return parameters;
};

const invalid = (message: string): HalterError => new HalterError('InvalidToolSignature', message);

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

type Validated =
  | { value: unknown; issues?: undefined }
  | { issues: readonly { message: string; path?: readonly unknown[] }[] };

const refine = async (
  validate: (value: unknown) => unknown,
  args: JsonObject,
): Promise<{ ok: true; value: unknown } | { ok: false; message: string }> => {
  const result = (await validate(args)) as Validated;
  if (result.issues === undefined) return { ok: true, value: result.value };
  const text = result.issues.map((issue) => `${issue.path?.map(String).join('.') ?? ''} ${issue.message}`.trim());
  return { ok: false, message: `Invalid arguments: ${text.join('; ')}` };
};

const toOutput = (value: unknown): ToolOutput => {
  // Whoever runs the tool deals with what is thrown; as data an error would be an empty success.
  if (value instanceof Error) throw value;
  if (isOutput(value)) return value;
  return outputOf(value);
};

const isOutput = (value: unknown): value is ToolOutput => {
  if (!isObject(value)) return false;
  if (value['success'] === true)
    return typeof value['data'] === 'string' && hasOnly(value, ['success', 'data', 'metadata', 'for_model']);
  if (value['success'] !== false) return false;
  return (
    (TOOL_ERROR_TYPES as readonly unknown[]).includes(value['error_type']) && typeof value['error_message'] === 'string'
  );
};

const hasOnly = (value: object, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key));

/** The types of Zoo-Keeper's table, by their JSON Schema names. */
export type PositionalType = 'integer' | 'number' | 'boolean' | 'string';
type PositionalValue<T extends PositionalType> = T extends 'string' ? string : T extends 'boolean' ? boolean : number;
type PositionalArguments<T extends readonly PositionalType[]> = { [I in keyof T]: PositionalValue<T[I]> };
/** The same by name, as a model or `executeTool` writes them. */
type NamedArguments<K extends readonly string[], T extends readonly PositionalType[]> = {
  -readonly [I in keyof K as I extends `${number}` ? K[I] & string : never]: I extends keyof T
    ? PositionalValue<T[I] & PositionalType>
    : never;
};

const POSITIONAL_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'string']);

type PositionalOptions = Pick<
  ToolDefinition<ParametersInput>,
  'risk' | 'effects' | 'timeout_ms' | 'path_arguments' | 'sinks' | 'reads_only'
>;

/** A function of which nothing is said but its parameters is taken for a calculation. */
const impliedRisk = ({ risk, effects = 'none', path_arguments = [], sinks = [] }: PositionalOptions): Risk => {
  if (risk !== undefined) return risk;
  return effects === 'none' && path_arguments.length === 0 && sinks.length === 0 ? 'safe' : 'medium';
};

/** The function's own error is 501, also where it is returned. */
const failsAsExecution = (output: unknown): unknown => {
  if (output instanceof Error || !isOutput(output) || output.success) return output;
  return { ...output, metadata: { code: ErrorCode.ToolExecutionFailed, ...output.metadata } };
};

/**
 * Makes a tool of a function with positional parameters. Without options it runs unasked: name a `risk` (`medium` asks,
 * `high` warns) where the function changes, sends or spends something. An error that it throws or returns is 501.
 * Throws HalterError 502 `InvalidToolSignature` when names, types and the function's own arity do not agree.
 */
export const registerTool = <
  const N extends string,
  const K extends readonly string[],
  const T extends readonly PositionalType[],
  R,
>(
  name: N,
  description: string,
  paramNames: K,
  fn: (...args: PositionalArguments<T>) => R | Promise<R>,
  types: T,
  options: PositionalOptions = {},
): DefinedTool<N, NamedArguments<K, T>, R> => {
  const refuse = (reason: string): never => {
    throw invalid(`${name}: ${reason}`);
  };
  if (types.length !== paramNames.length) refuse(`${paramNames.length} parameter names but ${types.length} types`);
  if (fn.length !== paramNames.length && !hasOpenArity(fn)) {
    refuse(`${paramNames.length} parameter names but the function takes ${fn.length}`);
  }
  for (const type of types) if (!POSITIONAL_TYPES.has(type)) refuse(`the type ${String(type)} is not supported`);
  if (new Set(paramNames).size !== paramNames.length) refuse('a parameter name stands twice');
  const tool: Tool = defineTool({
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(paramNames.map((key, index) => [key, { type: types[index] as string }])),
      required: [...paramNames],
    },
    ...options,
    risk: impliedRisk(options),
    async run(args) {
      const values = paramNames.map((key) => (args as JsonObject)[key]) as unknown as PositionalArguments<T>;
      return failsAsExecution(await fn(...values));
    },
  });
  return tool as DefinedTool<N, NamedArguments<K, T>, R>;
};

/** Default and rest parameters are left out of `length`, so there the names decide. */
const hasOpenArity = (fn: (...args: never[]) => unknown): boolean => {
  const source = Function.prototype.toString.call(fn);
  const start = source.indexOf('(');
  let depth = 0;
  for (let index = start; index >= 0 && index < source.length; index += 1) {
    const character = source[index];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0) return /\.\.\.|=/.test(source.slice(start, index));
  }
  return false;
};
