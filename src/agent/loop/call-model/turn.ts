/** One request and what came of it: parts as they come in, and text read for calls. */
import type { Progress } from '../../../core/events.ts';
import type { JsonSchema } from '../../../core/json.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type {
  ModelOutcome,
  ModelPart,
  ModelProvider,
  ModelRequest,
  ProviderCall,
  Sampling,
} from '../../../core/model-port.ts';
import type { ModelProfile } from '../../../core/model-profile.ts';
import type { ProjectionOptions } from '../../../core/model-projection.ts';
import type { Clock } from '../../../core/ports.ts';
import type { PromptSize } from '../../../core/system-prompt.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import type { ConversationNotes } from '../../../core/window/notes.ts';
import {
  autoParseToolCalls,
  calledBy,
  createFormatParser,
  createParser,
  createTextParser,
  createThoughtsFirstParser,
  type Dialect,
  findUnreadCall,
  type HeldCalls,
  type Parser,
  type ParserEvent,
  readAnswer,
  readBehindThoughts,
  type ThoughtsFirstParser,
  type WrittenCalls,
  writtenOf,
} from '../../../dialects/index.ts';
import { asRequester } from '../../../io/requester.ts';
import type { ModelSpeeds } from '../../../storage/model-speeds.ts';
import { opensThoughts } from '../../models/opens-thoughts.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import type { Window } from '../window.ts';
import { isAskedValue } from './asked-value.ts';
import { endedAtAbort } from './ended-at-abort.ts';
import { type Every, everyMs, watchPrefill } from './prefill.ts';
import { readableTools, toolsToRead } from './readable-tools.ts';
import { thoughtCall, unanswerable } from './repair-calls.ts';
import { readsExactly, withoutTypes } from './strict-call.ts';
import type { ToolNotice } from './tool-notation.ts';

/** Another model that writes notes; `problem`: it could not be opened. */
export type NoteTaker = (
  session: SessionHandle,
  focus: string | undefined,
) => Promise<{ notes?: ConversationNotes | undefined; problem?: string }>;

export type CallModelOptions = {
  provider: ModelProvider;
  registry: ToolRegistry;
  sampling: Sampling;
  projection: ProjectionOptions;
  /** What a request without tools begins with. */
  systemWithoutTools: string;
  window: Window;
  /** How text is read for calls: a dialect, or `auto`. */
  dialect: Dialect;
  /** How text is read, where it is not the dialect that the prompt is written in. */
  reads?: Dialect;
  /** `injected`: tools stand in the prompt and calls are text, for servers that take no tools. */
  toolMode: 'native' | 'injected';
  /** What the person is told of the way tools are had here, once. */
  notice?: ToolNotice | undefined;
  /** Text that ends an answer. */
  stop?: readonly string[] | undefined;
  /** The shape of the next answer. */
  responseSchema?: () => JsonSchema | undefined;
  /** What is described to the model while a session that began in plan mode stays in it. */
  reading?: (() => readonly ToolSchema[]) | undefined;
  /** The size of instructions and tools, where it is another one than the session began with. */
  tier?: PromptSize | undefined;
  /** A tool that is offered from the first compaction on. */
  afterCompaction?: ToolSchema | undefined;
  noteTaker?: NoteTaker | undefined;
  /** The person's message wants no tools: what looks like a call is none. */
  toolsOff?: true;
  /** Whether the model sees pictures; undefined: nobody says. */
  vision?: boolean | undefined;
  clock: Clock;
  /** What is known of the model because it was probed. */
  profile?: ModelProfile;
  /** How fast the model is here; learns from every answer. */
  speeds?: Pick<ModelSpeeds, 'of' | 'learn' | 'learnThoughts'>;
  /** What ticks while nothing is heard; real time by default. */
  every?: Every;
};

export type Turn = {
  /** What the model read, before tools were put into it. */
  messages: readonly ModelMessage[];
  outcome: ModelOutcome;
  text: string;
  /** The text as it came, calls in it included. */
  whole: string;
  reasoning: string;
  /** The calls in its text. */
  written: WrittenCalls | undefined;
  /** The text is calls that go back to the model, and nothing for the person. */
  isReturned?: true;
  /** Calls among words, of which the model is asked once. */
  held?: HeldCalls;
  /** What of the text is not shown yet, since it is not known what becomes of a call in it. */
  unshown?: string;
  /** It came after a reminder. */
  announced?: true;
  /** It was decoded under a tool's schema, and the prompt held no tools. */
  constrained?: true;
  /** The window was full in the middle of the answer. */
  isWindowFull?: true;
};

