/** Answers of LangChain's models as servers give them: whole, in chunks, and with calls that are nearly right. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { describe, expect, it } from 'vitest';
import { readCalls } from './langchain.ts';

type Piece = ConstructorParameters<typeof AIMessageChunk>[0] & object;
const TOOL = {
  type: 'function',
  function: {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' }, line: { type: 'integer' } } },
  },
};

/** Says what it is given, whole or in chunks. */
class Saying extends BaseChatModel {
  readonly said: AIMessage | readonly Piece[];
  constructor(said: AIMessage | readonly Piece[]) {
    super({});
    this.said = said;
  }
  _llmType(): string {
    return 'saying';
  }
  override async _generate(_messages: BaseMessage[]): Promise<ChatResult> {
    if (!(this.said instanceof AIMessage)) throw new Error('it streams');
    return { generations: [{ text: String(this.said.content), message: this.said }] };
  }
}
class Streaming extends Saying {
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    for (const piece of this.said as readonly Piece[])
      yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk(piece) });
  }
}

const whole = async (said: ConstructorParameters<typeof AIMessage>[0]): Promise<AIMessageChunk> =>
  readCalls(new Saying(new AIMessage(said as never))).invoke('Go', { tools: [TOOL] } as never);

const streamed = async (pieces: readonly Piece[], history: BaseMessage[] = []): Promise<AIMessageChunk> => {
  let message: AIMessageChunk | undefined;
  const model = readCalls(new Streaming(pieces));
  const chunks = await model.stream([...history, new HumanMessage('Go')], { tools: [TOOL] } as never);
  for await (const chunk of chunks) message = message?.concat(chunk) ?? chunk;
  return message as AIMessageChunk;
};

const argumentsOf = ({ tool_calls = [] }: AIMessageChunk) => tool_calls.map(({ name, args }) => [name, args]);
const READ = ['read_file', { path: 'a.md', line: 2 }];
const chunk = (piece: object) => ({ content: '', tool_call_chunks: [{ type: 'tool_call_chunk', ...piece }] }) as Piece;

describe('a model of LangChain', () => {
  it.each([
    ['another case and a number as text', 'ReadFile', '{"path": "a.md", "line": "2"}'],
    ['a trailing comma', 'read_file', '{"path": "a.md", "line": 2,}'],
    ['a missing brace', 'read_file', '{"line": 2, "path": "a.md"'],
  ])('has calls of the server mended: %s', async (_what, name, args) => {
    const invalid = [{ name, args, id: 'c1', error: 'Malformed args.', type: 'invalid_tool_call' as const }];
    expect(argumentsOf(await whole({ content: '', invalid_tool_calls: invalid }))).toEqual([READ]);
    const cut = Math.floor(args.length / 2);
    const pieces = [
      chunk({ name, args: '', id: 'c1', index: 0 }),
      chunk({ args: args.slice(0, cut), index: 0 }),
      chunk({ args: args.slice(cut), index: 0 }),
    ];
    expect(argumentsOf(await streamed(pieces))).toEqual([READ]);
  });

  it.each([
    ['an index for each', [0, 1], ['c1', 'c2']],
    ['one index and two ids', [0, 0], ['c1', 'c2']],
    ['one index and no ids', [0, 0], [undefined, undefined]],
  ])('keeps two calls at once apart: %s', async (_what, index, id) => {
    const args = '{"path": "a.md", "line": 2}';
    const pieces = [0, 1].map((at) => chunk({ name: 'read_file', args, index: index[at], id: id[at] }));
    expect(argumentsOf(await streamed(pieces))).toEqual([READ, READ]);
  });

  it('leaves arguments that nobody can read to LangChain, with its words', async () => {
    const unread = { name: 'read_file', args: 'path: [', id: 'c1', error: 'Malformed args.' };
    const answer = await whole({ content: '', invalid_tool_calls: [{ ...unread, type: 'invalid_tool_call' }] });
    expect(answer.tool_calls).toEqual([]);
    expect(answer.invalid_tool_calls).toMatchObject([unread]);
  });

  it('keeps what is not read: pictures, usage, the id, and fields of the server', async () => {
    const picture = { type: 'image_url', image_url: { url: 'data:,' } };
    const usage_metadata = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const more = { usage_metadata, id: 'm1', additional_kwargs: { refusal: 'no' }, response_metadata: { model: 'x' } };
    const content = [{ type: 'text' as const, text: '<think>Hm.</think>Look.' }, picture];
    const answer = await whole({ content, ...more } as never);
    expect(answer.content).toEqual([picture, { type: 'text', text: 'Look.' }]);
    expect(answer).toMatchObject({ ...more, additional_kwargs: { refusal: 'no', reasoning_content: 'Hm.' } });
    const pieces = [{ content: 'Look', ...more }, { content: '.' }] as Piece[];
    expect(await streamed(pieces)).toMatchObject({ content: 'Look.', ...more });
  });

  it('gives a call of the text an id that the conversation does not have', async () => {
    const call = { name: 'read_file', args: {}, id: 'call_1', type: 'tool_call' as const };
    const history = [new AIMessage({ content: '', tool_calls: [call] })];
    const answer = await streamed([{ content: '[TOOL_CALLS]read_file[ARGS]{"path": "a.md", "line": 2}' }], history);
    expect(argumentsOf(answer)).toEqual([READ]);
    expect(answer.tool_calls?.[0]?.id).toBe('call_2');
  });

  it('reads an answer without tools as text', async () => {
    const said = 'Write <tool_call>{"name": "x", "arguments": {}}</tool_call>.';
    const answer = await readCalls(new Saying(new AIMessage(said))).invoke('Go');
    expect([answer.content, answer.tool_calls]).toEqual([said, []]);
  });
});
