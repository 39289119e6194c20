import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { ANNOUNCED, ASKED } from '../../tests/support/announcements.ts';
import { completed } from '../../tests/support/completed.ts';
import type { JsonSchema } from '../core/json.ts';
import type { ModelProvider } from '../core/model-port.ts';
import type { ToolSchema } from '../core/tool.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../testing/index.ts';
import type { CompletionRequest } from './complete.ts';
import { createStopWatch } from './stop-watch.ts';

const tool = (name: string, properties: JsonSchema = {}, more: JsonSchema = {}): ToolSchema => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object', properties, ...more } },
});
const ADD = tool('add', { a: { type: 'integer' }, b: { type: 'integer' } }, { required: ['a', 'b'] });

const completing = async (
  turns: readonly ScriptedProviderSource[],
  request: Partial<CompletionRequest> = {},
  more: Partial<ModelProvider> = {},
) => {
  const scripted = scriptedProvider(turns, { models: [{ id: 'm' }] });
  const provider: ModelProvider = { ...scripted, ...more };
  return { ...(await completed(provider, request)), requests: scripted.requests };
};
const argumentsOf = ({ calls }: { calls: { name: string; arguments: object }[] }) =>
  calls.map(({ name, arguments: args }) => [name, args]);

describe('a completion', () => {
  it('has calls out of text and native ones, repaired where nothing is lost', async () => {
    verifies('B2');
    const text = await completing([{ text: '<tool_call>{"name":"add","arguments":{"a":"1","b":2,}}</tool_call>' }], {
      tools: [ADD],
    });
    expect(argumentsOf(text)).toEqual([['add', { a: 1, b: 2 }]]);
    expect(text.finish).toBe('tool_calls');
    expect(text.heard).toBe('');
    const native = await completing([{ calls: [{ name: 'functions.add', arguments: '{"a":1,"b":2}' }] }], {
      tools: [ADD],
    });
    expect(argumentsOf(native)).toEqual([['add', { a: 1, b: 2 }]]);
  });

  it('has the calls that an answer ends in behind words, and hands on none that was cut off', async () => {
    verifies('B2');
    const behind = await completing([{ text: 'Ok.\n\n{"name": "list", "arguments": {}}' }], { tools: [tool('list')] });
    expect(behind).toMatchObject({ text: 'Ok.', finish: 'tool_calls', calls: [{ name: 'list', arguments: {} }] });
    const half = 'Ok.\n\n{"name": "add", "arguments": {"a": 1';
    for (const text of [half, half.slice(0, -10), '[TOOL_CALLS]add[ARGS]{"a"', 'add[ARGS]{"a": 1']) {
      const again = await completing([{ text }, { calls: [{ name: 'add', arguments: '{"a":1,"b":2}' }] }], {
        tools: [ADD],
      });
      expect(argumentsOf(again)).toEqual([['add', { a: 1, b: 2 }]]);
      expect(again.text).not.toContain('"a"');
    }
  });

  it('is asked for once more where it announces a call, and never where it asks the person', async () => {
    for (const [answers, requests] of [
      [ANNOUNCED, 2],
      [ASKED, 1],
    ] as const) {
      for (const text of answers) {
        const done = await completing([{ text }, { text: 'Done.' }], { tools: [ADD] });
        expect(done.requests, text).toHaveLength(requests);
      }
    }
  });

  it('asks again where the whole answer is a call that cannot be made', async () => {
    verifies('B2', 'K5');
    const right = { calls: [{ name: 'add', arguments: '{"a":1,"b":2}' }] };
    const sayAgain = { calls: [], text: 'Three.', finish: 'stop' };
    for (const said of [
      '{"add": {"a": 1}}',
      '{"name": "add", "a": 1, "b": 2, "why": "to know"}',
      '{"name": "add", "arguments": [1, 2]}',
      '<tool_call>{"add": {"a": 1}}</tool_call>',
      '<tool_call>add(a=1, b=2</tool_call>',
      '<tool_call>\n</tool_call>',
      '<tool_call>{"command": "ls"}</tool_call>',
      '<|tool_call|>[]',
      '[TOOL_CALLS][]',
      '[TOOL_CALLS]{"add": {"a": 1}}',
    ]) {
      for (const size of [said.length, 3]) {
        const pieces = said.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
        const call = await completing([{ text: pieces }, right], { tools: [ADD] });
        expect(argumentsOf(call), said).toEqual([['add', { a: 1, b: 2 }]]);
        expect(call.heard, said).toBe('');
        expect(call.requests).toHaveLength(2);
        // What it says instead is the answer.
        const words = await completing([{ text: pieces }, { text: 'Three.' }], { tools: [ADD] });
        expect(words, said).toMatchObject({ ...sayAgain, heard: 'Three.' });
        // And what it wrote is not lost, where it writes the same again.
        const same = await completing(
          [1, 2, 3].map(() => ({ text: pieces })),
          { tools: [ADD] },
        );
        expect(same, said).toMatchObject({ calls: [], finish: 'stop' });
        expect(same.heard, said).toBe(same.text);
        expect(same.text, said).toMatch(/(?:^|\n\n)The model .+ so (?:the call|it) was not made\.$/);
        if (said.includes('"')) expect(same.text.startsWith(said), said).toBe(true);
        await expect(
          completing(
            [1, 2, 3].map(() => ({ text: pieces })),
            { tools: [ADD], toolChoice: 'required' },
          ),
          said,
        ).rejects.toThrow('none that could be read');
      }
    }
  });

  it('leaves JSON that may be meant as it is, and the samples of an answer', async () => {
    for (const said of [
      '{"name": "Ann", "age": 4}',
      '{"name": "erase", "arguments": {}}',
      '[]',
      'A call looks like this:\n<tool_call>{"add": {"a": 1, "b": 2}}</tool_call>\nThat is all.',
      'Write <tool_call></tool_call> there.',
    ]) {
      const done = await completing([{ text: said }], { tools: [ADD] });
      expect(done).toMatchObject({ text: said, heard: said, calls: [], finish: 'stop' });
      expect(done.requests).toHaveLength(1);
    }
  });

  it('keeps what a schema does not speak of, and adds nothing of its own', async () => {
    const open = tool('open', { path: { type: 'string', default: '.' } });
    const done = await completing([{ calls: [{ name: 'open', arguments: { other: { deep: true } } }] }], {
      tools: [open],
    });
    expect(argumentsOf(done)).toEqual([['open', { other: { deep: true } }]]);
  });

  it('asks again with what was wrong where arguments do not fit', async () => {
    verifies('B2');
    const done = await completing(
      [{ calls: [{ name: 'add', arguments: { a: 'one' } }] }, { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }],
      { tools: [ADD] },
    );
    expect(argumentsOf(done)).toEqual([['add', { a: 1, b: 2 }]]);
    expect(done.requests[1]?.messages.at(-1)?.content).toContain('b is required');
  });

  it('decodes them under the schema where the engine can', async () => {
    verifies('B1', 'B2');
    const decoded = { name: 'add', arguments: { a: 4, b: 5 }, source: 'constrained' as const, repairs: [] };
    const inProcess = await completing(
      [{ calls: [{ name: 'add', arguments: { a: 'x' } }] }],
      { tools: [ADD] },
      { decodeToolCall: async () => ({ ok: true, call: decoded }) },
    );
    expect(argumentsOf(inProcess)).toEqual([['add', { a: 4, b: 5 }]]);
    expect(inProcess.requests).toHaveLength(1);
    const onServer = await completing(
      [{ calls: [{ name: 'add', arguments: { a: 'x' } }] }, { text: '{"a": 6, "b": 7}' }],
      { tools: [ADD] },
      { constrains: true },
    );
    expect(argumentsOf(onServer)).toEqual([['add', { a: 6, b: 7 }]]);
    expect(onServer.requests[1]?.response_schema).toEqual(ADD.function.parameters);
  });

  it('gives calls of tools that are not there back as no calls', async () => {
    const wrong = { text: 'Hm.', calls: [{ name: 'launch', arguments: {} }] };
    const done = await completing([wrong, wrong, wrong], { tools: [ADD] });
    expect(done).toMatchObject({ calls: [], finish: 'stop' });
    expect(done.text).toBe(
      'Hm.\n\nThe model called launch, which is no tool that is on offer, so the call was not made.',
    );
    expect(done.heard).toBe(done.text);
  });

  it('never hands on a call whose arguments could not be read: they would arrive as none', async () => {
    verifies('B2');
    const broken = { calls: [{ name: 'add', arguments: '{a is 1' }] };
    const done = await completing([broken, broken, broken], { tools: [ADD] });
    expect(done).toMatchObject({ calls: [], finish: 'stop' });
    expect(done.text).toContain('could not be read');
    const right = await completing([broken, { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }], { tools: [ADD] });
    expect(argumentsOf(right)).toEqual([['add', { a: 1, b: 2 }]]);
  });

  it('follows tool_choice', async () => {
    verifies('B2');
    const tools = [ADD, tool('sub')];
    const none = await completing([{ text: 'No.' }], { tools, toolChoice: 'none' });
    expect(none.requests[0]?.tools).toEqual([]);
    const named = await completing(
      [{ text: 'Hm.' }, { text: '{"a": 1, "b": 1}' }],
      { tools, toolChoice: { name: 'add' } },
      {
        constrains: true,
      },
    );
    expect(named.requests[0]?.tools.map((entry) => entry.function.name)).toEqual(['add']);
    expect(argumentsOf(named)).toEqual([['add', { a: 1, b: 1 }]]);
    // A call that has to come is decoded where the model only thought, too.
    const thought = await completing(
      [{ reasoning: 'I add.' }, { text: '{"a": 1, "b": 1}' }],
      { tools, toolChoice: { name: 'add' } },
      { constrains: true },
    );
    expect([argumentsOf(thought), thought.requests.length]).toEqual([[['add', { a: 1, b: 1 }]], 2]);
    expect(thought.requests[1]?.response_schema).toBeDefined();
    const required = await completing([{ text: 'Hm.' }, { calls: [{ name: 'sub', arguments: {} }] }], {
      tools,
      toolChoice: 'required',
    });
    expect(argumentsOf(required)).toEqual([['sub', {}]]);
  });

  it('gives one call where the caller wants one', async () => {
    const calls = [
      { name: 'add', arguments: { a: 1, b: 1 } },
      { name: 'add', arguments: { a: 2, b: 2 } },
    ];
    expect((await completing([{ calls }], { tools: [ADD] })).calls).toHaveLength(2);
    expect((await completing([{ calls }], { tools: [ADD], parallel: false })).calls).toHaveLength(1);
  });

  it('holds an answer to its schema: out of a fence, or asked for again', async () => {
    verifies('B2');
    const responseSchema: JsonSchema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    const fenced = await completing([{ text: '```json\n{"n": 1}\n```' }], { responseSchema });
    expect(fenced).toMatchObject({ text: '{"n": 1}', heard: '{"n": 1}' });
    const again = await completing([{ text: 'It is 2.' }, { text: '{"n": 2}' }], { responseSchema });
    expect(again).toMatchObject({ text: '{"n": 2}', heard: '{"n": 2}' });
  });

  it('hands reasoning on by itself, and takes a call that it ends in', async () => {
    const done = await completing(
      [{ reasoning: 'I add. <tool_call>{"name":"add","arguments":{"a":1,"b":2}}</tool_call>' }],
      { tools: [ADD] },
    );
    expect(argumentsOf(done)).toEqual([['add', { a: 1, b: 2 }]]);
  });

  it('counts tokens where the server does not', async () => {
    const done = await completing([{ text: 'Four words are here.' }]);
    expect(done.usage.completion_tokens).toBeGreaterThan(0);
  });
});

