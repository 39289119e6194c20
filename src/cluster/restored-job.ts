/**
 * A job that waited when a backup was made. The fleet of before went on with it, or not: nobody knows here, so it is not done
 * by itself a second time.
 */
import type { Command, EventBody } from '../core/events.ts';
import { failure, type Outcome } from '../core/outcome.ts';
import { appendToSession, type EndRunParts } from './end-run.ts';
import { isMessage, type Job, stands } from './jobs.ts';

const LOOK = 'What was done for it since cannot be known. Look before you';
const MESSAGE = `The database was restored from a backup that was made while this message waited, so it is not answered by itself. ${LOOK} send it again.`;

/** Of what is no message. */
export const cameWithBackup = ({ type }: Command): string =>
  `The database was restored from a backup that was made while this was asked for: ${type.replaceAll('_', ' ')}. It is not begun by itself. ${LOOK} ask for it again.`;

/** The message stands in the log with the reason where its answer would. Fails where a run goes on in the session. */
export const tellRestored = async (parts: EndRunParts, { session, command }: Job): Promise<Outcome<void>> => {
  if (!isMessage(command)) return failure('validation_failed', 'Only a message is answered');
  let isBusy = false;
  const { type: _type, ...content } = command;
  const told = await appendToSession(parts, session, async ({ phase }, { events }): Promise<EventBody[]> => {
    if (stands(command, events)) return [];
    isBusy = phase !== 'idle';
    if (isBusy) return [];
    return [
      { type: 'user_message_added', ...content },
      { type: 'model_failed', code: 'restored', message: MESSAGE },
      { type: 'run_stopped', reason: 'error', name: 'restored', message: MESSAGE },
    ];
  });
  return told.ok && isBusy ? failure('io_error', 'A run goes on in the session') : told;
};
