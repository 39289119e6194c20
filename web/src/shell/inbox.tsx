/** Everything that waits for the person in other sessions, answered from here. */

import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { capital } from '../../../src/core/capital.ts';
import { mixedScriptLines } from '../../../src/core/mixed-scripts.ts';
import { withContext } from '../../../src/core/short-diff.ts';
import { useApp } from '../app-context.tsx';
import { toolTitle } from '../calls/call-facts.ts';
import { withoutNames } from '../calls/diff-lines.ts';
import { AskedArguments } from '../decision/asked-arguments.tsx';
import { askedCall } from '../decision/asked-call.ts';
import { AskedChange } from '../decision/asked-change.tsx';
import { PageOn } from '../decision/page-on.tsx';
import { isLoud, riskNameOf } from '../decision/risk-words.ts';
import { useArmed } from '../decision/use-armed.ts';
import { READ_ON, type Reading, UnfoldingContext, useReading } from '../decision/use-reading.ts';
import { visible } from '../parts/visible.ts';
import type { AskedPermission, SessionState } from '../state/api.ts';

/** Sessions that wait, but the one that is shown. */
export const useWaiting = (): readonly SessionState[] => {
  const { activity, sessionId } = useApp();
  return [...activity.values()].filter(
    ({ id, permission_request, server_questions }) =>
      id !== sessionId && (permission_request !== null || server_questions > 0),
  );
};

/** Other sessions in which a run goes on without a question. */
const useRunning = (): readonly SessionState[] => {
  const { activity, sessionId } = useApp();
  return [...activity.values()].filter(
    ({ id, running, permission_request, server_questions }) =>
      id !== sessionId && running && permission_request === null && server_questions === 0,
  );
};

