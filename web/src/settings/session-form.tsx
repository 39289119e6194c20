/** Instructions, sampling and limits of one session. */
import { type ReactNode, useId, useState } from 'react';
import { useWritten } from '../parts/use-written.ts';
import {
  type FormSettings,
  formOf,
  LIMIT_FIELDS,
  type NumberField,
  SAMPLING_FIELDS,
  settingsOfForm,
} from './setting-fields.ts';
import type { ShownSettings } from './use-settings.ts';

type FormProps = {
  shown: Omit<ShownSettings, 'settings' | 'change'> & {
    settings: FormSettings;
    change(settings: FormSettings): Promise<boolean>;
  };
  /** By which what is written and not saved is kept. */
  name: string;
  /** What they hold for. */
  intro: string;
  /** Fields that are not there. */
  without?: readonly string[];
  children?: ReactNode;
};

export const SessionForm = ({ shown, name, intro, without = [], children }: FormProps) => {
  const { settings, isRunning, problem, change } = shown;
  const { value: form, set: write, isUnsaved, forget } = useWritten(`settings ${name}`, formOf(settings));
  const [isSaved, setSaved] = useState(false);
  const set = (key: string, value: string): void => {
    write({ ...form, [key]: value });
    setSaved(false);
  };
  const save = async (next: FormSettings): Promise<void> => {
    const isTaken = await change(next);
    if (isTaken) forget();
    setSaved(isTaken);
  };
  const number = (field: NumberField) => (
    <NumberInput key={field.key} field={field} value={form[field.key]} onChange={(value) => set(field.key, value)} />
  );
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save(settingsOfForm(form, settings));
      }}
    >
      <p className="text-sm text-soft">{intro} What is empty is as halter was started.</p>
      {children}
      <label className="flex flex-col gap-1 text-sm font-medium">
        Instructions
        <textarea
          className="field min-h-24 font-normal"
          rows={4}
          placeholder="Answer in French. Ask before you change a test."
          value={form.instructions}
          onChange={(event) => set('instructions', event.target.value)}
        />
        <span className="text-xs font-normal text-soft">
          They stand after halter’s own. A change makes the server read the whole prompt again.
        </span>
      </label>
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="label mb-1">Sampling</legend>
        {SAMPLING_FIELDS.filter(({ key }) => !without.includes(key)).map(number)}
        <label className="flex flex-col gap-1 text-sm">
          Thinking
          <select className="field" value={form.think} onChange={(event) => set('think', event.target.value)}>
            <option value="server">as the server has it</option>
            <option value="on">on</option>
            <option value="off">off</option>
          </select>
        </label>
      </fieldset>
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="label mb-1">Limits</legend>
        {LIMIT_FIELDS.filter(({ key }) => !without.includes(key)).map(number)}
      </fieldset>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad [overflow-wrap:anywhere]">
          {problem}
        </p>
      )}
      <div className="sticky bottom-0 -mx-4 -mb-3 flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2">
        <button type="submit" className="button-main" disabled={isRunning}>
          Save
        </button>
        <button
          type="button"
          className="button"
          disabled={isRunning}
          onClick={() => void save(settingsOfForm(formOf({}), settings))}
        >
          Empty all
        </button>
        {isUnsaved && (
          <button type="button" className="button" onClick={forget}>
            Take back
          </button>
        )}
        <span role="status" className="text-sm text-soft">
          {isUnsaved ? 'Not saved yet; it stays here until then. ' : ''}
          {isRunning ? 'A run goes on; they can be changed when it is over.' : isSaved && !isUnsaved ? 'Saved.' : ''}
        </span>
      </div>
    </form>
  );
};

type InputProps = { field: NumberField; value: string; onChange(value: string): void };

const NumberInput = ({ field: { label, hint, min, max, step }, value, onChange }: InputProps) => {
  const id = useId();
  return (
    <label className="flex flex-col gap-1 text-sm">
      {label}
      <input
        type="number"
        className="field"
        inputMode="decimal"
        aria-describedby={id}
        min={min}
        max={max}
        step={step}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={id} className="text-xs text-soft">
        {hint}
      </span>
    </label>
  );
};
