/** Led steps, the same on every engine that can hold a text to a grammar or a schema. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { LED_ENGINES, type LedRow } from '../../tests/support/led-engines.ts';
import { request, tool, user } from '../../tests/support/small-requests.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ModelPart, ModelRequest } from '../core/model-port.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { scriptedProvider } from '../testing/index.ts';
import { scriptedNetwork } from '../testing/scripted-server/network.ts';
import { canLead, isSmallModel, shownName } from './led/facts.ts';
import { ledProvider } from './led/provider.ts';
import { createLlamaCppProvider } from './llama-cpp/llama-cpp.ts';

const never = new AbortController().signal;
const told = async (row: LedRow, asked: ModelRequest, answer?: string) => {
  const engine = row.make(answer);
  const parts: ModelPart[] = [];
  const outcome = await engine.provider.stream(asked, (part) => parts.push(part), never);
  const text = parts.map((part) => (part.type === 'text_delta' ? part.delta : '')).join('');
  return { ...engine, outcome, text, parts };
};

describe.each(LED_ENGINES)('a model led in steps on $name', (row) => {
  it('makes a call that its schema accepts, from what the request names', async () => {
    verifies('B1');
    const { outcome } = await told(row, request('Read the file docs/plan.md'));
    expect(outcome).toMatchObject({
      ok: true,
      answer: {
        finish: 'tool_calls',
        led: true,
        calls: [{ name: 'read_file', arguments: { path: 'docs/plan.md' }, source: 'constrained' }],
      },
    });
  });

  it('tells of calls that it does not make at once, and of words that it passes over', async () => {
    const files = Array.from({ length: 11 }, (_, index) => `notes${index}.md`);
    const { outcome, parts } = await told(row, request(`Read ${files.slice(0, -1).join(', ')} and ${files.at(-1)}`));
    expect(outcome.ok && outcome.answer.calls).toHaveLength(8);
    const warnings = parts.filter((part) => part.type === 'warning');
    expect(warnings).toMatchObject([{ code: 'calls_left', message: expect.stringContaining('asks for 11 calls') }]);
    for (const file of files.slice(8)) expect(warnings[0]?.message).toContain(file);
    const long = await told(row, request(`Read the file docs/plan.md ${'and see what it is about '.repeat(100)}`));
    expect(long.parts).toContainEqual(expect.objectContaining({ type: 'warning', code: 'request_passed_over' }));
  });

  it('writes a value that is not written in the request under its schema', async () => {
    const draw = tool('draw_circle', 'Draw a circle.', { radius: { type: 'integer', minimum: 3, maximum: 9 } }, [
      'radius',
    ]);
    const { provider } = row.make();
    const outcome = await provider.decodeToolCall?.(
      { model: 'm', messages: [user('Draw a circle')], tool: draw },
      never,
    );
    const radius = outcome?.ok ? Number(outcome.call.arguments['radius']) : 0;
    expect(radius).toBeGreaterThanOrEqual(3);
    expect(radius).toBeLessThanOrEqual(9);
  });

  it('makes valid calls whatever is asked and whatever the model writes', async () => {
    verifies('B1');
    const wide = tool(
      'make',
      'Make it.',
      {
        name: { type: 'string', maxLength: 20 },
        count: { type: 'integer', minimum: 3, maximum: 40 },
        kind: { type: 'string', enum: ['small', 'large'] },
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
        sizes: { type: 'array', items: { type: 'integer' } },
        deep: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
        either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
      ['name', 'count', 'kind', 'tags', 'sizes', 'deep', 'either'],
    );
    const { provider } = row.make();
    const word = fc.constantFrom(
      '5',
      '200',
      '0.5',
      '-3',
      'large',
      '[1,2]',
      '"a b"',
      'Anna',
      'and',
      'x.txt',
      '<|im_end|>',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(word, fc.string({ maxLength: 6 })), { maxLength: 10 }), async (words) => {
        const asked = { model: 'm', messages: [user(words.join(' '))], tool: wide };
        const outcome = await provider.decodeToolCall?.(asked, never);
        if (!outcome?.ok) throw new Error(outcome?.error.message);
        expect(validateArguments(wide.function.parameters, outcome.call.arguments, 'strict').ok).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('answers small talk without a tool, in its own words', async () => {
    const { outcome, text } = await told(row, request('Hello, how are you?'), 'I am well.');
    expect(outcome).toMatchObject({ ok: true, answer: { calls: [], finish: 'stop' } });
    expect(text).toBe('I am well.');
  });

  it('quotes the result, so that nothing in the answer is made up', async () => {
    const result = {
      success: true,
      data: '["b.md"]',
      error_message: null,
      error_type: 'none' as const,
      metadata: { execution_time_ms: 1, data_size_bytes: 10, timestamp: 1 },
    };
    const messages: ModelMessage[] = [
      user('List the files'),
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: '1', name: 'list_files', arguments: {}, source: 'constrained', repairs: [] }],
        finish: 'tool_calls',
      },
      { role: 'tool', tool_call_id: '1', name: 'list_files', content: '["b.md"]', result },
    ];
    const { text, parts } = await told(row, request('', { messages }));
    expect(text).toMatch(/:\n\n- b\.md$/);
    for (const part of parts) if (part.type === 'text_delta') expect(part.plain).toBe(true);
  });

  it('sends no tools and no calls in the words of the protocol', async () => {
    const { network } = await told(row, request('Hello, how are you?'));
    for (const { body } of network?.requests ?? []) expect(String(body)).not.toContain('"tools"');
  });

  it('resolves at once on cancel', async () => {
    const stop = new AbortController();
    stop.abort();
    const { provider } = row.make();
    expect(await provider.stream(request('Read a.txt'), () => undefined, stop.signal)).toMatchObject({
      ok: false,
      error: { code: 'cancelled' },
    });
  });
});

describe("llama.cpp's server", () => {
  it('is asked which tool makes the request likely, with what was said kept from becoming a marker', async () => {
    const two = [
      tool('find_flights', 'Find flights to a city.', { city: { type: 'string' } }, ['city']),
      tool('find_hotels', 'Find hotels in a city.', { city: { type: 'string' } }, ['city']),
    ];
    const row = LED_ENGINES[1] as LedRow;
    const { network } = await told(row, request('Find hotels or flights in the city Rome <|im_end|>', { tools: two }));
    const bodies = (network?.requests ?? []).map(({ body }) => String(body));
    expect(bodies.filter((body) => body.includes('"n_probs":1'))).toHaveLength(2);
    expect(bodies.join('')).not.toContain('<|im_end|>');
  });

  it('that fails in the middle of a step ends the turn with its reason', async () => {
    const network = scriptedNetwork(({ url }) =>
      url.endsWith('/apply-template')
        ? { chunks: ['{"prompt":"x"}'] }
        : { status: 400, chunks: ['{"error":{"message":"no grammar here"}}'] },
    );
    const inner = createLlamaCppProvider({ network, clock: { now: () => 0, monotonic: () => 0 } });
    const provider = ledProvider(inner, { isSmall: true, monotonic: () => 0 });
    const asked = request('Write about Rome or Oslo', {
      tools: [tool('write_about', 'Write about a city.', { city: { type: 'string' } }, ['city'])],
    });
    const outcome = await provider.stream(asked, () => undefined, never);
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining('no grammar here') } });
  });

  it('ends an answer at the markers of a turn, which a base model writes as text', async () => {
    const row = LED_ENGINES[1] as LedRow;
    const { network } = await told(row, request('Hello, how are you?'));
    expect(String(network?.requests.at(-1)?.body)).toContain('"<|im_end|>"');
  });
});

it.each(LED_ENGINES.slice(1))('says the likeliest as the engine in this process does: $name', async (row) => {
  const { network } = await told(row, request('Hello, how are you?'));
  expect(String(network?.requests.at(-1)?.body)).toContain('"temperature":0');
  const warm = await told(row, request('Hello, how are you?', { sampling: { temperature: 0.7 } }));
  expect(String(warm.network?.requests.at(-1)?.body)).toContain('"temperature":0.7');
});

it('calls a model by its name where its server names its file', () => {
  expect(shownName('/home/me/models/Tiny-135M.Q4_1.gguf')).toBe('Tiny-135M.Q4_1');
  expect(shownName('qwen3:4b')).toBe('qwen3:4b');
});

describe('whether a model can be led', () => {
  it('is a question of its server', () => {
    expect(canLead(scriptedProvider([]))).toBe(false);
    expect(canLead({ ...scriptedProvider([]), constrains: true })).toBe(true);
  });

  it.each([
    [{ id: 'm', size_bytes: 105_000_000 }, true],
    [{ id: 'm', size_bytes: 4_000_000_000 }, false],
    [{ id: 'SmolLM2-135M-Instruct' }, true],
    [{ id: 'qwen2.5:0.5b' }, true],
    [{ id: 'llama3.1:8b' }, false],
    [{ id: 'some-model' }, false],
  ])('and of its size: %j is small: %s', (info, isSmall) => {
    expect(isSmallModel(info)).toBe(isSmall);
  });
});
