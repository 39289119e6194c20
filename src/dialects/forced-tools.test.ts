/** Tools that have to be called, or none: what models of the AI SDK and of LangChain then answer, whole and streamed. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { JsonObject } from '../core/json.ts';
import { readCalls, readingMiddleware, readingProvider } from './ai-sdk.ts';
import { forcedCall } from './forced-call.ts';
import { readCalls as readLangChain } from './langchain.ts';

type Part = { type: string; [field: string]: unknown };
type Read = { text: string; calls: [name: string, args: unknown][] };
type Choice = 'auto' | 'none' | 'required' | 'count';
type Way = (said: string, choice: Choice, how: 'whole' | 'stream') => Promise<Read>;

const schemaOf = (properties: JsonObject, required: string[]) => ({ type: 'object', properties, required });
const COUNT = schemaOf({ people: { type: 'integer' }, note: { type: 'string' } }, ['people']);
const SEND = schemaOf({ to: { type: 'string' } }, ['to']);
const TOOLS = { count: COUNT, send: SEND };

const pieces = (said: string): string[] => said.match(/[\s\S]{1,3}/g) ?? [];

const sdkModel = (said: string) => ({
  modelId: 'm',
  doGenerate: async (_call: never) => ({ content: [{ type: 'text', text: said }], finishReason: 'stop' }),
  doStream: async (_call: never) => ({
    stream: new ReadableStream<Part>({
      start(controller) {
        for (const delta of pieces(said)) controller.enqueue({ type: 'text-delta', id: 't', delta });
        controller.enqueue({ type: 'finish', finishReason: 'stop' });
        controller.close();
      },
    }),
  }),
});
const sdkCall = (choice: Choice) => ({
  prompt: [],
  tools: Object.entries(TOOLS).map(([name, inputSchema]) => ({ type: 'function', name, inputSchema })),
  toolChoice: choice === 'count' ? { type: 'tool', toolName: choice } : { type: choice },
});
const sdkRead = async (result: object): Promise<Read> => {
  const parts: Part[] = [];
  if ('content' in result) parts.push(...(result.content as Part[]));
  else for await (const part of (result as { stream: AsyncIterable<Part> }).stream) parts.push(part);
  const text = parts.map((part) => (/^text(?:-delta)?$/.test(part.type) ? (part['text'] ?? part['delta']) : ''));
  const calls = parts.filter(({ type }) => type === 'tool-call');
  const read = (input: unknown): unknown => JSON.parse(String(input));
  return { text: text.join(''), calls: calls.map((call) => [String(call['toolName']), read(call['input'])]) };
};
type Asks = Record<'doGenerate' | 'doStream', (call: object) => Promise<object>>;
const sdkWay =
  (readOf: (model: ReturnType<typeof sdkModel>) => unknown): Way =>
  async (said, choice, how) => {
    const model = readOf(sdkModel(said)) as Asks;
    return sdkRead(await model[how === 'whole' ? 'doGenerate' : 'doStream'](sdkCall(choice)));
  };
const middleware: Way = async (said, choice, how) => {
  const model = sdkModel(said);
  const { wrapGenerate, wrapStream } = readingMiddleware();
  const doGenerate = () => model.doGenerate({} as never);
  const doStream = () => model.doStream({} as never);
  const given = { doGenerate, doStream, params: sdkCall(choice), model };
  return sdkRead(await (how === 'whole' ? wrapGenerate(given) : wrapStream(given)));
};

class Saying extends BaseChatModel {
  readonly said: string;
  constructor(said: string) {
    super({});
    this.said = said;
  }
  _llmType(): string {
    return 'saying';
  }
  override async _generate(): Promise<ChatResult> {
    return { generations: [{ text: this.said, message: new AIMessage(this.said) }] };
  }
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    for (const content of pieces(this.said))
      yield new ChatGenerationChunk({ text: content, message: new AIMessageChunk({ content }) });
  }
}
/** As the clients of OpenAI, Anthropic and Bedrock name one tool and any. */
const NAMED = {
  name: 'count',
  openai: { type: 'function', function: { name: 'count' } },
  anthropic: { type: 'tool', name: 'count' },
  bedrock: { tool: { name: 'count' } },
};
const ANY = { name: 'any', openai: 'required', anthropic: { type: 'any' }, bedrock: { any: {} } };
const langChain =
  (client: keyof typeof NAMED): Way =>
  async (said, choice, how) => {
    const chosen = choice === 'count' ? NAMED[client] : choice === 'required' ? ANY[client] : choice;
    const tools = Object.entries(TOOLS).map(([name, schema]) => ({ name, schema }));
    const options = { tools, tool_choice: chosen } as never;
    const model = readLangChain(new Saying(said));
    let message: AIMessageChunk | undefined;
    if (how === 'whole') message = await model.invoke('Go', options);
    else for await (const chunk of await model.stream('Go', options)) message = message?.concat(chunk) ?? chunk;
    const calls = (message?.tool_calls ?? []).map(({ name, args }): [string, unknown] => [name, args]);
    return { text: String(message?.content ?? ''), calls };
  };