export const hasWrittenCalls = ({ written }: Turn): boolean => (written?.parts.length ?? 0) > 0;

/** Nothing for the person and nothing to do; thoughts that lead to neither are nothing as well. */
export const isEmpty = (registry: ToolRegistry, turn: Turn): boolean => {
  const { outcome, text, reasoning } = turn;
  const nothing =
    outcome.ok &&
    outcome.answer.finish !== 'cancelled' &&
    outcome.answer.calls.length === 0 &&
    !hasWrittenCalls(turn) &&
    text.trim() === '';
  if (!nothing || reasoning.trim() === '') return nothing;
  // Thoughts that the token limit cut would be cut again.
  return outcome.answer.finish !== 'length' && thoughtCall(registry, reasoning) === undefined;
};

export const runTurn = async (
  session: SessionHandle,
  options: CallModelOptions,
  request: ModelRequest,
  messages: readonly ModelMessage[],
): Promise<Turn> => {
  const { registry } = options;
  const { model } = request;
  const hasTools = registry.schemas.length > 0;
  const open = (): Parser => (hasTools ? openParser(options.reads ?? options.dialect, registry) : createTextParser());
  let hasPlain = false;
  /** Opened at the first text: an answer of native calls alone needs none. */
  let parser: Parser | undefined;
  let first: ThoughtsFirstParser | undefined;
  const readText = (delta: string, plain: boolean): readonly ParserEvent[] => {
    whole.push(delta);
    hasPlain ||= plain;
    if (plain) return [{ type: 'text', text: delta }];
    if (parser === undefined) {
      first = reasoning.length === 0 && opensThoughts(options, model) ? createThoughtsFirstParser(open) : undefined;
      parser = first ?? open();
    }
    const read = parser.push(delta);
    events.push(...read);
    return read;
  };
  /** All that the parser understood. */
  const events: ParserEvent[] = [];
  const text: string[] = [];
  const whole: string[] = [];
  const reasoning: string[] = [];
  const signal = session.signal();
  /** What the parser held back comes out at its end, and by then the person may have stopped the run: it is over on their screen. */
  const show = (update: Progress): void => {
    if (!signal.aborted) session.progress(update);
  };
  let shown = '';
  /** No call was begun yet. From then on it is known at the end what stands in the text. */
  let isOpen = true;
  const showText = (delta: string): void => {
    if (delta === '') return;
    shown += delta;
    show({ type: 'text_delta', delta });
  };
  /** What of a text was not shown; nothing where it begins otherwise than what was. */
  const unshownOf = (whole: string): string => {
    const from = [shown, shown.trimEnd()].find((part) => whole.startsWith(part));
    return isOpen || from === undefined ? '' : whole.slice(from.length);
  };
  const take = (events: readonly ParserEvent[]): void => {
    for (const event of events) {
      if (event.type === 'text') {
        text.push(event.text);
        if (isOpen) showText(event.text);
      } else if (event.type === 'reasoning') {
        reasoning.push(event.text);
        show({ type: 'reasoning_delta', delta: event.text });
      } else if (event.type === 'call_start') {
        isOpen = false;
        show({ type: 'tool_call_delta', index: event.index, name: event.name, arguments_delta: '' });
      } else if (event.type === 'call_arguments') {
        show({ type: 'tool_call_delta', index: event.index, arguments_delta: event.delta });
      }
    }
  };
  const rate = options.speeds?.of(model).prefill_tokens_per_second;
  const prefill = watchPrefill(
    { ...options.window.counts.expect(model, messages), tokensPerSecond: rate },
    { clock: options.clock, every: options.every ?? everyMs, progress: session.progress },
  );
  let over = false;
  const emit = (seen: ModelPart): void => {
    if (over) return;
    const part = prefill.see(seen);
    if (part.type === 'text_delta') take(readText(part.delta, part.plain === true));
    else if (part.type === 'reasoning_delta') take([{ type: 'reasoning', text: part.delta }]);
    else session.progress(part);
  };
  const outcome = await asRequester({ session: session.id, who: 'model' }, () =>
    endedAtAbort(signal, () => options.provider.stream(request, emit, signal)),
  ).finally(() => {
    over = true;
    prefill.stop();
  });
  const isCut = outcome.ok && outcome.answer.finish !== 'stop' && outcome.answer.finish !== 'tool_calls';
  const end = parser?.end({ isCut });
  if (end) {
    take(end.events);
    // What was taken for thoughts while it came, and is the answer.
    if (first) reasoning.splice(0, reasoning.length, end.result.reasoning);
    // What looked like the beginning of a call and is none that could be answered is text, cut as it is.
    for (const { text: cut } of unanswerable(options.registry, end.result)) take([{ type: 'text', text: cut }]);
  }
  const all = whole.join('');
  const behind = end && !hasPlain ? readBehindThoughts(all, end.result, open, { isCut }) : undefined;
  const isOpened = behind !== undefined || first?.isClosed === true;
  if (isOpened || (first && outcome.ok && outcome.answer.finish === 'stop'))
    options.speeds?.learnThoughts(model, isOpened);
  if (behind) {
    // They were shown as text while nobody could know; what is kept has them where they belong.
    reasoning.push(behind.result.reasoning);
    const cut = unanswerable(options.registry, behind.result).map((broken) => broken.text);
    text.splice(0, text.length, behind.result.content, ...cut);
  }
  const plain = text.join('');
  if (!hasTools && outcome.ok && request.response_schema === undefined) warnOfCalls(session, options, plain);
  const turn = {
    messages,
    outcome,
    text: plain,
    whole: behind?.text ?? first?.rest ?? all,
    reasoning: reasoning.join(''),
  };
  if (end === undefined) return { ...turn, written: undefined };
  const ended = (kept: Turn): Turn => {
    const rest = unshownOf(kept.text);
    if (kept.held !== undefined) return rest === '' ? kept : { ...kept, unshown: rest };
    showText(rest);
    return kept;
  };
  const { result } = behind ?? end;
  if (options.toolsOff || !outcome.ok || outcome.answer.finish === 'cancelled')
    return ended({ ...turn, written: writtenOf(result) });
  const { dialect, reads = dialect } = options;
  const answer = { events: behind?.events ?? [...events, ...end.events], result, text: plain, whole: turn.whole };
  const { calls: native } = outcome.answer;
  const schema = options.responseSchema?.();
  const tools = toolsToRead(registry);
  const read = readAnswer(answer, { ...tools, dialect, reads, native, isShaped: schema !== undefined, isCut });
  if (schema && native.length === 0 && isAskedValue(schema, turn.whole, read, tools.isTool)) {
    if (plain.trim() === '') show({ type: 'text_delta', delta: turn.whole });
    return { ...turn, text: turn.whole, written: undefined };
  }
  const { warning, invented, ...judged } = read;
  if (warning !== undefined) warn(session, warning.code, warning.message);
  if (invented !== undefined) warn(session, 'invented_result', invented);
  return ended({ ...turn, ...judged });
};