/** `className`: how much room it may take where it stands. */
export const Inbox = ({ className }: { className: string }) => {
  const waiting = useWaiting();
  const running = useRunning();
  if (waiting.length === 0 && running.length === 0) return null;
  return (
    <div className={`shrink-0 overflow-y-auto px-2 pb-2 ${className}`}>
      {waiting.length > 0 && (
        <section aria-label="Waiting for you">
          <h2 className="label px-2 py-1">Waiting for you</h2>
          <ul className="flex flex-col gap-1" aria-live="polite">
            {waiting.map((state) => (
              <Waiting key={`${state.id} ${state.permission_request?.tool_call_id ?? ''}`} state={state} />
            ))}
          </ul>
        </section>
      )}
      {running.length > 0 && (
        <section aria-label="Running now">
          <h2 className="label px-2 py-1">Running now</h2>
          <ul>
            {running.map(({ id }) => (
              <Running key={id} id={id} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
};

const Running = ({ id }: { id: string }) => {
  const { api, sessions, say } = useApp();
  const title = sessions.find((each) => each.id === id)?.title || 'New session';
  const stop = async (): Promise<void> => {
    const answer = await api.command(id, { type: 'cancel', queue: 'keep' });
    if (!answer.ok) say(answer.message);
  };
  return (
    <li className="flex items-center gap-2 rounded pl-2 text-sm hover:bg-hover" data-running={id}>
      <span className="text-blue" aria-hidden="true">
        ●
      </span>
      <a
        href={`#/s/${id}`}
        className="flex min-h-8 min-w-0 flex-1 items-center pointer-coarse:min-h-10 max-sm:min-h-10"
      >
        <span className="truncate">{title}</span>
      </a>
      <button type="button" className="quiet-button" aria-label={`Stop ${title}`} onClick={() => void stop()}>
        Stop
      </button>
    </li>
  );
};

const Waiting = ({ state }: { state: SessionState }) => {
  const { sessions, openSession } = useApp();
  const { id, permission_request: asked } = state;
  const title = sessions.find((each) => each.id === id)?.title || 'New session';
  return (
    <li className="rounded border border-warn bg-raised px-2 py-1.5 text-sm" data-waiting={id}>
      <a
        href={`#/s/${id}`}
        className="flex items-center text-xs text-soft hover:text-ink pointer-coarse:min-h-10 max-sm:min-h-10"
      >
        <span className="truncate">{title}</span>
      </a>
      {asked ? (
        <Asked sessionId={id} asked={asked} />
      ) : (
        <button type="button" className="button w-full" onClick={() => openSession(id)}>
          A server asks something
        </button>
      )}
    </li>
  );
};

/** There is little room, so what changes comes first; the names stand there only where the sentence does not say them. */
const changeOf = (diff: string): string => withContext(withoutNames(diff), 1);

const Asked = ({ sessionId, asked }: { sessionId: string; asked: AskedPermission }) => {
  const { api, say, openSession } = useApp();
  const [sent, setSent] = useState(false);
  const armed = useArmed(asked.tool_call_id);
  const reading = useReading();
  const decide = async (decision: 'allow_once' | 'deny'): Promise<void> => {
    if (decision !== 'deny' && !reading.mayAllow()) return;
    setSent(true);
    const answer = await api.command(sessionId, {
      type: 'resolve_permission',
      tool_call_id: asked.tool_call_id,
      decision,
    });
    if (answer.ok) return;
    say(answer.message);
    setSent(false);
  };
  return (
    <>
      <AskedWhole asked={asked} reading={reading} />
      <div className="mt-1 flex flex-wrap items-center gap-1">
        <button
          type="button"
          className="button-main"
          disabled={sent || !armed}
          aria-disabled={reading.isFresh ? true : undefined}
          onClick={() => void decide('allow_once')}
        >
          Allow once
        </button>
        <button type="button" className="button" disabled={sent || !armed} onClick={() => void decide('deny')}>
          Deny
        </button>
        <button type="button" className="quiet-button" onClick={() => openSession(sessionId)}>
          Open
        </button>
      </div>
    </>
  );
};

/** How high it was before it was opened: it scrolls in this, so that the buttons under it stay where they are. */
const useHeightOf = (box: RefObject<HTMLElement | null>, isWhole: boolean): number | undefined => {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    if (!isWhole) setHeight(box.current?.getBoundingClientRect().height);
  });
  return isWhole ? height : undefined;
};

/** What a yes would allow, with what is to be known of it. */
const AskedWhole = ({ asked, reading }: { asked: AskedPermission; reading: Reading }) => {
  const box = useRef<HTMLDivElement>(null);
  const height = useHeightOf(box, reading.isWhole);
  const scrolls = useRef<HTMLElement>(null);
  const call = askedCall(asked);
  return (
    <div ref={box} className="flex max-h-44 flex-col short:max-h-28" style={{ height }}>
      {/* No landmark, since there may be many. */}
      <figure
        ref={scrolls}
        className="scroll-area min-h-0 flex-1"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="What is asked"
        data-scrolls
      >
        <div ref={reading.area} className="text-xs">
          <p className="text-sm [overflow-wrap:anywhere]">
            {visible(capital(asked.preview ?? `Run ${toolTitle(asked.name).tool}`))}{' '}
            <strong className={`text-xs ${isLoud(call) ? 'text-bad' : 'text-warn'}`}>{riskNameOf(call)}</strong>
          </p>
          <UnfoldingContext value={{ ...reading, isSlim: true }}>
            {asked.diff !== undefined && <AskedChange diff={changeOf(asked.diff)} />}
            <AskedArguments call={call} isFolded={!reading.isWhole} />
          </UnfoldingContext>
          {mixedScriptLines(asked.arguments).map((line) => (
            <p key={line} className="text-warn [overflow-wrap:anywhere]">
              {visible(line)}
            </p>
          ))}
        </div>
      </figure>
      <PageOn area={scrolls} />
      {reading.isDue && (
        <p role="status" className="text-xs text-warn">
          {READ_ON} <em className="not-italic text-soft short:hidden">Open shows it large.</em>
        </p>
      )}
    </div>
  );
};
