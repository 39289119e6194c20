import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { HalterError, ModelFailure } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { registerTool } from '../core/tool/register-tool.ts';
import type { Tool } from '../core/tool.ts';
import { fail } from '../core/tool-result.ts';
import type { ConnectionRecord } from '../io/network.ts';
import { scriptedProvider, startScriptedServer } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import type { ChatEvent } from './chat-events.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-harness-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer'], {
  risk: 'safe',
});
type Turns = Parameters<typeof scriptedProvider>[0];
const harness = (turns: Turns, options: Partial<HarnessOptions> = {}) => {
  const provider = scriptedProvider(turns);
  return {
    provider,
    agent: createHarness({ model: 'scripted', provider, workspace: folder, tools: [add], ...options }),
  };
};
const callAdd = { calls: [{ name: 'add', arguments: { a: 42, b: 58 } }] };

describe('a chat', () => {
  test('runs a tool and answers, and the call is in the history', async () => {
    verifies('K1', 'K6', 'Z12');
    const { agent, provider } = harness([callAdd, { text: 'It is 100.' }]);
    const result = await agent.chat('What is 42 + 58?');
    expect(result.answer).toBe('It is 100.');
    expect(result.toolsUsed).toEqual(['add']);
    expect(result.toolCalls).toMatchObject([
      { name: 'add', arguments: { a: 42, b: 58 }, result: { success: true, data: '100' } },
    ]);
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', name: 'add' });
    await agent.close();
  });

  test('calls a function that was registered with nothing but its parameters, and nobody is asked', async () => {
    verifies('K1');
    const plain = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
    const { agent } = harness([callAdd, { text: 'It is 100.' }], { tools: [] });
    agent.addTool(plain);
    const { toolCalls, answer } = await agent.chat('What is 42 + 58?');
    expect(toolCalls).toMatchObject([{ name: 'add', result: { success: true, data: '100' } }]);
    expect(answer).toBe('It is 100.');
    await agent.close();
  });

  test.each([
    ['throws', () => Promise.reject(new Error('no disk')), 'internal_error'],
    ['returns an error', () => new Error('no disk'), 'internal_error'],
    ['returns a failure', () => fail('io_error', 'no disk'), 'io_error'],
  ] as const)('a function that %s is 501, to the model and to the program', async (_, fn, errorType) => {
    verifies('K7');
    const broken = registerTool('broken', 'Breaks', [], fn as () => Error, []);
    const { agent, provider } = harness([{ calls: [{ name: 'broken', arguments: {} }] }, { text: 'It broke.' }], {
      tools: [broken],
    });
    const { toolCalls } = await agent.chat('Go');
    expect(toolCalls).toMatchObject([{ result: { success: false, error_type: errorType, metadata: { code: 501 } } }]);
    expect(JSON.stringify(provider.requests[1]?.messages.at(-1))).toContain('no disk');
    await expect(agent.executeTool('broken', {})).rejects.toMatchObject({ name: 'ToolExecutionFailed', code: 501 });
    await agent.close();
  });

  test('an argument that a program leaves undefined is not given', async () => {
    const weather = defineTool({
      name: 'weather',
      description: 'w',
      risk: 'safe',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer', default: 2 } },
        required: ['city'],
      },
      run: (given) => given,
    });
    const { agent } = harness([], { tools: [weather] });
    const called = (args: unknown) => agent.executeTool('weather', args as { city: string });
    expect((await called({ city: 'Oslo', days: undefined, more: undefined })).data).toBe('{"city":"Oslo","days":2}');
    expect((await called({ city: undefined })).error_message).toContain('city is required');
    await agent.close();
  });

  test('can be followed as it happens', async () => {
    const { agent } = harness([callAdd, { text: 'It is 100.' }]);
    const seen: ChatEvent['type'][] = [];
    const chat = agent.chat('What is 42 + 58?');
    for await (const update of chat) seen.push(update.type);
    expect((await chat.result()).answer).toBe('It is 100.');
    expect(seen).toContain('tool_result');
    expect(seen).toContain('text_delta');
    await agent.close();
  });

  test('knows the window of its model, and sends nothing that cannot fit', async () => {
    verifies('B7');
    const provider = scriptedProvider([{ text: 'ok' }], { models: [{ id: 'scripted', context_length: 1_024 }] });
    const { agent } = harness([], { provider });
    await expect(agent.chat('many words '.repeat(2_000))).rejects.toThrow(/window of scripted holds 1,024/);
    expect(provider.requests).toHaveLength(0);
    await agent.close();
  });

  test('asks for the window once, when a prompt or a result might not fit', async () => {
    verifies('B7');
    const callLong = (characters: number) => ({ calls: [{ name: 'long', arguments: { characters } }] });
    const scripted = scriptedProvider([{ text: 'ok' }, callLong(3_000), callLong(5_000), { text: 'done' }], {
      models: [{ id: 'scripted', context_length: 4_096 }],
    });
    let asked = 0;
    const provider: typeof scripted = {
      ...scripted,
      describe: (...args) => {
        asked += 1;
        return scripted.describe(...args);
      },
    };
    const long = defineTool({
      name: 'long',
      description: 'Long',
      risk: 'safe',
      parameters: { type: 'object', properties: { characters: { type: 'integer' } }, required: ['characters'] },
      run: ({ characters }) => 'a'.repeat(characters),
    });
    const { agent } = harness([], { provider, tools: [long] });
    await agent.chat('hello');
    expect(asked).toBe(0);
    const { toolCalls } = await agent.chat('twice');
    expect(asked).toBe(1);
    // A quarter of 4,096 tokens.
    expect(toolCalls.map(({ result }) => result.metadata.truncated)).toEqual([
      undefined,
      expect.stringMatching(/3,584 of 5,000 characters/),
    ]);
    await agent.close();
  });

  test('understands a call that came as text', async () => {
    verifies('K5', 'L4');
    const { agent } = harness([{ text: '{"name": "add", "arguments": {"a": 1, "b": 2}}' }, { text: '3' }]);
    const { toolCalls, answer } = await agent.chat('1 + 2?');
    expect(toolCalls).toMatchObject([{ id: 'call_1', result: { data: '3' } }]);
    expect(answer).toBe('3');
    await agent.close();
  });

  test('arguments that do not fit go back to the model; the third time in a row it ends with 503', async () => {
    verifies('K4', 'K7');
    const wrong = { calls: [{ name: 'add', arguments: { a: 'x' } }] };
    const { agent, provider } = harness([wrong, wrong, wrong, { text: 'never' }]);
    await expect(agent.chat('add')).rejects.toMatchObject({ name: 'ToolRetriesExhausted', code: 503 });
    expect(provider.requests).toHaveLength(3);
    const told = provider.requests[1]?.messages.at(-1);
    expect(told?.role === 'tool' && told.content).toContain('b is required');
    await agent.close();
  });

  test('ends with 504 at the iteration limit', async () => {
    verifies('K7', 'Z14');
    const { agent } = harness(() => callAdd, { limits: { iterations: 2 } });
    await expect(agent.chat('loop')).rejects.toMatchObject({ name: 'ToolLoopLimitReached', code: 504 });
    await agent.close();
  });

  test('an unknown tool is answered with the nearest names, and the run goes on', async () => {
    verifies('Z6');
    const { agent, provider } = harness([{ calls: [{ name: 'ad', arguments: {} }] }, { text: 'ok' }]);
    expect((await agent.chat('go')).answer).toBe('ok');
    const told = provider.requests[1]?.messages.at(-1);
    expect(told).toMatchObject({ role: 'tool', result: { error_type: 'not_found', metadata: { code: 500 } } });
    expect(told?.role === 'tool' && told.result.error_message).toContain('Did you mean add');
    await agent.close();
  });

  test('a name in another spelling is repaired and the repair recorded', async () => {
    const { agent } = harness([{ calls: [{ name: 'functions.Add', arguments: { a: 1, b: 1 } }] }, { text: 'ok' }]);
    expect((await agent.chat('go')).toolCalls).toMatchObject([{ name: 'add', result: { data: '2' } }]);
    await agent.close();
  });

  test('a tool that throws is told to the model, and cancels nothing else', async () => {
    const broken = defineTool({
      name: 'broken',
      description: 'throws',
      risk: 'safe',
      parameters: { type: 'object', properties: {} },
      run: () => {
        throw new Error('no luck');
      },
    });
    const { agent } = harness([{ calls: [{ name: 'broken', arguments: {} }] }, { text: 'ok' }], { tools: [broken] });
    expect((await agent.chat('go')).toolCalls).toMatchObject([
      { result: { error_type: 'internal_error', metadata: { code: 501 } } },
    ]);
    await expect(agent.executeTool('broken', {})).rejects.toMatchObject({ code: 501 });
    await expect(agent.executeTool('nothing', {})).rejects.toBeInstanceOf(HalterError);
    await agent.close();
  });

  test('a tool that takes too long is stopped and told so', async () => {
    verifies('E6');
    const slow = defineTool({
      name: 'slow',
      description: 'waits',
      risk: 'safe',
      timeout_ms: 20,
      parameters: { type: 'object', properties: {} },
      run: (_, { signal }) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('late'))),
    });
    const { agent } = harness([{ calls: [{ name: 'slow', arguments: {} }] }, { text: 'ok' }], { tools: [slow] });
    expect((await agent.chat('go')).toolCalls).toMatchObject([
      { result: { success: false, error_type: 'io_error', metadata: { reason: 'timeout' } } },
    ]);
    await agent.close();
  });

  test('calls that only look run together, and their results stand in call order', async () => {
    let running = 0;
    let most = 0;
    let release: () => void = () => {};
    const together = new Promise<void>((resolve) => {
      release = resolve;
    });
    const wait = defineTool({
      name: 'wait',
      description: 'waits for the others',
      risk: 'safe',
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      run: async ({ n }) => {
        running += 1;
        most = Math.max(most, running);
        if (running === 3) release();
        await together;
        return `${String(n)}`;
      },
    });
    const calls = [1, 2, 3].map((n) => ({ name: 'wait', arguments: { n } }));
    const { agent, provider } = harness([{ calls }, { text: 'ok' }], { tools: [wait] });
    await agent.chat('go');
    expect(most).toBe(3);
    const results = provider.requests[1]?.messages.flatMap((m) => (m.role === 'tool' ? [m.result.data] : []));
    expect(results).toEqual(['1', '2', '3']);
    await agent.close();
  });
});

