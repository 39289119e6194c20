/** Where a run is written: standard output in one of three forms, standard error, and the file of `-o`. */
import { visibleControls } from '../../core/invisible.ts';
import type { Preset } from '../../core/presets.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { shownSources, sourcesLine } from '../../core/summarize.ts';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import type { FlagValues } from '../flags.ts';
import type { Io } from '../io.ts';
import { CLI_LIMITS } from '../limits.ts';
import { isKeptFile, writeOutputFile } from '../text-file.ts';
import type { RunProblem, RunRecorder } from './run-recorder.ts';
import { createSilence } from './silence.ts';

/** `shown`: the answer is on the screen already. `told`: whether a message stands there too, as a warning. */
export type RunEnd = {
  shown: boolean;
  preset?: Pick<Preset, 'citesInAnswer'> | undefined;
  told?: ((message: string) => boolean) | undefined;
};

export type Reporter = {
  /** One line of `stream-json`; nothing in the other forms. */
  line(value: object): void;
  /** While the work lasts and nothing else is reported, reports every few seconds that it goes on. */
  aliveUntil<T>(work: Promise<T>): Promise<T>;
  /** Everything that stands at the end. */
  finish(recorder: RunRecorder, end: RunEnd): Promise<ExitCode>;
};

/** `isInterrupted`: a signal has come, also one behind the answer. */
export const createReporter = (flags: FlagValues, io: Io, isInterrupted = (): boolean => false): Reporter => {
  const format = flags.format ?? 'text';
  const silence = createSilence(Date.now());
  const write = (value: object): void => {
    if (format === 'stream-json') io.stdout.write(`${JSON.stringify(value)}\n`);
  };
  const line = (value: object): void => {
    silence.heard(value, Date.now());
    write(value);
  };
  const problem = ({ message, hint }: RunProblem): void => {
    io.stderr.write(`halter: ${message}\n${hint ? `halter: ${hint}\n` : ''}`);
  };

  return {
    line,
    aliveUntil(work) {
      const timer = setInterval(() => {
        const at = Date.now();
        const waiting = silence.waiting(at);
        if (waiting) write({ type: 'waiting', at, ...waiting });
      }, CLI_LIMITS.signOfLifeMs / 10);
      return work.finally(() => clearInterval(timer));
    },
    async finish(recorder, { shown, preset, told }) {
      const report = recorder.report();
      line(recorder.lastLine(Date.now()));
      const cites = preset?.citesInAnswer === true;
      const named = cites ? report.sources : shownSources(report.sources);
      const sources =
        flags['json-schema'] || report.answer === '' || named.length === 0 ? '' : sourcesLine(named, report.answer);
      const note = sources === '' ? '' : `\n\n${sources}`;
      // What does not keep to the schema is no answer: a program that reads it would take it for one.
      const isLast = report.exit_reason === 'limit' || report.exit_reason === 'loop';
      const isRefused = flags['json-schema'] !== undefined && report.error !== undefined && !isLast;
      const text = report.answer === '' || isRefused ? '' : `${visibleControls(report.answer.trimEnd())}${note}\n`;
      if (format === 'json') io.stdout.write(`${JSON.stringify(report)}\n`);
      if (format === 'text') io.stdout.write(shown ? note.replace(/^\n+/, '\n').concat(note ? '\n' : '') : text);
      if (report.error && !told?.(report.error.message)) problem(report.error);
      else if (report.exit_reason === 'interrupted' && io.stdout.gone?.aborted !== true)
        io.stderr.write('halter: interrupted\n');
      if (flags.output !== undefined && format === 'text' && text === '' && (await isKeptFile(flags.output, io))) {
        io.stderr.write(`halter: ${quotedName(flags.output)} was left as it was: there is no answer\n`);
      } else if (flags.output !== undefined) {
        const content = format === 'text' ? text : `${JSON.stringify(report)}\n`;
        const failed = await writeOutputFile(flags.output, content, io, isInterrupted);
        if (failed !== undefined) {
          io.stderr.write(`halter: ${failed}\n`);
          return isInterrupted() ? EXIT.interrupted : EXIT.error;
        }
      }
      return exitCodeOf(report.exit_reason);
    },
  };
};
