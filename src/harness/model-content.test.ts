/** What goes to the model of what a tool gives: its data as it is, what the tool says instead, and pictures. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const parameters = { type: 'object', properties: {} } as const;
const base = { name: 'look', description: 'Look', risk: 'safe', parameters } as const;
const call = { calls: [{ name: 'look', arguments: {} }] };
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2);

const talk = async (
  tool: ReturnType<typeof defineTool>,
  options: Partial<HarnessOptions> & { vision?: boolean; turns?: ScriptedProviderSource[] } = {},
) => {
  const { vision, turns = [call, { text: 'Seen.' }], ...rest } = options;
  const provider = scriptedProvider(turns, { models: [{ id: 'm', ...(vision === undefined ? {} : { vision }) }] });
  const model = { name: 'm', provider, describe: true };
  const harness = createHarness({ model, workspace: scratchFolder(), tools: [tool], ...rest });
  onTestFinished(() => harness.close());
  const result = await harness.chat('Look');
  const sent = provider.requests.at(-1)?.messages ?? [];
  return { harness, result, sent, told: sent.find(({ role }) => role === 'tool')?.content, provider };
};

describe('the result that a model reads', () => {
  test('is the data as it is, escaped nowhere, and no longer', async () => {
    const data = { city: 'Oslo', sky: 'clear', celsius: 21 };
    const { told, result } = await talk(defineTool({ ...base, run: () => data }));
    expect(told).toBe(JSON.stringify(data));
    expect(result.toolCalls[0]?.result).toMatchObject({ success: true, data: JSON.stringify(data) });
    expect((await talk(defineTool({ ...base, run: () => 'two\n"lines"' }))).told).toBe('two\n"lines"');
    expect((await talk(defineTool({ ...base, run: () => undefined }))).told).toBe('(no output)');
  });

  test('of a failure is one line of JSON, and what there is of data behind it', async () => {
    const failing = defineTool({
      ...base,
      run: () => ({ success: false, error_type: 'io_error', error_message: 'no luck', data: 'half' }) as const,
    });
    expect((await talk(failing)).told).toBe(
      '{"success":false,"error_type":"io_error","error_message":"no luck"}\nhalf',
    );
    const broken = await talk(defineTool({ ...base, run: () => ({ later: Promise.resolve(1) }) }));
    expect(broken.result.toolCalls[0]?.result).toMatchObject({
      error_type: 'internal_error',
      error_message: expect.stringContaining('the value.later that it returned is a promise'),
      metadata: { code: 501 },
    });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const failing = (): never => {
    throw new Error('no words');
  };
  test.each<[string, object]>([
    ['a value that holds itself', { run: () => cyclic }],
    ['a promise inside', { run: () => ({ later: Promise.resolve(1) }) }],
    ['bytes of no picture', { run: () => Uint8Array.of(1, 2) }],
    ['toModelOutput that throws', { run: () => 1, toModelOutput: failing }],
    ['toModelOutput that rejects', { run: () => 1, toModelOutput: async () => failing() }],
    ['toModelOutput that returns nothing', { run: () => 1, toModelOutput: () => undefined }],
    ['toModelOutput that returns no content', { run: () => 1, toModelOutput: () => [{ type: 'text' }] }],
  ])('says that the tool ran where only its result cannot be told: %s', async (_what, more) => {
    const { told, result } = await talk(defineTool({ ...base, ...more } as typeof base & { run: () => unknown }));
    expect(told).toContain('ran to its end, and its result cannot be told: ');
    expect(result.toolCalls[0]?.result).toMatchObject({ error_type: 'internal_error', metadata: { code: 501 } });
  });

  test.each<[string, () => unknown]>([
    ['throws', failing],
    ['rejects', async () => failing()],
    ['returns an Error', () => new Error('no words')],
  ])('says that a tool failed that %s', async (_what, run) => {
    expect((await talk(defineTool({ ...base, run }))).told).toContain(`${base.name} failed: no words`);
  });

  test('that is too long is whole for the program where the tool says it in other words', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id }));
    const tool = defineTool({ ...base, run: () => rows, toModelOutput: (value) => `${value.length} rows` });
    const { told, result, harness } = await talk(tool);
    expect(told).toBe('20000 rows');
    expect(JSON.parse(result.toolCalls[0]?.result.data ?? '')).toEqual(rows);
    expect(result.toolCalls[0]?.result.metadata.truncated).toBeUndefined();
    expect(JSON.parse((await harness.executeTool('look', {})).data ?? '')).toEqual(rows);
  });

  test('that is too long names read_file only where it is on offer', async () => {
    const tool = defineTool({ ...base, run: () => 'line\n'.repeat(20_000) });
    const alone = await talk(tool);
    expect(alone.told).toContain('ask for less at a time');
    expect(alone.told).not.toContain('read_file');
    expect(alone.result.toolCalls[0]?.result.metadata.truncated).not.toContain('read_file');
    const readFile = BUILT_IN_TOOLS.filter(({ name }) => name === 'read_file');
    expect((await talk(tool, { tools: [tool, ...readFile] })).told).toContain('which read_file shows in ranges');
  });

  test('is the whole of it where a preset or the program says so', async () => {
    const tool = defineTool({ ...base, run: () => 'x' });
    for (const options of [
      { prompt: { preset: 'zoo-keeper' } },
      { tools: { available: [tool], results: 'full' } },
    ] as const) {
      const { sent } = await talk(tool, options);
      expect(JSON.stringify(sent)).toContain('execution_time_ms');
    }
  });

  test('is what the tool says instead, and the program gets the value', async () => {
    const tool = defineTool({
      ...base,
      run: () => ({ rows: [1, 2, 3] }),
      toModelOutput: ({ rows }) => `${rows.length} rows`,
    });
    const { told, result } = await talk(tool);
    expect(told).toBe('3 rows');
    expect(result.toolCalls[0]?.result.data).toBe('{"rows":[1,2,3]}');
  });

  test('is what the tool says instead also where the same call is not run again', async () => {
    let runs = 0;
    const tool = defineTool({ ...base, pure: true, run: () => `run ${++runs}`, toModelOutput: () => 'short' });
    const { sent } = await talk(tool, { turns: [{ calls: [...call.calls, ...call.calls] }, { text: 'Seen.' }] });
    expect(sent.flatMap((message) => (message.role === 'tool' ? [message.content] : []))).toEqual(['short', 'short']);
  });
});

describe('a picture that a tool returns', () => {
  const camera = defineTool({ ...base, run: () => PNG });
  const shown = (sent: readonly object[]): boolean => JSON.stringify(sent).includes('iVBORw0KGgoBAg==');

  test.each([true, undefined])('reaches a model that sees (%s), behind the results', async (vision) => {
    const { sent, told } = await talk(camera, vision === undefined ? {} : { vision });
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(sent.at(-1)).toMatchObject({ content: [{ text: '[From look, call_1:]' }, { mime_type: 'image/png' }] });
    expect(told).toContain('[a picture, image/png, 10 bytes]');
  });

  test('goes on in a history', async () => {
    const { harness } = await talk(camera);
    const messages = await harness.messages();
    const { sent } = await talk(camera, { turns: [{ text: 'Still.' }], messages });
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user', 'assistant', 'user']);
    expect(shown(sent)).toBe(true);
  });

  test('is words for a model that does not see', async () => {
    const { sent, told } = await talk(camera, { vision: false });
    expect(shown(sent)).toBe(false);
    expect(told).toContain('[a picture, image/png, 10 bytes]');
  });

  test('is left out from then on where the server refuses it', async () => {
    const refuses: ScriptedProviderSource = async ({ messages }) =>
      shown(messages) ? { error: { code: 'bad_request', message: 'image input is not supported' } } : { text: 'Seen.' };
    const { result, provider } = await talk(camera, { turns: [call, refuses, refuses] });
    expect(result.answer).toBe('Seen.');
    expect(provider.requests.map(({ messages }) => shown(messages))).toEqual([false, true, false]);
  });

  test('of a kind or size that no model takes is left out in words', async () => {
    const odd = defineTool({
      ...base,
      run: () => 'x',
      toModelOutput: () => [
        { type: 'text' as const, text: 'A drawing:' },
        { type: 'image' as const, mime_type: 'image/svg+xml', data_base64: 'aaaa' },
      ],
    });
    expect((await talk(odd)).told).toBe(
      'A drawing:\n[a picture was left out: its kind is image/svg+xml, and models see PNG, JPEG, GIF and WebP]',
    );
  });
});
