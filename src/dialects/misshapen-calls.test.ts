/** Calls that no notation reads: each goes back to the model, alone or behind a call that is made. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { createParser, readAnswer, type ToolDefinition } from './index.ts';
import { GRAMMARS } from './registry.ts';

const tool = (name: string, key: string): ToolDefinition => ({
  name,
  parameters: { type: 'object', properties: { [key]: { type: 'string' } }, required: [key] },
});
const tools = [tool('bash', 'command'), tool('ls', 'path'), tool('read_file', 'path')];
const isTool = (name: string): boolean => tools.some((one) => 'name' in one && one.name === name);

const readCalls = (text: string, dialect: string, size: number) => {
  const parser = createParser({ dialect, tools });
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
  const { events: last, result } = parser.end();
  const cut = result.broken.filter(({ problem }) => problem === 'truncated').map((broken) => broken.text);
  const judged = readAnswer(
    { events: [...events, ...last], result, text: [result.content, ...cut].join(''), whole: text },
    { tools, isTool, mayGuess: () => false, dialect, reads: dialect },
  );
  return {
    parts: judged.written.parts.map((part) =>
      part.kind === 'call'
        ? part.call.name
        : part.kind === 'unread'
          ? `? ${part.unread.name}`
          : `! ${part.broken.name}`,
    ),
    text: judged.text.trim(),
    calls: judged.written.parts.flatMap((part) => (part.kind === 'call' ? [part.call.arguments] : [])),
    told: judged.held?.code ?? judged.warning?.code,
  };
};
const read = (text: string, dialect: string, size: number) => {
  const { calls: _calls, ...seen } = readCalls(text, dialect, size);
  return seen;
};
const BACK = (name: string) => ({ parts: [`? ${name}`], text: '', told: undefined });
const MADE = (name: string) => ({ parts: [name], text: '', told: undefined });

/** Understood entirely: the name of a tool on offer, and exactly its arguments. As the whole answer they are made. */
const UNDERSTOOD: readonly [text: string, name: string][] = [
  ['<tool_call>{"read_file": {"path": "a.md"}}</tool_call>', 'read_file'],
  ['[TOOL_CALLS]{"bash": {"command": "touch x"}}', 'bash'],
  ['{"name": "read_file", "path": "a.md"}', 'read_file'],
  ['{"tool": "read_file", "path": "a.md"}', 'read_file'],
  ['{"read_file": {"path": "a.md"}}', 'read_file'],
  ['<function(read_file)>{"path": "a.md"}</function>', 'read_file'],
  ['[TOOL_CALL]read_file[ARGS]{"path": "a.md"}[/TOOL_CALL]', 'read_file'],
];
const WHOLE: readonly [text: string, name: string][] = [
  ['<tool_call>read_file(path="a.md")</tool_call>', 'read_file'],
  ['<tool_call>{"command": "ls"}</tool_call>', ''],
  ['<tool_call></tool_call>', ''],
  ['{"name": "read_file", "path": "a.md", "why": "to know"}', 'read_file'],
  ['{"name": "read_file", "path": 7}', 'read_file'],
  ['{"read_file": {"file": "a.md"}}', 'read_file'],
  ['{\\"name\\": \\"bash\\", \\"arguments\\": {\\"command\\": \\"ls\\"}}', 'bash'],
  ['{"tool_calls": []}', ''],
  ['{"name": "read_file", "arguments": ["a.md"]}', 'read_file'],
  ['```json\n{"tool": "read_file", "args": "a.md"}\n```', 'read_file'],
];
const NAMED: readonly [text: string, name: string][] = [
  ['<TOOL_CALL>{"name": "read_file", "arguments": {"path": "a.md"}}</TOOL_CALL>', 'read_file'],
  ['<tools>{"name": "read_file", "arguments": {"path": "a.md"}}</tools>', 'read_file'],
  ['read_file {"path": "a.md"}', 'read_file'],
  ['read_file({"path": "a.md"})', 'read_file'],
  ['{"name": "read_file", "arguments": {"path": "a.md"}', 'read_file'],
  ['<tool_call>{"name": "read_file", "arguments": {"path": "a.md"}}<tool_call>', 'read_file'],
];
const CALL = '<tool_call>{"name": "ls", "arguments": {"path": "."}}</tool_call>\n';
const CUT: readonly [text: string, name: string][] = [
  ['<tool_call>{"name": "read_file", "argu', 'read_file'],
  ['{"name": "bash", "arg', 'bash'],
  ['[TOOL_CALLS]read_file[ARG', 'read_file'],
];