const SEVEN = ['count', { people: 7 }];
const BARE: Record<string, string> = {
  alone: '{"people": 7}',
  'over lines': '\n{\n  "people": 7\n}\n',
  'in a fence': '```json\n{"people": 7}\n```',
  'behind words': 'Here are the arguments:\n\n```\n{"people": 7}\n```',
  'behind words, without a fence': 'The call is: {"people": 7}',
  'behind thoughts': '<think>Seven, or {"people": 8}?</think>\n{"people": 7}',
  'a number as text and a comma': '{"people": "7",}',
  'as arguments': '{"arguments": {"people": 7}}',
  'below its name': '{"count": {"people": 7}}',
};
const NO_CALL: Record<string, string> = {
  words: 'There are seven people.',
  'words around': 'I would say {"people": 7}, but I do not know.',
  'a question behind': '{"people": 7}\n\nIs that right?',
  'no key of the tool': '{"colour": "red"}',
  'not closed': '{"people": 7, "note": "a',
  'a list': '[7]',
  'nothing of it': '{"error": "I cannot count."}',
};

describe.each<[string, Way]>([
  ['the AI SDK', sdkWay((model) => readCalls(model))],
  ['a provider of it', sdkWay((model) => readingProvider(() => model)())],
  ['its middleware', middleware],
  ...(['name', 'openai', 'anthropic', 'bedrock'] as const).map((client): [string, Way] => [
    `LangChain (${client})`,
    langChain(client),
  ]),
])('%s', (_library, ask) => {
  for (const how of ['whole', 'stream'] as const) {
    describe(how, () => {
      it.each(Object.entries(BARE))('takes bare arguments for the call that has to come: %s', async (_form, said) => {
        verifies('K5');
        for (const choice of ['count', 'required'] as const)
          expect(await ask(said, choice, how), choice).toEqual({ text: '', calls: [SEVEN] });
      });

      it.each(Object.entries(NO_CALL))('leaves an answer that is none as it is: %s', async (_form, said) => {
        for (const choice of ['count', 'required'] as const)
          expect(await ask(said, choice, how), choice).toEqual({ text: said, calls: [] });
      });

      it('leaves JSON an answer where the model may call or not', async () => {
        for (const choice of ['auto', 'none'] as const) {
          const said = BARE['alone'] as string;
          expect(await ask(said, choice, how), choice).toEqual({ text: said, calls: [] });
        }
      });

      it('makes no call where none may come', async () => {
        const said = '<tool_call>{"name": "count", "arguments": {"people": 7}}</tool_call>';
        expect(await ask(said, 'auto', how)).toEqual({ text: '', calls: [SEVEN] });
        expect(await ask(said, 'none', how)).toEqual({ text: said, calls: [] });
      });

      it('tells words and the call that came in a notation, in their order', async () => {
        const said = 'I count.\n<tool_call>{"name": "count", "arguments": {"people": 7}}</tool_call>';
        const { text, calls } = await ask(said, 'count', how);
        expect([text.trim(), calls]).toEqual(['I count.', [SEVEN]]);
      });
    });
  }
});

describe('bare arguments', () => {
  const optional = { name: 'list', schema: schemaOf({ path: { type: 'string' } }, []) };
  const other = { name: 'find', schema: schemaOf({ path: { type: 'string' }, name: { type: 'string' } }, ['path']) };
  const free = { name: 'note', schema: undefined };
  const wraps = { name: 'keep', schema: schemaOf({ input: { type: 'object' } }, ['input']) };

  it.each([
    ['none at all, of a tool that takes none', '{}', [optional], 'list'],
    ['none at all, of a tool that wants some', '{}', [other], undefined],
    ['those of two tools', '{"path": "a"}', [optional, other], undefined],
    ['those of one of two tools', '{"path": "a", "name": "b", "x": 1}', [other, wraps], 'find'],
    ['what does not fit, in keys of the only tool', '{"name": "b"}', [other], 'find'],
    ['any object, for the only tool without a schema', '{"a": 1}', [free], 'note'],
    ['any object, for one of two without a schema', '{"a": 1}', [free, other], undefined],
    ['a key that wraps elsewhere and is the tool’s own', '{"input": {"a": 1}}', [wraps], 'keep'],
    ['a call of another tool', '{"name": "erase", "arguments": {}}', [optional], undefined],
  ])('%s', (_what, answer, tools, name) => {
    expect(forcedCall(answer, tools)?.name).toBe(name);
  });
});

describe('tools that stand in the prompt', () => {
  const promptFor = async (choice: Choice): Promise<string> => {
    const seen: unknown[] = [];
    const model = {
      ...sdkModel('{"people": 7}'),
      doGenerate: async (call: never) => {
        seen.push((call as { prompt: unknown }).prompt);
        return { content: [{ type: 'text', text: '{"people": 7}' }], finishReason: 'stop' };
      },
    };
    const read = readCalls(model, { tools: 'prompt' }) as unknown as Asks;
    const { calls } = await sdkRead(await read.doGenerate(sdkCall(choice)));
    expect(calls).toEqual(choice === 'count' || choice === 'required' ? [SEVEN] : []);
    return JSON.stringify(seen);
  };

  it('are those that may be called, with the word that one has to be', async () => {
    expect(await promptFor('none')).toBe('[[]]');
    expect(await promptFor('auto')).not.toContain('Answer with a call of');
    const named = await promptFor('count');
    expect(named).toContain('Answer with a call of count.');
    expect(named).not.toContain('send');
    const any = await promptFor('required');
    expect(any).toContain('Answer with a call of one of these tools.');
    expect(any).toContain('send');
  });
});
