import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../tests/requirements.ts';
import type { Event } from './events.ts';
import type { ToolCall } from './message.ts';
import { findPreset, presetNames } from './presets.ts';
import { displayMessage, projectForModel } from './project.ts';
import { sourcesLine, summarizeResult } from './summarize.ts';
import { defineTool } from './tool/define-tool.ts';
import { registerTool } from './tool/register-tool.ts';
import { type ToolContext, toolSchema } from './tool.ts';
import { createToolExecutor } from './tool-executor.ts';
import { fail, type ToolResult } from './tool-result.ts';
import { validateArguments } from './validate-arguments.ts';

const call = (id: string, name = 'read_file'): ToolCall => ({ id, name, arguments: {}, source: 'native', repairs: [] });
const result = (data: string | null, error?: string): ToolResult => ({
  success: error === undefined,
  data,
  error_message: error ?? null,
  error_type: error === undefined ? 'none' : 'io_error',
  metadata: { execution_time_ms: 5, data_size_bytes: 0, timestamp: 1 },
});

describe('registering tools', () => {
  test('a positional function gets exactly the schema of the document', () => {
    verifies('K1');
    const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
    expect(toolSchema(add)).toEqual({
      type: 'function',
      function: {
        name: 'add',
        description: 'Add two integers',
        parameters: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          required: ['a', 'b'],
        },
      },
    });
  });

  test('arity, types and names are checked at registration', () => {
    verifies('K2', 'K7');
    const invalid = { name: 'InvalidToolSignature', code: 502 };
    const bad = (make: () => unknown): void => {
      let thrown: unknown;
      try {
        make();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject(invalid);
    };
    bad(() => registerTool('add', '', ['a'], ((a: number, b: number) => a + b) as never, ['integer']));
    bad(() => registerTool('add', '', ['a', 'b'], (a: number) => a, ['integer', 'integer'].slice(0, 1) as never));
    bad(() => registerTool('add', '', ['a'], (a: never) => a, ['object' as never]));
    bad(() => registerTool('a b', '', [], () => 1, []));
    bad(() => defineTool({ name: 'x', description: '', parameters: { type: 'string' }, run: () => '' }));
    expect(registerTool('greet', '', ['a', 'b'], (a: string, b = 'x') => a + b, ['string', 'string']).name).toBe(
      'greet',
    );
    expect(registerTool('sum', '', ['a', 'b'], (...all: number[]) => all.length, ['integer', 'number']).name).toBe(
      'sum',
    );
  });

  test('a positional function without types takes text, numbers and booleans', async () => {
    const add = registerTool('add', 'Add two integers', ['a', 'b'], (a: number, b: number) => a + b);
    expect(add.parameters).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'number', 'boolean'] }, b: { type: ['string', 'number', 'boolean'] } },
      required: ['a', 'b'],
    });
    expect(await add.run({ a: 42, b: 58 }, {} as ToolContext)).toMatchObject({ success: true, data: '100' });
    expect(validateArguments(add.parameters, { a: 1, b: [] }, 'strict')).toMatchObject({ ok: false });
    const time = registerTool('get_time', 'Get current time', [], () => '2025-01-01 12:00:00');
    expect(time.parameters).toEqual({ type: 'object', properties: {}, required: [] });
    expect(registerTool('pay', 'Pay', ['sum'], (sum: number) => sum, undefined, { risk: 'high' }).risk).toBe('high');
  });

  test.each([
    [
      'types that are options',
      ['f', 'F', ['a'], (a: unknown) => a, { risk: 'high' }],
      /types must be a list.*undefined/,
    ],
    ['a function in the place of the names', ['f', 'F', (a: unknown) => a], /paramNames must be a list/],
    ['no function', ['f', 'F', ['a']], /the fourth argument must be the function/],
    ['a class', ['f', 'F', [], class Calculator {}], /the function is a class/],
    ['a name that is no text', ['f', 'F', [1], (a: unknown) => a], /paramNames must be a list/],
    ['one type too many', ['f', 'F', ['a'], (a: unknown) => a, ['string', 'string']], /1 parameter name but 2 types/],
    ['an unknown type', ['f', 'F', ['a'], (a: unknown) => a, ['float']], /float is not supported: integer, number/],
    [
      'a name that no object of JSON has',
      ['f', 'F', ['__proto__'], (a: unknown) => a],
      /no parameter can be named __proto__/,
    ],
    ['no description', ['f', undefined, [], () => 1], /no description/],
  ])('says in words what is wrong with %s', (_what, args, words) => {
    const register = registerTool as unknown as (...args: unknown[]) => unknown;
    let error: unknown;
    try {
      register(...args);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: 502, name: 'InvalidToolSignature', message: expect.stringMatching(words) });
  });

  test('a positional function runs unasked unless something says that it does more than calculate', () => {
    const made = (options: Parameters<typeof registerTool>[5]) =>
      registerTool('f', 'F', ['to'], (to: string) => to, ['string'], options);
    expect(made(undefined)).toMatchObject({ risk: 'safe', effects: 'none' });
    expect(made({ timeout_ms: 5 })).toMatchObject({ risk: 'safe', effects: 'none' });
    expect(made({ effects: 'network' })).toMatchObject({ risk: 'medium', effects: 'network' });
    expect(made({ effects: 'write' })).toMatchObject({ risk: 'medium', effects: 'write' });
    expect(made({ path_arguments: ['to'] })).toMatchObject({ risk: 'medium' });
    expect(made({ sinks: ['to'] })).toMatchObject({ risk: 'medium' });
    expect(made({ risk: 'high' })).toMatchObject({ risk: 'high', effects: 'write' });
    expect(made({ risk: 'safe', effects: 'network' })).toMatchObject({ risk: 'safe', effects: 'network' });
  });

  test('an error that a tool returns is its failure and no result', async () => {
    verifies('K7');
    const context = {} as never;
    const byPosition = (fn: () => ReturnType<typeof fail> | Error) => registerTool('f', 'F', [], fn, []);
    await expect(byPosition(() => new Error('no')).run({}, context)).rejects.toThrow('no');
    expect(await byPosition(() => fail('not_found', 'no such thing')).run({}, context)).toMatchObject({
      success: false,
      error_type: 'not_found',
      metadata: { code: 501 },
    });
    const bySchema = defineTool({
      name: 'f',
      description: 'F',
      parameters: { type: 'object', properties: {} },
      run: () => new Error('no'),
    });
    await expect(bySchema.run({}, context)).rejects.toThrow('no');
  });

  test('a Zod schema becomes JSON Schema, and its refinements are kept', async () => {
    verifies('K1', 'K3');
    const tool = defineTool({
      name: 'pick',
      description: 'picks',
      parameters: z.object({ n: z.number().refine((n) => n !== 13, 'not 13'), mode: z.enum(['a', 'b']).default('a') }),
      run: ({ n, mode }) => `${mode}${n.toFixed(0)}`,
    });
    expect(tool.parameters).toMatchObject({ type: 'object', required: ['n'], properties: { mode: { default: 'a' } } });
    expect(await tool.run({ n: 2, mode: 'b' }, {} as never)).toEqual({ success: true, data: 'b2' });
    expect(await tool.run({ n: 13 }, {} as never)).toMatchObject({ success: false, error_type: 'validation_failed' });
  });

  test('a hand-written schema and a handler that returns data', async () => {
    verifies('K3');
    const tool = defineTool({
      name: 'search',
      description: 'Search documents',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' }, limit: { type: 'integer' } },
        required: ['query'],
      },
      run: (args) => ({ result: `found ${String(args['query'])}` }),
    });
    expect(await tool.run({ query: 'x' }, {} as never)).toEqual({
      success: true,
      data: '{"result":"found x"}',
      is_json: true,
    });
  });
});