describe.each(['auto', 'hermes', 'plain-json', 'mistral-args'])('in %s', (dialect) => {
  test.each(WHOLE)('%j goes back', (text, name) => {
    verifies('L4');
    for (const size of [text.length, 1, 3, 7])
      expect(read(text, dialect, size), `in pieces of ${size}`).toEqual(BACK(name));
  });

  test.each([...UNDERSTOOD, ...NAMED])('%j is made', (text, name) => {
    verifies('L4');
    for (const size of [text.length, 1, 3])
      expect(read(text, dialect, size), `in pieces of ${size}`).toEqual(MADE(name));
  });

  test.each(['{OBJECT}', '<tool_call>{OBJECT}</tool_call>'])(
    '%s: a wrapper of OpenAI’s first calls is read',
    (form) => {
      const text = form.replace('{OBJECT}', '{"function_call": {"name": "read_file", "arguments": {"path": "a.md"}}}');
      for (const size of [text.length, 1, 3, 7])
        expect(read(text, dialect, size), `in pieces of ${size}`).toMatchObject({ parts: ['read_file'], text: '' });
    },
  );

  test.each([...UNDERSTOOD, ...WHOLE, ...CUT])('%j behind a call is answered as well', (text, name) => {
    verifies('L4');
    for (const size of [CALL.length + text.length, 1, 3, 7])
      expect(read(CALL + text, dialect, size), `in pieces of ${size}`).toEqual({
        parts: ['ls', `? ${name}`],
        text: '',
        told: undefined,
      });
  });

  test.each([
    '<tool_call>{"name": "ls", "path": "src"}</tool_call>',
    '<tool_call>{"path": "src", "name": "ls"}</tool_call>',
    '[TOOL_CALLS][{"name": "ls", "path": "src"}]',
  ])('%j is made without its arguments in no case', (text) => {
    verifies('L4');
    for (const size of [text.length, 1, 3, 7]) expect(readCalls(text, dialect, size).calls).toEqual([{ path: 'src' }]);
  });

  test.each(['{"name": "Ann", "path": "a"}', '{"config": {"path": "a"}}', '{"ls": 3}'])('%j is data', (text) => {
    expect(read(text, dialect, text.length)).toEqual({ parts: [], text, told: undefined });
  });
});

/** Marks of every notation with something between them. A name follows some marks, and words follow `Action:`. */
const between = (inside: readonly string[], marks: RegExp): { dialect: string; text: string }[] =>
  GRAMMARS.flatMap(({ name, calls }) =>
    calls.flatMap(({ open, close = [] }) =>
      open.flatMap((mark, index) => {
        if (!marks.test(mark)) return [];
        const end = close[index] ?? close[0] ?? '';
        return inside.flatMap((one) => ['auto', name].map((dialect) => ({ dialect, text: mark + one + end })));
      }),
    ),
  );
/** Those of which neither the model nor the person hears. */
const silent = (rows: readonly { dialect: string; text: string }[]): string[] =>
  everyNth(rows, 7).flatMap(({ dialect, text }, index) => {
    const seen = read(text, dialect, index % 2 === 0 ? 3 : text.length);
    const isTold =
      seen.told !== undefined || seen.parts.some((part) => !part.startsWith('! ') || isTool(part.slice(2)));
    return isTold ? [] : [`${dialect} ${JSON.stringify(text)}: ${JSON.stringify(seen)}`];
  });

test('marks with nothing between them go back in every notation', () => {
  verifies('K5', 'L4');
  const rows = between(['', '[]', '{}', ' ', '\n[]\n', '{"name": "", "arguments": {}}'], /[^\w\s:]/);
  expect(rows.length).toBeGreaterThan(1_000);
  expect(silent(rows)).toEqual([]);
});

test('what no parser reads between marks goes back in every notation', () => {
  verifies('K5', 'L4');
  const inside = [
    '{"read_file": {"path": "a"}}',
    'read_file(path=a)',
    '{"command": "ls"}',
    '{"name": read_file}',
    '[1, 2]',
    'read_file',
  ];
  const rows = between(inside, /[>\]]$/).filter(({ text }) => !text.startsWith('```'));
  expect(rows.length).toBeGreaterThan(1_000);
  expect(silent(rows)).toEqual([]);
});

test.each([
  ['Paris.\n[TOOL_CALLS][]', 'Paris.'],
  ['Let me look.\n<tool_call>\n</tool_call>', 'Let me look.'],
  ['Let me look. <|tool_call|>[]', 'Let me look.'],
])('%j: what was said before an empty call is the answer, and the call is told of', (whole, text) => {
  verifies('K5');
  for (const size of [whole.length, 1, 3])
    expect(read(whole, 'auto', size)).toEqual({ parts: [], text, told: 'call_in_text' });
});

test.each([
  'The mark is `<tool_call></tool_call>`',
  'A call looks like this:\n<tool_call></tool_call>',
  '[TOOL_CALLS] is how Mistral begins one.',
  '[]',
  '```json\n[]\n```',
  '{}',
])('%j is an answer', (text) => {
  for (const dialect of ['auto', 'pythonic', 'xlam', 'hermes'])
    for (const size of [text.length, 1, 3])
      expect(read(text, dialect, size)).toEqual({ parts: [], text, told: undefined });
});
