/** The commands for people who work on models: parse, render, conformance, models and doctor. */
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'ls',
      description: 'List',
      parameters: { type: 'object', properties: { path: { type: 'string' } } },
    },
  },
];
const withTools = (): string => {
  const folder = scratchFolder();
  putFiles(folder, { 'tools.json': JSON.stringify(TOOLS) });
  return folder;
};
const call = { name: 'ls', arguments: { path: '.' } };
const MESSAGES = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: 'What is here?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{"path": "."}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'a.txt' },
];

describe('halter parse', () => {
  const NOTATIONS = [
    ['hermes', `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`],
    ['mistral-json', `[TOOL_CALLS] [${JSON.stringify(call)}]`],
    ['mistral-args', '[TOOL_CALLS]ls[ARGS]{"path": "."}'],
    ['llama3-json', '{"name": "ls", "parameters": {"path": "."}}'],
    ['llama3-function', '<function=ls>{"path": "."}</function>'],
    ['plain-json', JSON.stringify(call)],
    ['edison', '{"tool": "ls", "args": {"path": "."}}'],
  ] as const;
  it.each(everyNth(NOTATIONS, 4))('reads %s, named or found out, whole or in pieces', async (dialect, text) => {
    verifies('K5', 'L4');
    const cwd = withTools();
    for (const flags of [['--dialect', dialect], [], ['--dialect', dialect, '--chunks', '1'], ['--chunks', '3']]) {
      const ran = await runHalter(['parse', '--tools', 'tools.json', ...flags], { cwd, stdin: text });
      expect(ran, flags.join(' ')).toMatchObject({ code: 0, err: '' });
      expect(ran.json()).toMatchObject({ dialect, content: '', reasoning: '', calls: [call], truncated: false });
    }
  });

  it('says which dialects write the very same text, and lets a model decide', async () => {
    verifies('K5');
    const cwd = withTools();
    const text = `<tool_calls>[${JSON.stringify(call)}]</tool_calls>`;
    const parse = async (...flags: string[]): Promise<unknown> =>
      (await runHalter(['parse', '--tools', 'tools.json', ...flags], { cwd, stdin: text })).json();
    expect(await parse()).toMatchObject({ dialect: 'jamba', alike: ['apriel', 'hunyuan-a13b'], calls: [call] });
    const known = await parse('--model', 'ServiceNow-AI/Apriel-1.6-15b-Thinker');
    expect(known).toMatchObject({ dialect: 'apriel', calls: [call] });
    expect(known).not.toHaveProperty('alike');
  });

  it.each([
    [
      'cut off',
      [],
      'On it.\n[TOOL_CALLS]ls[ARGS]{"path": "a',
      { name: 'ls', problem: 'truncated', line: 2, column: 1 },
    ],
    [
      'of JSON that breaks off in the middle',
      [],
      '<tool_call>{"name": "ls", "arguments": {"path": no idea}}</tool_call>',
      { name: 'ls', problem: 'malformed', line: 1, message: expect.stringContaining('idea') },
    ],
    [
      'to a tool that there is not',
      ['--tools', 'tools.json'],
      '{"name": "erase", "arguments": {}}',
      { name: 'erase', problem: 'unread', line: 1, column: 1 },
    ],
    [
      'with arguments that are no object',
      ['--dialect', 'edison'],
      '{"tool": "ls", "args": [1]}',
      { name: 'ls', problem: 'unread', message: expect.stringContaining('args must be an object') },
    ],
  ])('says what is broken in a call %s, and where, and ends with 1', async (_what, flags, stdin, fault) => {
    verifies('K5', 'L4');
    for (const more of [[], ['--chunks', '1']]) {
      const ran = await runHalter(['parse', ...flags, ...more], { cwd: withTools(), stdin });
      expect(ran.code).toBe(1);
      expect(ran.json()).toMatchObject({ calls: [], broken: [fault] });
      expect(ran.err).toMatch(new RegExp(`^halter: line \\d+, column \\d+: the call to ${fault.name} is `));
    }
  });

  it('gives text back as text', async () => {
    const ran = await runHalter(['parse'], { stdin: 'Just words.' });
    expect(ran.json()).toMatchObject({ content: 'Just words.', calls: [], truncated: false });
  });

  it('says what is wrong with its flags', async () => {
    const folder = withTools();
    putFiles(folder, { 'wrong.json': '[1]' });
    expect((await runHalter(['parse', '--dialect', 'hermse'])).err).toContain('Did you mean hermes?');
    expect((await runHalter(['parse', '--chunks', '0'])).code).toBe(2);
    expect((await runHalter(['parse', '--tools', 'wrong.json'], { cwd: folder })).err).toContain(
      'is not a list of tools',
    );
  });
});

