/** `--compact`: makes room in the window of a session, alone or before a message. */
import type { SessionFace } from '../../core/events.ts';
import { compactionSentence } from '../../core/window/compaction-text.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import type { FlagValues } from '../flags.ts';
import type { Io } from '../io.ts';
import type { Ending } from './ending.ts';
import type { Reporter } from './reporter.ts';
import type { RunProblem, RunRecorder } from './run-recorder.ts';

type MakeRoom = {
  session: SessionFace;
  flags: FlagValues;
  io: Io;
  reporter: Reporter;
  recorder: RunRecorder;
  ending: Ending;
  /** What is said where the time of `--max-time` is over. */
  timeIsUp(): RunProblem;
};
export type MadeRoom = { compacted: boolean; message: string; isStopped: boolean };

/** That there is too little to drop is told, and is no failure. What ends the run ends this as well. */
export const makeRoom = async (run: MakeRoom): Promise<MadeRoom> => {
  const { session, flags, io, reporter, recorder, ending, timeIsUp } = run;
  const unsubscribe = session.subscribe((update) => {
    for (const line of recorder.add(update, update.seq === undefined ? Date.now() : update.at)) reporter.line(line);
  });
  const end = (): void => {
    if (ending.reason() === 'limit' || ending.isByPerson()) void session.send({ type: 'cancel' });
    else void session.close();
  };
  ending.signal.addEventListener('abort', end, { once: true });
  const done = await compacted(session, flags, ending);
  ending.signal.removeEventListener('abort', end);
  unsubscribe();
  const last = session.log().findLast(({ type }) => type === 'context_compacted');
  const message =
    done.ok && last?.type === 'context_compacted' ? compactionSentence(last) : done.ok ? '' : done.message;
  const isStopped = ending.signal.aborted;
  if (flags['log-level'] !== 'error') io.stderr.write(`halter: ${message}\n`);
  if (!done.ok) reporter.line({ type: 'warning', at: Date.now(), code: 'not_compacted', message });
  if (isStopped) {
    const reason = ending.reason() ?? 'interrupted';
    recorder.endAs(reason, reason === 'limit' ? timeIsUp() : undefined);
  }
  return { compacted: done.ok, message, isStopped };
};

const compacted = async (
  session: SessionFace,
  { compact }: FlagValues,
  ending: Ending,
): Promise<{ ok: true } | { ok: false; message: string }> => {
  if (ending.signal.aborted) return STOPPED;
  const focus = typeof compact === 'string' ? { focus: compact } : {};
  return Promise.race([session.send({ type: 'compact', ...focus }), ending.graceOver().then(() => STOPPED)]);
};
const STOPPED = { ok: false, message: 'Stopped: no room was made, and nothing was left out.' } as const;

/** The end of a run that was to make room and nothing else. */
export const endOfMakingRoom = async (run: MakeRoom, made: MadeRoom): Promise<ExitCode> => {
  const { session, flags, io, reporter, recorder, ending } = run;
  await Promise.race([session.close(), ending.graceOver()]);
  recorder.endAs('answered');
  if (flags.format !== 'json') {
    const code = await reporter.finish(recorder, { shown: true });
    return made.isStopped ? code : EXIT.answered;
  }
  const { compacted: isCompacted, message } = made;
  const { exit_reason, session_id } = recorder.report();
  io.stdout.write(`${JSON.stringify({ session_id, compacted: isCompacted, message, exit_reason })}\n`);
  return exitCodeOf(exit_reason);
};
