/** The fields of a server's form. Every word in it is the server's, so every character of it is shown. */

import { useId } from 'react';
import { capital } from '../../../src/core/capital.ts';
import type { FormField } from '../../../src/core/form-fields.ts';
import { visible } from '../parts/visible.ts';
import type { TypedValues } from './form-values.ts';

const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  email: 'email',
  uri: 'url',
};

type Value = TypedValues[string];
type Props = {
  fields: readonly FormField[];
  typed: TypedValues;
  /** Shown once the person tried to send it. */
  problems: ReadonlyMap<string, string> | undefined;
  onChange(typed: TypedValues): void;
};

export const FormView = ({ fields, typed, problems, onChange }: Props) => (
  <div className="flex flex-col gap-3">
    {fields.map((field) => (
      <Field
        key={field.name}
        field={field}
        value={typed[field.name] ?? ''}
        problem={problems?.get(field.name)}
        onChange={(value) => onChange({ ...typed, [field.name]: value })}
      />
    ))}
  </div>
);

type FieldProps = { field: FormField; value: Value; problem: string | undefined; onChange(value: Value): void };

const Field = ({ field, value, problem, onChange }: FieldProps) => {
  const id = useId();
  const label = visible(field.label || field.name);
  const about = problem === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-problem` };
  const words = (
    <>
      {label}
      {field.required && field.kind !== 'boolean' ? '' : <span className="text-soft"> (may stay empty)</span>}
    </>
  );
  return (
    <div className="min-w-0 text-sm" data-field={field.name}>
      {field.kind === 'boolean' ? (
        <label className="flex items-baseline gap-2">
          <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
          <span className="[overflow-wrap:anywhere]">{label}</span>
        </label>
      ) : field.kind === 'choices' ? (
        <fieldset>
          <legend className="mb-1 [overflow-wrap:anywhere]">{words}</legend>
          <Choices field={field} chosen={Array.isArray(value) ? value : []} onChange={onChange} />
        </fieldset>
      ) : (
        <>
          <label htmlFor={id} className="mb-1 block [overflow-wrap:anywhere]">
            {words}
          </label>
          {field.kind === 'choice' ? (
            <select
              id={id}
              className="field"
              value={String(value)}
              {...about}
              onChange={(event) => onChange(event.target.value)}
            >
              <option value="">Choose…</option>
              {field.choices.map((choice) => (
                <option key={choice.value} value={choice.value}>
                  {visible(choice.label)}
                </option>
              ))}
            </select>
          ) : (
            <input
              id={id}
              className="field"
              type={INPUT_TYPES[String(field.schema['format'])] ?? 'text'}
              {...(field.kind === 'number' ? { inputMode: 'decimal' } : {})}
              autoComplete="off"
              value={String(value)}
              {...about}
              onChange={(event) => onChange(event.target.value)}
            />
          )}
        </>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-bad">
          {capital(problem)}.
        </p>
      )}
    </div>
  );
};

type ChoicesProps = { field: FormField; chosen: readonly string[]; onChange(value: Value): void };

const Choices = ({ field, chosen, onChange }: ChoicesProps) => (
  <div className="flex flex-wrap gap-x-4 gap-y-1">
    {field.choices.map(({ value, label }) => (
      <label key={value} className="flex items-baseline gap-2">
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          onChange={(event) =>
            onChange(event.target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
          }
        />
        {visible(label)}
      </label>
    ))}
  </div>
);
