/** Other people's clients, as they come from npm, against halter and a model that writes its calls as text (B2). */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../../src/core/model-port.ts';
import { listen } from '../../src/server/index.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { TOKEN, testServer } from '../support/test-server.ts';

/** As a small model writes it: text, a trailing comma, a number as text. */
const CALL =
  'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": "3",}}\n</tool_call>';
const answerAfterCall = (request: ModelRequest) =>
  request.messages.at(-1)?.role === 'tool' ? { text: 'It is sunny in Paris.' } : { text: CALL };

const endpoint = async (turns: ScriptedProviderSource, options: Parameters<typeof testServer>[1] = {}) => {
  const server = await testServer(turns, options);
  const listening = await listen(server.app, { host: '127.0.0.1', port: 0 });
  if (!listening.ok) throw new Error(listening.error.message);
  onTestFinished(() => listening.value.close());
  return { ...server, baseURL: `http://127.0.0.1:${listening.value.port}/v1` };
};

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};
const WEATHER = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'The weather.', parameters },
};
const ask = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];

describe('the client openai', () => {
  it('gets calls that fit, answers them and gets an answer', async () => {
    verifies('B2');
    const { baseURL, provider } = await endpoint(answerAfterCall);
    const client = new OpenAI({ baseURL, apiKey: TOKEN });
    const first = await client.chat.completions.create({ model: 'm', messages: ask, tools: [WEATHER] });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.content).toBe('Let me see.');
    const [call] = choice?.message.tool_calls ?? [];
    if (call?.type !== 'function') throw new Error('no call');
    expect(call.function.name).toBe('get_weather');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Paris', days: 3 });
    expect(first.usage?.total_tokens).toBe((first.usage?.prompt_tokens ?? 0) + (first.usage?.completion_tokens ?? 0));
    const second = await client.chat.completions.create({
      model: 'm',
      messages: [...ask, choice!.message, { role: 'tool', tool_call_id: call.id, content: '{"sky":"clear"}' }],
      tools: [WEATHER],
    });
    expect(second.choices[0]?.message.content).toBe('It is sunny in Paris.');
    expect(second.choices[0]?.finish_reason).toBe('stop');
    // The caller's tools alone.
    expect(provider.requests[0]?.tools.map((entry) => entry.function.name)).toEqual(['get_weather']);
    expect(provider.requests[0]?.messages.some(({ role }) => role === 'system')).toBe(false);
  });

  it('streams text, calls and usage', async () => {
    verifies('B2');
    const { baseURL } = await endpoint(answerAfterCall);
    const client = new OpenAI({ baseURL, apiKey: TOKEN });
    const stream = await client.chat.completions.create({
      model: 'm',
      messages: ask,
      tools: [WEATHER],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let args = '';
    let finish: string | null = null;
    let total: number | undefined;
    for await (const part of stream) {
      const [choice] = part.choices;
      text += choice?.delta.content ?? '';
      args += choice?.delta.tool_calls?.[0]?.function?.arguments ?? '';
      finish = choice?.finish_reason ?? finish;
      total = part.usage?.total_tokens ?? total;
    }
    expect(text).toBe('Let me see.');
    expect(JSON.parse(args)).toEqual({ city: 'Paris', days: 3 });
    expect(finish).toBe('tool_calls');
    expect(total).toBeGreaterThan(0);
  });

  it('runs its own loop of tools', async () => {
    verifies('B2');
    const { baseURL } = await endpoint(answerAfterCall);
    const client = new OpenAI({ baseURL, apiKey: TOKEN });
    const asked: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: 'm',
      messages: ask,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather.',
            parameters,
            parse: JSON.parse,
            function: (args: object) => {
              asked.push(args);
              return 'clear';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is sunny in Paris.');
    expect(asked).toEqual([{ city: 'Paris', days: 3 }]);
  });

  it('gets vectors where the server of the model makes them', async () => {
    verifies('B2');
    const scripted = scriptedProvider([], { models: [{ id: 'm' }] });
    const { baseURL } = await endpoint(
      { text: '' },
      {
        modelProvider: {
          ...scripted,
          embed: async ({ texts }) => ({
            ok: true,
            vectors: texts.map((text) => [text.length, 0.5]),
            prompt_tokens: 2,
          }),
        },
      },
    );
    const client = new OpenAI({ baseURL, apiKey: TOKEN, maxRetries: 0 });
    const made = await client.embeddings.create({ model: 'm', input: ['one', 'three'] });
    expect(made.data.map(({ embedding }) => embedding)).toEqual([
      [3, 0.5],
      [5, 0.5],
    ]);
    const none = await endpoint({ text: '' });
    const other = new OpenAI({ baseURL: none.baseURL, apiKey: TOKEN, maxRetries: 0 });
    await expect(other.embeddings.create({ model: 'm', input: 'x' })).rejects.toMatchObject({ status: 501 });
  });

  it('lists the models and reads errors', async () => {
    verifies('B2');
    const { baseURL } = await endpoint({ text: 'Hello.' });
    const client = new OpenAI({ baseURL, apiKey: TOKEN, maxRetries: 0 });
    expect((await client.models.list()).data).toMatchObject([
      { id: 'scripted/m', object: 'model', owned_by: 'scripted' },
      { id: 'default', owned_by: 'scripted' },
      { id: 'halter', owned_by: 'scripted' },
    ]);
    const hello = await client.chat.completions.create({ model: 'scripted/m', messages: ask });
    expect(hello.choices[0]?.message.content).toBe('Hello.');
    await expect(client.chat.completions.create({ model: 'gpt-4o', messages: ask })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    await expect(client.chat.completions.create({ model: 'm', messages: ask, n: 2 })).rejects.toMatchObject({
      status: 400,
    });
    const stranger = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('the AI SDK with @ai-sdk/openai-compatible', () => {
  const weather = (asked: unknown[]) =>
    tool({
      description: 'The weather.',
      inputSchema: z.object({ city: z.string(), days: z.number().int().optional() }),
      execute: async (input) => {
        asked.push(input);
        return 'clear';
      },
    });

  it('runs its steps over generateText and streamText', async () => {
    verifies('B2');
    const { baseURL } = await endpoint(answerAfterCall);
    const halter = createOpenAICompatible({ name: 'halter', baseURL, apiKey: TOKEN });
    const asked: unknown[] = [];
    const common = { model: halter('m'), prompt: 'Weather in Paris?', stopWhen: stepCountIs(3) };
    const whole = await generateText({ ...common, tools: { get_weather: weather(asked) } });
    expect(whole.text).toBe('It is sunny in Paris.');
    const streamed = streamText({ ...common, tools: { get_weather: weather(asked) } });
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    expect(text).toBe('Let me see.It is sunny in Paris.');
    expect(asked).toEqual([
      { city: 'Paris', days: 3 },
      { city: 'Paris', days: 3 },
    ]);
  });
});

describe('@langchain/openai', () => {
  it('binds tools, calls them and streams', async () => {
    verifies('B2');
    const { baseURL } = await endpoint(answerAfterCall);
    const weather = langchainTool(async ({ city }: { city: string }) => `clear in ${city}`, {
      name: 'get_weather',
      description: 'The weather.',
      schema: z.object({ city: z.string(), days: z.number().int().optional() }),
    });
    const model = new ChatOpenAI({ model: 'm', apiKey: TOKEN, configuration: { baseURL } });
    const bound = model.bindTools([weather]);
    const first = await bound.invoke([new HumanMessage('Weather in Paris?')]);
    expect(first.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Paris', days: 3 } }]);
    const [call] = first.tool_calls ?? [];
    const result = new ToolMessage({ tool_call_id: call?.id ?? '', content: 'clear' });
    const second = await bound.invoke([new HumanMessage('Weather in Paris?'), first, result]);
    expect(second.content).toBe('It is sunny in Paris.');
    let text = '';
    for await (const piece of await model.stream([new HumanMessage('hi')])) text += String(piece.content);
    expect(text).toContain('get_weather');
  });
});
