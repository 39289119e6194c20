/** One answer while it comes: its text read for calls, its thoughts, and what of both the person has seen already. */
import type { Progress } from '../../../../core/events.ts';
import {
  createFormatParser,
  createParser,
  createTextParser,
  createThoughtsFirstParser,
  type Dialect,
  type HeldCalls,
  type Parser,
  type ParserEvent,
  readBehindThoughts,
  type ThoughtsFirstParser,
} from '../../../../dialects/index.ts';
import { opensThoughts } from '../../../models/opens-thoughts.ts';
import type { SessionHandle } from '../../../session/session-handle.ts';
import type { ToolRegistry } from '../../run-tool/tool-registry.ts';
import type { CallModelOptions } from '../call-model-options.ts';
import { readableTools } from '../readable-tools.ts';
import { unanswerable } from '../repair-calls.ts';
import { readsExactly, withoutTypes } from '../strict-call.ts';

type Result = ReturnType<Parser['end']>['result'];

/** An answer that is over. */
export type WholeAnswer = {
  text: string;
  /** The text as it came, calls in it included. */
  whole: string;
  reasoning: string;
  /** From the first thought until the first word that is none, or the end; absent where none was heard as such. */
  thoughtSeconds?: number;
  /** All that the parser understood. */
  events: readonly ParserEvent[];
  /** Absent where no text came. */
  result?: Result;
};

export class HeardAnswer {
  readonly #session: SessionHandle;
  readonly #signal: AbortSignal;
  readonly #options: CallModelOptions;
  readonly #model: string;
  readonly #hasTools: boolean;
  /** Opened at the first text: an answer of native calls alone needs none. */
  #parser: Parser | undefined;
  #first: ThoughtsFirstParser | undefined;
  #hasPlain = false;
  readonly #events: ParserEvent[] = [];
  readonly #text: string[] = [];
  readonly #whole: string[] = [];
  readonly #reasoning: string[] = [];
  /** By the steady clock. */
  #thoughtFrom: number | undefined;
  #thoughtUntil: number | undefined;
  #shown = '';
  /** No call was begun yet. From then on it is known at the end what stands in the text. */
  #isOpen = true;

  constructor(session: SessionHandle, options: CallModelOptions, model: string) {
    this.#session = session;
    this.#signal = session.signal();
    this.#options = options;
    this.#model = model;
    this.#hasTools = options.registry.schemas.length > 0;
  }

  /** `isPlain`: the server says that it holds no calls. */
  addText(delta: string, isPlain: boolean): void {
    this.#whole.push(delta);
    this.#hasPlain ||= isPlain;
    if (isPlain) {
      this.#take([{ type: 'text', text: delta }]);
      return;
    }
    this.#parser ??= this.#open();
    const read = this.#parser.push(delta);
    this.#events.push(...read);
    this.#take(read);
  }

  addThought(delta: string): void {
    this.#take([{ type: 'reasoning', text: delta }]);
  }

