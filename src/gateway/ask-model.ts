/** One request of somebody else's conversation: what the model says, with the calls that stand in its text taken out. */

import { callsAsText, injectTools } from '../agent/loop/call-model/inject-tools.ts';
import { toolsToRead } from '../agent/loop/call-model/readable-tools.ts';
import { collectCalls, thoughtCall, unanswerable } from '../agent/loop/call-model/repair-calls.ts';
import type { ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import type { ChosenModel } from '../agent/models/choose-model.ts';
import { opensThoughts } from '../agent/models/opens-thoughts.ts';
import type { ToolWay } from '../agent/models/tool-way.ts';
import type { JsonObject, JsonSchema } from '../core/json.ts';
import type { ModelMessage, ToolCall } from '../core/message.ts';
import type { ModelOutcome, ModelRequest, Sampling } from '../core/model-port.ts';
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
  type Parser,
  type ParserEvent,
  readAnswer,
  readBehindThoughts,
  type WrittenCalls,
  withoutEnd,
  writtenOf,
} from '../dialects/index.ts';
import { asRequester } from '../io/requester.ts';
import { createCallHold } from './call-hold.ts';
import { spokenMessages } from './spoken-messages.ts';
import { createStopWatch } from './stop-watch.ts';
import type { UsageSum } from './usage.ts';

export type GatewayToolWay = Omit<ToolWay, 'notice'>;

export type CompletionPart = { type: 'text' | 'reasoning'; delta: string };

export type Asking = {
  chosen: ChosenModel;
  /** How it is had to call tools; by its server's own field where absent. */
  way?: GatewayToolWay | undefined;
  /** The tools on offer in this request. */
  registry: ToolRegistry;
  sampling: Sampling;
  /** Fields that the model's server knows, as they are. */
  passthrough?: JsonObject | undefined;
  stop: readonly string[];
  /** False: at most one call, where the server can be told. */
  parallel: boolean;
  responseSchema?: JsonSchema;
  /** The caller waits for the whole answer. */
  whole?: boolean;
  /** Told of every request that goes to the model. */
  usage: UsageSum;
  /** Told when the model's server refused and is asked again after a while. */
  onRetrying?: (() => void) | undefined;
  signal: AbortSignal;
};

export type Said = {
  outcome: ModelOutcome;
  text: string;
  reasoning: string;
  calls: ToolCall[];
  /** Text from a call on that could not be read: it is the caller's only where no call comes of it. */
  damaged: string;
  /** Calls among words, of which the model is asked once. Its text from them on is in `damaged`. */
  held?: HeldCalls | undefined;
  /** It holds a call that nobody can make. */
  isTold?: true;
  /** The stop sequence that ended it. */
  stoppedBy?: string | undefined;
};

export const askModel = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  emit: (part: CompletionPart) => void,
): Promise<Said> => {
  const isText = asking.way?.toolMode === 'injected';
  const said = await askOnce(asking, messages, isText, emit);
  const { outcome } = said;
  if (outcome.ok || outcome.error.code !== 'tools_unsupported' || isText) return said;
  return askOnce(asking, messages, true, emit);
};

