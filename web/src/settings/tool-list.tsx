/** Which tools the model is offered in a session. */
import { useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { toolTitle } from '../calls/call-facts.ts';
import { visible } from '../parts/visible.ts';
import { WithCode } from '../parts/with-code.tsx';
import type { ToolRow } from '../state/api.ts';
import type { ShownSettings } from './use-settings.ts';

const RISKS: Readonly<Record<ToolRow['risk'], { words: string; colour: string }>> = {
  safe: { words: 'runs without asking', colour: 'text-soft' },
  medium: { words: 'asks', colour: 'text-warn' },
  high: { words: 'asks, high risk', colour: 'text-bad' },
};

/** The first sentence says what it does; the rest is for the model. */
const firstSentence = (text: string): string => visible(/^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text);

export const ToolList = ({ shown }: { shown: ShownSettings }) => {
  const { api } = useApp();
  const [tools, setTools] = useState<readonly ToolRow[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    void api.tools().then((answer) => {
      if (answer.ok) setTools(answer.value.tools);
      else setProblem(answer.message);
    });
  }, [api]);
  const { settings, isOfSession, isRunning, change } = shown;
  const off = new Set(settings.tools_off);
  const toggle = (name: string): void => {
    const next = off.has(name) ? [...off].filter((each) => each !== name) : [...off, name];
    const { tools_off: _before, ...rest } = settings;
    void change(next.length === 0 ? rest : { ...rest, tools_off: next });
  };
  const said = problem ?? shown.problem;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-soft">
        A tool that is off is not described to the model and does not run{' '}
        {isOfSession ? 'in this session' : 'in the next session that you begin in this tab'}.
        {isRunning && ' A run goes on; it can be changed when that is over.'}
      </p>
      {said !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {said}
        </p>
      )}
      {tools === undefined && problem === undefined && <span className="spinner" role="status" aria-label="Loading" />}
      <ul aria-label="Tools" className="divide-y divide-line">
        {tools?.map(({ name, description, risk, unavailable }) => {
          const { tool, server } = toolTitle(name);
          return (
            <li key={name}>
              <label className="flex min-h-10 cursor-pointer items-start gap-3 py-1.5 text-sm">
                <input
                  type="checkbox"
                  className="mt-1 size-4 shrink-0 accent-blue"
                  checked={!off.has(name)}
                  disabled={isRunning}
                  onChange={() => toggle(name)}
                />
                <span className="min-w-0 flex-1">
                  <span className="flex flex-wrap items-baseline gap-x-2">
                    <span className="mono">{tool}</span>
                    {server && <span className="text-xs text-soft">of {server}</span>}
                    {unavailable === undefined ? (
                      <span className={`text-xs ${RISKS[risk].colour}`}>{RISKS[risk].words}</span>
                    ) : (
                      <span className="text-xs text-soft">cannot be used now, and is not offered</span>
                    )}
                  </span>
                  <span className="block text-xs text-soft [overflow-wrap:anywhere]">{firstSentence(description)}</span>
                  {unavailable !== undefined && (
                    <span className="mt-0.5 block text-xs [overflow-wrap:anywhere]">
                      <WithCode text={visible(unavailable)} />
                    </span>
                  )}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
    </div>
  );
};
