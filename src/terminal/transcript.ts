/** The log of a session, folded into what a person reads. Order on the screen is order in the log. */

import { asWritten } from '../core/call-arguments.ts';
import { undoneSentence } from '../core/changes.ts';
import { stoppedText } from '../core/command-layer.ts';
import type { Event, Progress, SessionUpdate } from '../core/events.ts';
import { BY_HALTER, shownText } from '../core/message.ts';
import { MODEL_NOT_HERE } from '../core/model-roles.ts';
import type { Task } from '../core/ports.ts';
import { endsBeforeLastWords } from '../core/streamed-answer.ts';
import type { Tool } from '../core/tool.ts';
import { TERMINAL_LIMITS } from './limits.ts';
import { sanitizeText } from './sanitize.ts';
import { wrapText } from './text.ts';
import type { Theme } from './theme.ts';
import { CallView } from './transcript/call-view.ts';
import { ItemList } from './transcript/item-list.ts';
import {
  CallItem,
  type Item,
  noticeItem,
  RetryItem,
  TextItem,
  ThoughtItem,
  userItem,
  type View,
} from './transcript/items.ts';
import { noticeOf } from './transcript/notices.ts';

/** What the model says nothing after. */
const ENDS: ReadonlySet<Event['type']> = new Set(['model_failed', 'run_stopped', 'run_cancelled', 'run_completed']);

export type Detail = { title: string; lines(width: number): string[] };

/**
 * Warnings that are not shown: an event, or what was said when the session was opened, tells the same; and that a server has
 * to read again is nothing that a person could act on, it stands in the trace.
 */
const UNSAID: ReadonlySet<string> = new Set(['context_compacted', MODEL_NOT_HERE, 'prefix_broken']);

export class Transcript {
  readonly #theme: Theme;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #items = new ItemList();
  readonly #calls = new Map<string, CallView>();
  readonly #details: Detail[] = [];
  readonly tasks = new Map<string, Task>();
  #text: TextItem | undefined;
  #thought: ThoughtItem | undefined;
  #retry: RetryItem | undefined;
  #lastFailure = '';
  /** What was said of the change that was taken back last: of several changes of a file it is said once. */
  #undone: string | undefined;
  /** What is read of an earlier session comes first. */
  #isPast = true;
  #heldStop: Item | undefined;
  /** The model has been asked and has not answered yet: in the log its last words come after a stop. */
  #isAsked = false;
  #stoppedText: TextItem | undefined;
  /** Which server asked what is open. */
  readonly #asking = new Map<string, string>();

  constructor(theme: Theme, tools: readonly Tool[]) {
    this.#theme = theme;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  get details(): readonly Detail[] {
    return this.#details;
  }

  call(id: string): CallView | undefined {
    return this.#calls.get(id);
  }

