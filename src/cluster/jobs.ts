/** What a server wants done in a conversation, as it is kept until somebody has done it. */
import type { Command, Event } from '../core/events.ts';

export const QUEUE = 'conversations';
export const WORKFLOW = 'command';

export type Order = {
  session: string;
  command: Command;
  /** Another model than the worker's own, as `provider/model`. */
  model?: string;
};

/** A session's orders are found by the beginning of their names. */
export const orderPrefix = (session: string): string => `${session}/`;
export const newOrderId = (session: string): string => `${orderPrefix(session)}${crypto.randomUUID()}`;

/** The same order for the next time; the same name however often it is asked for. */
export const laterOrderId = (id: string): string => {
  const [, base = id, times = '0'] = /^(.*)\+(\d{1,9})$/.exec(id) ?? [];
  return `${base}+${Number(times) + 1}`;
};

/** A process in the records of the queue: who it is, and back. */
export const executorName = (number: number): string => `halter-${number}`;
export const executorNumber = (name: string): number | undefined => {
  const [, digits] = /^halter-(\d{1,9})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** These say something to a run that goes on, so they do not wait for its end. They do nothing the second time. */
export const isToRun = ({ type }: Command): boolean =>
  type === 'cancel' || type === 'resolve_permission' || type === 'answer_server';

/** These only change how the session goes on. */
const BESIDE_RUNS: ReadonlySet<Command['type']> = new Set(['rename', 'change_model', 'change_mode']);

/** These begin something, so they wait until nothing goes on. */
export const waitsForIdle = (command: Command): boolean => !isToRun(command) && !BESIDE_RUNS.has(command.type);

/** What is in the log once the command was taken. Of the others it does not matter how often they are taken. */
const MARK: Partial<Record<Command['type'], Event['type']>> = {
  send_message: 'user_message_added',
  branch: 'branch_selected',
  regenerate: 'branch_selected',
  undo: 'change_undone',
  compact: 'context_compacted',
};

/** Whether a worker that is gone took the command: `began` is how far the log was before it could. */
export const wasTaken = ({ type }: Command, log: readonly Event[], began: number): boolean => {
  const mark = MARK[type];
  return mark !== undefined && log.some((event) => event.seq > began && event.type === mark);
};