describe('permissions', () => {
  const write = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'hello\n' } }] };
  const tools = BUILT_IN_TOOLS;

  test.each(['allow_once', 'session', 'remember'] as const)(
    '%s runs the call, and the person saw what runs',
    async (decision) => {
      verifies('Z8', 'H4', 'H7', 'H12');
      const asked: unknown[] = [];
      const { agent } = harness([write, { text: 'done' }], {
        tools,
        onPermission: (request) => {
          asked.push(request);
          return decision;
        },
      });
      expect((await agent.chat('write')).answer).toBe('done');
      expect(asked).toMatchObject([
        { name: 'write_file', risk: 'high', arguments: { path: 'a.txt', content: 'hello\n' } },
      ]);
      expect(JSON.stringify(asked)).toContain('+hello');
      expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('hello\n');
      await agent.close();
    },
  );

  test('a denial reaches the model with its reason, and nothing is written', async () => {
    verifies('Z8');
    const { agent, provider } = harness([write, { text: 'ok, not' }], {
      tools,
      onPermission: () => ({ decision: 'deny', reason: 'use b.txt' }),
    });
    expect((await agent.chat('write')).answer).toBe('ok, not');
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      result: {
        success: false,
        error_type: 'permission_denied',
        error_message: 'The person denied this call: use b.txt',
      },
    });
    await expect(readFile(join(folder, 'a.txt'))).rejects.toThrow();
    await agent.close();
  });

  test('with nobody to ask, what has to be asked is denied; rules allow without asking', async () => {
    const refused = harness([write, { text: 'ok' }], { tools });
    expect((await refused.agent.chat('write')).toolCalls).toMatchObject([
      { result: { error_type: 'permission_denied' } },
    ]);
    await refused.agent.close();
    const allowed = harness([write, { text: 'ok' }], { tools, permissions: { allow: ['write_file(*.txt)'] } });
    expect((await allowed.agent.chat('write')).toolCalls).toMatchObject([{ result: { success: true } }]);
    await allowed.agent.close();
  });

  test('a yes for the session is asked for once', async () => {
    verifies('Z8');
    let questions = 0;
    await writeFile(join(folder, 'a.txt'), 'x\n');
    const read = {
      calls: [
        { name: 'read_file', arguments: { path: 'a.txt' } },
        { name: 'read_file', arguments: { path: 'a.txt' } },
      ],
    };
    const { agent } = harness([read, read, { text: 'ok' }], {
      tools,
      onPermission: () => {
        questions += 1;
        return 'session';
      },
    });
    const { toolCalls } = await agent.chat('read');
    expect(questions).toBe(1);
    expect(toolCalls.map(({ result }) => result.data)).toEqual(Array(4).fill('1: x'));
    await agent.close();
  });
});

