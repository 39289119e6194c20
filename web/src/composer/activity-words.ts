/** What is going on, in words and figures. Pure. */
import type { Activity, View } from '../state/view.ts';

/** Of a text whose tokens nobody counted yet. */
const CHARACTERS_A_TOKEN = 4;
const MEASURED_MS = 1_000;

export const activityWords = ({ activity, items, running }: View): string => {
  switch (activity.type) {
    case 'sent':
      return 'Waiting for the model';
    case 'loading':
      return activity.message;
    case 'prefill':
      return 'Reading the prompt';
    case 'thinking':
      return 'Thinking';
    case 'writing':
      return 'Writing';
    case 'asking':
      return 'Waiting for you';
    case 'tools': {
      const names = items.flatMap((item) =>
        item.kind === 'call' && item.call.state === 'running' ? [item.call.name] : [],
      );
      return names.length > 0 ? `Running ${names.join(', ')}` : 'Running tools';
    }
    case 'idle':
      return running ? 'Working' : '';
  }
};

/** What is over sooner is not counted. */
const COUNTED_MS = 3_000;

/** How long one waits for a model that says nothing, or for calls that run; `now`: milliseconds since 1970. */
export const waitedSeconds = ({ activity, items }: View, now: number): number | undefined => {
  const since = waitingSince(activity, items);
  // A clock that is behind that of the log says nothing.
  return since === undefined || now - since < COUNTED_MS ? undefined : Math.floor((now - since) / 1_000);
};

const waitingSince = (activity: Activity, items: View['items']): number | undefined => {
  if (activity.type === 'sent') return activity.at;
  if (activity.type === 'loading') return activity.fraction === undefined ? activity.at : undefined;
  if (activity.type !== 'tools') return undefined;
  const running = items.flatMap((item) =>
    item.kind === 'call' && item.call.state === 'running' && item.call.startedAt !== undefined
      ? [item.call.startedAt]
      : [],
  );
  return running.length === 0 ? undefined : Math.min(...running);
};

export const prefillShare = (activity: Activity): number | undefined => {
  if (activity.type === 'loading') return activity.fraction;
  if (activity.type !== 'prefill' || activity.total <= 0) return undefined;
  return Math.min(1, activity.processed / activity.total);
};

/** What the server's side says, else by the pace of this prefill so far. */
export const secondsLeft = (activity: Activity, now: number): number | undefined => {
  if (activity.type !== 'prefill') return undefined;
  if (activity.secondsLeft !== undefined) return activity.secondsLeft;
  const done = activity.processed - activity.from;
  const ms = now - activity.since;
  if (done <= 0 || ms < MEASURED_MS) return undefined;
  return (((activity.total - activity.processed) / done) * ms) / 1_000;
};

export const writingRate = (activity: Activity, now: number): number | undefined => {
  if (activity.type !== 'writing' || now - activity.since < MEASURED_MS) return undefined;
  return activity.characters / CHARACTERS_A_TOKEN / ((now - activity.since) / 1_000);
};
