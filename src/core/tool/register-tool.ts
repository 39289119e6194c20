/** Makes a tool of a function with positional parameters, as Zoo-Keeper does (K1, K2). */
import type { ParametersInput } from '../../schema/index.ts';
import { ErrorCode } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { counted } from '../number-text.ts';
import { shown } from '../shown-value.ts';
import { isError } from '../thrown-text.ts';
import type { DefinedTool, Risk, Tool } from '../tool.ts';
import { defineTool, invalidSignature, isOutput, type ToolDefinition } from './define-tool.ts';
import { checkedFields, POSITIONAL } from './tool-fields.ts';

/** The types of Zoo-Keeper's table, by their JSON Schema names. */
export type PositionalType = 'integer' | 'number' | 'boolean' | 'string';
/** What a parameter holds where no types are named. */
type PlainValue = string | number | boolean;
type PositionalValue<T extends PositionalType> = T extends 'string' ? string : T extends 'boolean' ? boolean : number;
type PositionalArguments<T extends readonly PositionalType[]> = { [I in keyof T]: PositionalValue<T[I]> };
/** The same by name, as a model or `executeTool` writes them. */
type NamedArguments<K extends readonly string[], A extends readonly unknown[]> = {
  -readonly [I in keyof K as I extends `${number}` ? K[I] & string : never]: I extends keyof A ? A[I] : never;
};

const POSITIONAL_TYPES: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean', 'string']);

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
  if (isError(output) || !isOutput(output) || output.success) return output;
  return { ...output, metadata: { code: ErrorCode.ToolExecutionFailed, ...output.metadata } };
};

/** The two forms of `registerTool`: with the types of the parameters, and without. */
export type RegisterTool = {
  <const N extends string, const K extends readonly string[], const T extends readonly PositionalType[], R>(
    name: N,
    description: string,
    paramNames: K,
    fn: (...args: PositionalArguments<T>) => R | Promise<R>,
    types: T,
    options?: PositionalOptions,
  ): DefinedTool<N, NamedArguments<K, PositionalArguments<T>>, R>;
  <const N extends string, const K extends readonly string[], A extends PlainValue[], R>(
    name: N,
    description: string,
    paramNames: K,
    fn: (...args: A) => R | Promise<R>,
    types?: undefined,
    options?: PositionalOptions,
  ): DefinedTool<N, NamedArguments<K, A>, R>;
};

const register = (
  name: string,
  description: string,
  names: readonly string[],
  fn: (...args: never[]) => unknown,
  types?: readonly PositionalType[] | null,
  options?: PositionalOptions | null,
): Tool => {
  checkSignature(name, names, fn, types);
  const paramNames = [...names];
  const said = checkedFields(options ?? {}, POSITIONAL, `The sixth argument for ${name}`);
  const schemaOf = (index: number) => ({ type: types?.[index] ?? ['string', 'number', 'boolean'] });
  return defineTool({
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(paramNames.map((key, index) => [key, schemaOf(index)])),
      required: [...paramNames],
    },
    ...said,
    risk: impliedRisk(said),
    async run(args) {
      const values = paramNames.map((key) => (args as JsonObject)[key]) as never[];
      return failsAsExecution(await fn(...values));
    },
  });
};

/**
 * Makes a tool of a function with positional parameters. `types` says what each holds: `integer`, `number`, `boolean` or
 * `string`; without it each may hold text, a number or a boolean. Without options it runs unasked: name a `risk` (`medium`
 * asks, `high` warns) where the function changes, sends or spends something. An error that it throws or returns is 501.
 * Throws HalterError 502 `InvalidToolSignature` when names, types and the function's own arity do not agree.
 */
export const registerTool = register as RegisterTool;

const ORDER = 'registerTool(name, description, paramNames, fn, types?, options?)';

/** Programs without a compiler give anything; each fault is said in words, and where it is. */
const checkSignature = (name: unknown, paramNames: unknown, fn: unknown, types: unknown): void => {
  if (typeof name !== 'string')
    throw invalidSignature(`the first argument must be the name, not ${shown(name)}, as in ${ORDER}`);
  const problem = isListOfText(paramNames)
    ? (functionProblem(paramNames, fn) ?? typesProblem(paramNames, types))
    : `paramNames must be a list of names, as in ${ORDER}`;
  if (problem !== undefined) throw invalidSignature(`${name}: ${problem}`);
};

const functionProblem = (paramNames: readonly string[], fn: unknown): string | undefined => {
  if (!isFunction(fn)) return `the fourth argument must be the function, as in ${ORDER}`;
  if (/^class\b/.test(Function.prototype.toString.call(fn)))
    return 'the function is a class, which cannot be called; give (…) => new …(…)';
  if (fn.length !== paramNames.length && !hasOpenArity(fn))
    return `${counted(paramNames.length, 'parameter name')} but the function takes ${fn.length}`;
  // No object that is read from JSON has such a key of its own.
  if (paramNames.includes('__proto__')) return 'no parameter can be named __proto__';
  return new Set(paramNames).size === paramNames.length ? undefined : 'a parameter name stands twice';
};

const typesProblem = (paramNames: readonly string[], types: unknown): string | undefined => {
  if (types === undefined || types === null) return undefined;
  if (!Array.isArray(types))
    return `types must be a list, one for each parameter, or be left out (undefined), as in ${ORDER}`;
  if (types.length !== paramNames.length)
    return `${counted(paramNames.length, 'parameter name')} but ${counted(types.length, 'type')}`;
  const unknown = types.findIndex((type) => !POSITIONAL_TYPES.has(type));
  return unknown < 0
    ? undefined
    : `the type ${String(types[unknown])} is not supported: integer, number, boolean or string`;
};

const isListOfText = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');

const isFunction = (value: unknown): value is (...args: never[]) => unknown => typeof value === 'function';

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
