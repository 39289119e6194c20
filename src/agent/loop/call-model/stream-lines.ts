/**
 * What a session does, in the words of `stream-json`: the lines of the command line and the events of the HTTP server are
 * the same. Pure: it neither reads the clock nor writes.
 */
import { type CutEnd, cutEnd } from '../../../core/answer-end.ts';
import type { EventOf, SessionUpdate } from '../../../core/events.ts';
import { gaveSomething } from '../../../core/tool-result.ts';
import {
  type ExitReason,
  type PermissionRequest,
  type RecordedCall,
  type RunProblem,
  type StreamEvent,
  type StreamEventBody,
  stampEvent,
} from './stream-event.ts';
import { progressLine } from './stream-lines/progress-line.ts';
import { RecordedCalls } from './stream-lines/recorded-calls.ts';

export type { ExitReason, PermissionRequest, RecordedCall, RunProblem, StreamLine } from './stream-event.ts';

type RunEnd = { reason: ExitReason; sources: string[]; problem?: RunProblem };

export type StreamLines = {
  /** The lines that this update is to a program that reads along; `at` is for progress, which has no time of its own. */
  add(update: SessionUpdate, at: number): StreamEvent[];
  calls(): RecordedCall[];
  call(id: string): RecordedCall | undefined;
  /** The question that is open. */
  permissionRequest(): PermissionRequest | undefined;
  /** How the last run ended; undefined while one goes on. */
  ended(): RunEnd | undefined;
  /** The text that the last run ended with. */
  answer(): string;
  /** The last line of a run. */
  turnEnd(sessionId: string): Extract<StreamEventBody, { type: 'turn_end' }>;
};

const STOP_REASONS: Readonly<Record<EventOf<'run_stopped'>['reason'], ExitReason>> = {
  limit: 'limit',
  retries_exhausted: 'error',
  loop: 'loop',
  model_unusable: 'model_unusable',
  permission_required: 'permission_required',
  error: 'error',
};

/** The tools that gave something, in the order of their calls: one whose calls all failed is no source. */
export const namesOfUsed = (calls: readonly RecordedCall[]): string[] => [
  ...new Set(calls.flatMap(({ name, result }) => (result !== null && gaveSomething(result) ? [name] : []))),
];

export const createStreamLines = (): StreamLines => new RunLines();

class RunLines implements StreamLines {
  readonly #calls = new RecordedCalls();
  /** The calls that ran since the person's last message. */
  readonly #ran = new Set<string>();
  #answer = '';
  #cut: CutEnd | undefined;
  #asked: PermissionRequest | undefined;
  #ended: RunEnd | undefined;
  #hint: string | undefined;
  /** The answer is a call that nobody can run: whoever waits for an answer has none. */
  #unread: RunProblem | undefined;

  add(update: SessionUpdate, at: number): StreamEvent[] {
    return this.#linesOf(update).map((line) => stampEvent(line, at));
  }

  calls(): RecordedCall[] {
    return this.#calls.list();
  }

  call(id: string): RecordedCall | undefined {
    return this.#calls.get(id);
  }

  permissionRequest(): PermissionRequest | undefined {
    return this.#asked;
  }

  ended(): RunEnd | undefined {
    return this.#ended;
  }

  answer(): string {
    return this.#answer;
  }

  turnEnd(session_id: string): Extract<StreamEventBody, { type: 'turn_end' }> {
    const { reason: exit_reason = 'error', sources = [], problem } = this.#ended ?? {};
    return {
      type: 'turn_end',
      exit_reason,
      session_id,
      answer: this.#answer,
      sources,
      ...(this.#cut === undefined ? {} : { finish_reason: this.#cut }),
      ...(problem ? { error: problem } : {}),
    };
  }

  /** What an update is called in `stream-json`, with its fields; nothing for what only the log needs. */
  #linesOf(update: SessionUpdate): StreamEventBody[] {
    switch (update.type) {
      case 'policy_evaluated':
        this.#calls.revise(update);
        return this.#calls.announce(update.tool_call_id);
      case 'permission_requested':
        this.#asked = this.#calls.question(update, update.seq);
        return [{ type: 'permission_request', ...this.#asked }];
      case 'tool_finished':
      case 'arguments_rejected':
        return this.#calls.finish(update);
      case 'run_stopped':
        return [this.#stop(update)];
      default: {
        this.#note(update);
        const line = progressLine(update);
        return line === undefined ? [] : [line];
      }
    }
  }

  /** Keeps what later lines and the end of the run are made of. */
  #note(update: SessionUpdate): void {
    switch (update.type) {
      case 'warning':
        if (update.code === 'unread_call') this.#unread = { code: null, name: 'UnreadCall', message: update.message };
        return;
      case 'user_message_added':
        if (!update.steers) this.#begin();
        return;
      case 'branch_selected':
        this.#ran.clear();
        return;
      case 'tool_started':
        this.#ran.add(update.tool_call_id);
        return;
      case 'assistant_message_added':
        this.#noteAnswer(update);
        return;
      case 'permission_resolved':
        this.#asked = undefined;
        return;
      case 'model_failed':
        this.#hint = update.hint;
        return;
      case 'run_completed':
        this.#end(this.#unread ? 'error' : 'answered', this.#unread);
        return;
      case 'run_cancelled':
        this.#end('interrupted');
        return;
      default:
    }
  }

  #begin(): void {
    this.#answer = '';
    this.#cut = undefined;
    this.#ended = undefined;
    this.#unread = undefined;
    this.#ran.clear();
  }

  /** Text beside calls is what the model says while it works; the answer is the text that ends the run. */
  #noteAnswer({ message }: EventOf<'assistant_message_added'>): void {
    this.#answer = message.tool_calls.length === 0 ? message.content : '';
    this.#cut = cutEnd(message);
    for (const call of message.tool_calls) this.#calls.add(call);
  }

  #stop({ code, name, message, reason: cause }: EventOf<'run_stopped'>): StreamEventBody {
    const problem = { code: code ?? null, name, message, hint: this.#hint };
    const reason = name === 'Interrupted' ? 'interrupted' : STOP_REASONS[cause];
    this.#end(reason, problem);
    return { type: reason === 'limit' || reason === 'loop' ? 'limit' : 'error', ...problem };
  }

  #end(reason: ExitReason, problem?: RunProblem): void {
    const sources = namesOfUsed(this.calls().filter(({ id }) => this.#ran.has(id)));
    this.#ended = { reason, sources, ...(problem ? { problem } : {}) };
  }
}
