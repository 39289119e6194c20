/**
 * From the arguments a caller sent to the arguments that run (E5, K4): unknown ones dropped and named, defaults in,
 * types checked. `strict` is for payloads of programs: nothing is converted. `model` is for a model's own calls: what
 * can be repaired without losing anything is repaired, and each repair is named. A boolean is never a number, either way.
 */
import {
  checkValue,
  entryParts,
  type Issue,
  isSchema,
  matchesType,
  possibleParts,
  type Schema,
} from '../schema/index.ts';
import { asSentence } from './error-text.ts';
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from './json.ts';
import { LIMITS } from './limits.ts';
import type { Repair } from './message.ts';
import { nearest } from './tool/nearest-names.ts';
import { prepared } from './validate-arguments/prepare.ts';
import { type Work, workOf } from './validate-arguments/work.ts';
import { isInexact, isRounded, keepWritten, numbersWhere } from './written-numbers.ts';

export type ValidArguments = {
  ok: true;
  arguments: JsonObject;
  dropped: string[];
  repairs: Repair[];
  /** Places of numbers whose digits the values do not hold; absent where there is none. Whoever runs the call asks again. */
  inexact?: string[];
};
export type InvalidArguments = { ok: false; issues: string[] };

const DEPTH_MAX = 64;

/** `asText`: they go on as text, where a number is its digits, however many. */
export type ArgumentUse = { asText?: boolean };

export const validateArguments = (
  parameters: JsonSchema,
  args: unknown,
  mode: 'strict' | 'model',
  { asText = false }: ArgumentUse = {},
): ValidArguments | InvalidArguments => {
  if (!matchesType(args, 'object')) return { ok: false, issues: ['the arguments must be a JSON object'] };
  const work = workOf(parameters, mode);
  const known = withoutUnknown(work, withUsualNames(work, args as JsonObject), listsNames);
  const fitted = prepared(work, known) as JsonObject;
  const value = wellFormed(work, fitted) as JsonObject;
  const issues = checkValue(parameters, value, { largeIntegers: asText });
  if (issues.length > 0)
    return {
      ok: false,
      issues: [...inWords(work, issues, 'the arguments'), ...otherNames(parameters, args as JsonObject, work.dropped)],
    };
  const inexact = asText ? [] : numbersWhere(isInexact, value);
  // A program's number is what it says. A model's may be what its server made of it.
  if (mode === 'model') inexact.push(...numbersWhere(isRounded, value));
  const valid: ValidArguments = { ok: true, arguments: value, dropped: work.dropped, repairs: work.repairs };
  return inexact.length === 0 ? valid : { ...valid, inexact };
};

/**
 * A value that a model was asked for, converted as its arguments are. What the schema allows is kept, named or not; entries
 * that it forbids at the top are left out.
 */
export const validateAnswer = (
  schema: JsonSchema,
  answer: JsonValue,
  { asText = false }: ArgumentUse = {},
): { ok: true; value: JsonValue } | InvalidArguments => {
  const work = workOf(schema, 'model');
  const check = (value: JsonValue): Issue[] => checkValue(schema, value, { largeIntegers: asText });
  const whole = wellFormed(work, prepared(work, answer));
  if (check(whole).length === 0) return exactAnswer(whole, asText);
  const value = isObject(answer)
    ? wellFormed(work, prepared(work, withoutUnknown(work, answer, forbidsOthers)))
    : whole;
  const issues = check(value);
  return issues.length === 0 ? exactAnswer(value, asText) : { ok: false, issues: inWords(work, issues, 'the value') };
};

const exactAnswer = (value: JsonValue, asText: boolean): { ok: true; value: JsonValue } | InvalidArguments => {
  const inexact = asText ? [] : numbersWhere(isInexact, [value]);
  if (inexact.length === 0) return { ok: true, value };
  const places = inexact.map((place) => place.replace(/^0\.?/, '') || 'the value');
  return { ok: false, issues: places.map(inexactText) };
};

export const inexactText = (place: string): string =>
  `${place} is too large or too small to be exact as a number: where a text may stand, write it in quotes`;

const UNQUOTED = 'must be text: write it in quotes';

const inWords = (work: Work, issues: readonly Issue[], whole: string): string[] =>
  issues.slice(0, LIMITS.argumentErrors).map(({ path, message }) => {
    const place = path.slice(1).replaceAll('/', '.');
    return `${place || whole} ${work.unquoted.has(place) ? UNQUOTED : message}`;
  });

