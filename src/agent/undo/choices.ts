/** What the person can choose where a change was not taken back. Only what can be done is offered. */
import type { RecordedChange } from '../../core/changes.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import type { UndoFiles } from '../../storage/undo-files.ts';
import { type Content, TOO_LARGE } from './record.ts';
import { isOfModeAlone } from './stand.ts';

/** Where what a change replaced was put aside. */
type OldContents = { files: UndoFiles };
/** A change, and what stands in its place. */
export type Standing = { change: RecordedChange; now: Content };
/** Beside leaving it for good. */
export type Offers = { force: boolean; beside: boolean };

/** `call`: all of one call that is left to take back. Half of it is never done. */
export const offersOf = async (ports: OldContents, call: readonly Standing[]): Promise<Offers> => {
  let [force, beside] = [true, true];
  for (const { change, now } of call) {
    const isOld = !hasOldContent(change) || (await oldContent(ports, change)).ok;
    force &&= isOld && (now.hash !== TOO_LARGE || isOfModeAlone(change));
    beside &&= isOld && hasOldContent(change);
  }
  return { force, beside };
};

export const choicesText = (change: RecordedChange, { force, beside }: Offers): string => {
  if (!force && !beside) return 'Choose keep to leave it and go on.';
  const choices = [
    'keep (leave it and count this step as done)',
    ...(force ? ['force (put the old content in its place)'] : []),
    ...(beside ? [`beside (write its old content to ${besideName(change)})`] : []),
  ];
  return `Choose: ${choices.join(', ')}.`;
};

export const besideName = (change: RecordedChange): string => `${change.path}.before-${change.seq}`;

/** For a person: "src/a.ts changed since, after write_file wrote it". */
export const changedText = ({ path, tool }: RecordedChange, { hash }: Content): string =>
  `${path} ${hash === null ? 'is not there any more' : 'changed since'}, after ${tool} wrote it`;

/** Whether something was there that is put back by its content. */
export const hasOldContent = (change: RecordedChange): boolean => change.before !== null && !isOfModeAlone(change);

export const oldContent = async ({ files }: OldContents, change: RecordedChange): Promise<Outcome<Uint8Array>> => {
  const old = change.kept ? await files.read(change.before as string) : undefined;
  if (old?.ok) return old;
  const why = (old ? old.error.message : 'it was too large, or could not be put aside').replace(/\.$/, '');
  return failure(
    'io_error',
    `What ${change.path} held before ${change.tool} wrote it cannot be put back: ${why}`,
    'not_kept',
  );
};
