/** Thoughts that the prompt opened, in models of the AI SDK and of LangChain: whole, and as they stream. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { readCalls, readingMiddleware } from './ai-sdk.ts';
import { readCalls as readLangChain } from './langchain.ts';

type Read = { text: string; reasoning: string; calls: string[] };
type Options = { startInReasoning?: boolean };
/** One model, asked again and again; `native`: its server tells thoughts in a field of their own first. */
type Library = (
  model: string,
  options?: Options,
) => (text: string, how: 'whole' | 'stream', native?: string) => Promise<Read>;

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };
type Part = { type: string; [field: string]: unknown };

const readParts = (parts: readonly Part[]): Read => {
  const said = (type: string): string =>
    parts
      .map((part) => (part.type === type || part.type === `${type}-delta` ? String(part['text'] ?? part['delta']) : ''))
      .join('');
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [String(part['toolName'])] : []));
  return { text: said('text'), reasoning: said('reasoning'), calls };
};
const sdkModel = (modelId: string) => {
  let text = '';
  let native: string | undefined;
  return {
    say(next: string, thought?: string) {
      text = next;
      native = thought;
    },
    modelId,
    doGenerate: async () => ({
      content: [...(native ? [{ type: 'reasoning', text: native }] : []), { type: 'text', text }],
      finishReason: 'stop',
    }),
    doStream: async () => ({
      stream: new ReadableStream<Part>({
        start(controller) {
          if (native) for (const delta of native) controller.enqueue({ type: 'reasoning-delta', id: 'r', delta });
          for (const delta of text) controller.enqueue({ type: 'text-delta', id: 't', delta });
          controller.enqueue({ type: 'finish', finishReason: 'stop' });
          controller.close();
        },
      }),
    }),
  };
};
const CALL = { prompt: [], tools: [{ type: 'function', name: 'read_file', inputSchema: SCHEMA }] };
const partsOf = async (result: object): Promise<Part[]> => {
  if ('content' in result) return result.content as Part[];
  const parts: Part[] = [];
  for await (const part of (result as { stream: AsyncIterable<Part> }).stream) parts.push(part);
  return parts;
};

const aiSdk: Library = (name, options) => {
  const model = sdkModel(name);
  const ask = readCalls(model, options) as unknown as Record<
    'doGenerate' | 'doStream',
    (call: object) => Promise<object>
  >;
  return async (text, how, native) => {
    model.say(text, native);
    return readParts(await partsOf(await (how === 'whole' ? ask.doGenerate(CALL) : ask.doStream(CALL))));
  };
};
const middleware: Library = (name, options) => {
  const model = sdkModel(name);
  const { wrapGenerate, wrapStream } = readingMiddleware(options);
  return async (text, how, native) => {
    model.say(text, native);
    const { doGenerate, doStream } = model;
    const given = { doGenerate, doStream, params: CALL, model };
    return readParts(await partsOf(await (how === 'whole' ? wrapGenerate(given) : wrapStream(given))));
  };
};

class Saying extends BaseChatModel {
  said = '';
  native: string | undefined;
  readonly model: string;
  constructor(model: string) {
    super({});
    this.model = model;
  }
  _llmType(): string {
    return 'saying';
  }
  override async _generate(): Promise<ChatResult> {
    const message = new AIMessage({ content: this.said, additional_kwargs: this.#more(this.native) });
    return { generations: [{ text: this.said, message }] };
  }
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    const chunk = (content: string, native?: string) =>
      new ChatGenerationChunk({
        text: content,
        message: new AIMessageChunk({ content, additional_kwargs: this.#more(native) }),
      });
    if (this.native) yield chunk('', this.native);
    for (const piece of this.said) yield chunk(piece);
  }
  #more(reasoning_content: string | undefined) {
    return reasoning_content === undefined ? {} : { reasoning_content };
  }
}
const langChain: Library = (name, options) => {
  const model = new Saying(name);
  const read = readLangChain(model, options);
  const bound = { tools: [{ name: 'read_file', schema: SCHEMA }] } as never;
  return async (text, how, native) => {
    Object.assign(model, { said: text, native });
    let message: AIMessageChunk | undefined;
    if (how === 'whole') message = await read.invoke([new HumanMessage('Go')], bound);
    else
      for await (const chunk of await read.stream([new HumanMessage('Go')], bound))
        message = message?.concat(chunk) ?? chunk;
    return {
      text: String(message?.content ?? ''),
      reasoning: String(message?.additional_kwargs['reasoning_content'] ?? ''),
      calls: (message?.tool_calls ?? []).map((call) => call.name),
    };
  };
};

const call = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>';
const THOUGHT = `Perhaps ${call}? No.\n</think>\n\nHello.`;
const LATER = `I read it.\n</think>\n${call}`;

describe.each<[string, Library]>([
  ['the AI SDK', aiSdk],
  ['its middleware', middleware],
  ['LangChain', langChain],
])('%s', (_library, ask) => {
  it('has thoughts that the prompt opened apart in a whole answer', async () => {
    verifies('L4');
    const model = ask('m');
    expect(await model(THOUGHT, 'whole')).toMatchObject({ text: 'Hello.', calls: [] });
    expect((await model(THOUGHT, 'whole')).reasoning).toContain('Perhaps');
    expect(await model(LATER, 'whole')).toMatchObject({ text: '', calls: ['read_file'] });
  });

  it.each([
    ['of a model that is named for its thinking', 'deepseek-r1:8b', undefined, false],
    ['where the program says it', 'm', { startInReasoning: true }, false],
    ['after an answer that had them', 'm', undefined, true],
  ])('has them apart in a stream %s', async (_when, name, options, isSecond) => {
    const model = ask(name, options);
    if (isSecond) await model(THOUGHT, 'stream');
    const { text, reasoning, calls } = await model(THOUGHT, 'stream');
    expect([text.trim(), calls]).toEqual(['Hello.', []]);
    expect(reasoning).toContain('Perhaps');
    expect(await model(LATER, 'stream')).toMatchObject({ calls: ['read_file'] });
    // Without a mark all of it is the answer, and so it is from then on.
    if (options === undefined)
      for (const _ of [1, 2]) expect((await model('Hello again.', 'stream')).text).toBe('Hello again.');
  });

  it('takes text for the answer where the server tells thoughts by themselves', async () => {
    const said = await ask('deepseek-r1:8b')('Hello.', 'stream', 'I greet.');
    expect(said).toEqual({ text: 'Hello.', reasoning: 'I greet.', calls: [] });
  });

  it('takes the program’s word that no thoughts are opened', async () => {
    const said = await ask('deepseek-r1:8b', { startInReasoning: false })('Hello.', 'stream');
    expect(said).toEqual({ text: 'Hello.', reasoning: '', calls: [] });
  });
});
