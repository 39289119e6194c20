/** What a person sees of `halter run --format text`: the answer on standard output, all else on standard error. */
import type { ProgressOf, SessionUpdate } from '../../core/events.ts';
import type { ToolCall } from '../../core/message.ts';
import { reasonFor } from '../../core/tool/display-status.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { Sanitizer, sanitizeLine } from '../../terminal/sanitize.ts';
import { type Io, paintTo, wantsColor } from '../io.ts';
import { progressLine } from '../progress-line.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export type RunView = {
  add(update: SessionUpdate): void;
  /** Whether it was said as a warning. */
  told(message: string): boolean;
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

export type RunViewOptions = {
  logLevel: LogLevel;
  quiet?: boolean | undefined;
  mainArgument(tool: string): string | undefined;
};

export const createRunView = (io: Io, options: RunViewOptions): RunView => {
  const screen = new RunScreen(io);
  const calls = new Map<string, string>();
  /** A line for each tool: which one ran, and how it ended. */
  const talkative = options.quiet !== true && options.logLevel !== 'error';
  const told = new Set<string>();
  let stoppedFor: string | undefined;

  const show = (update: SessionUpdate): void => {
    switch (update.type) {
      case 'model_started':
        screen.beginAnswer();
        break;
      case 'loading':
        screen.progress(update.message, update.fraction);
        break;
      case 'prefill':
        screen.progress(prefillText(update), update.processed / Math.max(1, update.total));
        break;
      case 'text_delta':
        screen.stream(update.delta);
        break;
      case 'assistant_message_added':
        for (const call of update.message.tool_calls) calls.set(call.id, callText(call, options));
        break;
      case 'tool_started':
        screen.progress(calls.get(update.tool_call_id) ?? '');
        break;
      case 'tool_finished':
      case 'arguments_rejected':
        if (talkative) screen.say(resultText(screen, calls.get(update.tool_call_id) ?? '', update.result, stoppedFor));
        break;
      case 'run_stopped':
        stoppedFor = update.message;
        break;
      case 'permission_requested':
        // The question is asked by others, on a line of its own.
        screen.endLine();
        break;
      case 'warning':
        if (options.logLevel === 'error') break;
        screen.say(`halter: ${sanitizeLine(update.message)}`);
        told.add(update.message);
        break;
      default:
        break;
    }
  };
  return {
    add(update) {
      show(update);
      if (options.logLevel === 'debug') screen.say(screen.dim(sanitizeLine(JSON.stringify(update))));
    },
    told: (message) => told.has(message),
    end: () => screen.end(),
  };
};

/** What streams to the screen and what is said beside it must not share a line. */
class RunScreen {
  readonly #io: Io;
  readonly #isLive: boolean;
  readonly #hasColor: boolean;
  readonly #progress: ReturnType<typeof progressLine>;
  #sanitizer = new Sanitizer();
  #streamed = '';

  constructor(io: Io) {
    this.#io = io;
    this.#isLive = io.stdout.isTTY;
    this.#hasColor = wantsColor(io.stderr, io.env);
    this.#progress = progressLine(io.stderr);
  }

  dim(text: string): string {
    return this.#hasColor ? `\u001b[2m${text}\u001b[22m` : text;
  }

  progress(text: string, fraction?: number): void {
    this.#progress.show(text, fraction);
  }

  say(text: string): void {
    this.endLine();
    paintTo(this.#io.stderr, `${text}\n`);
  }

  beginAnswer(): void {
    this.#streamed = '';
    this.#sanitizer = new Sanitizer();
    this.#progress.show('thinking …');
  }

  /** Only where somebody watches. */
  stream(delta: string): void {
    if (this.#isLive) this.#write(this.#sanitizer.push(delta));
  }

  endLine(): void {
    this.#progress.clear();
    if (this.#streamed === '' || this.#streamed.endsWith('\n')) return;
    this.#io.stdout.write('\n');
    this.#streamed += '\n';
  }

  /** True when the answer was already shown while it came. */
  end(): boolean {
    this.#progress.clear();
    if (this.#isLive) this.#write(this.#sanitizer.end());
    const isShown = this.#isLive && this.#streamed !== '';
    this.endLine();
    return isShown;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#progress.clear();
    paintTo(this.#io.stdout, text);
    this.#streamed += text;
  }
}

const prefillText = ({ seconds_left, estimated }: ProgressOf<'prefill'>): string =>
  `reading the prompt${seconds_left === undefined ? '' : `, ${estimated ? 'about ' : ''}${seconds_left} s left`}`;

const callText = ({ name, arguments: args }: ToolCall, { mainArgument }: RunViewOptions): string =>
  `${sanitizeLine(name)} ${shortArguments(args, mainArgument(name))}`.trimEnd();

const resultText = (screen: RunScreen, name: string, result: ToolResult, stoppedFor: string | undefined): string => {
  const milliseconds = result.metadata.execution_time_ms;
  const duration = milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  return result.success ? screen.dim(`✓ ${name}  ${duration}`) : `✗ ${name}  ${why(result, stoppedFor)}`;
};

/** What the run was stopped for is told once, at its end. */
const why = (result: ToolResult, stoppedFor: string | undefined): string =>
  result.error_message !== null && result.error_message === stoppedFor
    ? 'not run'
    : sanitizeLine(reasonFor(result) ?? result.error_type);
