/**
 * One request to the model: the folded messages go out, parts come in, text is read for calls, and exactly one event
 * comes of it: the whole assistant message, or why there is none.
 */
import type { Event, EventBody } from '../core/events.ts';
import type { JsonSchema } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { AssistantMessage, FinishReason, ModelMessage, Repair, ToolCall, Usage } from '../core/message.ts';
import type {
  ModelAnswer,
  ModelError,
  ModelOutcome,
  ModelPart,
  ModelProvider,
  ModelRequest,
  ProviderCall,
  Sampling,
} from '../core/model-port.ts';
import { createProjection, type ProjectionOptions } from '../core/project.ts';
import {
  type BrokenCall,
  createParser,
  type ParsedCall,
  type ParseResult,
  type ParserEvent,
} from '../dialects/index.ts';
import { injectTools } from './inject-tools.ts';
import type { SessionInside } from './session-inside.ts';
import type { ToolRegistry } from './tool-registry.ts';

export type CallModel = (session: SessionInside, iteration: number) => Promise<void>;

export type CallModelOptions = {
  provider: ModelProvider;
  registry: ToolRegistry;
  sampling: Sampling;
  projection: ProjectionOptions;
  /** How text is read for calls: a dialect's name, or `auto`. */
  dialect: string;
  /** `injected`: tools stand in the prompt and calls are text, for servers that take no tools. */
  toolMode: 'native' | 'injected';
  responseSchema?: JsonSchema;
};

export const createCallModel = (options: CallModelOptions): CallModel => {
  const followed = followLog(options.projection);
  let toolMode = options.toolMode;

  return async (session, iteration) => {
    const model = session.state().model;
    session.progress({ type: 'model_started', model, iteration });
    const messages = followed.messages(session);
    const ask = (): Promise<Turn> => {
      const tools = toolMode === 'native' ? options.registry.schemas : [];
      const request: ModelRequest = {
        model,
        messages: toolMode === 'native' ? messages : injectTools(messages, options.registry.schemas, options.dialect),
        tools,
        sampling: options.sampling,
        ...(options.responseSchema ? { response_schema: options.responseSchema } : {}),
      };
      return runTurn(session, options, request);
    };
    let turn = await ask();
    if (!turn.outcome.ok && turn.outcome.error.code === 'tools_unsupported' && toolMode === 'native') {
      session.progress({
        type: 'warning',
        code: 'tools_injected',
        message: `${model} takes no tools of its own accord, so they are described to it in the prompt. Calls may be less sure.`,
      });
      toolMode = 'injected';
      turn = await ask();
    }
    for (let attempt = 0; attempt < LIMITS.emptyReplyRetries && isEmpty(turn); attempt += 1) {
      session.progress({
        type: 'warning',
        code: 'empty_reply',
        message: 'The model answered nothing. Asking once more.',
      });
      turn = await ask();
    }
    await session.dispatch(toEvent(session, options, turn, followed.usedIds));
  };
};

/** Keeps the projection and the ids in use in step with the log, so that each event is looked at once. */
const followLog = (options: ProjectionOptions) => {
  const projection = createProjection(options);
  const usedIds = new Set<string>();
  let seen = 0;
  return {
    usedIds,
    messages(session: SessionInside): readonly ModelMessage[] {
      const log = session.log();
      for (; seen < log.length; seen += 1) {
        const event = log[seen] as Event;
        projection.add(event);
        if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) usedIds.add(call.id);
      }
      return projection.messages();
    },
  };
};

type Turn = {
  outcome: ModelOutcome;
  text: string;
  reasoning: string;
  parsed: ParseResult | undefined;
};

const isEmpty = ({ outcome, text, reasoning, parsed }: Turn): boolean =>
  outcome.ok &&
  outcome.answer.finish !== 'cancelled' &&
  outcome.answer.calls.length === 0 &&
  (parsed?.calls.length ?? 0) === 0 &&
  (parsed?.broken.length ?? 0) === 0 &&
  text.trim() === '' &&
  reasoning.trim() === '';