describe('the executor', () => {
  const limits = { iterations: 2, toolCallsPerIteration: 3 };

  test('goes through the five states and says what to do', () => {
    verifies('H11', 'H12');
    const executor = createToolExecutor({ limits, policy: (c) => (c.name === 'ls' ? 'allow' : 'ask') });
    expect(executor.state).toBe('idle');
    expect(executor.tick()).toBe('no_action');
    executor.start([call('1', 'write_file')]);
    expect(executor.state).toBe('evaluating_policy');
    expect(executor.hasPendingWork()).toBe(true);
    expect(executor.tick()).toBe('show_permission_prompt');
    expect(executor.state).toBe('awaiting_permission');
    expect(executor.current()?.id).toBe('1');
    expect(executor.tick()).toBe('no_action');
    executor.setPermissionResponse('allow_once');
    expect(executor.tick()).toBe('render_requested');
    expect(executor.state).toBe('executing');
    expect(executor.runnable().map((c) => c.id)).toEqual(['1']);
    expect(executor.tick()).toBe('no_action');
    executor.toolFinished('1', result('done'));
    expect(executor.state).toBe('completed');
    expect(executor.tick()).toBe('iteration_complete');
    expect(executor.hasPendingWork()).toBe(false);
    executor.start([call('2', 'ls')]);
    expect(executor.tick()).toBe('render_requested');
    executor.toolFinished('2', result('done'));
    expect(executor.tick()).toBe('iteration_limit_reached');
  });

  test('a denied call never becomes runnable', () => {
    verifies('H11', 'Z8');
    const executor = createToolExecutor({ limits, policy: (c) => (c.id === '1' ? 'deny' : 'ask') });
    executor.start([call('1'), call('2')]);
    expect(executor.tick()).toBe('show_permission_prompt');
    executor.setPermissionResponse('deny');
    expect(executor.tick()).toBe('iteration_complete');
    expect(executor.runnable()).toEqual([]);
    expect(executor.results().map((r) => r.ended_by)).toEqual(['denied', 'denied']);
  });

  test('a yes for the session covers the same tool later', () => {
    verifies('Z8');
    const executor = createToolExecutor({ limits: { ...limits, iterations: 9 }, policy: () => 'ask' });
    executor.start([call('1'), call('2')]);
    executor.tick();
    executor.setPermissionResponse('session');
    expect(executor.tick()).toBe('render_requested');
    expect(executor.runnable().map((c) => c.id)).toEqual(['1', '2']);
  });

  test('a yes for the session covers what it covers in a session, and no other call of that tool', () => {
    verifies('Z8');
    const shell = { name: 'bash', risk: 'high', effects: 'process', main_argument: 'command' } as const;
    const run = (id: string, name: string, args: Record<string, string>): ToolCall => ({
      ...call(id, name),
      arguments: args,
    });
    const executor = createToolExecutor({ limits: { iterations: 9 }, policy: () => 'ask', tools: [shell] });
    const granted = (first: ToolCall, next: ToolCall): boolean => {
      executor.start([first]);
      if (executor.tick() === 'show_permission_prompt') executor.setPermissionResponse('session');
      executor.tick();
      executor.toolFinished(first.id, result('ok'));
      executor.tick();
      executor.start([next]);
      const answer = executor.tick();
      if (answer === 'show_permission_prompt') executor.setPermissionResponse('deny');
      else executor.toolFinished(next.id, result('ok'));
      executor.tick();
      return answer === 'render_requested';
    };
    const bash = (id: string, command: string) => run(id, 'bash', { command });
    expect(granted(bash('1', 'git log -3'), bash('2', 'git log -9'))).toBe(true);
    expect(granted(bash('3', 'git log -3'), bash('4', 'git push'))).toBe(false);
    const own = (id: string, to: string) => run(id, 'send', { to, body: 'x' });
    expect(granted(own('5', 'ann'), { ...own('6', 'ann'), arguments: { body: 'x', to: 'ann' } })).toBe(true);
    expect(granted(own('7', 'ann'), own('8', 'eve'))).toBe(false);
  });

  test('calls past the limit are ended without running', () => {
    verifies('Z14');
    const executor = createToolExecutor({ limits, policy: () => 'allow' });
    executor.start(['1', '2', '3', '4'].map((id) => call(id)));
    executor.tick();
    expect(executor.runnable().map((c) => c.id)).toEqual(['1', '2', '3']);
  });
});