const askOnce = async (
  asking: Asking,
  messages: readonly ModelMessage[],
  injected: boolean,
  emit: (part: CompletionPart) => void,
): Promise<Said> => {
  const { chosen, way, registry, sampling, stop, responseSchema } = asking;
  const { schemas } = registry;
  const dialect = way?.dialect ?? 'auto';
  const open = (): Parser => (schemas.length > 0 ? parserOf(way?.reads ?? dialect, schemas) : createTextParser());
  // A stream cannot take back what it showed.
  let first = !asking.whole && opensThoughts(chosen, chosen.model) ? createThoughtsFirstParser(open) : undefined;
  let parser = first ?? open();
  const watch = createStopWatch(stop);
  // One that is led writes its calls apart from its text, and may quote anything.
  const mayCall = responseSchema === undefined && !way?.led;
  const hold = createCallHold(mayCall ? schemas : [], { hasMarks: (way?.reads ?? dialect) !== 'auto' });
  const enough = new AbortController();
  const text: string[] = [];
  const whole: string[] = [];
  let hasPlain = false;
  const events: ParserEvent[] = [];
  const push = (delta: string): ParserEvent[] => {
    const found = parser.push(delta);
    events.push(...found);
    return found;
  };
  const reasoning: string[] = [];
  const say = (piece: string): void => {
    if (piece === '') return;
    text.push(piece);
    if (!asking.whole) emit({ type: 'text', delta: piece });
  };
  const called: string[] = [];
  const damaged: string[] = [];
  let isDamaged = false;
  const take = (events: readonly ParserEvent[]): void => {
    for (const event of events) {
      if (event.type === 'call_start') {
        called[event.index] = event.name;
        hold.holdRest();
      } else if (event.type === 'call_end' && event.call === undefined && event.problem === 'malformed')
        isDamaged ||= registry.get(registry.resolveName(called[event.index] ?? '').name) !== undefined;
      else if (event.type === 'text' && isDamaged) damaged.push(event.text);
      else if (event.type === 'text') say(watch.push(hold.push(event.text)));
      else if (event.type === 'reasoning') {
        reasoning.push(event.text);
        emit({ type: 'reasoning', delta: event.text });
      }
    }
    if (watch.stoppedBy !== undefined) enough.abort();
  };
  const request: ModelRequest = {
    model: chosen.model,
    messages: way?.led ? spokenMessages(messages) : injected ? inText(messages, schemas, dialect) : messages,
    tools: injected ? [] : schemas,
    ...(injected && schemas.length > 0 ? { tools_in_text: true as const } : {}),
    sampling,
    ...(asking.passthrough && Object.keys(asking.passthrough).length > 0 ? { passthrough: asking.passthrough } : {}),
    ...(asking.parallel || schemas.length === 0 ? {} : { parallel_calls: false }),
    response_schema: responseSchema,
    ...(way?.stop?.length ? { stop: way.stop } : {}),
    // Servers read calls out of a stream and out of a whole answer differently, and a stop ends a stream early.
    ...(asking.whole && schemas.length === 0 && stop.length === 0 ? { whole: true } : {}),
  };
  const outcome = await asRequester({ who: 'model' }, () =>
    (way?.provider ?? chosen.provider).stream(
      request,
      (part) => {
        if (watch.stoppedBy !== undefined) return;
        if (part.type === 'text_delta') {
          whole.push(part.delta);
          hasPlain ||= part.plain === true;
          take(part.plain ? [{ type: 'text', text: part.delta }] : push(part.delta));
        } else if (part.type === 'warning' && part.code === 'retrying') asking.onRetrying?.();
        else if (part.type === 'reasoning_delta') {
          // The server takes them out of the text by itself.
          if (whole.length === 0 && first) parser = open();
          if (whole.length === 0) first = undefined;
          take([{ type: 'reasoning', text: part.delta }]);
        }
      },
      stop.length > 0 ? AbortSignal.any([asking.signal, enough.signal]) : asking.signal,
    ),
  );
  asking.usage.add({
    sent: request,
    outcome: outcome.ok ? { ok: true, usage: outcome.answer.usage } : outcome,
    written: () => `${reasoning.join('')}${whole.join('')}${writtenArguments(outcome)}`,
  });
  const isCut = outcome.ok && outcome.answer.finish === 'length';
  const end = parser.end({ isCut });
  if (watch.stoppedBy === undefined) {
    take(end.events);
    // What looked like the beginning of a call and is none that could be answered is text, cut as it is.
    for (const { text: cut } of unanswerable(registry, end.result)) take([{ type: 'text', text: cut }]);
  }
  const all = whole.join('');
  const isOwn = watch.stoppedBy === undefined && !hasPlain;
  const behind = isOwn ? readBehindThoughts(all, end.result, open, { isCut }) : undefined;
  if (behind) reasoning.push(behind.result.reasoning);
  else if (first) reasoning.splice(0, reasoning.length, end.result.reasoning);
  const isOpened = behind !== undefined || first?.isClosed === true;
  if (isOpened || (first && outcome.ok && outcome.answer.finish === 'stop'))
    chosen.speeds?.learnThoughts(chosen.model, isOpened);
  // What is held back may be a call that the answer ends in, and then it is no text. What a stream showed stays shown.
  const held = `${watch.push(hold.end())}${watch.end()}`;
  const said = behind?.result.content ?? `${text.join('')}${held}`;
  const isOpen = asking.whole || (behind !== undefined && responseSchema !== undefined);
  const shown = isOpen ? '' : text.join('');
  const thoughts = reasoning.join('');
  const read = behind ?? { text: first?.rest ?? all, events: [...events, ...end.events], result: end.result };
  const answer = { events: read.events, result: read.result, text: said, whole: read.text };
  const found =
    outcome.ok && mayCall && !outcome.answer.led
      ? foundInText(answer, {
          ...toolsToRead(registry),
          dialect,
          reads: way?.reads ?? dialect,
          native: outcome.answer.calls,
          isCut,
        })
      : { text: said, written: writtenOf(read.result), unread: '' };
  const unclosed = behind && unclosedMark(all.slice(0, all.length - behind.text.length), shown);
  const left =
    unclosed !== undefined && found.text.trim() !== ''
      ? `${unclosed}${found.text.trimStart()}`
      : behindShown(found.text, shown, behind ? held : said.slice(shown.length));
  // What becomes of the call and of the words behind it is asked first.
  const rest = found.held === undefined ? left : beforeFirst(left, found.held);
  // Of a stream that broke, half a call is no answer.
  if (rest !== '' && (outcome.ok || watch.stoppedBy !== undefined)) emit({ type: 'text', delta: rest });
  return {
    outcome: watch.stoppedBy === undefined ? outcome : stoppedOutcome(outcome),
    text: shown + rest,
    reasoning: thoughts,
    calls: callsOf(asking, messages, outcome, found.written, { text: said, thoughts }),
    damaged: [...damaged, found.unread.slice(shown.length), left.slice(rest.length)].join(''),
    held: found.held,
    ...(found.isTold ? { isTold: true } : {}),
    stoppedBy: watch.stoppedBy,
  };
};

