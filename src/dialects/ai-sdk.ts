/**
 * For programs of the Vercel AI SDK: calls that a model writes as text are calls, arguments that are a little off fit, and
 * reasoning stands apart. Works with AI SDK 5, 6 and 7 and needs none of their packages.
 */
import { checkMethods, checkReading } from './ai-sdk/given.ts';
import { inPrompt } from './ai-sdk/prompt.ts';
import {
  becauseOfCalls,
  type CallOptions,
  choiceOf,
  type GenerateResult,
  isCutBy,
  type StreamResult,
} from './ai-sdk/shapes.ts';
import { AnswerReader, type Part, ThoughtsMemory } from './answer-reader.ts';

export type { UIMessageChunk } from './ai-sdk/ui-chunks.ts';
export { fromUIMessages, type UIApproval, type UIConversation, type UIMessageLike } from './ai-sdk/ui-history.ts';
export { toUIMessageResponse, toUIMessageStream, type UIMessageOptions } from './ai-sdk/ui-messages.ts';

export type ReadingOptions = {
  /** How the model writes calls: a name of `dialectNames()`. Default: `auto`, all of them. */
  dialect?: string;
  /** `prompt`: for servers that take no tools; they are described in the prompt, in the words of `dialect`. Default: `native`. */
  tools?: 'native' | 'prompt';
  /**
   * Whether the prompt opens the thoughts, so that a stream has only the mark that closes them. Default: as the last answer
   * of the model was; before the first one, by its name.
   */
  startInReasoning?: boolean;
};

/** As much of a language model as is needed of it. */
export type LanguageModelLike = {
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<object>;
  doStream(options: never): PromiseLike<object>;
};

/** The model itself, read with care: for wherever the AI SDK takes a model. */
export const readCalls = <M extends LanguageModelLike>(model: M, options: ReadingOptions = {}): M => {
  checkMethods('readCalls()', 'a language model of the AI SDK', model, 'doGenerate', 'doStream');
  checkReading('readCalls()', options);
  const prepare = prepareFor(options);
  const read = readingOf(options);
  const own = {
    doGenerate: async (given: never) => {
      const call = prepare(given as CallOptions);
      return read.whole(await model.doGenerate(call as never), given as CallOptions, model.modelId);
    },
    doStream: async (given: never) => {
      const call = prepare(given as CallOptions);
      return read.stream(await model.doStream(call as never), given as CallOptions, model.modelId);
    },
  };
  return new Proxy(model, {
    get: (target, name) => (name in own ? own[name as keyof typeof own] : bound(target, name)),
  });
};

/** Methods of classes with private fields work on the object itself alone. */
const bound = (target: object, name: string | symbol): unknown => {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
};

/** A provider all of whose language models are read with care: `readingProvider(createOpenAICompatible({ … }))('qwen3')`. */
export const readingProvider = <P extends object>(provider: P, options: ReadingOptions = {}): P => {
  checkMethods('readingProvider()', 'a provider of the AI SDK', provider);
  checkReading('readingProvider()', options);
  const read = (made: unknown): unknown => (isLanguageModel(made) ? readCalls(made, options) : made);
  return new Proxy(provider, {
    apply: (target, self, args) => read(Reflect.apply(target as never, self, args)),
    get(target, name) {
      const value = bound(target, name);
      return typeof value === 'function'
        ? (...args: unknown[]) => read((value as (...all: unknown[]) => unknown)(...args))
        : value;
    },
  });
};

const isLanguageModel = (made: unknown): made is LanguageModelLike =>
  typeof made === 'object' && made !== null && 'doGenerate' in made && 'doStream' in made && 'modelId' in made;