  tool(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Calls that have begun and not ended. */
  running(): CallView[] {
    return [...this.#calls.values()].filter((call) => call.state === 'running');
  }

  apply(update: SessionUpdate, now: number): void {
    const isRetry = update.type === 'warning' && update.code === 'retrying';
    if (!isRetry) this.#endRetry();
    if (update.seq === undefined) this.#progress(update, now);
    else {
      // A cancelled answer comes after the cancel in the log; it is read before it.
      const isAnswer = update.type === 'assistant_message_added';
      if (!isAnswer) this.#releaseStop();
      this.#event(update, now);
      if (isAnswer) this.#releaseStop();
    }
  }

  /** The end of what is past: nothing more comes that a stop would wait for. */
  endPast(): void {
    this.#releaseStop();
    this.#isPast = false;
  }

  #releaseStop(): void {
    const item = this.#heldStop;
    this.#heldStop = undefined;
    if (item !== undefined) this.add(item);
  }

  add(item: Item): void {
    this.#items.add(item);
  }

  /** Lines for the scrollback, each once, in order; it stops at the first thing that may still change. */
  take(view: View): string[] {
    return this.#items.take(view);
  }

  /** What is below, at most `rows` lines; what cannot be kept on the screen goes to `out` for good. */
  live(view: View, rows: number, out: string[]): string[] {
    return this.#items.live(view, rows, out);
  }

  /** A resize has put the first so many lines of what `live` gave last into the scrollback: how many do not come again. */
  settle(count: number): { count: number; after: string[] } {
    return this.#items.settle(count);
  }

  #progress(update: Progress, now: number): void {
    switch (update.type) {
      case 'text_delta':
        this.#endThought(now);
        // Blank lines before the first word are no reason to begin.
        if (!this.#text && update.delta.trim() === '') return;
        if (!this.#text) {
          this.#text = new TextItem(this.#theme);
          this.add(this.#text);
        }
        this.#text.push(update.delta);
        return;
      case 'reasoning_delta':
        (this.#thought ?? this.#beginThought(now)).push(update.delta);
        return;
      case 'tool_call_delta':
        this.#endThought(now);
        return;
      case 'tool_output_delta':
        this.#calls.get(update.tool_call_id)?.addOutput(update.delta);
        return;
      case 'warning':
        if (update.code === 'retrying') this.#tellRetry(update.message);
        else if (update.code === 'model_there') this.add(noticeItem('quiet', update.message));
        else if (!UNSAID.has(update.code)) this.add(noticeItem('warning', update.message));
        return;
      case 'model_started':
        this.#isAsked = true;
        return;
      default:
        return;
    }
  }

  #tellRetry(message: string): void {
    if (this.#retry === undefined) {
      this.#retry = new RetryItem();
      this.add(this.#retry);
    }
    this.#retry.say(message);
  }

  #endRetry(): void {
    this.#retry?.end();
    this.#retry = undefined;
  }

  #beginThought(now: number): ThoughtItem {
    const thought = new ThoughtItem(now);
    this.#thought = thought;
    this.add(thought);
    this.addDetail({ title: thought.title, lines: (width) => thought.details(width) });
    return thought;
  }

  /** What can be opened in full. */
  addDetail(detail: Detail): void {
    this.#details.push(detail);
    if (this.#details.length > TERMINAL_LIMITS.detailEntries) this.#details.shift();
  }

  #endThought(now: number): void {
    this.#thought?.end(now);
    this.#thought = undefined;
  }

  #endText(content?: string): void {
    this.#text?.end(content);
    this.#text = undefined;
  }

