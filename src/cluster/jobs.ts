/** What a server wants done in a conversation, as it is kept until somebody has done it. */
import type { Command, Event } from '../core/events.ts';
import { hasMessage } from '../core/message-key.ts';

/** Of jobs that do not say their folder: those of servers of before. */
export const QUEUE = 'conversations';
/** The jobs of a folder are in a queue of their own, so that no other worker takes them. */
export const queueOf = (folder: string | undefined): string => (folder === undefined ? QUEUE : `${QUEUE} ${folder}`);
export const folderOfQueue = (queue: string): string | undefined =>
  queue.startsWith(`${QUEUE} `) ? queue.slice(QUEUE.length + 1) : undefined;
export const WORKFLOW = 'command';

export type Job = {
  session: string;
  /** The folder that the session belongs to. Only a worker that serves it takes the job. */
  folder?: string | undefined;
  command: Command;
  /** Another model than the worker's own, as `provider/model`. */
  model?: string;
  /** It came with a backup: the fleet of before may have done it since. */
  restored?: true;
};

/** The jobs of a session are found by the beginning of their ids. */
export const jobPrefix = (session: string): string => `${session}/`;
/** A message is one job under its key, however often and wherever it is sent. */
export const newJobId = (session: string, key: string = crypto.randomUUID()): string => `${jobPrefix(session)}${key}`;

const LATER = /^(.*)\+(\d{1,9})$/;
/** The same job for the next time; the same id however often it is asked for. */
export const laterJobId = (id: string): string => {
  const [, base = id, times = '0'] = LATER.exec(id) ?? [];
  return `${base}+${Number(times) + 1}`;
};
/** The id under which the job was added, however often it was put off. */
export const firstJobId = (id: string): string => LATER.exec(id)?.[1] ?? id;

/** The same job where it came with a backup. */
export const restoredJobId = (id: string): string => `${id}~restored`;

/** A process in the records of the queue: who it is, and back. */
export const executorName = (number: number): string => `halter-${number}`;
export const executorNumber = (name: string): number | undefined => {
  const [, digits] = /^halter-(\d{1,9})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** These say something to a run that goes on, so they do not wait for its end. They do nothing the second time. */
export const isToRun = ({ type }: Command): boolean =>
  type === 'cancel' || type === 'resolve_permission' || type === 'leave_unanswered' || type === 'answer_server';

/** These only change how the session goes on. */
const BESIDE_RUNS: ReadonlySet<Command['type']> = new Set(['rename', 'change_model', 'change_mode', 'change_settings']);

/** Doing it a second time, after others did it, changes nothing more. */
export const mayBeDoneTwice = ({ type }: Command): boolean => type === 'cancel' || BESIDE_RUNS.has(type);

/** These begin something, so they wait until nothing goes on. */
export const waitsForIdle = (command: Command): boolean => !isToRun(command) && !BESIDE_RUNS.has(command.type);

type MessageCommand = Extract<Command, { type: 'send_message' | 'steer' }>;
export const isMessage = (command: Command | undefined): command is MessageCommand =>
  command?.type === 'send_message' || command?.type === 'steer';
export const keyOf = (command: Command): string | undefined =>
  isMessage(command) ? command.idempotency_key : undefined;

/** What is in the log once the command was taken. Of the others it does not matter how often they are taken. */
const MARK: Partial<Record<Command['type'], Event['type']>> = {
  send_message: 'user_message_added',
  steer: 'user_message_added',
  branch: 'branch_selected',
  regenerate: 'branch_selected',
  edit_answer: 'branch_selected',
  undo: 'change_undone',
  resolve_changes: 'change_undone',
  compact: 'context_compacted',
};

/** Whether a worker that is gone took the command: `began` is how far the log was before it could. */
export const wasTaken = (command: Command, log: readonly Event[], began: number): boolean => {
  const key = keyOf(command);
  if (key !== undefined) return hasMessage(log, key);
  const mark = MARK[command.type];
  return mark !== undefined && log.some((event) => event.seq > began && event.type === mark);
};

/** A message without a key is of a server of before. */
export const stands = (command: Command, events: readonly Event[]): boolean => {
  if (!isMessage(command)) return false;
  const { content, idempotency_key: key } = command;
  if (key !== undefined) return hasMessage(events, key);
  const words = JSON.stringify(content);
  return events.some((event) => event.type === 'user_message_added' && JSON.stringify(event.content) === words);
};
