/** What every new session begins with, on every device. */
import { MODE_WORDS, type Mode } from '../../../src/core/policy/modes.ts';
import type { Defaults } from '../state/api.ts';
import { SessionForm } from './session-form.tsx';
import type { ShownDefaults } from './use-defaults.ts';

const MODES = ['plan', 'ask', 'edit', 'auto'] as const satisfies readonly Mode[];
const WORDS: Readonly<Record<keyof Defaults, string>> = {
  instructions: 'instructions',
  temperature: 'temperature',
  top_p: 'top p',
  seed: 'seed',
  think: 'thinking',
  max_iterations: 'steps of one message',
  max_tool_calls: 'calls of one step',
  context_length: 'context window',
  model: 'model',
  mode: 'mode',
};
const listed = (names: readonly (keyof Defaults)[]): string => names.map((name) => WORDS[name]).join(', ');

export const DefaultsForm = ({ shown: { told, problem, change } }: { shown: ShownDefaults }) => {
  if (told === undefined) {
    return problem === undefined ? (
      <span className="spinner" role="status" aria-label="Loading" />
    ) : (
      <p role="alert" className="text-sm text-bad">
        {problem}
      </p>
    );
  }
  const { settings } = told;
  // The model is chosen in the list of models.
  const held = told.held.filter((name) => name !== 'model');
  const waiting = told.next_start.filter((name) => name !== 'model');
  const { model, mode, ...own } = settings;
  const beside = { ...(model === undefined ? {} : { model }), ...(mode === undefined ? {} : { mode }) };
  const changeMode = (chosen: string): void => {
    const next = MODES.find((each) => each === chosen);
    void change({ ...own, ...(model === undefined ? {} : { model }), ...(next === undefined ? {} : { mode: next }) });
  };
  return (
    <SessionForm
      name="of new sessions"
      intro="Every new session begins with these, on every device. They are kept in halter’s settings file."
      without={['max_tokens']}
      shown={{
        settings: own,
        isOfSession: false,
        isRunning: false,
        problem,
        change: ({ max_tokens: _tokens, tools_off: _tools, ...next }) => change({ ...next, ...beside }),
      }}
    >
      {held.length > 0 && (
        <p className="text-sm text-warn">
          halter was started with a flag, or in a project, that says these, so what is set here does not count:{' '}
          {listed(held)}.
        </p>
      )}
      {waiting.length > 0 && <p className="text-sm text-warn">From the next start of halter on: {listed(waiting)}.</p>}
      <label className="flex flex-col gap-1 text-sm">
        How often you are asked
        <select className="field" value={mode ?? ''} onChange={(event) => changeMode(event.target.value)}>
          <option value="">as halter was started</option>
          {MODES.map((each) => (
            <option key={each} value={each}>
              {each}: {MODE_WORDS[each]}
            </option>
          ))}
        </select>
      </label>
    </SessionForm>
  );
};