describe('two readings of one log', () => {
  const events: Event[] = [
    { seq: 1, at: 1, type: 'user_message_added', content: 'hi' },
    {
      seq: 2,
      at: 1,
      type: 'assistant_message_added',
      message: { role: 'assistant', content: '', tool_calls: [call('a', 'ls'), call('b', 'ls')], finish: 'tool_calls' },
    },
    { seq: 3, at: 1, type: 'tool_finished', tool_call_id: 'b', result: result('second') },
    { seq: 4, at: 1, type: 'tool_finished', tool_call_id: 'a', result: result('first') },
  ];

  test('the model reads JSON results in call order, the person reads display messages', () => {
    verifies('Z11', 'Z5');
    const options = { system: 's', results: 'full', summaryCharacters: 900 } as const;
    const messages = projectForModel(events, options);
    expect(messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
    expect(messages[3]).toMatchObject({ tool_call_id: 'a', content: JSON.stringify(result('first')) });
    expect(displayMessage(call('a', 'ls'), result('first')).content).toBe(
      '[Tool: ls]\nStatus: ✅ SUCCESS\nResult: first\nExecution Time: 5ms',
    );
    expect(displayMessage(call('a', 'ls'), result(null, 'broken')).content).toContain('io_error: broken');
  });

  test('in summary mode the model reads numbered summaries', () => {
    verifies('E7', 'E12');
    const messages = projectForModel(events, { system: '', results: 'summary', summaryCharacters: 900 });
    expect(messages.at(-1)).toMatchObject({ content: 'Tool 2 [ls]: results: second' });
  });
});

describe('summaries', () => {
  test('three items of 200 characters, 900 in all', () => {
    verifies('E7');
    const text = summarizeResult(
      'web_search',
      result(JSON.stringify(Array.from({ length: 9 }, () => 'x'.repeat(500)))),
    );
    expect(text.startsWith('[web_search] results: ')).toBe(true);
    expect(text.split(' | ')).toHaveLength(3);
    expect(text.length).toBeLessThanOrEqual(900);
    expect(summarizeResult('web_search', result(null, 'no net'))).toBe('[web_search] failed: no net');
    expect(summarizeResult('t', result('a\nb\nc\nd'))).toBe('[t] results: a | b | c');
  });

  test('the sources line names the tools', () => {
    expect(sourcesLine(['web_search', 'read_file'])).toBe('Sources: web_search, read_file');
    expect(sourcesLine([])).toBe('');
    for (const written of [
      'Sources: read_file, web_search',
      '**Sources:** web_search, read_file.',
      'sources: `web_search`, `read_file`',
    ])
      expect(sourcesLine(['web_search', 'read_file'], `It rains.\n\n${written}\n`), written).toBe('');
    for (const written of ['Sources: read_file', 'Sources: https://example.org', 'web_search, read_file'])
      expect(sourcesLine(['web_search', 'read_file'], `It rains.\n${written}`)).toBe('Sources: web_search, read_file');
  });
});

describe('presets of the five documents', () => {
  test.each([
    ['zodollama', 15, 10, 2, 'native', 'full'],
    ['local-harness', 15, 10, 2, 'native', 'full'],
    ['llama-chat', 15, 5, 2, 'injected', 'full'],
    ['zoo-keeper', 15, 5, 2, 'injected', 'full'],
    ['edison', 1, 5, 1, 'injected', 'summary'],
  ] as const)(
    '%s: %i calls, %i iterations, %i repairs, %s calls, %s results',
    (name, calls, iterations, repairs, mode, results) => {
      verifies('Z14', 'K4', 'E8');
      expect(findPreset(name)).toMatchObject({
        limits: { toolCallsPerIteration: calls, iterations, repairs },
        toolMode: mode,
        results,
      });
    },
  );

  test('there are five', () => {
    expect(presetNames).toHaveLength(5);
    expect(findPreset('toString')).toBeUndefined();
  });
});