/** Without tools a call in the text stays there, and is said to be one. Other JSON may be meant as it is. */
const warnOfCalls = (session: SessionHandle, { dialect }: CallModelOptions, answer: string): void => {
  const json = /^\s*\{/.test(answer)
    ? findUnreadCall(answer, typeof dialect === 'string' ? dialect : 'auto')
    : undefined;
  if (json !== undefined) {
    const part = json.isPart ? 'answer holds' : 'whole answer is';
    warn(session, 'unread_call', `The ${part} ${calledBy(json.name)}, and no tools are on offer. Nothing was run.`);
  }
  if (/^\s*(?:[{[](?!TOOL_CALLS)|```)/.test(answer)) return;
  const { calls, broken, content } = autoParseToolCalls(answer);
  const name = calls[0]?.name ?? broken[0]?.name;
  if (calls.length + broken.length === 0) return;
  const isAll = content.trim() === '';
  const message = `The ${isAll ? 'whole answer is' : 'answer holds'} ${calledBy(name)}, and no tools are on offer. Nothing was run.`;
  warn(session, isAll ? 'unread_call' : 'call_in_text', message);
};

export const isThoughtOnly = ({ outcome, text, written }: Turn): boolean =>
  outcome.ok &&
  outcome.answer.calls.length === 0 &&
  text.trim() === '' &&
  (written?.parts.every(({ kind }) => kind === 'broken') ?? true);

/** A call that the engine decoded by itself. */
export const turnOf = (messages: readonly ModelMessage[], call: ProviderCall): Turn => ({
  messages,
  outcome: { ok: true, answer: { calls: [call], finish: 'tool_calls' } },
  text: '',
  whole: '',
  reasoning: '',
  written: undefined,
});

export const warn = (session: SessionHandle, code: string, message: string): void =>
  session.progress({ type: 'warning', code, message });

const openParser = (dialect: Dialect, registry: ToolRegistry): Parser => {
  const all = readableTools(registry);
  const tools = readsExactly(dialect) ? all.map(withoutTypes) : all;
  return typeof dialect === 'string' ? createParser({ dialect, tools }) : createFormatParser(dialect.format, { tools });
};
