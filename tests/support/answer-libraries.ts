/** One answer of a model, read for the AI SDK and for LangChain, whole and as a stream. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { readCalls } from '../../src/dialects/ai-sdk.ts';
import { readCalls as readLangChain } from '../../src/dialects/langchain.ts';

export type How = 'whole' | 'stream';
type Seen = {
  text: string;
  reasoning: string;
  made: string[];
  /** What the program sees of calls that are not made. */
  unmade: { name: string; input: string }[];
  finish: unknown;
  /** What the model is told of them, where the library has a loop. */
  told: string;
};
export type Library = (says: string, how: How, finish?: 'stop' | 'length') => Promise<Seen>;

/** The one tool on offer. */
export const NAME = 'read_file';
const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

const aiSdk: Library = async (says, how, finish = 'stop') => {
  const prompts: unknown[] = [];
  const asked = ({ prompt }: { prompt: unknown }) => {
    prompts.push(prompt);
    const isFirst = prompts.length === 1;
    return { text: isFirst ? says : 'Done.', reason: { unified: isFirst ? finish : 'stop', raw: undefined } };
  };
  const model = {
    specificationVersion: 'v3',
    provider: 'p',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async (options: { prompt: unknown }) => {
      const { text, reason } = asked(options);
      return { content: [{ type: 'text', text }], finishReason: reason, usage: USAGE, warnings: [] };
    },
    doStream: async (options: { prompt: unknown }) => {
      const { text, reason } = asked(options);
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: 't' });
          for (const delta of text) controller.enqueue({ type: 'text-delta', id: 't', delta });
          controller.enqueue({ type: 'text-end', id: 't' });
          controller.enqueue({ type: 'finish', finishReason: reason, usage: USAGE });
          controller.close();
        },
      });
      return { stream };
    },
  };
  const made: string[] = [];
  const given = {
    model: readCalls(model) as unknown as LanguageModel,
    prompt: 'Go',
    stopWhen: stepCountIs(2),
    tools: {
      read_file: tool({
        inputSchema: z.object({ path: z.string().optional() }),
        execute: (input) => {
          made.push(JSON.stringify(input));
          return 'ok';
        },
      }),
    },
  };
  const result = how === 'whole' ? await generateText(given) : streamText({ ...given, onError: () => {} });
  const [first] = await result.steps;
  return {
    text: first?.text ?? '',
    reasoning: first?.reasoningText ?? '',
    made,
    unmade: (first?.toolCalls ?? [])
      .filter((call) => 'invalid' in call && call.invalid)
      .map(({ toolName, input }) => ({ name: toolName, input: String(input) })),
    finish: first?.finishReason,
    told: JSON.stringify(prompts[1] ?? ''),
  };
};

class Saying extends BaseChatModel {
  readonly said: string;
  readonly finish: string;
  constructor(said: string, finish: string) {
    super({});
    this.said = said;
    this.finish = finish;
  }
  _llmType(): string {
    return 'saying';
  }
  override async _generate(): Promise<ChatResult> {
    const message = new AIMessage({ content: this.said, response_metadata: { finish_reason: this.finish } });
    return { generations: [{ text: this.said, message, generationInfo: { finish_reason: this.finish } }] };
  }
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    for (const content of this.said)
      yield new ChatGenerationChunk({ text: content, message: new AIMessageChunk({ content }) });
    const generationInfo = { finish_reason: this.finish };
    yield new ChatGenerationChunk({
      text: '',
      message: new AIMessageChunk({ content: '', response_metadata: generationInfo }),
      generationInfo,
    });
  }
}
const langChain: Library = async (says, how, finish = 'stop') => {
  const read = readLangChain(new Saying(says, finish));
  const schema = { type: 'object', properties: { path: { type: 'string' } } };
  const bound = { tools: [{ name: NAME, schema }] } as never;
  let message: AIMessageChunk | undefined;
  if (how === 'whole') message = await read.invoke([new HumanMessage('Go')], bound);
  else
    for await (const chunk of await read.stream([new HumanMessage('Go')], bound))
      message = message?.concat(chunk) ?? chunk;
  const { tool_calls = [], invalid_tool_calls = [], content, additional_kwargs: more } = message as AIMessageChunk;
  const about = (message as AIMessageChunk).response_metadata;
  return {
    text: String(content),
    reasoning: String(more['reasoning_content'] ?? ''),
    made: tool_calls.map(({ args }) => JSON.stringify(args)),
    unmade: invalid_tool_calls.map(({ name = '', args = '' }) => ({ name, input: args })),
    finish: about['finish_reason'],
    told: invalid_tool_calls.map(({ error = '' }) => error).join(),
  };
};

/** With the word by which each says that an answer ended in calls. */
export const LIBRARIES: readonly [string, Library, string][] = [
  ['the AI SDK', aiSdk, 'tool-calls'],
  ['LangChain', langChain, 'tool_calls'],
];
