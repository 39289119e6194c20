/** What a person filled into a server's form, as the values that its fields want. Pure. */
import { type FormField, typedValue, withValue } from '../../../src/core/form-fields.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { checkValue } from '../../../src/schema/index.ts';

/** By field: a text, a yes or no, or what was chosen of several. */
export type TypedValues = Readonly<Record<string, string | boolean | readonly string[]>>;

export const startValues = (fields: readonly FormField[]): TypedValues =>
  Object.fromEntries(fields.map((field) => [field.name, startOf(field)]));

const startOf = ({ kind, otherwise }: FormField): TypedValues[string] => {
  if (kind === 'boolean') return otherwise === true;
  if (kind === 'choices') return Array.isArray(otherwise) ? otherwise.map(String) : [];
  return otherwise === undefined || otherwise === null ? '' : String(otherwise);
};

/** The values, and by field what is wrong with those that are not fit. */
export const formValues = (
  fields: readonly FormField[],
  typed: TypedValues,
): { values: JsonObject; problems: ReadonlyMap<string, string> } => {
  let values: JsonObject = {};
  const problems = new Map<string, string>();
  for (const field of fields) {
    const given = typed[field.name] ?? '';
    if (typeof given === 'boolean') {
      values = withValue(values, field, given);
      continue;
    }
    if (typeof given !== 'string') {
      const [issue] = given.length === 0 && !field.required ? [] : checkValue(field.schema, [...given]);
      if (issue) problems.set(field.name, issue.message);
      else if (given.length > 0) values = withValue(values, field, [...given]);
      continue;
    }
    // An emptied field is empty, whatever stood there at first.
    const { otherwise: _otherwise, ...own } = field;
    const read = typedValue(own, given);
    if (read.ok) values = withValue(values, field, read.value);
    else problems.set(field.name, read.message);
  }
  return { values, problems };
};
