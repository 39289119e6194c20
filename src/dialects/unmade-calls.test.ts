/** Calls that cannot be made, in models of the AI SDK and of LangChain: each is told as these libraries tell such calls. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../tests/requirements.ts';
import { readCalls } from './ai-sdk.ts';
import { readCalls as readLangChain } from './langchain.ts';

type How = 'whole' | 'stream';
type Seen = {
  text: string;
  made: string[];
  /** What the program sees of calls that are not made. */
  unmade: { name: string; input: string }[];
  finish: unknown;
  /** What the model is told of them, where the library has a loop. */
  told: string;
};
type Library = (says: string, how: How, finish?: 'stop' | 'length') => Promise<Seen>;

const NAME = 'read_file';
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
  const { tool_calls = [], invalid_tool_calls = [], content, response_metadata: about } = message as AIMessageChunk;
  return {
    text: String(content),
    made: tool_calls.map(({ args }) => JSON.stringify(args)),
    unmade: invalid_tool_calls.map(({ name = '', args = '' }) => ({ name, input: args })),
    finish: about['finish_reason'],
    told: invalid_tool_calls.map(({ error = '' }) => error).join(),
  };
};

const GOOD = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>';

describe.each<[string, Library, string]>([
  ['the AI SDK', aiSdk, 'tool-calls'],
  ['LangChain', langChain, 'tool_calls'],
])('%s', (_library, ask, called) => {
  describe.each<How>(['whole', 'stream'])('%s', (how) => {
    it.each([
      '<tool_call>{"name": "read_file", "arguments": {path is a}}</tool_call>',
      '<tool_call>{"name": "read_file", "arguments": {"path": "a"',
      '<tool_call>{"read_file": {"file": "a"}}</tool_call>',
      '{"name": "read_file", "path": "a", "why": "to know"}',
      '{"name": "read_file", "arguments": "a"}',
      '{"read_file": {"path": 7}}',
      '[TOOL_CALLS]read_file[ARGS]["a"]',
    ])('%j is handed on as a call that is not made', async (says) => {
      verifies('L4', 'K5');
      const { made, unmade, finish, told } = await ask(says, how);
      expect(unmade).toEqual([{ name: NAME, input: expect.stringContaining('The call was not made: ') }]);
      expect(unmade[0]?.input).toContain('read_file');
      expect(made).toEqual([]);
      expect(told).not.toBe('""');
      if (!says.endsWith('"a"')) expect(finish).toBe(called);
    });

    it.each([
      '<tool_call>{"read_file": {"path": "a"}}</tool_call>',
      '{"name": "read_file", "path": "a"}',
      '{"read_file": {"path": "a"}}',
    ])('%j is understood, and made', async (says) => {
      verifies('L4', 'K5');
      const { made, unmade, finish } = await ask(says, how);
      expect([made, unmade, finish]).toEqual([['{"path":"a"}'], [], called]);
    });

    it('beside a call that is made as well', async () => {
      const { made, unmade } = await ask(`${GOOD}\n{"name": "read_file", "arguments": ["b"]}`, how);
      expect([made, unmade.length]).toEqual([['{"path":"a"}'], 1]);
    });

    it('says that a limit ended the answer inside a call', async () => {
      const { made, unmade, finish } = await ask('Ok.\n<tool_call>{"name": "read_file", "argum', how, 'length');
      expect([made, finish]).toEqual([[], 'length']);
      expect(unmade).toEqual([{ name: NAME, input: expect.stringContaining('cut off') }]);
    });

    it.each(['<tool_call>{"na', '[TOOL_CALLS][]', '<tool_call></tool_call>'])(
      'what names no tool stays in the text: %j',
      async (says) => {
        const { text, made, unmade } = await ask(says, how);
        expect([text.trim(), made, unmade]).toEqual([says, [], []]);
      },
    );

    it.each([
      `A call looks like this:\n${GOOD}\nThat is all.`,
      '12: [TOOL_CALLS]read_file[ARGS]{"path": "a"}\n13: end',
    ])('a sample is text, and no program runs it: %j', async (says) => {
      verifies('K5');
      const { text, made, unmade } = await ask(says, how);
      expect([made, unmade]).toEqual([[], []]);
      for (const word of ['read_file', '"path"', says.slice(-4)]) expect(text).toContain(word);
    });
  });
});
