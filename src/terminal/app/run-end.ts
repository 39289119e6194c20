/**
 * An answer stands complete on the screen some milliseconds before its run is over: the server still closes its stream,
 * the log is written. A command that needs the session at rest and is typed then waits for the end that is coming.
 */
import type { SessionFace, SessionUpdate } from '../../core/events.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import type { Activity } from './activity.ts';

/** Resolves when the run is over, or when it shows that it goes on: by what it writes, or by saying nothing for long. */
export const runEnd = async (session: SessionFace, activity: () => Activity): Promise<void> => {
  if (activity().isRunning) {
    if (!activity().mayBeOver) return;
    await endOrMore(session, activity);
    if (activity().isRunning) return;
  }
  // The end is said before the session has put away what belonged to it.
  await atMost(session.idle());
};

const endOrMore = async (session: SessionFace, activity: () => Activity): Promise<void> => {
  let stop = (): void => {};
  await atMost(
    new Promise<void>((resolve) => {
      stop = session.subscribe((update) => {
        if (writesMore(update) || !activity().isRunning || !activity().mayBeOver) resolve();
      });
    }),
  );
  stop();
};

/** Blanks at the end of an answer are seen by nobody. */
const writesMore = (update: SessionUpdate): boolean =>
  update.type === 'reasoning_delta' ||
  update.type === 'tool_call_delta' ||
  (update.type === 'text_delta' && update.delta.trim() !== '');

const atMost = async (work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, TERMINAL_LIMITS.runEndMs);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
};