/** A dialect of somebody's own brings its grammar along. */
const parserOf = (dialect: Dialect, tools: readonly ToolSchema[]): Parser =>
  typeof dialect === 'string' ? createParser({ dialect, tools }) : createFormatParser(dialect.format, { tools });

const inText = (
  messages: readonly ModelMessage[],
  schemas: readonly ToolSchema[],
  dialect: Dialect,
): readonly ModelMessage[] =>
  schemas.length > 0 ? injectTools(messages, schemas, dialect) : callsAsText(messages, dialect);

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

const beforeFirst = (text: string, { calls }: HeldCalls): string => {
  const at = text.indexOf(calls[0]?.text.trim() ?? text);
  const before = text.slice(0, Math.max(0, at));
  return before.replace(/\s*(?:```\w*)?\s*$/, '');
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

const writtenArguments = (outcome: ModelOutcome): string =>
  outcome.ok ? outcome.answer.calls.map((call) => JSON.stringify(call.arguments)).join('') : '';

/** We broke it off ourselves, so it is no failure; what was counted until then is not known. */
const stoppedOutcome = (outcome: ModelOutcome): ModelOutcome =>
  outcome.ok ? outcome : { ok: true, answer: { calls: [], finish: 'stop' } };

const callsOf = (
  { registry }: Asking,
  messages: readonly ModelMessage[],
  outcome: ModelOutcome,
  written: WrittenCalls,
  { text, thoughts }: { text: string; thoughts: string },
): ToolCall[] => {
  if (registry.schemas.length === 0) return [];
  const used = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [])),
  );
  const native = outcome.ok ? outcome.answer.calls : [];
  const found = collectCalls(used, registry, { calls: native }, written);
  if (found.length > 0 || text.trim() !== '' || !outcome.ok) return found;
  const thought = thoughtCall(registry, thoughts);
  return thought ? collectCalls(used, registry, { calls: [thought] }, undefined) : [];
};