const runTurn = async (session: SessionInside, options: CallModelOptions, request: ModelRequest): Promise<Turn> => {
  const tools = options.registry.schemas;
  const parser = tools.length > 0 ? createParser({ dialect: options.dialect, tools }) : undefined;
  const text: string[] = [];
  const reasoning: string[] = [];
  const take = (events: readonly ParserEvent[]): void => {
    for (const event of events) {
      if (event.type === 'text') {
        text.push(event.text);
        session.progress({ type: 'text_delta', delta: event.text });
      } else if (event.type === 'reasoning') {
        reasoning.push(event.text);
        session.progress({ type: 'reasoning_delta', delta: event.text });
      } else if (event.type === 'call_start') {
        session.progress({ type: 'tool_call_delta', index: event.index, name: event.name, arguments_delta: '' });
      } else if (event.type === 'call_arguments') {
        session.progress({ type: 'tool_call_delta', index: event.index, arguments_delta: event.delta });
      }
    }
  };
  const emit = (part: ModelPart): void => {
    if (part.type === 'text_delta' && parser) take(parser.push(part.delta));
    else if (part.type === 'text_delta') take([{ type: 'text', text: part.delta }]);
    else if (part.type === 'reasoning_delta') take([{ type: 'reasoning', text: part.delta }]);
    else session.progress(part);
  };
  const outcome = await options.provider.stream(request, emit, session.signal());
  const end = parser?.end();
  if (end) {
    take(end.events);
    // What looked like the beginning of a call and is none that could be answered is text, cut as it is.
    for (const { text: cut } of unanswerable(options.registry, end.result)) take([{ type: 'text', text: cut }]);
  }
  return {
    outcome,
    text: text.join(''),
    reasoning: reasoning.join(''),
    parsed: end?.result,
  };
};

/** The one event that a turn ends in. A partial answer that broke off is kept as far as it came. */
const toEvent = (session: SessionInside, options: CallModelOptions, turn: Turn, used: Set<string>): EventBody => {
  const { outcome } = turn;
  if (!outcome.ok) {
    if (turn.text.trim() === '') return failed(outcome.error);
    const finish = outcome.error.code === 'cancelled' ? 'cancelled' : 'disconnected';
    if (finish === 'disconnected') {
      const { code, message: text } = outcome.error;
      session.progress({ type: 'warning', code, message: `${text} What came before is kept.` });
    }
    return { type: 'assistant_message_added', message: message(turn, [], finish, undefined) };
  }
  const { answer } = outcome;
  const thought = thoughtCall(options, turn);
  const calls = collectCalls(used, options.registry, thought ? { ...answer, calls: [thought] } : answer, turn.parsed);
  const usage: Usage | undefined = answer.usage;
  if (usage) session.progress({ type: 'usage', usage });
  if (answer.finish === 'length') {
    session.progress({
      type: 'warning',
      code: 'answer_cut',
      message: 'The answer was cut by the token limit.',
    });
  }
  const finish: FinishReason = calls.length > 0 && answer.finish === 'stop' ? 'tool_calls' : answer.finish;
  return { type: 'assistant_message_added', message: message(turn, calls, finish, usage) };
};

const failed = (error: ModelError): EventBody => ({
  type: 'model_failed',
  code: error.code,
  message: error.message,
  ...(error.hint ? { hint: error.hint } : {}),
});

const message = (turn: Turn, calls: ToolCall[], finish: FinishReason, usage: Usage | undefined): AssistantMessage => ({
  role: 'assistant',
  content: turn.text.trim() === '' ? '' : turn.text,
  ...(turn.reasoning.trim() === '' ? {} : { reasoning: turn.reasoning.trim() }),
  tool_calls: calls,
  finish,
  ...(usage ? { usage } : {}),
});

