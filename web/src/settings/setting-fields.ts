/** The fields of the form, and the way from what a person typed to settings and back. */
import type { OwnSettings } from '../../../src/core/own-settings.ts';

export type NumberKey =
  | 'temperature'
  | 'top_p'
  | 'seed'
  | 'max_tokens'
  | 'max_iterations'
  | 'max_tool_calls'
  | 'context_length';
/** Those of a session, and those that only new sessions have. */
export type FormSettings = OwnSettings & { context_length?: number };
export type NumberField = {
  key: NumberKey;
  label: string;
  hint: string;
  min: number;
  max?: number;
  step: number | 'any';
};

export const SAMPLING_FIELDS: readonly NumberField[] = [
  {
    key: 'temperature',
    label: 'Temperature',
    hint: '0 is the most likely word each time',
    min: 0,
    max: 2,
    step: 'any',
  },
  { key: 'top_p', label: 'Top p', hint: 'share of likely words that may be chosen', min: 0, max: 1, step: 'any' },
  { key: 'seed', label: 'Seed', hint: 'the same seed, the same answer, where the server can', min: 0, step: 1 },
  { key: 'max_tokens', label: 'Longest answer', hint: 'tokens', min: 1, step: 1 },
];
export const LIMIT_FIELDS: readonly NumberField[] = [
  { key: 'max_iterations', label: 'Steps of one message', hint: 'then halter stops and asks', min: 1, step: 1 },
  {
    key: 'context_length',
    label: 'Context window',
    hint: 'tokens that a model is opened with, from the next start',
    min: 1,
    step: 1,
  },
  { key: 'max_tool_calls', label: 'Calls of one step', hint: 'the rest is left out', min: 1, step: 1 },
];

export type Thinking = 'server' | 'on' | 'off';
export type Form = { instructions: string; think: Thinking } & Record<NumberKey, string>;

const NUMBER_KEYS = [...SAMPLING_FIELDS, ...LIMIT_FIELDS].map(({ key }) => key);

export const formOf = (settings: FormSettings): Form => ({
  instructions: settings.instructions ?? '',
  think: settings.think === undefined ? 'server' : settings.think ? 'on' : 'off',
  ...(Object.fromEntries(NUMBER_KEYS.map((key) => [key, String(settings[key] ?? '')])) as Record<NumberKey, string>),
});

/** What is empty is as halter was started. Tools are not of this form. */
export const settingsOfForm = (form: Form, tools: Pick<OwnSettings, 'tools_off'>): FormSettings => {
  const numbers = NUMBER_KEYS.filter((key) => form[key].trim() !== '').map((key) => [key, Number(form[key])]);
  return {
    ...(form.instructions.trim() === '' ? {} : { instructions: form.instructions.trim() }),
    ...(form.think === 'server' ? {} : { think: form.think === 'on' }),
    ...Object.fromEntries(numbers),
    ...(tools.tools_off === undefined || tools.tools_off.length === 0 ? {} : { tools_off: tools.tools_off }),
  };
};