  /** The model goes on with a call that its server tells apart from text. */
  endThoughts(): void {
    if (this.#thoughtFrom !== undefined) this.#thoughtUntil ??= this.#options.clock.monotonic();
  }

  /** `isFinished`: the model came to its own end. */
  end({ isCut, isFinished }: { isCut: boolean; isFinished: boolean }): WholeAnswer {
    const { speeds } = this.#options;
    const first = this.#first;
    const end = this.#endParser(isCut);
    const whole = this.#whole.join('');
    const behind =
      end && !this.#hasPlain ? readBehindThoughts(whole, end.result, () => this.#newParser(), { isCut }) : undefined;
    const isOpened = behind !== undefined || first?.isClosed === true;
    if (isOpened || (first && isFinished)) speeds?.learnThoughts(this.#model, isOpened);
    if (behind) this.#putBehindThoughts(behind.result);
    const result = behind?.result ?? end?.result;
    return {
      text: this.#text.join(''),
      whole: behind?.text ?? first?.rest ?? whole,
      reasoning: this.#reasoning.join(''),
      ...this.#thought(),
      events: behind?.events ?? [...this.#events, ...(end?.events ?? [])],
      ...(result === undefined ? {} : { result }),
    };
  }

  #thought(): { thoughtSeconds?: number } {
    this.endThoughts();
    const [from, until] = [this.#thoughtFrom, this.#thoughtUntil];
    return from === undefined || until === undefined ? {} : { thoughtSeconds: (until - from) / 1_000 };
  }

  /** Shows what of its text is not shown yet, or keeps it for later where it is not known what becomes of a call. */
  shownTurn<T extends { text: string; held?: HeldCalls; unshown?: string }>(turn: T): T {
    const rest = this.#unshownOf(turn.text);
    if (turn.held !== undefined) return rest === '' ? turn : { ...turn, unshown: rest };
    this.#showText(rest);
    return turn;
  }

  /**
   * What the parser held back comes out at its end, and by then the person may have stopped the run: it is over on their
   * screen.
   */
  show(update: Progress): void {
    if (!this.#signal.aborted) this.#session.progress(update);
  }

  #endParser(isCut: boolean): ReturnType<Parser['end']> | undefined {
    const end = this.#parser?.end({ isCut });
    if (end === undefined) return undefined;
    this.#take(end.events);
    // What was taken for thoughts while it came, and is the answer.
    if (this.#first) this.#reasoning.splice(0, this.#reasoning.length, end.result.reasoning);
    // What looked like the beginning of a call and is none that could be answered is text, cut as it is.
    for (const { text } of unanswerable(this.#options.registry, end.result)) this.#take([{ type: 'text', text }]);
    return end;
  }

  /** They were shown as text while nobody could know; what is kept has them where they belong. */
  #putBehindThoughts(result: Result): void {
    this.#reasoning.push(result.reasoning);
    const cut = unanswerable(this.#options.registry, result).map((broken) => broken.text);
    this.#text.splice(0, this.#text.length, result.content, ...cut);
  }

  #open(): Parser {
    const mayThink = this.#reasoning.length === 0 && opensThoughts(this.#options, this.#model);
    this.#first = mayThink ? createThoughtsFirstParser(() => this.#newParser()) : undefined;
    return this.#first ?? this.#newParser();
  }

  #newParser(): Parser {
    const { registry, dialect, reads = dialect } = this.#options;
    return this.#hasTools ? openParser(reads, registry) : createTextParser();
  }

  #take(events: readonly ParserEvent[]): void {
    for (const event of events) {
      if (event.type !== 'reasoning') this.endThoughts();
      else this.#thoughtFrom ??= this.#options.clock.monotonic();
      if (event.type === 'text') {
        this.#text.push(event.text);
        if (this.#isOpen) this.#showText(event.text);
      } else if (event.type === 'reasoning') {
        this.#reasoning.push(event.text);
        this.show({ type: 'reasoning_delta', delta: event.text });
      } else if (event.type === 'call_start') {
        this.#isOpen = false;
        this.show({ type: 'tool_call_delta', index: event.index, name: event.name, arguments_delta: '' });
      } else if (event.type === 'call_arguments') {
        this.show({ type: 'tool_call_delta', index: event.index, arguments_delta: event.delta });
      }
    }
  }

  #showText(delta: string): void {
    if (delta === '') return;
    this.#shown += delta;
    this.show({ type: 'text_delta', delta });
  }

  /** What of a text was not shown; nothing where it begins otherwise than what was. */
  #unshownOf(whole: string): string {
    const from = [this.#shown, this.#shown.trimEnd()].find((part) => whole.startsWith(part));
    return this.#isOpen || from === undefined ? '' : whole.slice(from.length);
  }
}

const openParser = (dialect: Dialect, registry: ToolRegistry): Parser => {
  const all = readableTools(registry);
  const tools = readsExactly(dialect) ? all.map(withoutTypes) : all;
  return typeof dialect === 'string' ? createParser({ dialect, tools }) : createFormatParser(dialect.format, { tools });
};