/** Ids are unique in a session, so that a server which counts from zero each time cannot mix up results. */
const collectCalls = (
  used: Set<string>,
  registry: ToolRegistry,
  answer: ModelAnswer,
  parsed: Turn['parsed'],
): ToolCall[] => {
  const identify = (id: string | undefined): string => {
    const free = id !== undefined && id !== '' && !used.has(id) ? id : nextId(used);
    used.add(free);
    return free;
  };
  const finish = (call: Omit<ToolCall, 'id'>, id: string | undefined): ToolCall => {
    const { name, repair } = registry.resolveName(call.name);
    return { ...call, id: identify(id), name, repairs: repair ? [...call.repairs, repair] : call.repairs };
  };
  const native = answer.calls.map(({ id, ...call }) => finish(call, id));
  const read = (parsed?.calls ?? []).map((call) => finish(fromText(call, parsed?.dialect ?? ''), call.id));
  return [...native, ...read, ...brokenCalls(registry, parsed).map((call) => finish(call, undefined))];
};

const fromText = (call: ParsedCall, dialect: string): Omit<ToolCall, 'id'> => {
  const recovered: Repair = { kind: 'text_call', detail: `the call came as text (${dialect})` };
  return { name: call.name, arguments: call.arguments, source: 'parsed', repairs: [recovered, ...call.repairs] };
};

/**
 * Some models think their way to a call and stop there. A turn that is nothing but reasoning, and whose last thing is a
 * call of an offered tool, means that call; anything else that stands in reasoning is a draft.
 */
const thoughtCall = ({ registry }: CallModelOptions, turn: Turn): ProviderCall | undefined => {
  const answered = turn.outcome.ok && turn.outcome.answer.calls.length === 0 && turn.text.trim() === '';
  if (!answered || (turn.parsed?.calls.length ?? 0) > 0 || registry.schemas.length === 0) return undefined;
  const parser = createParser({ dialect: 'auto', tools: registry.schemas });
  let last: ParsedCall | undefined;
  for (const event of [...parser.push(turn.reasoning), ...parser.end().events]) {
    if (event.type === 'call_end') last = event.call;
    else if (event.type === 'text' && event.text.trim() !== '') last = undefined;
  }
  if (last === undefined || registry.get(registry.resolveName(last.name).name) === undefined) return undefined;
  const repair: Repair = {
    kind: 'call_in_reasoning',
    detail: 'the turn was nothing but reasoning that ended in this call',
  };
  return { name: last.name, arguments: last.arguments, source: 'parsed', repairs: [repair, ...last.repairs] };
};

/** The broken calls that name no tool; those that are malformed stand in the content already. */
const unanswerable = (registry: ToolRegistry, parsed: ParseResult): BrokenCall[] =>
  parsed.broken.filter(
    ({ name, problem }) =>
      problem === 'truncated' && (name === undefined || registry.get(registry.resolveName(name).name) === undefined),
  );

/** A call that began and cannot be run is answered with what was wrong, instead of being lost. */
const brokenCalls = (registry: ToolRegistry, parsed: Turn['parsed']): Omit<ToolCall, 'id'>[] =>
  (parsed?.broken ?? []).flatMap(({ name, text, problem }) => {
    // What is no call of an offered tool is text, and it stands in the content already.
    if (name === undefined || registry.get(registry.resolveName(name).name) === undefined) return [];
    const reason =
      problem === 'truncated'
        ? 'the call was cut off before its end, so it was not run; send it again, in smaller parts if it is long'
        : 'the arguments could not be read as JSON';
    return [
      {
        name,
        arguments: {},
        source: 'parsed' as const,
        repairs: [],
        malformed: { text: text.slice(0, 2_000), problem: reason },
      },
    ];
  });

const nextId = (used: ReadonlySet<string>): string => {
  for (let number = used.size + 1; ; number += 1) {
    const id = `call_${number}`;
    if (!used.has(id)) return id;
  }
};