/** The same as a middleware of `wrapLanguageModel`. `version` is that of the model interface: v2, v3 or v4 for AI SDK 5, 6, 7. */
export const readingMiddleware = <const V extends 'v2' | 'v3' | 'v4' = 'v4'>(
  options: ReadingOptions & { version?: V } = {},
) => {
  checkReading('readingMiddleware()', options, ['version']);
  const version = (options.version ?? 'v4') as V;
  const prepare = prepareFor(options);
  const read = readingOf(options);
  return {
    specificationVersion: version,
    // What AI SDK 5 calls the same.
    middlewareVersion: version,
    transformParams: async <C>({ params }: { params: C }): Promise<C> => prepare(params as CallOptions) as C,
    wrapGenerate: async <R>({ doGenerate, params, model }: Wrapped & { doGenerate(): PromiseLike<R> }): Promise<R> =>
      read.whole((await doGenerate()) as object, offered(params), model?.modelId) as R,
    wrapStream: async <R>({ doStream, params, model }: Wrapped & { doStream(): PromiseLike<R> }): Promise<R> =>
      read.stream((await doStream()) as object, offered(params), model?.modelId) as R,
  };
};

type Wrapped = { params: object; model?: { modelId: string } };

/** Tools that were put into a prompt, by the options that went out in their place. */
const MOVED = new WeakMap<object, CallOptions>();
const offered = (params: object): CallOptions => MOVED.get(params) ?? (params as CallOptions);

const prepareFor =
  ({ tools, dialect = 'auto' }: ReadingOptions) =>
  (options: CallOptions): CallOptions => {
    if (tools !== 'prompt') return options;
    const moved = inPrompt(options, dialect);
    MOVED.set(moved, options);
    return moved;
  };

type Reading = (result: object, options: CallOptions, model: string | undefined) => object;

const readingOf = ({ dialect = 'auto', startInReasoning }: ReadingOptions): { whole: Reading; stream: Reading } => {
  const memory = new ThoughtsMemory(startInReasoning);
  const readerFor = (call: CallOptions, thoughtsFirst: boolean | 'as written'): AnswerReader => {
    const { tools = [], prompt = [], responseFormat } = call;
    const parts = prompt.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []));
    return new AnswerReader({
      dialect,
      tools: tools.filter(({ type }) => type === 'function'),
      choice: choiceOf(call),
      usedIds: parts.map((part) => part['toolCallId']),
      thoughtsFirst,
      json: responseFormat?.type === 'json' ? { schema: responseFormat.schema } : undefined,
    });
  };
  return {
    whole: (result, options, model = '') => {
      const { content, finishReason } = result as GenerateResult;
      const reader = readerFor(options, 'as written');
      const parts = content.flatMap((part) => reader.take(asStreamed(part)));
      const whole = collected([...parts, ...reader.end({ isCut: isCutBy(finishReason) })]).map(asInterface);
      memory.learn(model, reader);
      return {
        ...result,
        content: whole,
        finishReason: reader.calls > 0 ? becauseOfCalls(finishReason) : finishReason,
      };
    },
    stream: (result, options, model = '') => {
      const reader = readerFor(options, memory.areOpened(model));
      const read = new TransformStream<Part, Part>({
        transform(part, controller) {
          const isEnd = part.type === 'finish';
          const before = isEnd ? reader.end({ isCut: isCutBy(part['finishReason']) }) : [];
          if (isEnd) memory.learn(model, reader);
          const isCalled = isEnd && reader.calls > 0;
          const after = isCalled ? { ...part, finishReason: becauseOfCalls(part['finishReason']) } : part;
          for (const each of [...before, ...reader.take(after)]) controller.enqueue(asInterface(each));
        },
      });
      return { ...result, stream: (result as StreamResult).stream.pipeThrough(read) };
    },
  };
};

/** What is wrong with a call stands in its input, which is no JSON: the library tells its model, and the program sees it. */
const asInterface = ({ problem: _told, ...part }: Part): Part => part;

/** A whole part as the one delta that it would have been. */
const asStreamed = (part: Part): Part => {
  if (part.type === 'text') return { type: 'text-delta', delta: part['text'] };
  return part.type === 'reasoning' ? { type: 'reasoning-delta', delta: part['text'], whole: part } : part;
};

const collected = (parts: readonly Part[]): Part[] => {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const type = part.type === 'text-delta' ? 'text' : 'reasoning';
      if (part['whole']) whole.push(part['whole'] as Part);
      else if (last?.type === type)
        whole[whole.length - 1] = { ...last, text: `${String(last['text'])}${String(part['delta'])}` };
      else whole.push({ type, text: part['delta'] });
    } else if (!/^(?:text|reasoning|tool-input)-/.test(part.type)) whole.push(part);
  }
  return whole;
};
