/** What every wire's request is read into. */
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '../core/json.ts';
import type { ModelMessage } from '../core/message.ts';
import type { Sampling } from '../core/model-port.ts';
import type { PicturePart } from '../core/picture-kind.ts';
import { answerSchemaProblem } from '../core/schema-problems.ts';
import type { ToolSchema } from '../core/tool.ts';
import type { ToolChoice } from '../dialects/forced-call.ts';
import { invalidRequest } from './error.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { readPicture } from './message-parts.ts';

export type { ToolChoice };

export type GatewayRequest = {
  /** One of `/v1/models`, or `default`. */
  model: string;
  messages: readonly ModelMessage[];
  /** The caller's tools. None of them runs here. */
  tools: readonly ToolSchema[];
  toolChoice: ToolChoice;
  /** False: at most one call. */
  parallel: boolean;
  sampling: Sampling;
  /** Sampling fields in OpenAI's words, for servers that know them. */
  passthrough: JsonObject;
  stop: readonly string[];
  /** The answer has to be JSON that fits. */
  responseSchema?: JsonSchema | undefined;
  /** The caller reads along. */
  stream: boolean;
  /** Fields of the request that cannot be carried out and change nothing essential. They are named in a header. */
  dropped: readonly string[];
};

type Form = { words: string; fits(value: unknown): boolean };
const NUMBER: Form = { words: 'a number', fits: (value) => typeof value === 'number' };
const TEXT: Form = { words: 'a text', fits: (value) => typeof value === 'string' };
const OBJECT: Form = { words: 'an object', fits: isObject };
/** llama.cpp takes pairs as well. */
const BIAS: Form = { words: 'an object or a list', fits: (value) => isObject(value) || Array.isArray(value) };

/** Sampling fields of the wires that local servers know by the same name. */
const PASSTHROUGH: Readonly<Record<string, Form>> = {
  top_k: NUMBER,
  min_p: NUMBER,
  typical_p: NUMBER,
  presence_penalty: NUMBER,
  frequency_penalty: NUMBER,
  repetition_penalty: NUMBER,
  repeat_penalty: NUMBER,
  logit_bias: BIAS,
  reasoning_effort: TEXT,
  chat_template_kwargs: OBJECT,
};

/**
 * The fields of a body that a model server may know. `null` is the same as absent on every wire. Some servers fail on a
 * value of another type as if they were broken, and would be asked again.
 */
export const passthroughOf = (body: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(PASSTHROUGH).flatMap(([field, { words, fits }]) => {
      const value = body[field];
      if (value === undefined || value === null) return [];
      if (!fits(value)) throw invalidRequest(`${field} must be ${words}.`);
      return [[field, value as JsonValue]];
    }),
  );

/** Values of fields without effect that ask for no more than what is done anyway. */
const DONE_ANYWAY: Readonly<Record<string, readonly unknown[]>> = {
  background: [false],
  logprobs: [false],
  raw: [false],
  service_tier: ['auto', 'default', 'standard_only'],
  store: [false],
  truncation: ['disabled'],
};

/** Fields that are neither read nor passed on, by their names: whoever sent one is told that it changed nothing. */
export const droppedOf = (body: Readonly<Record<string, unknown>>, known: readonly string[]): string[] =>
  Object.entries(body)
    .filter(([name, value]) => value !== undefined && value !== null && !known.includes(name) && !(name in PASSTHROUGH))
    .filter(([name, value]) => !DONE_ANYWAY[name]?.includes(value))
    .map(([name]) => name);

/** The same of the fields of one field, `reasoning.summary`. */
export const droppedIn = (field: string, body: JsonValue | undefined, known: readonly string[]): string[] =>
  isObject(body) ? droppedOf(body, known).map((name) => `${field}.${name}`) : [];

/** A tool as a wire names its parts, before anything was looked at. */
export type GivenTool = { name: unknown; description?: unknown; parameters?: unknown };

