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
import {
  autoParseToolCalls,
  createFormatParser,
  createParser,
  createTextParser,
  type Dialect,
  findTrailingCalls,
  findUnreadCall,
  type ParseResult,
  type Parser,
  type ParserEvent,
  type UnreadCall,
} from '../../../dialects/index.ts';
import { asRequester } from '../../../io/requester.ts';
import type { ModelSpeeds } from '../../../storage/model-speeds.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import type { Window } from '../window.ts';
import { endedAtAbort } from './ended-at-abort.ts';
import { judgeStray } from './judge-stray.ts';
import { type Every, everyMs, watchPrefill } from './prefill.ts';
import { isGuessed, readsOnly, thoughtCall, unanswerable } from './repair-calls.ts';
import { readsExactly, strictFault, withoutTypes } from './strict-call.ts';
import type { ToolNotice } from './tool-notation.ts';

export type CallModelOptions = {
  provider: ModelProvider;
  registry: ToolRegistry;
  sampling: Sampling;
  projection: ProjectionOptions;
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
  /** The person's message wants no tools: what looks like a call is none. */
  toolsOff?: true;
  /** Whether the model sees pictures; undefined: nobody says. */
  vision?: boolean | undefined;
  clock: Clock;
  /** What is known of the model because it was probed. */
  profile?: ModelProfile;
  /** How fast the model is here; learns from every answer. */
  speeds?: Pick<ModelSpeeds, 'of' | 'learn'>;
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
  parsed: ParseResult | undefined;
  /** The text is a call that its dialect does not read. */
  unread?: UnreadCall;
  /** It came after a reminder. */
  announced?: true;
  /** It was decoded under a tool's schema, and the prompt held no tools. */
  constrained?: true;
  /** The window was full in the middle of the answer. */
  isWindowFull?: true;
};

/** Nothing for the person and nothing to do; thoughts that lead to neither are nothing as well. */
export const isEmpty = (registry: ToolRegistry, turn: Turn): boolean => {
  const { outcome, text, reasoning, parsed, unread } = turn;
  const nothing =
    outcome.ok &&
    unread === undefined &&
    outcome.answer.finish !== 'cancelled' &&
    outcome.answer.calls.length === 0 &&
    (parsed?.calls.length ?? 0) === 0 &&
    (parsed?.broken.length ?? 0) === 0 &&
    text.trim() === '';
  if (!nothing || reasoning.trim() === '') return nothing;
  // Thoughts that the token limit cut would be cut again.
  return outcome.answer.finish !== 'length' && thoughtCall(registry, reasoning) === undefined;
};

/** What a text may call: the tools of the prompt prefix, and those behind `use_tool`. Each name once. */
const readableTools = ({ schemas, callable }: ToolRegistry): readonly ToolSchema[] => {
  const described = new Set(schemas.map((schema) => schema.function.name));
  return [...schemas, ...callable.filter((schema) => !described.has(schema.function.name))];
};

