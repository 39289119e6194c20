/** The fields of a form that a server wants filled in, and what a person types as the value that a field wants. Pure. */

import { checkValue, isSchema } from '../schema/index.ts';
import type { JsonObject, JsonSchema, JsonValue } from './json.ts';

export type FormChoice = { value: string; label: string };
export type FormField = {
  name: string;
  /** Title and description, as the server gives them. */
  label: string;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'choices';
  choices: readonly FormChoice[];
  required: boolean;
  /** What counts where nothing is typed. */
  otherwise?: JsonValue;
  schema: JsonSchema;
};
/** `value` undefined: the field stays empty. */
export type TypedValue = { ok: true; value: JsonValue | undefined } | { ok: false; message: string };

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** `enum` with or without names, and `oneOf` or `anyOf` of constants with titles. */
const choicesOf = ({ enum: values, enumNames: names, oneOf, anyOf }: JsonSchema): FormChoice[] => {
  if (Array.isArray(values)) {
    const labels = Array.isArray(names) ? names : [];
    return values.map((value, index) => ({ value: String(value), label: textOf(labels[index]) || String(value) }));
  }
  const options = [oneOf, anyOf].find(Array.isArray) ?? [];
  return options.flatMap((option) =>
    isSchema(option) && option['const'] !== undefined
      ? [{ value: String(option['const']), label: textOf(option['title']) || String(option['const']) }]
      : [],
  );
};

const fieldOf = (name: string, schema: JsonSchema, required: boolean): FormField => {
  const { type, title, description, items, default: otherwise } = schema;
  const choices = type === 'array' && isSchema(items) ? choicesOf(items) : choicesOf(schema);
  const kind =
    type === 'array'
      ? 'choices'
      : choices.length > 0
        ? 'choice'
        : type === 'boolean'
          ? 'boolean'
          : type === 'number' || type === 'integer'
            ? 'number'
            : 'text';
  const label = [title, description].filter((part) => textOf(part) !== '').join(': ');
  return { name, label, kind, choices, required, schema, otherwise };
};

export const formFields = ({ properties, required }: JsonSchema): FormField[] => {
  const needed: readonly JsonValue[] = Array.isArray(required) ? required : [];
  return Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]) =>
    fieldOf(name, isSchema(schema) ? schema : {}, needed.includes(name)),
  );
};

/** A choice by its number, its value or what it is called. */
const chosen = ({ choices }: FormField, typed: string): string => {
  const text = typed.trim();
  const word = text.toLowerCase();
  const found =
    choices.find(({ value }) => value === text) ??
    choices.find(({ value, label }) => value.toLowerCase() === word || label.toLowerCase() === word) ??
    (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined);
  return found?.value ?? text;
};

const readAs = (field: FormField, typed: string): JsonValue => {
  const text = typed.trim();
  switch (field.kind) {
    case 'number':
      return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : text;
    case 'choice':
      return chosen(field, text);
    case 'choices':
      return text
        .split(',')
        .filter((part) => part.trim() !== '')
        .map((part) => chosen(field, part));
    case 'text':
      return typed;
    default:
      return field.kind satisfies never;
  }
};

export const typedValue = (field: FormField, typed: string): TypedValue => {
  if (typed.trim() === '') {
    if (field.otherwise !== undefined) return { ok: true, value: field.otherwise };
    return field.required ? { ok: false, message: 'this has to be filled in' } : { ok: true, value: undefined };
  }
  const value = readAs(field, typed);
  const [issue] = checkValue(field.schema, value);
  return issue === undefined ? { ok: true, value } : { ok: false, message: issue.message };
};

/** What may be typed, in a few words. */
export const fieldHint = ({ kind, choices, otherwise, required }: FormField): string => {
  const words: string[] = [];
  if (kind === 'boolean') words.push('y or n');
  if (kind === 'number') words.push('a number');
  if (choices.length > 0) {
    const list = choices.map(({ label }, index) => `${index + 1} ${label}`);
    words.push(`${list.join(' | ')}${kind === 'choices' ? ', several with commas' : ''}`);
  }
  if (otherwise !== undefined) words.push(`nothing typed: ${JSON.stringify(otherwise)}`);
  else if (!required) words.push('may stay empty');
  return words.join('; ');
};

/** The values of a form, field by field. */
export const withValue = (values: JsonObject, field: FormField, value: JsonValue | undefined): JsonObject =>
  value === undefined ? values : { ...values, [field.name]: value };
