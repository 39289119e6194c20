/** Waiting is shown as what it is. The line is always there, so that nothing jumps when it has something to say. */
import { type ReactNode, useEffect, useState } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';
import { counted, percent, wholeSeconds } from '../parts/format.ts';
import type { View } from '../state/view.ts';
import { activityWords, prefillShare, secondsLeft, waitedSeconds, writingRate } from './activity-words.ts';

const percentOf = (share: number): string => `${share * 100}%`;

const TICK_MS = 500;

const useNow = (running: boolean): number => {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [running]);
  return now;
};

export const ActivityLine = ({ meters }: { meters: ReactNode }) => {
  const { link } = useApp();
  const { view, connection } = useSnapshot();
  const now = useNow(view.running);
  const isApart = link !== 'here' || connection === 'lost' || connection === 'gone';
  return (
    <div
      className="flex h-6 items-center gap-2 overflow-hidden px-1 text-xs text-soft"
      data-activity={view.activity.type}
    >
      {/* What is the matter stands above, see `ConnectionNotice`. */}
      {!isApart && <Doing view={view} now={now} />}
      <span className="ml-auto shrink-0">{meters}</span>
    </div>
  );
};

const Doing = ({ view, now }: { view: View; now: number }) => {
  const { activity } = view;
  const words = activityWords(view);
  return (
    <>
      {view.running &&
        (activity.type === 'asking' ? (
          <span className="w-3 shrink-0 text-center text-warn" aria-hidden="true">
            ?
          </span>
        ) : (
          <span className="spinner shrink-0" aria-hidden="true" />
        ))}
      <span role="status" className="truncate">
        {words}
      </span>
      <Measure view={view} now={now} />
    </>
  );
};

/** How far, and how long still. Not read out: it changes too often. */
const Measure = ({ view, now }: { view: View; now: number }) => {
  const { activity } = view;
  const share = prefillShare(activity);
  if (share !== undefined) {
    const left = secondsLeft(activity, now);
    return (
      <span className="flex items-center gap-2 tabular-nums" aria-hidden="true" data-prefill>
        <span className="h-1.5 w-24 overflow-hidden rounded-full bg-hover">
          <span className="block h-full rounded-full bg-blue" style={{ width: percentOf(share) }} />
        </span>
        {percent(share)}
        {left !== undefined && <span>{left < 1 ? 'almost done' : `${Math.ceil(left)} s left`}</span>}
      </span>
    );
  }
  const rate = writingRate(activity, now);
  const waited = waitedSeconds(view, Date.now());
  const words =
    rate !== undefined ? `about ${counted(Math.round(rate), 'token')}/s` : waited !== undefined && wholeSeconds(waited);
  return words ? (
    <span className="shrink-0 tabular-nums" aria-hidden="true">
      {words}
    </span>
  ) : null;
};
