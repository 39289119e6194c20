/**
 * A session's updates as they are, for halter's own page: it folds them with the same code that the program folds its log
 * with. Facts carry their `seq` as the id of the event, so a connection that broke off goes on behind the last fact that
 * arrived; what is under way and no fact yet begins again, put together, after `progress_reset`.
 */
import type { Progress, SessionUpdate } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import type { StreamLine } from '../runtime/call-model/stream-lines.ts';
import type { LiveSession, SessionReader } from './live-session.ts';

const encoder = new TextEncoder();
const frameOf = (update: SessionUpdate): string =>
  `${update.seq === undefined ? '' : `id: ${update.seq}\n`}data: ${JSON.stringify(update)}\n\n`;
const signal = (name: 'progress_reset' | 'ready'): string => `event: ${name}\ndata: {}\n\n`;

/** Sends what came after the fact `lastId`, then everything as it comes. Returns how to stop. */
export const readUpdates = (session: LiveSession, lastId: string | undefined, reader: SessionReader): (() => void) => {
  const known = Number.parseInt(lastId ?? '', 10);
  let place = Number.isNaN(known) ? 0 : session.log().findLastIndex(({ seq }) => seq <= known) + 1;
  let caughtUp = false;
  let next: NodeJS.Immediate | undefined;

  /** A long log goes out in pieces, so that others are served in between. */
  const replay = (): void => {
    const log = session.log();
    let text = '';
    for (; place < log.length && text.length < LIMITS.serverReplayCharacters; place += 1) {
      const event = log[place];
      if (event) text += frameOf(event);
    }
    if (place < log.length) {
      reader.send(encoder.encode(text));
      next = setImmediate(replay);
      return;
    }
    caughtUp = true;
    const progress = session.inFlight().flatMap((line) => progressOf(line) ?? []);
    text += signal('progress_reset') + progress.map(frameOf).join('') + signal('ready');
    reader.send(encoder.encode(text));
  };
  // As a reader it keeps the session open; what it would be sent in that form is not needed.
  const last = session.log().at(-1)?.seq;
  const leave = session.read(last === undefined ? undefined : String(last), { send: () => {}, end: reader.end });
  const stopFollowing = session.follow((update) => {
    if (caughtUp) reader.send(encoder.encode(frameOf(update)));
  });
  replay();
  return () => {
    clearImmediate(next);
    stopFollowing();
    leave();
  };
};

/** The progress that a line stands for. */
const progressOf = ({
  type,
  at: _at,
  seq: _seq,
  ...fields
}: StreamLine): ({ seq?: undefined } & Progress) | undefined => {
  switch (type) {
    case 'model_start':
      return { type: 'model_started', ...fields } as Progress;
    case 'tool_output_delta': {
      const { id, ...rest } = fields;
      return { type, tool_call_id: String(id), ...rest } as Progress;
    }
    case 'loading':
    case 'prefill':
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
      return { type, ...fields } as Progress;
    default:
      return undefined;
  }
};
