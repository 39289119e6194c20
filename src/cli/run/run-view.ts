/** What a person sees of `halter run --format text`: the answer on standard output, all else on standard error. */
import type { SessionUpdate } from '../../core/events.ts';
import { reasonFor } from '../../core/tool/display-status.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { Sanitizer, sanitizeLine } from '../../terminal/sanitize.ts';
import { type Io, paintTo, wantsColor } from '../io.ts';
import { progressLine } from '../progress-line.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export type RunView = {
  add(update: SessionUpdate): void;
  /** Ends what is unfinished on the screen; true when the answer was already shown while it came. */
  end(): boolean;
};

const ARGUMENT_CHARACTERS = 80;

/** The one argument that tells a call from others of its kind. */
const shortArguments = (args: object, mainArgument: string | undefined): string => {
  const value = (args as Record<string, unknown>)[mainArgument ?? ''] ?? Object.values(args)[0];
  const text = value === undefined ? '' : sanitizeLine(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > ARGUMENT_CHARACTERS ? `${text.slice(0, ARGUMENT_CHARACTERS)}…` : text;
};

export const createRunView = (
  io: Io,
  options: { logLevel: LogLevel; quiet?: boolean | undefined; mainArgument(tool: string): string | undefined },
): RunView => {
  const live = io.stdout.isTTY;
  /** A line for each tool: which one ran, and how it ended. */
  const talkative = options.quiet !== true && options.logLevel !== 'error';
  const color = wantsColor(io.stderr, io.env);
  const dim = (text: string): string => (color ? `\u001b[2m${text}\u001b[22m` : text);
  const progress = progressLine(io.stderr);
  const calls = new Map<string, string>();
  let sanitizer = new Sanitizer();
  let streamed = '';

  const say = (text: string): void => {
    progress.clear();
    endLine();
    paintTo(io.stderr, `${text}\n`);
  };
  /** What streams to the screen and what is said beside it must not share a line. */
  const endLine = (): void => {
    if (streamed !== '' && !streamed.endsWith('\n')) {
      io.stdout.write('\n');
      streamed += '\n';
    }
  };
  const stream = (delta: string): void => {
    const text = sanitizer.push(delta);
    if (text === '') return;
    progress.clear();
    paintTo(io.stdout, text);
    streamed += text;
  };
  let stoppedFor: string | undefined;
  const describe = (name: string, result: ToolResult): string => {
    const milliseconds = result.metadata.execution_time_ms;
    const duration = milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
    return result.success ? dim(`✓ ${name}  ${duration}`) : `✗ ${name}  ${why(result)}`;
  };
  /** What the run was stopped for is told once, at its end. */
  const why = (result: ToolResult): string =>
    result.error_message !== null && result.error_message === stoppedFor
      ? 'not run'
      : sanitizeLine(reasonFor(result) ?? result.error_type);

  return {
    add(update) {
      switch (update.type) {
        case 'model_started':
          streamed = '';
          sanitizer = new Sanitizer();
          progress.show('thinking …');
          break;
        case 'loading':
          progress.show(update.message, update.fraction);
          break;
        case 'prefill':
          progress.show(
            `reading the prompt${update.seconds_left === undefined ? '' : `, ${update.estimated ? 'about ' : ''}${update.seconds_left} s left`}`,
            update.processed / Math.max(1, update.total),
          );
          break;
        case 'text_delta':
          if (live) stream(update.delta);
          break;
        case 'assistant_message_added':
          for (const call of update.message.tool_calls) {
            calls.set(
              call.id,
              `${sanitizeLine(call.name)} ${shortArguments(call.arguments, options.mainArgument(call.name))}`.trimEnd(),
            );
          }
          break;
        case 'tool_started':
          progress.show(calls.get(update.tool_call_id) ?? '');
          break;
        case 'tool_finished':
        case 'arguments_rejected':
          if (talkative) say(describe(calls.get(update.tool_call_id) ?? '', update.result));
          break;
        case 'run_stopped':
          stoppedFor = update.message;
          break;
        case 'permission_requested':
          // The question is asked by others, on a line of its own.
          progress.clear();
          endLine();
          break;
        case 'warning':
          if (options.logLevel !== 'error') say(`halter: ${sanitizeLine(update.message)}`);
          break;
        default:
          break;
      }
      if (options.logLevel === 'debug') say(dim(sanitizeLine(JSON.stringify(update))));
    },
    end() {
      progress.clear();
      if (live) stream(sanitizer.end());
      const shown = live && streamed !== '';
      endLine();
      return shown;
    },
  };
};