/** Without entries that no part of the schema knows, where one of its parts leaves no room for such. */
const withoutUnknown = (work: Work, value: JsonObject, leavesNoRoom: (part: Schema) => boolean): JsonObject => {
  const parts = possibleParts(work.root, work.root);
  if (!parts.some(leavesNoRoom)) return value;
  const isKnown = (key: string): boolean => parts.some((part) => knows(part, key));
  const unknown = Object.keys(value).filter((key) => !isKnown(key));
  if (unknown.length === 0) return value;
  work.dropped.push(...unknown);
  return keepWritten(value, Object.fromEntries(Object.entries(value).filter(([key]) => isKnown(key))));
};

/**
 * What models call a few arguments, as they learned it. Each is one of the arguments beyond doubt; a name that could be
 * another one (`file`, `text`) is none of them.
 */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'filepath'],
  old_text: ['old_string', 'old_str', 'oldString', 'oldText', 'old_content'],
  new_text: ['new_string', 'new_str', 'newString', 'newText', 'new_content'],
};

/** A required argument that is not there, where the call holds it under one such name which the tool does not have. */
const withUsualNames = (work: Work, args: JsonObject): JsonObject => {
  const { required, properties } = work.root;
  if (work.mode !== 'model' || !Array.isArray(required) || !isSchema(properties)) return args;
  const known = possibleParts(work.root, work.root);
  const renamed = new Map<string, string>();
  for (const [name, others] of Object.entries(USUAL_NAMES)) {
    if (!required.includes(name) || !Object.hasOwn(properties, name) || Object.hasOwn(args, name)) continue;
    const given = others.filter((other) => Object.hasOwn(args, other));
    const [other] = given;
    if (other === undefined || given.length > 1 || known.some((part) => knows(part, other))) continue;
    renamed.set(other, name);
    work.repairs.push({ kind: 'argument_name', detail: `${other} was taken as ${name}` });
  }
  if (renamed.size === 0) return args;
  const entries = Object.entries(args).map(([key, value]): [string, JsonValue] => [renamed.get(key) ?? key, value]);
  return keepWritten(args, Object.fromEntries(entries));
};

const knows = (part: Schema, key: string): boolean => {
  if (isSchema(part.properties) && Object.hasOwn(part.properties, key)) return true;
  return [...entryParts(part, key), part.unevaluatedProperties ?? false].some((entry) => entry !== false);
};
const forbidsOthers = (part: Schema): boolean =>
  part.additionalProperties === false || part.unevaluatedProperties === false;
/** Names of arguments are a list: what is not on it was made up. */
const listsNames = (part: Schema): boolean => isSchema(part.properties) || forbidsOthers(part);

/** Half a character becomes U+FFFD: servers, files and databases refuse it, or each makes something else of it. */
const wellFormed = (work: Work, value: JsonValue, depth = 0): JsonValue => {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return value;
    work.repairs.push({ kind: 'half_character', detail: 'half a character in the arguments became U+FFFD' });
    return value.toWellFormed();
  }
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value))
    return keepWritten(
      value,
      value.map((entry) => wellFormed(work, entry, depth + 1)),
    );
  const entries = Object.entries(value).map(([key, entry]) => [key.toWellFormed(), wellFormed(work, entry, depth + 1)]);
  return keepWritten(value, Object.fromEntries(entries) as JsonObject);
};

/** Arguments that do not exist, beside required ones that are not there: one is probably meant by the other. */
const otherNames = (parameters: JsonSchema, args: JsonObject, dropped: readonly string[]): string[] => {
  const { required } = parameters;
  const missing = (Array.isArray(required) ? required : []).filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(args, name),
  );
  if (missing.length === 0) return [];
  return dropped.slice(0, LIMITS.nearestNames).flatMap((name) => {
    const near = nearest(name, missing)[0] ?? (dropped.length === 1 && missing.length === 1 ? missing[0] : undefined);
    return near === undefined
      ? []
      : [`there is no argument ${name.slice(0, LIMITS.comparedCharacters)}, did you mean ${near}?`];
  });
};

/** What the model reads after a call it has to correct: what was wrong, and the schema to fit. */
export const repairText = (name: string, parameters: JsonSchema, issues: readonly string[]): string =>
  `${asSentence(`Invalid arguments for ${name}: ${issues.join('; ')}`)} Call ${name} again with arguments that fit this schema: ${JSON.stringify(parameters)}`;