/** Tools with one name each, each with a schema. */
export const checkTools = (given: readonly GivenTool[]): ToolSchema[] => {
  if (given.length > GATEWAY_LIMITS.tools) throw invalidRequest(`There are more than ${GATEWAY_LIMITS.tools} tools.`);
  const names = new Set<string>();
  return given.map(({ name, description, parameters }, index) => {
    if (typeof name !== 'string') throw invalidRequest(`The name of tool ${index + 1} is missing, or is no text.`);
    if (!/^[a-zA-Z0-9_.-]{1,128}$/.test(name)) throw invalidRequest(`${JSON.stringify(name)} is no name for a tool.`);
    if (names.has(name)) throw invalidRequest(`Two tools are named ${name}.`);
    names.add(name);
    const isGiven = parameters !== undefined && parameters !== null;
    if (isGiven && !isObject(parameters)) throw invalidRequest(`The parameters of ${name} are no JSON schema.`);
    const described: JsonSchema =
      isObject(parameters) && Object.keys(parameters).length > 0
        ? (parameters as JsonSchema)
        : { type: 'object', properties: {} };
    const words = typeof description === 'string' ? description : '';
    return { type: 'function', function: { name, description: words, parameters: described } };
  });
};

/** A choice as a wire gives it, of all tools or of those that it allows. */
export type GivenChoice = { choice: ToolChoice; allowed?: readonly string[] };

/** A named tool has to be one of the list; those that are not allowed are not offered. */
export const chooseTools = (
  { choice, allowed }: GivenChoice,
  tools: readonly ToolSchema[],
): Pick<GatewayRequest, 'tools' | 'toolChoice'> => {
  const named = [...(allowed ?? []), ...(typeof choice === 'object' ? [choice.name] : [])];
  if (tools.length === 0 && (named.length > 0 || choice === 'required')) {
    throw invalidRequest('tool_choice needs tools.');
  }
  const strange = named.find((name) => !tools.some((tool) => tool.function.name === name));
  if (strange !== undefined) throw invalidRequest(`tool_choice names ${strange}, which is no tool here.`);
  return { toolChoice: choice, tools: tools.filter((tool) => allowed?.includes(tool.function.name) ?? true) };
};

/** `{type: "allowed_tools", …}` of OpenAI's APIs, whose lists name a tool in two ways. */
export const readAllowed = (given: JsonObject, nameOf: (tool: JsonObject) => unknown): GivenChoice => {
  const { mode, tools } = given;
  if (mode !== 'auto' && mode !== 'required') throw invalidRequest('tool_choice: its mode must be auto or required.');
  const allowed = (Array.isArray(tools) ? tools.filter(isObject) : []).map(nameOf).filter(isName);
  if (allowed.length === 0) throw invalidRequest('tool_choice allows no tool.');
  return { choice: mode, allowed };
};
const isName = (name: unknown): name is string => typeof name === 'string';

/** A text, a list of texts, or nothing. */
export const readStop = (stop: unknown): string[] => {
  if (stop === undefined || stop === null) return [];
  const list = Array.isArray(stop) ? stop : [stop];
  if (list.length > GATEWAY_LIMITS.stops || !list.every((entry) => typeof entry === 'string')) {
    throw invalidRequest(`Stop sequences must be a text or at most ${GATEWAY_LIMITS.stops} of them.`);
  }
  return list as string[];
};

export const withoutAbsent = <T extends object>(value: T): { [Key in keyof T]?: NonNullable<T[Key]> } =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined && entry !== null)) as {
    [Key in keyof T]?: NonNullable<T[Key]>;
  };

/** The schema of `{type: "json_object"}` and of `{type: "json_schema", …}`; undefined for text. */
export const readFormat = (format: unknown, where: string): JsonSchema | undefined => {
  if (format === undefined || format === null) return undefined;
  if (!isObject(format)) throw invalidRequest(`${where} must be an object.`);
  const { type } = format;
  if (type === 'text') return undefined;
  if (type === 'json_object' && !isObject(format['schema'])) return { type: 'object' };
  if (type !== 'json_schema' && type !== 'json_object')
    throw invalidRequest(`${where}.type must be text, json_object or json_schema.`);
  const inner = isObject(format['json_schema']) ? format['json_schema'] : format;
  if (!isObject(inner['schema'])) throw invalidRequest(`${where} has no schema.`);
  return checkAnswerSchema(inner['schema'] as JsonSchema, where);
};

/** Refused before a model is asked: no answer could meet it, or anything would. */
export const checkAnswerSchema = (schema: JsonSchema, where: string): JsonSchema => {
  const problem = answerSchemaProblem(schema);
  if (problem !== undefined) throw invalidRequest(`${where}: ${problem}`);
  return schema;
};

/** `problem` says how the API wants its pictures. */
export const pictureOf = (url: unknown, problem: string): PicturePart => {
  const picture = readPicture(url);
  if (picture === undefined) throw invalidRequest(problem);
  return picture;
};
