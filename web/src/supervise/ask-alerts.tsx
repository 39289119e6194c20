/** Asks once whether the person wants to be told, when there is something to be told of: a run that takes a while. */
import { useEffect, useState } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';
import { canNotify, chooseAlerts, useAlertChoice } from './alert-choice.ts';

const LONG_RUN_MS = 15_000;

export const AskAlerts = () => {
  const { activity, link } = useApp();
  const { view } = useSnapshot();
  const choice = useAlertChoice();
  const [isDue, setDue] = useState(false);
  // What is known of runs is old where halter does not answer.
  const isBusy = activity.size > 0 && link === 'here';
  useEffect(() => {
    if (choice !== undefined || !isBusy) return;
    const timer = setTimeout(() => setDue(true), LONG_RUN_MS);
    return () => {
      clearTimeout(timer);
      // What is over needs no waiting for, and the next run may be short.
      setDue(false);
    };
  }, [choice, isBusy]);
  // One question at a time.
  if (choice !== undefined || !isDue || view.activity.type === 'asking') return null;
  return (
    <section
      aria-label="Notifications"
      className="mx-auto my-1 flex w-[calc(100%-2rem)] max-w-[46rem] flex-wrap items-center gap-2 rounded border border-line bg-sunken px-3 py-1.5 text-sm"
    >
      <p className="min-w-0 flex-1 basis-56">
        This takes a while. Shall halter tell you when a session waits for you or is done, while you look elsewhere?
      </p>
      {canNotify() && (
        <button type="button" className="button" onClick={() => void chooseAlerts('notify')}>
          Notify me
        </button>
      )}
      <button type="button" className="button" onClick={() => void chooseAlerts('sound')}>
        Sound only
      </button>
      <button type="button" className="button" onClick={() => void chooseAlerts('off')}>
        No
      </button>
    </section>
  );
};