describe('what goes wrong', () => {
  test('a model that cannot be used is told by its code, with what to do in the words of a program', async () => {
    const agent = createHarness({ model: 'm', provider: 'openai', baseUrl: 'http://127.0.0.1:1', workspace: folder });
    const failure = await agent.chat('hello').then(undefined, (error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({ code: 'unreachable', hint: expect.stringContaining('with baseUrl') });
    await agent.close();
  });

  test('what is no tool and what is no limit is refused at once', () => {
    const plain = { name: 'x', description: 'x', parameters: {}, run: () => 'x' } as unknown as Tool;
    expect(() => createHarness({ model: 'm', tools: [plain] })).toThrow(/tools\[0\] must be a tool made by defineTool/);
    const limits = { maxIterations: 3 } as Partial<Limits>;
    expect(() => createHarness({ model: 'm', limits })).toThrow(/The names are: toolCallsPerIteration, iterations/);
    expect(() => createHarness({ model: 'm', limits: { iterations: -1 } })).toThrow(TypeError);
  });

  test.each([
    [{ permisions: { deny: ['bash'] } }, 'There is no option "permisions". Did you mean permissions?'],
    [{ permissions: { denny: ['bash'] } }, 'There is no option "permissions.denny". Did you mean permissions.deny?'],
    [{ yolo: true }, 'There is no option "yolo".'],
  ])('an option that is unknown is refused, since it would not hold: %j', (option, message) => {
    expect(() => createHarness({ model: 'm', ...(option as object) })).toThrow(message);
  });

  test('a model that could not be opened is tried again by the next message', async () => {
    const server = await startScriptedServer({ turns: [{ text: 'Here I am.' }] });
    const apiKeyFile = join(folder, 'key');
    const agent = createHarness({
      model: { name: 'test-model', provider: 'openai', baseUrl: server.openaiUrl, apiKeyFile },
      workspace: folder,
    });
    const [first, second] = [agent.chat('one'), agent.chat('two')].map((chat) => chat.then(String, ({ code }) => code));
    expect(await Promise.all([first, second])).toEqual(['unauthorized', 'unauthorized']);
    await writeFile(apiKeyFile, 'sk-now', { mode: 0o600 });
    expect((await agent.chat('three')).answer).toBe('Here I am.');
    await agent.close();
    await server.close();
  });

  test.each([
    ['no description', { description: undefined }, /no description/],
    ['no run', { run: undefined }, /no function "run"/],
    ['no parameters', { parameters: undefined }, /tool without any/],
    ['an unknown risk', { risk: 'low' }, /^risk of t must be one of: safe, medium, high/],
    ['a type that is none', { parameters: { type: 'object', properties: { a: { type: 'int' } } } }, /one of "string"/],
  ])('a tool with %s is refused where it is made', (_, wrong, message) => {
    verifies('K2');
    const right = { name: 't', description: 'd', parameters: { type: 'object', properties: {} }, run: () => 'x' };
    expect(() => defineTool({ ...right, ...wrong } as unknown as typeof right)).toThrow(message);
  });

  test('a second message waits for the first, and one that is cancelled before its turn sends nothing', async () => {
    const { agent, provider } = harness([{ text: 'one' }, { text: 'two' }]);
    const cancelled = new AbortController();
    const [first, second, never] = [
      agent.chat('1'),
      agent.chat('2'),
      agent.chat('3', { signal: cancelled.signal }).result(),
    ];
    cancelled.abort();
    await expect(never).rejects.toMatchObject({ name: 'AbortError' });
    expect([(await first).answer, (await second).answer]).toEqual(['one', 'two']);
    expect(provider.requests).toHaveLength(2);
    await agent.close();
  });
});

describe('connections', () => {
  test('each that is tried is told, with who wanted it and what became of it', async () => {
    const server = await startScriptedServer({
      turns: [{ calls: [{ name: 'fetch_it', arguments: {} }] }, { text: 'done' }],
    });
    const records: ConnectionRecord[] = [];
    const fetchIt = defineTool({
      name: 'fetch_it',
      description: 'Fetches',
      risk: 'safe',
      parameters: { type: 'object', properties: {} },
      async run(_, { network, signal }) {
        const url = `${server.url}/secret`;
        const answer = await network.request({
          method: 'GET',
          url,
          signal,
          connectTimeoutMs: 1_000,
          maxResponseBytes: 10,
        });
        return answer.ok ? 'reached' : answer.error.kind;
      },
    });
    const agent = createHarness({
      model: 'test-model',
      provider: 'openai',
      baseUrl: server.openaiUrl,
      workspace: folder,
      tools: [fetchIt],
      onConnection: (record) => records.push(record),
    });
    const { toolCalls } = await agent.chat('go');
    await agent.close();
    await server.close();
    expect(toolCalls[0]?.result.data).toBe('blocked');
    expect(records).toMatchObject([
      { who: 'model', method: 'POST', host: '127.0.0.1', result: 'connected' },
      { who: 'fetch_it', method: 'GET', host: '127.0.0.1', result: 'blocked' },
      { who: 'model', result: 'connected', reused: true },
    ]);
    expect(JSON.stringify(records)).not.toContain('secret');
  });
});

describe('ending', () => {
  test('cancel ends a running tool and a waiting model at once', async () => {
    verifies('E11');
    const controller = new AbortController();
    const slow = defineTool({
      name: 'slow',
      description: 'never ends by itself',
      risk: 'safe',
      timeout_ms: 0,
      parameters: { type: 'object', properties: {} },
      run: () => {
        controller.abort();
        return new Promise<string>(() => {});
      },
    });
    const { agent } = harness([{ calls: [{ name: 'slow', arguments: {} }] }, { text: 'never' }], { tools: [slow] });
    await expect(agent.chat('go', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    await agent.close();

    const waiting = new AbortController();
    const second = harness([{ gate: new Promise(() => {}), text: 'never' }]);
    const chat = second.agent.chat('go', { signal: waiting.signal });
    await abortAtModelStart(chat, waiting);
    await expect(chat.result()).rejects.toMatchObject({ name: 'AbortError' });
    await second.agent.close();
  });
});

/** How the chat ends is looked at by its result. */
const abortAtModelStart = async (chat: AsyncIterable<ChatEvent>, controller: AbortController): Promise<void> => {
  try {
    for await (const update of chat) if (update.type === 'model_start') controller.abort();
  } catch {
    // See above.
  }
};
