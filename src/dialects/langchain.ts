/**
 * For programs of LangChain: calls that a chat model writes as text are calls, arguments that are a little off fit, and
 * reasoning stands apart. Works with the chat models of `@langchain/core` 0.3 and 1 and needs none of their packages.
 */
import { ThoughtsMemory } from './answer-reader.ts';
import { readerFor } from './langchain/reading.ts';
import type { CallOptions, Chunk, Generation, Message, RunManager } from './langchain/shapes.ts';
import { readStream } from './langchain/stream.ts';
import { readWhole } from './langchain/whole.ts';

export type ReadingOptions = {
  /** How the model writes calls: a name of `dialectNames()`. Default: `auto`, all of them. */
  dialect?: string;
  /**
   * Whether the prompt opens the thoughts, so that a stream has only the mark that closes them. Default: as the last answer
   * of the model was; before the first one, by its name.
   */
  startInReasoning?: boolean;
};

/** As much of a chat model as is needed of it. */
export type ChatModelLike = { _generate(...given: never[]): Promise<object> };

type Answer = { generations: Generation[] };
type Model = {
  streaming?: boolean;
  model?: unknown;
  modelName?: unknown;
  _generate(messages: Message[], options: CallOptions): Promise<Answer>;
  _streamResponseChunks(messages: Message[], options: CallOptions): AsyncIterable<Chunk>;
};

/**
 * The chat model itself, read with care: `invoke`, `stream`, `bindTools`, `withStructuredOutput` and agents go through
 * it. What is bound or configured from it is read too.
 */
export const readCalls = <M extends ChatModelLike>(model: M, options: ReadingOptions = {}): M => {
  const inner = model as unknown as Model;
  const { dialect = 'auto', startInReasoning } = options;
  const memory = new ThoughtsMemory(startInReasoning);
  const name = String(inner.model ?? inner.modelName ?? '');
  const read = Object.create(model) as M;
  const streams = ownersOf(model, '_streamResponseChunks').length > 1;
  async function* chunks(messages: Message[], call: CallOptions, manager?: RunManager): AsyncGenerator<Chunk> {
    const reader = readerFor(messages, call, { dialect, thoughtsFirst: memory.areOpened(name) });
    for await (const chunk of readStream(inner._streamResponseChunks(messages, call), reader)) {
      yield chunk;
      await manager?.handleLLMNewToken(chunk.text, FIRST, undefined, undefined, undefined, { chunk });
    }
    memory.learn(name, reader);
  }
  define(read, '_generate', async (messages: Message[], call: CallOptions, manager?: RunManager): Promise<Answer> => {
    // Some clients parse the JSON that was asked for by themselves, and throw; what they stream they leave alone.
    if (streams && (inner.streaming === true || call.response_format?.type === 'json_schema'))
      return collected(chunks(messages, call, manager));
    const answer = await inner._generate(messages, call);
    const generations = answer.generations.map((one) => {
      const reader = readerFor(messages, call, { dialect, thoughtsFirst: 'as written' });
      const read = readWhole(one, reader);
      memory.learn(name, reader);
      return read;
    });
    return { ...answer, generations };
  });
  if (streams) {
    define(read, '_streamResponseChunks', chunks);
    // A client's own events would be of what was not read. Those of the base class are made of the chunks.
    const base = ownersOf(model, '_streamChatModelEvents').at(-1);
    if (base) define(read, '_streamChatModelEvents', Reflect.get(base, '_streamChatModelEvents'));
  }
  for (const name of ['bindTools', 'withConfig'] as const) {
    const method: unknown = Reflect.get(model, name);
    if (typeof method !== 'function') continue;
    define(read, name, (...given: unknown[]): unknown => {
      const made: unknown = Reflect.apply(method, read, given);
      return isChatModel(made) && !READ.has(made) ? readCalls(made, options) : made;
    });
  }
  READ.add(read);
  return read;
};

const READ = new WeakSet<object>();
const FIRST = { prompt: 0, completion: 0 };

const isChatModel = (made: unknown): made is ChatModelLike =>
  typeof made === 'object' && made !== null && '_generate' in made && typeof made._generate === 'function';

const define = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
};

/** The object and the classes behind it that have a method of their own; the base class, which has them all, last. */
const ownersOf = (model: object, method: string): object[] => {
  const owners: object[] = [];
  for (let at: object | null = model; at !== null; at = Reflect.getPrototypeOf(at))
    if (Object.hasOwn(at, method)) owners.push(at);
  return owners;
};

const collected = async (chunks: AsyncIterable<Chunk>): Promise<Answer> => {
  let whole: Chunk | undefined;
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk;
  return { generations: whole === undefined ? [] : [whole] };
};
