/** What a model says, part by part: its text without the calls, and at its end the calls that stood in it. */
import { toolsToRead } from '../agent/loop/call-model/readable-tools.ts';
import { collectCalls, thoughtCall, unanswerable } from '../agent/loop/call-model/repair-calls.ts';
import { opensThoughts } from '../agent/models/opens-thoughts.ts';
import type { ModelMessage, ToolCall } from '../core/message.ts';
import type { ModelAnswer, ModelOutcome, ModelPart } from '../core/model-port.ts';
import type { ToolSchema } from '../core/tool.ts';
import {
  type AnswerContext,
  type AnswerText,
  createFormatParser,
  createParser,
  createTextParser,
  createThoughtsFirstParser,
  type Dialect,
  type HeldCalls,
  type ParsedCall,
  type ParseResult,
  type Parser,
  type ParserEvent,
  type ReadText,
  readAnswer,
  readBehindThoughts,
  type ThoughtsFirstParser,
  type WrittenCalls,
  withoutEnd,
  writtenOf,
} from '../dialects/index.ts';
import { readThoughtCall, type ThoughtCall } from '../dialects/read-answer.ts';
import type { Asking, CompletionPart, Said } from './asking.ts';
import { type CallHold, createCallHold } from './call-hold.ts';
import { createStopWatch, type StopWatch } from './stop-watch.ts';

export class AnswerInParts {
  readonly #asking: Asking;
  readonly #emit: (part: CompletionPart) => void;
  readonly #dialect: Dialect;
  /** Aborted where nothing more is needed: a stop sequence was met. */
  readonly #enough = new AbortController();
  readonly #watch: StopWatch;
  readonly #hold: CallHold;
  /** One that is led writes its calls apart from its text, and may quote anything. */
  readonly #mayCall: boolean;
  /** While the text may begin with thoughts that no mark opens. */
  #first: ThoughtsFirstParser | undefined;
  #parser: Parser;
  /** The model's text as it came, the part of it that was handed on, and its thoughts. */
  readonly #whole: string[] = [];
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  readonly #events: ParserEvent[] = [];
  /** Names of the calls that began, by their index. */
  readonly #called: string[] = [];
  /** Text from a call on that could not be read. */
  readonly #damaged: string[] = [];
  #isDamaged = false;
  #hasPlain = false;

  constructor(asking: Asking, emit: (part: CompletionPart) => void) {
    const { chosen, way, registry, stop, whole, responseSchema } = asking;
    this.#asking = asking;
    this.#emit = emit;
    this.#dialect = way?.reads ?? way?.dialect ?? 'auto';
    this.#watch = createStopWatch(stop);
    this.#mayCall = responseSchema === undefined && !way?.led;
    this.#hold = createCallHold(this.#mayCall ? registry.schemas : [], { hasMarks: this.#dialect !== 'auto' });
    // A stream cannot take back what it showed.
    const mayThinkFirst = !whole && opensThoughts(chosen, chosen.model);
    this.#first = mayThinkFirst ? createThoughtsFirstParser(this.#open) : undefined;
    this.#parser = this.#first ?? this.#open();
  }

  get enough(): AbortSignal {
    return this.#enough.signal;
  }

  /** All that the model has written so far. */
  get written(): string {
    return `${this.#reasoning.join('')}${this.#whole.join('')}`;
  }

