/** Takes back everything that was changed after a message, as far as it goes back: what does not stays, and is named. */
import { askedBefore, openChanges, type RecordedChange } from '../../core/changes.ts';
import type { Event } from '../../core/events.ts';
import { counted } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { NOTHING_TO_UNDO, offersNext, standsNow, takeBack, type Undone, type UndoPorts } from '../undo.ts';
import { changedText, type Offers } from './choices.ts';
import { isAsLeft } from './stand.ts';

/** `path`: the events of the branch that the person is on; what other branches changed stays. */
export const undoSince = async (
  ports: UndoPorts,
  seq: number,
  path: readonly Event[],
): Promise<Outcome<readonly Undone[]>> => {
  const here = new Set(path.map((event) => event.seq));
  const done: Undone[] = [];
  const left = new Map<string, string>();
  for (const change of openChanges(ports.log())) {
    // What lies under a change that stays, stays as well.
    if (change.seq <= seq || !here.has(change.seq) || left.has(change.path)) continue;
    const step = await stepBack(ports, change);
    if (!step.ok) left.set(change.path, step.error.message);
    else if (step.value) done.push(step.value);
  }
  if (left.size === 0) return succeed(done);
  return failure('validation_failed', leftText(done, [...left.values()], await offersNext(ports)), 'left');
};

/** The same for all that the answer to one message changed: the newest message of which something is left to take back. */
export const undoMessage = async (ports: UndoPorts): Promise<Outcome<readonly Undone[]>> => {
  const log = ports.log();
  let end = Number.POSITIVE_INFINITY;
  for (;;) {
    const newest = openChanges(log).find(({ seq }) => seq < end);
    if (newest === undefined) return NOTHING_TO_UNDO;
    const asked = askedBefore(log, newest.seq);
    const back = await undoSince(
      ports,
      asked,
      log.filter(({ seq }) => seq < end),
    );
    if (!back.ok || back.value.length > 0) return back;
    end = asked;
  }
};

const stepBack = async (ports: UndoPorts, change: RecordedChange): Promise<Outcome<Undone | undefined>> => {
  const stands = await standsNow(ports, change);
  if (!stands.ok || stands.value === undefined) return stands as Outcome<undefined>;
  const isOther = !isAsLeft(stands.value, change);
  if (isOther) return failure('validation_failed', changedText(change, stands.value), 'changed_since');
  return takeBack(ports, change, stands.value, 'refuse');
};

const leftText = (done: readonly Undone[], left: readonly string[], { force }: Offers): string => {
  const back = new Set(done.map(({ change }) => change.path)).size;
  const went = back === 0 ? 'No file went back' : `${counted(back, 'file')} went back`;
  const choices = [
    ...(force ? ['/undo force puts the old content in the place of the last one'] : []),
    `/undo keep counts ${force ? 'it' : 'the last one'} as done`,
  ];
  return `${went}. Left as it is: ${left.join('; ')}. ${choices.join(', ')}.`;
};