describe('stop sequences', () => {
  it('end the text before the first of them, and the model', async () => {
    verifies('B2');
    const done = await completing([{ text: 'one two END three', endGate: new Promise(() => {}) }], { stop: ['END'] });
    expect(done).toMatchObject({ text: 'one two ', heard: 'one two ', finish: 'stop' });
  });

  it('end a thinking model before its first word, and that is an answer', async () => {
    const done = await completing([{ reasoning: 'I think.', text: 'END three', endGate: new Promise(() => {}) }], {
      stop: ['END'],
    });
    expect([done.text, done.finish, done.requests.length]).toEqual(['', 'stop', 1]);
  });

  it('hold back no more than could be the beginning of one', () => {
    const watch = createStopWatch(['END']);
    expect(watch.push('one E')).toBe('one ');
    expect(watch.push('lse EN')).toBe('Else ');
    expect(watch.end()).toBe('EN');
  });

  it('are found however the text is cut', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(letters, stops, fc.array(fc.nat(30), { maxLength: 6 }), (text, wanted, cuts) => {
        const watch = createStopWatch(wanted);
        const places = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
        let out = '';
        for (const [index, place] of places.entries()) out += watch.push(text.slice(places[index - 1] ?? 0, place));
        out += watch.end();
        const found = wanted.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
        // A stop sequence counts when it is whole, so of two that overlap the one that ends first may win.
        if (found.length === 0) expect(out).toBe(text);
        else {
          expect(text.startsWith(out)).toBe(true);
          expect(wanted.some((stop) => text.startsWith(stop, out.length))).toBe(true);
          expect(wanted.every((stop) => !out.includes(stop))).toBe(true);
        }
      }),
    );
  });
});

describe('an answer that nobody reads along', () => {
  it('may come in one piece, but not where calls or a stop have to be found in it', async () => {
    const wanted = async (request: Partial<CompletionRequest>): Promise<true | undefined> => {
      const { requests } = await completing([{ text: 'Done.' }], { whole: true, ...request });
      return requests[0]?.whole;
    };
    expect(await wanted({})).toBe(true);
    expect(await wanted({ tools: [ADD] })).toBeUndefined();
    expect(await wanted({ stop: ['END'] })).toBeUndefined();
    expect(await wanted({ whole: false })).toBeUndefined();
  });
});
