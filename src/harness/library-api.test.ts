/** What a program that embeds halter does: values for answers, histories in and out, ends of a run, and tools that change. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ModelFailure } from '../core/errors.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { halterPaths } from '../storage/paths.ts';
import { scriptedProvider, startScriptedServer } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';
import type { PermissionRequest } from './permission.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-library-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Turns = Parameters<typeof scriptedProvider>[0];
const harness = (turns: Turns, options: Partial<HarnessOptions> = {}) => {
  const provider = scriptedProvider(turns);
  return { provider, agent: createHarness({ model: 'scripted', provider, workspace: folder, ...options }) };
};
const add = defineTool({
  name: 'add',
  description: 'Add',
  risk: 'safe',
  parameters: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
  run: ({ a, b }) => a + b,
});
const callAdd = { calls: [{ name: 'add', arguments: { a: 42, b: 58 } }] };
const city = z.object({ name: z.string(), people: z.number().min(1) });

test('a server that refuses for now is told by its status, and by how long it asks to be left alone', async () => {
  const error = { code: 'server_error', message: 'Busy.', status: 429, retry_after_seconds: 7 } as const;
  const { agent } = harness([{ error }, { error }]);
  await expect(agent.chat('Go')).rejects.toMatchObject({ name: 'ModelFailure', status: 429, retryAfterSeconds: 7 });
  await agent.close();
});

describe('an answer that is a value', () => {
  test.each([
    ['plain', '{"name":"Ulm","people":126000}'],
    [
      'in a fence, with words around it',
      'Here it is:\n```json\n{"name": "Ulm", "people": 126000}\n```\nAnything else?',
    ],
    ['with a trailing comma and a number as text', '{"name": "Ulm", "people": "126000",}'],
  ])('is read where it is %s, without another request', async (_how, text) => {
    const { agent, provider } = harness([{ text }]);
    const { output } = await agent.chat('Which city?', { schema: city });
    expect(output.people + 1).toBe(126_001);
    expect(output.name).toBe('Ulm');
    expect(provider.requests).toHaveLength(1);
    // The engine is held to it, and the model is told it.
    expect(provider.requests[0]?.response_schema).toMatchObject({ properties: { name: {} } });
    expect(JSON.stringify(provider.requests[0]?.messages)).toContain('Answer with JSON');
    // Which the person did not say.
    expect((await agent.messages())[0]).toEqual({ role: 'user', content: 'Which city?' });
    await agent.close();
  });

  test("is asked for again with the validator's words, and then the message fails with what there is", async () => {
    const { agent, provider } = harness([{ text: '{"name":"Ulm","people":0}' }, { text: '{"name":"Ulm","people":7}' }]);
    expect((await agent.chat('Which city?', { schema: city })).output).toEqual({ name: 'Ulm', people: 7 });
    expect(JSON.stringify(provider.requests[1]?.messages.at(-1))).toContain('people');
    await agent.close();
    const stubborn = harness(async () => ({ text: 'No.' }));
    const failure = await stubborn.agent.chat('Which city?', { schema: city }).then(undefined, (error) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'protocol', partial: { answer: 'No.' } });
    expect(stubborn.provider.requests).toHaveLength(3);
    await stubborn.agent.close();
  });

  test('comes after calls, as plain JSON Schema and as no object, and the next message has no shape', async () => {
    const { agent, provider } = harness([callAdd, { text: '["a", "b"]' }, { text: 'Fine.' }], { tools: [add] });
    const schema = { type: 'array', items: { type: 'string' } } as const;
    const { output, toolCalls } = await agent.chat('List', { schema });
    expect(output).toEqual(['a', 'b']);
    expect(toolCalls).toHaveLength(1);
    expect((await agent.chat('And now?')).answer).toBe('Fine.');
    expect(provider.requests.map(({ response_schema }) => response_schema)).toEqual([undefined, undefined, undefined]);
    await agent.close();
  });

  test('is told in parts while it comes', async () => {
    const seen = Promise.withResolvers<void>();
    // The end of the answer comes when a part of its value was told.
    const turn = { text: ['{"name": "Ul', 'm", "people": 126000}'], gates: { 2: seen.promise } };
    const server = await startScriptedServer({ turns: [turn] });
    const agent = createHarness({ model: 'm', provider: 'openai', baseUrl: server.openaiUrl, workspace: folder });
    const parts: unknown[] = [];
    const chat = agent.chat('Which city?', { schema: city });
    for await (const event of chat) {
      if (event.type !== 'partial_output') continue;
      parts.push(event.output);
      seen.resolve();
    }
    expect(parts).toEqual([{ name: 'Ul' }, { name: 'Ulm', people: 126_000 }]);
    await agent.close();
    await server.close();
  });
});

describe('a history', () => {
  test('comes out as messages and goes into another harness, which goes on from there', async () => {
    const first = harness([callAdd, { text: 'It is 100.' }], { tools: [add] });
    await first.agent.chat('What is 42 + 58?');
    const messages = await first.agent.messages();
    await first.agent.close();
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);

    const second = harness([{ text: 'Of 100.' }], { tools: [add], messages });
    expect((await second.agent.chat('Of what was I talking?')).answer).toBe('Of 100.');
    const sent = second.provider.requests[0]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(await second.agent.messages()).toHaveLength(6);
    await second.agent.close();
  });

  test('is kept in files where that is said, resumed by its id, forked, and nowhere else', async () => {
    const folders = halterPaths({ HOME: folder }, 'linux');
    const storage = { kind: 'files', folders } as const;
    const first = harness([{ text: 'Noted.' }], { storage, session: 'talk' });
    await first.agent.chat('My name is Ada.');
    expect(first.agent.session).toBe('talk');
    await first.agent.close();
    const second = harness([{ text: 'Ada.' }], { storage, session: 'talk' });
    await second.agent.chat('What is my name?');
    expect(JSON.stringify(second.provider.requests[0]?.messages)).toContain('My name is Ada.');
    await second.agent.close();
    const copy = harness([{ text: 'Ada, in a copy.' }], { storage, session: 'talk', fork: true });
    await copy.agent.chat('And here?');
    expect(copy.agent.session).not.toBe('talk');
    expect(await copy.agent.messages()).toHaveLength(6);
    await copy.agent.close();
  });
});

describe('the end of a run', () => {
  test('says why: stop, length, and stopped by the program', async () => {
    const { agent } = harness([{ text: 'All.' }, { text: 'Not al', finish: 'length' }]);
    expect((await agent.chat('a')).finishReason).toBe('stop');
    expect((await agent.chat('b')).finishReason).toBe('length');
    await agent.close();
    const stopping = harness(async () => callAdd, { tools: [add] });
    const stopped = await stopping.agent.chat('Add', { stopWhen: ({ steps }) => steps === 2 });
    expect(stopped).toMatchObject({ finishReason: 'tool_end', toolCalls: [{ name: 'add' }, { name: 'add' }] });
    expect(stopping.provider.requests).toHaveLength(2);
    await stopping.agent.close();
  });

  test('is a tool that says so, and the next message goes on', async () => {
    const hand_in = defineTool({
      name: 'hand_in',
      description: 'Hand in',
      risk: 'safe',
      endsRun: true,
      parameters: { type: 'object', properties: {} },
      run: () => 'handed in',
    });
    const { agent, provider } = harness([{ calls: [{ name: 'hand_in', arguments: {} }] }, { text: 'Hello again.' }], {
      tools: [hand_in],
    });
    expect(await agent.chat('Go')).toMatchObject({ finishReason: 'tool_end', toolsUsed: ['hand_in'] });
    expect(provider.requests).toHaveLength(1);
    expect((await agent.chat('Hello')).answer).toBe('Hello again.');
    await agent.close();
  });

  test('by a signal has its reason as the cause', async () => {
    const provider = scriptedProvider([{ text: 'x', gate: new Promise(() => {}) }]);
    const harness = createHarness({ model: 'm', provider });
    const mine = new Error('The user left.');
    const reason = new AbortController();
    const chat = harness.chat('Go.', { signal: reason.signal });
    await expect.poll(() => provider.requests).toHaveLength(1);
    reason.abort(mine);
    await expect(chat.result()).rejects.toMatchObject({ name: 'AbortError', cause: mine });
    await expect(harness.chat('Go.', { signal: AbortSignal.abort(mine) }).result()).rejects.toMatchObject({
      cause: mine,
    });
    await harness.close();
  });

  test('by an abort keeps what was said and what ran', async () => {
    const abort = new AbortController();
    const { agent } = harness(
      [
        callAdd,
        async () => {
          abort.abort();
          return { text: 'late' };
        },
      ],
      { tools: [add] },
    );
    const error = await agent.chat('Add', { signal: abort.signal }).then(undefined, (reason) => reason);
    expect(error).toMatchObject({
      name: 'AbortError',
      partial: { finishReason: 'aborted', toolCalls: [{ name: 'add' }] },
    });
    await agent.close();
  });
});

describe('an answer', () => {
  test.each([
    ['<think>I think.</think>Hello.', 'auto'],
    ['[THINK]I think.[/THINK]Hello.', 'auto'],
    ['<think>I think.</think>Hello.', 'mistral-args'],
  ])('holds no reasoning, also where there are no tools: %s', async (text, dialect) => {
    const { agent, provider } = harness([{ text }], { model: { name: 'm', dialect } });
    const reasoning: string[] = [];
    const chat = agent.chat('Hello');
    for await (const event of chat) if (event.type === 'reasoning_delta') reasoning.push(event.delta);
    expect([(await chat).answer, reasoning.join('')]).toEqual(['Hello.', 'I think.']);
    expect(provider.requests).toHaveLength(1);
    await agent.close();
  });

  test.each([
    ['I greet.\n</think>\n\nHello.', []],
    ['Maybe <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call> no.</think>\nHello.', [add]],
    ['Maybe <tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call> no.[/THINK]Hello.', [add]],
  ])('keeps no thoughts that the template opened, and makes no call of them: %s', async (text, tools) => {
    const { agent, provider } = harness([{ text }], { tools });
    expect(await agent.chat('Hello')).toMatchObject({ answer: 'Hello.', toolCalls: [] });
    expect(provider.requests).toHaveLength(1);
    await agent.close();
  });

  test('that holds a call although no tools are on offer says so', async () => {
    const call = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>';
    for (const [text, code] of [
      [call, 'unread_call'],
      [`So: ${call}`, 'call_in_text'],
      ['[TOOL_CALLS]add[ARGS]{"a": 1}', 'unread_call'],
      ['{"name": "add", "arguments": {}}', 'unread_call'],
    ] as const) {
      const { agent } = harness([{ text }]);
      expect(await agent.chat('Go')).toMatchObject({ answer: text, warnings: [{ code }] });
      await agent.close();
    }
    for (const text of ['{"name": "Ann", "age": 7}', 'Use `<think>` and so on.']) {
      const { agent } = harness([{ text }]);
      expect(await agent.chat('Go')).toMatchObject({ answer: text, warnings: [] });
      await agent.close();
    }
  });

  test('that stops in its middle rejects with the code timeout, and what was said', async () => {
    const server = await startScriptedServer({ turns: [{ text: 'Half of it and more', hangAfterWrites: 3 }] });
    const model = { name: 'm', provider: 'openai', baseUrl: server.openaiUrl, silenceTimeoutMs: 100 } as const;
    const agent = createHarness({ model, workspace: folder });
    const failure = await agent.chat('Go').then(undefined, (error) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'timeout', partial: { finishReason: 'disconnected' } });
    expect(failure.message).toContain('stopped in the middle of its answer');
    expect(failure.partial.answer).toMatch(/^Half/);
    await agent.close();
    await server.close();
  });

  test('that broke off rejects with the code disconnected, and what was said', async () => {
    const server = await startScriptedServer({ turns: [{ text: 'Half of it and more', cutAfterWrites: 3 }] });
    const agent = createHarness({ model: 'm', provider: 'openai', baseUrl: server.openaiUrl, workspace: folder });
    const failure = await agent.chat('Go').then(undefined, (error) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'disconnected', partial: { finishReason: 'disconnected' } });
    expect(failure.partial.answer).toMatch(/^Half/);
    await agent.close();
    await server.close();
  });
});

test('an answer that broke off before its first word says so in what it was worth', async () => {
  const turns = Array.from({ length: 4 }, () => ({ text: 'Half of it', cutAfterWrites: 1 }));
  const server = await startScriptedServer({ turns });
  const agent = createHarness({ model: 'm', provider: 'openai', baseUrl: server.openaiUrl, workspace: folder });
  const failure = await agent.chat('Go').then(undefined, (error) => error);
  expect(failure).toMatchObject({ code: 'disconnected', partial: { answer: '', finishReason: 'disconnected' } });
  await agent.close();
  await server.close();
});

describe('tools and questions', () => {
  test('the instructions speak of files only where a tool reaches files', async () => {
    const sent = async (options: Partial<HarnessOptions>): Promise<string> => {
      const { agent, provider } = harness([{ text: 'x' }], options);
      await agent.chat('x');
      await agent.close();
      return String(provider.requests[0]?.messages[0]?.content);
    };
    expect(await sent({})).not.toMatch(/file|folder|path|tool/i);
    expect(await sent({ tools: [add] })).not.toMatch(/file|folder|path/i);
    expect(await sent({ tools: BUILT_IN_TOOLS })).toContain('folder');
    expect(await sent({ systemPrompt: 'You are Ada.' })).toBe('You are Ada.');
  });

  test('tools join and leave between messages, and the conversation goes on', async () => {
    const { agent, provider } = harness([{ text: 'None.' }, callAdd, { text: '100' }, { text: 'Gone.' }]);
    await agent.chat('What can you do?');
    agent.addTool(add);
    expect((await agent.chat('Add')).toolsUsed).toEqual(['add']);
    agent.removeTool('add');
    await agent.chat('And now?');
    expect(provider.requests.map(({ tools }) => tools.length)).toEqual([0, 1, 1, 0]);
    expect(JSON.stringify(provider.requests[1]?.messages)).toContain('What can you do?');
    expect(() => {
      agent.addTool(add);
      agent.addTool(add);
    }).toThrow(/a tool named add, and there is one/);
    await agent.close();
  });

  test('tools that join or leave are there and gone for executeTool at once', async () => {
    const { agent } = harness([{ text: 'Hello.' }]);
    const sum = async () => (await agent.executeTool('add', { a: 1, b: 2 })).data;
    await agent.chat('Hello');
    agent.addTool(add);
    expect(await sum()).toBe('3');
    agent.removeTool('add');
    await expect(sum()).rejects.toMatchObject({ code: 500 });
    agent.addTool(add);
    agent.removeTool('add');
    agent.addTool(add);
    expect(await sum()).toBe('3');
    await agent.close();
  });

  test('a question names its call, says where its arguments came from, and has a signal', async () => {
    const asked: PermissionRequest[] = [];
    const risky = defineTool({ ...add, name: 'risky', risk: 'high', run: () => 'done' });
    const { agent } = harness(
      [{ calls: [1, 2].map((a) => ({ name: 'risky', arguments: { a, b: 0 } })) }, { text: 'Done.' }],
      {
        tools: [risky],
        onPermission: (request) => {
          asked.push(request);
          return 'allow_once';
        },
      },
    );
    const { toolCalls } = await agent.chat('Go');
    expect(asked.map(({ tool_call_id }) => tool_call_id)).toEqual(toolCalls.map(({ id }) => id));
    expect(asked[0]).toMatchObject({ source: 'native', arguments: { a: 1 }, toolCallId: toolCalls[0]?.id });
    expect(asked[0]?.signal.aborted).toBe(true);
    await agent.close();
  });

  test('a tool that can never run says so once, with the line that allows it', async () => {
    const warnings: string[] = [];
    const risky = defineTool({ ...add, name: 'risky', risk: 'medium', run: () => 'done' });
    const call = { calls: [{ name: 'risky', arguments: { a: 1, b: 2 } }] };
    const { agent } = harness([call, { text: 'No.' }], {
      tools: [risky],
      io: { onWarning: (_code, message) => warnings.push(message) },
    });
    await agent.chat('Go');
    expect(warnings.join()).toContain("permissions: { allow: ['risky'] }");
    await agent.close();
  });
});

test('a preset leaves the tools of a program beside its own', async () => {
  const { agent, provider } = harness([callAdd, { text: '100' }], { tools: [add], prompt: { preset: 'zodollama' } });
  expect(await agent.chat('Go')).toMatchObject({ answer: '100', toolsUsed: ['add'] });
  expect(provider.requests[0]?.tools.map((tool) => tool.function.name)).toEqual(['add']);
  await agent.close();
});

test('a named session that begins empty because nothing is kept is said to, and no other is', async () => {
  const told: string[] = [];
  const io = { onWarning: (code: string) => told.push(code) };
  const storage = { kind: 'files', folders: halterPaths({ HOME: folder }, 'linux') } as const;
  for (const options of [{ session: 'talk' }, { session: 'talk', storage }, {}]) {
    const { agent } = harness([{ text: 'Noted.' }], { ...options, io });
    await agent.chat('Hello');
    await agent.close();
  }
  expect(told.filter((code) => code === 'session_empty')).toEqual(['session_empty']);
});