  #event(event: Event, now: number): void {
    const isAsked = this.#isAsked;
    if (event.type === 'assistant_message_added' || ENDS.has(event.type)) this.#isAsked = false;
    switch (event.type) {
      case 'user_message_added':
        this.#stoppedText?.end();
        this.#stoppedText = undefined;
        this.#settle(now);
        this.#abandonCalls();
        this.#addUser(shownText(event.content));
        return;
      case 'assistant_message_added':
        this.#message(event.message, now);
        return;
      case 'arguments_rejected':
      case 'tool_finished':
        this.#calls.get(event.tool_call_id)?.finish(event.result);
        return;
      case 'policy_evaluated': {
        const call = this.#calls.get(event.tool_call_id);
        if (call) call.arguments = asWritten(call, event.arguments);
        return;
      }
      case 'permission_requested': {
        const call = this.#calls.get(event.tool_call_id);
        if (call) call.preview = event.preview;
        this.#setState(event.tool_call_id, 'asks');
        return;
      }
      case 'permission_resolved': {
        const call = this.#calls.get(event.tool_call_id);
        if (call && event.decision === 'deny') call.reason = event.reason;
        this.#setState(event.tool_call_id, event.decision === 'deny' ? 'denied' : 'waiting');
        return;
      }
      case 'tool_started': {
        const call = this.#calls.get(event.tool_call_id);
        if (call) {
          call.startedAt = event.at;
          call.preview ??= event.preview;
        }
        this.#setState(event.tool_call_id, 'running');
        return;
      }
      case 'layer_changed': {
        const call = this.#calls.get(event.tool_call_id);
        const text = call?.isFinished ? stoppedText(event, call.name) : undefined;
        if (text !== undefined) this.add(noticeItem('quiet', text));
        return;
      }
      case 'task_changed':
        this.tasks.set(event.task.id, event.task);
        return;
      default:
        this.#tell(event, now, isAsked);
    }
  }

  #addUser(text: string): void {
    this.add(userItem(text));
    if (text.split('\n').length <= TERMINAL_LIMITS.messageLines) return;
    const clean = sanitizeText(text).trimEnd();
    this.addDetail({ title: 'Your message', lines: (width) => wrapText(clean, width) });
  }

  #setState(id: string, state: CallView['state']): void {
    const call = this.#calls.get(id);
    if (call && !call.isFinished) call.state = state;
  }

  #message(message: Extract<Event, { type: 'assistant_message_added' }>['message'], now: number): void {
    if (message.reasoning && !this.#thought && !this.#text && message.reasoning.trim() !== '' && !this.#hasThought()) {
      this.#beginThought(now).push(message.reasoning);
    }
    this.#endThought(now);
    const stopped = this.#stoppedText;
    this.#stoppedText = undefined;
    if (stopped) stopped.end(message.content);
    else if (!this.#text && message.content.trim() !== '') {
      this.#text = new TextItem(this.#theme);
      this.add(this.#text);
    }
    if (!stopped) this.#endText(message.content);
    if (message.by_halter) this.add(noticeItem('quiet', BY_HALTER));
    for (const each of message.tool_calls) {
      const call = new CallView(each, this.#tools.get(each.name));
      this.#calls.set(each.id, call);
      this.add(new CallItem(call));
      this.addDetail({
        title: `${call.name} ${call.subject}`.trim(),
        lines: (width) => call.details(width, this.#theme),
      });
    }
  }

  /** The thought of this message was shown while it streamed. */
  #hasThought(): boolean {
    return this.#items.lastKind === 'thought';
  }

  /** What is told in a line of its own; the end of a run also ends what was being written. */
  #tell(event: Event, now: number, isAsked: boolean): void {
    if (event.type === 'server_asked') this.#asking.set(event.question.question_id, event.question.server);
    if (event.type === 'run_cancelled') this.#keepForStop(now);
    if (ENDS.has(event.type)) this.#settle(now);
    // The reason that a run stopped for was told already where the model failed.
    const isTold = event.type === 'run_stopped' && event.message === this.#lastFailure;
    if (event.type === 'model_failed') this.#lastFailure = event.message;
    if (event.type === 'run_stopped') this.#lastFailure = '';
    const item = isTold ? undefined : noticeOf(event, (id) => this.#asking.get(id) ?? '');
    const isSaid = event.type === 'change_undone' && this.#undone === undoneSentence(event);
    this.#undone = event.type === 'change_undone' ? undoneSentence(event) : undefined;
    if (item === undefined || isSaid) return;
    const isAwaited = this.#isPast || (event.type === 'run_cancelled' && isAsked && this.#stoppedText === undefined);
    if (endsBeforeLastWords(event) && isAwaited) this.#heldStop = item;
    else this.add(item);
  }

  /** What was being written when the person stopped it gets its last words with the message that follows. */
  #keepForStop(now: number): void {
    this.#endThought(now);
    this.#stoppedText?.end();
    this.#stoppedText = this.#text;
    this.#text = undefined;
  }

  /** The model says nothing more in this run. Calls may still be told their end. */
  #settle(now: number): void {
    this.#endThought(now);
    this.#endText();
  }

  /** A new message begins: what has no end by now gets none. */
  #abandonCalls(): void {
    for (const call of this.#calls.values()) if (!call.isFinished) call.state = 'failed';
    this.#calls.clear();
  }
}