  add(part: ModelPart): void {
    if (this.#watch.stoppedBy !== undefined) return;
    if (part.type === 'text_delta') this.#addText(part.delta, part.plain === true);
    else if (part.type === 'warning' && part.code === 'retrying') this.#asking.onRetrying?.();
    else if (part.type === 'reasoning_delta') {
      // The server takes them out of the text by itself.
      if (this.#whole.length === 0 && this.#first) this.#parser = this.#open();
      if (this.#whole.length === 0) this.#first = undefined;
      this.#take([{ type: 'reasoning', text: part.delta }]);
    }
  }

  /** `messages`: the conversation that it answers, whose calls have their ids. */
  end(outcome: ModelOutcome, messages: readonly ModelMessage[]): Said {
    const { stoppedBy } = this.#watch;
    const isCut = outcome.ok && isCutShort(outcome.answer);
    const end = this.#parser.end({ isCut });
    if (stoppedBy === undefined) {
      this.#take(end.events);
      // What looked like the beginning of a call and is none that could be answered is text, cut as it is.
      for (const { text } of unanswerable(this.#asking.registry, end.result)) this.#take([{ type: 'text', text }]);
    }
    const behind = this.#behindThoughts(end.result, outcome);
    // What is held back may be a call that the answer ends in, and then it is no text. What a stream showed stays shown.
    const held = `${this.#watch.push(this.#hold.end())}${this.#watch.end()}`;
    const text = behind?.result.content ?? `${this.#text.join('')}${held}`;
    const found = this.#find(outcome, text, behind ?? this.#readAtOnce(end));
    const { rest, left, shown } = this.#restOf(found, { text, held, behind });
    // Of a stream that broke, half a call is no answer.
    if (rest !== '' && (outcome.ok || this.#watch.stoppedBy !== undefined)) this.#emit({ type: 'text', delta: rest });
    const thoughts = this.#reasoning.join('');
    const calls = callsOf(this.#asking, messages, outcome, found.written);
    const isNothing = calls.length === 0 && text.trim() === '' && found.held === undefined;
    const thought = isNothing ? this.#readThoughts(outcome, thoughts) : {};
    return {
      outcome: this.#watch.stoppedBy === undefined ? outcome : stoppedOutcome(outcome),
      text: shown + rest,
      reasoning: thoughts,
      calls: thought.call ? callsOf(this.#asking, messages, outcome, thought.call) : calls,
      damaged: [...this.#damaged, found.unread.slice(shown.length), left.slice(rest.length)].join(''),
      held: found.held ?? thought.held,
      ...(found.isTold || thought.warning ? { isTold: true } : {}),
      stoppedBy: this.#watch.stoppedBy,
    };
  }

  #readThoughts(outcome: ModelOutcome, thoughts: string): ThoughtCall {
    if (!outcome.ok || outcome.answer.led || this.#asking.way?.led) return {};
    const isCut = isCutShort(outcome.answer) || this.#watch.stoppedBy !== undefined;
    return readThoughtCall(thoughts, { ...toolsToRead(this.#asking.registry), isCut });
  }

  readonly #open = (): Parser => {
    const { schemas } = this.#asking.registry;
    return schemas.length > 0 ? parserOf(this.#dialect, schemas) : createTextParser();
  };

  #addText(delta: string, isPlain: boolean): void {
    this.#whole.push(delta);
    this.#hasPlain ||= isPlain;
    const found = isPlain ? [] : this.#parser.push(delta);
    this.#events.push(...found);
    this.#take(isPlain ? [{ type: 'text', text: delta }] : found);
  }

  #take(events: readonly ParserEvent[]): void {
    for (const event of events) {
      if (event.type === 'call_start') {
        this.#called[event.index] = event.name;
        this.#hold.holdRest();
      } else if (event.type === 'call_end' && event.call === undefined && event.problem === 'malformed')
        this.#isDamaged ||= this.#isOnOffer(this.#called[event.index] ?? '');
      else if (event.type === 'text' && this.#isDamaged) this.#damaged.push(event.text);
      else if (event.type === 'text') this.#say(this.#watch.push(this.#hold.push(event.text)));
      else if (event.type === 'reasoning') {
        this.#reasoning.push(event.text);
        this.#emit({ type: 'reasoning', delta: event.text });
      }
    }
    if (this.#watch.stoppedBy !== undefined) this.#enough.abort();
  }

  #isOnOffer(name: string): boolean {
    const { registry } = this.#asking;
    return registry.get(registry.resolveName(name).name) !== undefined;
  }

  #say(piece: string): void {
    if (piece === '') return;
    this.#text.push(piece);
    if (!this.#asking.whole) this.#emit({ type: 'text', delta: piece });
  }

  /** The answer behind thoughts that are part of its text; learned, so that the model's next answer is read for them. */
  #behindThoughts(result: ParseResult, outcome: ModelOutcome): ReadText | undefined {
    const { chosen } = this.#asking;
    const isCut = outcome.ok && isCutShort(outcome.answer);
    const isOwn = this.#watch.stoppedBy === undefined && !this.#hasPlain;
    const behind = isOwn ? readBehindThoughts(this.#whole.join(''), result, this.#open, { isCut }) : undefined;
    if (behind) this.#reasoning.push(behind.result.reasoning);
    else if (this.#first) this.#reasoning.splice(0, this.#reasoning.length, result.reasoning);
    const isOpened = behind !== undefined || this.#first?.isClosed === true;
    if (isOpened || (this.#first && outcome.ok && outcome.answer.finish === 'stop' && !isCut))
      chosen.speeds?.learnThoughts(chosen.model, isOpened);
    return behind;
  }

  #readAtOnce({ events, result }: { events: readonly ParserEvent[]; result: ParseResult }): ReadText {
    return { text: this.#first?.rest ?? this.#whole.join(''), events: [...this.#events, ...events], result };
  }

  #find(outcome: ModelOutcome, text: string, read: ReadText): FoundInText {
    if (!outcome.ok || !this.#mayCall || outcome.answer.led)
      return { text, written: writtenOf(read.result), unread: '' };
    const answer = { events: read.events, result: read.result, text, whole: read.text };
    return foundInText(answer, {
      ...toolsToRead(this.#asking.registry),
      dialect: this.#asking.way?.dialect ?? 'auto',
      reads: this.#dialect,
      native: outcome.answer.calls,
      isCut: isCutShort(outcome.answer),
    });
  }

  /** What a stream has shown, and what of the rest of the text is shown now: up to a call that the model is asked about. */
  #restOf(
    found: FoundInText,
    { text, held, behind }: { text: string; held: string; behind: ReadText | undefined },
  ): { shown: string; left: string; rest: string } {
    const { whole, responseSchema } = this.#asking;
    const isOpen = whole || (behind !== undefined && responseSchema !== undefined);
    const shown = isOpen ? '' : this.#text.join('');
    const all = this.#whole.join('');
    const unclosed = behind && unclosedMark(all.slice(0, all.length - behind.text.length), shown);
    const left =
      unclosed !== undefined && found.text.trim() !== ''
        ? `${unclosed}${found.text.trimStart()}`
        : behindShown(found.text, shown, behind ? held : text.slice(shown.length));
    // What becomes of the call and of the words behind it is asked first.
    return { shown, left, rest: found.held === undefined ? left : beforeFirst(left, found.held) };
  }
}

/** By the limit, by a filter, or for a reason that nobody knows: what is open in it stays open. */
const isCutShort = ({ finish, ended_by: endedBy }: ModelAnswer): boolean =>
  finish === 'length' || endedBy !== undefined;

/** A dialect of somebody's own brings its grammar along. */
const parserOf = (dialect: Dialect, tools: readonly ToolSchema[]): Parser =>
  typeof dialect === 'string' ? createParser({ dialect, tools }) : createFormatParser(dialect.format, { tools });

/** What was shown stays, be it that a call in it is made after all. */
const behindShown = (text: string, shown: string, held: string): string => {
  if (text.startsWith(shown)) return text.slice(shown.length);
  if (text.startsWith(shown.trimEnd())) return text.slice(shown.trimEnd().length);
  return held.trim() !== '' && text.trimEnd().endsWith(held.trimEnd()) ? held : '';
};

/** The mark that ends thoughts, where a stream showed a part of them before a draft in them held it up. */
const unclosedMark = (thoughts: string, shown: string): string | undefined => {
  const part = shown.trim();
  const mark = LAST_MARK.exec(thoughts)?.[0].trim();
  const isShown = part !== '' && mark !== undefined && thoughts.trimStart().startsWith(part) && !part.endsWith(mark);
  return isShown ? `\n${mark}\n\n` : undefined;
};
const LAST_MARK = /[<[◁][^<[◁]*$/;

export const beforeFirst = (text: string, { calls }: HeldCalls): string => {
  const at = text.indexOf(calls[0]?.text.trim() ?? text);
  const before = text.slice(0, Math.max(0, at));
  return before
    .trimEnd()
    .replace(/```\w*$/, '')
    .trimEnd();
};

type FoundInText = {
  text: string;
  written: WrittenCalls;
  /** The text of calls that cannot be made, where it is all there is. */
  unread: string;
  held?: HeldCalls | undefined;
  isTold?: boolean;
};

/** What is nothing but a call that cannot be made is asked for again. */
const foundInText = (answer: AnswerText, context: AnswerContext): FoundInText => {
  const { text, written, isReturned, held, warning } = readAnswer(answer, context);
  if (!isReturned) return { text, written, unread: '', held, isTold: warning !== undefined };
  const calls = written.parts.flatMap((part) => (part.kind === 'unread' ? [part.unread] : []));
  if (calls.every(({ isPart }) => isPart))
    return { text: calls.reduceRight(withoutEnd, answer.text), written, unread: '' };
  return { text: '', written, unread: calls.some(({ isCut }) => isCut) ? '' : answer.text };
};

/** We broke it off ourselves, so it is no failure; what was counted until then is not known. */
const stoppedOutcome = (outcome: ModelOutcome): ModelOutcome =>
  outcome.ok ? outcome : { ok: true, answer: { calls: [], finish: 'stop' } };

/** `written`: those of its text, or the one that its thoughts end in. */
const callsOf = (
  { registry }: Asking,
  messages: readonly ModelMessage[],
  outcome: ModelOutcome,
  written: WrittenCalls | ParsedCall,
): ToolCall[] => {
  if (registry.schemas.length === 0) return [];
  const used = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [])),
  );
  if (!('parts' in written)) return collectCalls(used, registry, { calls: [thoughtCall(written)] }, undefined);
  return collectCalls(used, registry, { calls: outcome.ok ? outcome.answer.calls : [] }, written);
};