export const runTurn = async (
  session: SessionHandle,
  options: CallModelOptions,
  request: ModelRequest,
  messages: readonly ModelMessage[],
): Promise<Turn> => {
  const { registry } = options;
  const hasTools = registry.schemas.length > 0;
  /** Opened at the first text: an answer of native calls alone needs none. */
  let parser: Parser | undefined;
  const readText = (delta: string, plain: boolean): readonly ParserEvent[] => {
    whole.push(delta);
    if (plain) return [{ type: 'text', text: delta }];
    parser ??= hasTools ? openParser(options.reads ?? options.dialect, registry) : createTextParser();
    return parser.push(delta);
  };
  const text: string[] = [];
  const whole: string[] = [];
  const reasoning: string[] = [];
  const signal = session.signal();
  /** What the parser held back comes out at its end, and by then the person may have stopped the run: it is over on their screen. */
  const show = (update: Progress): void => {
    if (!signal.aborted) session.progress(update);
  };
  const take = (events: readonly ParserEvent[]): void => {
    for (const event of events) {
      if (event.type === 'text') {
        text.push(event.text);
        show({ type: 'text_delta', delta: event.text });
      } else if (event.type === 'reasoning') {
        reasoning.push(event.text);
        show({ type: 'reasoning_delta', delta: event.text });
      } else if (event.type === 'call_start') {
        show({ type: 'tool_call_delta', index: event.index, name: event.name, arguments_delta: '' });
      } else if (event.type === 'call_arguments') {
        show({ type: 'tool_call_delta', index: event.index, arguments_delta: event.delta });
      }
    }
  };
  const { model } = request;
  const rate = options.speeds?.of(model).prefill_tokens_per_second;
  const prefill = watchPrefill(
    { ...options.window.expect(model, messages), tokensPerSecond: rate },
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
  const end = parser?.end();
  if (end) {
    take(end.events);
    // What looked like the beginning of a call and is none that could be answered is text, cut as it is.
    for (const { text: cut } of unanswerable(options.registry, end.result)) take([{ type: 'text', text: cut }]);
  }
  if (!hasTools && outcome.ok && request.response_schema === undefined) warnOfCalls(session, options, text.join(''));
  const turn = { messages, outcome, text: text.join(''), whole: whole.join(''), reasoning: reasoning.join('') };
  if (!outcome.ok || end === undefined) return { ...turn, parsed: end?.result };
  const trailing =
    request.response_schema === undefined
      ? withTrailingCalls(session, options, { ...turn, parsed: end.result })
      : undefined;
  if (trailing !== undefined) return trailing;
  const unread = unreadIn(options, end.result, turn.whole);
  if (unread === undefined) {
    const parsed = { ...turn, parsed: end.result };
    return request.response_schema === undefined ? withStrayCall(session, options, parsed) : parsed;
  }
  // A call that is not exactly as its dialect wants it was not made.
  if (end.result.calls.length > 0 || goesBack(options, unread))
    return { ...turn, unread, parsed: { ...end.result, calls: [], broken: [] } };
  warn(session, 'unread_call', unreadText(registry, unread));
  return { ...turn, parsed: end.result };
};

/** The dialect whose document looks for calls anywhere in a text. */
const SCANNED = 'plain-json';

/**
 * Where the notation is not known, the calls that an answer ends in behind words are calls, since nothing follows them.
 * Undefined where there are none.
 */
const withTrailingCalls = (session: SessionHandle, options: CallModelOptions, turn: Turn): Turn | undefined => {
  const { dialect, reads = dialect, registry, toolsOff } = options;
  const { outcome, parsed, text } = turn;
  const isOpen = (reads === 'auto' || reads === SCANNED) && !toolsOff && registry.schemas.length > 0;
  if (!isOpen || !outcome.ok || !isWithoutCalls(registry, turn)) return undefined;
  const found = findTrailingCalls(text, readableTools(registry), { anywhere: reads === SCANNED });
  if (found === undefined || parsed === undefined) return undefined;
  if (found.isInLine && reads !== SCANNED) {
    const name = (found.calls[0] ?? found.broken[0])?.name;
    const message = `The answer ends in ${calledBy(name)} in the middle of a line. Nothing was run.`;
    warn(session, 'unread_call', message);
    return turn;
  }
  const repair = { kind: 'call_after_words', detail: 'the call stood behind words, at the end of the answer' };
  const calls = found.calls.map((call) => ({ ...call, repairs: [repair, ...call.repairs] }));
  const { words: content, broken } = found;
  return { ...turn, text: content, parsed: { ...parsed, dialect: found.dialect, content, calls, broken } };
};

/** Neither the server nor the parser found one that can be answered. */
const isWithoutCalls = (registry: ToolRegistry, { outcome, parsed }: Turn): boolean =>
  outcome.ok &&
  outcome.answer.calls.length === 0 &&
  (outcome.answer.finish === 'stop' || outcome.answer.finish === 'length') &&
  parsed !== undefined &&
  parsed.calls.length === 0 &&
  parsed.broken.every(({ name }) => name === undefined || !isTool(registry)(name));

/** A call that stands elsewhere in the answer, in another notation, or that was cut off, is never the answer in silence. */
const withStrayCall = (session: SessionHandle, options: CallModelOptions, turn: Turn): Turn => {
  const { dialect, reads = dialect, registry, toolsOff } = options;
  if (toolsOff || reads === 'native' || registry.schemas.length === 0 || !isWithoutCalls(registry, turn)) return turn;
  const names = readableTools(registry).map((schema) => schema.function.name);
  const rules = { isOpen: dialect === 'auto', isScanned: reads === SCANNED, isTool: isTool(registry), names };
  const judged = judgeStray(turn.text, rules);
  if (judged === undefined) return turn;
  if (!('unread' in judged)) {
    warn(session, judged.code, judged.message);
    return turn;
  }
  return { ...turn, unread: judged.unread, parsed: turn.parsed && { ...turn.parsed, calls: [], broken: [] } };
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

const calledBy = (name: string | undefined): string =>
  name === undefined || name === '' ? 'a call that names no tool' : `a call to ${name}`;

const unreadText = (registry: ToolRegistry, { name, isPart }: UnreadCall): string => {
  const why =
    name === '' ? '' : isTool(registry)(name) ? ', beside which other text stands' : ', which is no tool here';
  return `The ${isPart ? 'answer holds' : 'whole answer is'} ${calledBy(name)}${why}. Nothing was run.`;
};

const isTool =
  (registry: ToolRegistry) =>
  (name: string): boolean =>
    registry.get(registry.resolveName(name).name) !== undefined;

/** Where the notation was named, or the tool is one that is offered; else it is the person who hears of it. */
const goesBack = ({ dialect, registry }: CallModelOptions, { name, isPart }: UnreadCall): boolean =>
  dialect !== 'auto' || (isPart !== true && isTool(registry)(name));

/** In a named dialect a call that could not be read goes back to the model; it is never the answer. */
const unreadIn = (
  { dialect, reads = dialect, toolsOff, registry }: CallModelOptions,
  result: ParseResult,
  whole: string,
): UnreadCall | undefined => {
  if (toolsOff || typeof reads !== 'string' || registry.schemas.length === 0) return undefined;
  const guess = riskyGuess(dialect, registry, result);
  if (guess !== undefined)
    return { name: '', arguments: guess.arguments, problem: 'it names no tool', text: whole.trim() };
  const [first] = result.calls;
  const inexact = first && strictFault(reads, first.name, whole);
  if (inexact !== undefined) return inexact;
  const form = typeof dialect === 'string' && reads === 'auto' ? dialect : reads;
  if (result.calls.length === 0 && result.broken.length === 0)
    return findUnreadCall(result.content, form, isTool(registry));
  return result.calls.length > 0 ? undefined : (strayIn(registry, result, whole) ?? unnamedIn(registry, result, form));
};

/**
 * A call without a name whose arguments fit one tool. In a named dialect its name is not guessed; else only that of a
 * tool that reads or does less.
 */
const riskyGuess = (
  dialect: Dialect,
  registry: ToolRegistry,
  { calls }: Pick<ParseResult, 'calls'>,
): ParseResult['calls'][number] | undefined =>
  calls.find(
    (call) => isGuessed(call) && (dialect !== 'auto' || !readsOnly(registry.get(registry.resolveName(call.name).name))),
  );

/** A broken call of which the parser knows no name. */
const unnamedIn = (registry: ToolRegistry, { broken }: ParseResult, form: string): UnreadCall | undefined => {
  const [first] = broken;
  return broken.length === 1 && first !== undefined && first.name === undefined
    ? findUnreadCall(first.text, form, isTool(registry))
    : undefined;
};

/** A whole answer that is a broken call to a tool that is not offered. */
const strayIn = (registry: ToolRegistry, { broken }: ParseResult, whole: string): UnreadCall | undefined => {
  const [first] = broken;
  const isCall = first?.name !== undefined && broken.length === 1 && /^\s*[<[{]/.test(whole);
  if (!isCall || first?.name === undefined || isTool(registry)(first.name)) return undefined;
  return { name: first.name, arguments: {}, problem: 'it could not be read to its end', text: whole.trim() };
};

export const isThoughtOnly = ({ outcome, text, parsed }: Turn): boolean =>
  outcome.ok && outcome.answer.calls.length === 0 && text.trim() === '' && (parsed?.calls.length ?? 0) === 0;

/** A call that the engine decoded by itself. */
export const turnOf = (messages: readonly ModelMessage[], call: ProviderCall): Turn => ({
  messages,
  outcome: { ok: true, answer: { calls: [call], finish: 'tool_calls' } },
  text: '',
  whole: '',
  reasoning: '',
  parsed: undefined,
});

export const warn = (session: SessionHandle, code: string, message: string): void =>
  session.progress({ type: 'warning', code, message });

const openParser = (dialect: Dialect, registry: ToolRegistry): Parser => {
  const all = readableTools(registry);
  const tools = readsExactly(dialect) ? all.map(withoutTypes) : all;
  return typeof dialect === 'string' ? createParser({ dialect, tools }) : createFormatParser(dialect.format, { tools });
};