describe('halter render', () => {
  const render = (...flags: string[]) => {
    const cwd = withTools();
    putFiles(cwd, {
      'chat.jinja':
        '{% for tool in tools %}[{{ tool.function.name }}]{% endfor %}{% for m in messages %}<{{ m.role }}>{{ m.content or m.tool_calls[0].function.arguments | tojson }}{% endfor %}',
    });
    return runHalter(['render', '--tools', 'tools.json', ...flags], { cwd, stdin: JSON.stringify(MESSAGES) });
  };

  it.each([
    [
      'mistral-args',
      [
        '<s>[SYSTEM_PROMPT]Be short.',
        '[AVAILABLE_TOOLS][',
        '[INST]What is here?[/INST][TOOL_CALLS]ls[ARGS]{"path": "."}</s>[TOOL_RESULTS]a.txt',
      ],
    ],
    [
      'llama3-json',
      ['<|begin_of_text|><|start_header_id|>system', '{"name": "ls", "parameters": {"path": "."}}<|eot_id|>'],
    ],
    [
      'hermes',
      [
        '<|im_start|>system\nBe short.',
        '<tool_call>\n{"name": "ls", "arguments": {"path": "."}}',
        '<tool_response>\na.txt',
      ],
    ],
    ['plain-json', ['{"name": "ls", "arguments": {"path": "."}}<|im_end|>']],
    ['edison', ['{"tool": "ls", "args": {"path": "."}}<|im_end|>']],
    ['native', ['"tool_calls":[{"id":"c1"']],
  ])('writes a prompt in the form of %s', async (dialect, parts) => {
    verifies('L2');
    const ran = await render('--dialect', dialect);
    expect(ran).toMatchObject({ code: 0, err: '' });
    for (const part of parts) expect(ran.out).toContain(part);
  });

  it("follows a model's own template", async () => {
    verifies('L2');
    const ran = await render('--template', 'chat.jinja');
    expect(ran.out).toBe('[ls]<system>Be short.<user>What is here?<assistant>{"path": "."}<tool>a.txt');
  });

  it('says what is wrong with messages and flags', async () => {
    expect((await runHalter(['render'], { stdin: '[]' })).code).toBe(2);
    const wrong = await runHalter(['render', '--dialect', 'hermes'], { stdin: '[{"role": "robot", "content": "x"}]' });
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('Message 1: its role is "robot"');
  });
});

describe('halter conformance', () => {
  const vector = (over: object) => ({
    id: 'hermes/one',
    format: 'hermes',
    text: `<tool_call>${JSON.stringify(call)}</tool_call>`,
    expected: { content: null, reasoning: null, calls: [call], truncated: false },
    ...over,
  });

  it('counts, names and explains, and what it does not know is a failure', async () => {
    verifies('L10');
    const folder = scratchFolder();
    putFiles(folder, {
      'hermes.json': JSON.stringify([
        vector({}),
        vector({ id: 'hermes/wrong', expected: { content: null, reasoning: null, calls: [], truncated: false } }),
        vector({ id: 'nothing/one', format: 'nothing' }),
        { id: 'attack-1', group: 'telepathy' },
        7,
      ]),
      'sub/broken.json': '[',
    });
    const ran = await runHalter(['conformance', folder, '--json']);
    expect(ran.code).toBe(1);
    const { passed, failed, skipped, failures } = ran.json() as {
      passed: number;
      failed: number;
      skipped: number;
      failures: { id: string; reason: string }[];
    };
    expect([passed, failed, skipped]).toEqual([1, 5, 0]);
    expect(failures.map(({ id }) => id)).toEqual([
      'hermes/wrong',
      'nothing/one',
      'attack-1',
      'hermes.json#4',
      'sub/broken.json',
    ]);
    expect(failures[2]?.reason).toContain('telepathy');
    expect((await runHalter(['conformance', folder])).out.endsWith('1 passed, 5 failed\n')).toBe(true);
  });

  it('is content with a folder where everything is right', async () => {
    const folder = scratchFolder();
    putFiles(folder, { 'hermes.json': JSON.stringify([vector({})]) });
    expect(await runHalter(['conformance', folder])).toMatchObject({ code: 0, out: '1 passed, 0 failed\n' });
    expect((await runHalter(['conformance', path.join(folder, 'none')])).code).toBe(2);
  });
});

describe('halter models and doctor', () => {
  it('list what a server has', async () => {
    verifies('Z15', 'U1');
    const server = await startScriptedServer({ models: [{ id: 'one', context_length: 4096 }, { id: 'two' }] });
    onTestFinished(() => server.close());
    for (const provider of ['ollama', 'openai'] as const) {
      const url = provider === 'ollama' ? server.url : server.openaiUrl;
      const ran = await runHalter(['models', 'list', '--json', '--provider', provider, '--base-url', url]);
      const { models } = ran.json() as { models: { id: string }[] };
      expect(models.map(({ id }) => id)).toEqual([`${provider}/one`, `${provider}/two`]);
    }
    const found = await runHalter(['doctor', '--json', '--provider', 'ollama', '--base-url', server.url]);
    const { works, checks } = found.json() as { works: boolean; checks: { name: string; detail: string }[] };
    expect(works).toBe(true);
    expect(checks.find(({ name }) => name === 'ollama')?.detail).toContain('2 models');
    expect(checks.find(({ name }) => name === 'model')?.detail).toContain(
      'ollama/one: window of 4096 tokens, template',
    );
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['halter', 'config', 'data', 'cache', 'sandbox', 'rules']),
    );
  });

  it('say what to do where there is nothing', async () => {
    const home = scratchFolder();
    putFiles(home, { '.config/halter/config.json': '{' });
    const ran = await runHalter(['doctor'], { home });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain('✗ settings');
    expect(ran.out).toContain('→ mend the file or move it away');
    expect((await runHalter(['models', 'pull', 'no-such-model'])).code).toBe(5);
    expect((await runHalter(['models', 'rm', 'no-such-model'])).code).toBe(1);
    expect((await runHalter(['models', 'pull', 'openai/x'])).code).toBe(2);
  });
});
