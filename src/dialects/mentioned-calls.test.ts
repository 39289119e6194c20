/** Calls that a sentence, a string or a table mentions, samples, and results that a model makes up: in every notation and dialect. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inTurn } from '../../tests/support/long.ts';
import { createParser, readAnswer, type ToolDefinition } from './index.ts';

const tool = (name: string, ...keys: string[]): ToolDefinition => ({
  name,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])),
    required: keys,
  },
});
const tools = [tool('bash', 'command'), tool('write_file', 'path', 'content')];
const isTool = (name: string): boolean => name === 'bash' || name === 'write_file';
const DIALECTS = {
  auto: ['auto', 'auto'],
  'zoo-keeper': ['plain-json', 'plain-json'],
  edison: ['edison', 'edison'],
  'llama-chat': ['mistral-args', 'auto'],
  hermes: ['hermes', 'hermes'],
} as const;

const read = (text: string, [dialect, reads]: readonly [string, string], size: number) => {
  const parser = createParser({ dialect: reads, tools });
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  const judged = readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads });
  const made = judged.written.parts.map((part) =>
    part.kind === 'call' ? part.call.name : part.kind === 'unread' ? `? ${part.unread.name}` : '!',
  );
  return { made, text: judged.text, held: judged.held, warning: judged.warning?.code, invented: judged.invented };
};

const FORMS: Record<string, (name: string, args: string) => string> = {
  'the tags of Qwen': (name, args) => `<tool_call>{"name": "${name}", "arguments": ${args}}</tool_call>`,
  'the tag of Llama': (name, args) => `<function=${name}>${args}</function>`,
  'the marks of Mistral': (name, args) => `[TOOL_CALLS]${name}[ARGS]${args}`,
  'the older mark of Mistral': (name, args) => `[TOOL_CALLS] [{"name": "${name}", "arguments": ${args}}]`,
};
const BASH = '{"command": "ls. and more, \\"as\\" it  was"}';

const MENTIONED: Record<string, (call: string) => string> = {
  'in a sentence': (call) => `The model answered with ${call} and that was wrong.`,
  'at the end of a sentence': (call) => `Models of this kind answer with ${call}.`,
  'in a sentence between others': (call) => `First line.\n\nIt wrote  ${call}, which is nothing. More.\n\n  Last line.`,
  'in a list of sentences': (call) => `1. One writes ${call} for it\n2. Another does not`,
  'in the cell of a table': (call) => `| a | b |\n|---|---|\n| Hermes | ${call} |\n| none |  |`,
  'in a string': (call) => `expect(parse('${call}')).toBe(1);`,
  'in a string of its own line': (call) => `A test:\nconst text =\n'${call}';`,
  'in quotation marks of print': (call) => `Write “${call}” there`,
};
const SAMPLES: Record<string, (call: string) => string> = {
  'under words that introduce it': (call) => `A call looks like this:\n\n${call}\n\nThat is all  there is to it.`,
  'in a listing': (call) => `12: ${call}\n13:   end`,
  'in a quotation': (call) => `The page says:\n> ${call}\n> and more`,
  'in a fence at the end': (call) => `Here is an example of a call:\n\n\`\`\`\n${call}\n\`\`\``,
};

const ROWS = Object.entries(DIALECTS).map(([name, dialect], index) => [name, dialect, index] as const);
/** Usually each row is played in every second dialect. */
const HALVES = 2;

describe.each(ROWS)('with %s', (name, dialect, index) => {
  const everywhere = (places: typeof MENTIONED) =>
    inTurn(
      Object.entries(places).flatMap(([place, put]) =>
        Object.entries(FORMS).map(([form, write]): [string, string] => [`${form} ${place}`, put(write('bash', BASH))]),
      ),
      index % HALVES,
      HALVES,
    );

  test.each(everywhere(MENTIONED))('a call is mentioned and not made: %s', (_what, text) => {
    verifies('K5', 'L4');
    for (const size of [text.length, 3]) {
      const seen = read(text, dialect, size);
      expect(seen, `in pieces of ${size}`).toMatchObject({ made: [], text, warning: undefined });
      expect(seen.held).toMatchObject({ code: 'call_in_text', calls: [{ name: 'bash' }] });
    }
  });

  test.each(everywhere(SAMPLES))('a sample stays as it was written: %s', (_what, text) => {
    verifies('K5', 'L4');
    for (const size of [text.length, 3]) {
      const seen = read(text, dialect, size);
      expect(seen, `in pieces of ${size}`).toMatchObject({ made: [], text });
      expect(seen.held?.code ?? seen.warning).toBe('call_in_text');
    }
  });

  test.each(Object.entries(FORMS))(
    'a call to no tool that a sentence mentions is told of alone: %s',
    (_form, write) => {
      const text = `The model answered with ${write('erase_disk', '{"all": true}')} and that was wrong.`;
      for (const size of [text.length, 3]) {
        const seen = read(text, dialect, size);
        expect({ ...seen, warning: undefined }).toMatchObject({ made: [], text, held: undefined });
      }
    },
  );

  test('two calls of one sentence are mentioned both', () => {
    const [first, second] = Object.values(FORMS).map((write) => write('bash', BASH));
    const text = `Some models answer with ${first}, others with ${second}.`;
    for (const size of [text.length, 3])
      expect(read(text, dialect, size)).toMatchObject({ made: [], text, held: { calls: [{}, {}] } });
  });

  /** Edison takes a whole answer for a call, and no part of one. */
  const isWholeAnswer = name === 'edison';

  test.each(
    Object.entries(isWholeAnswer ? {} : FORMS).flatMap(([form, write]) => {
      const call = write('bash', BASH);
      return [
        `I look:\n${call}`,
        `Let me look: ${call}`,
        `${call}\nThen I go on.`,
        `${call} Then I go on.`,
        `- ${call}`,
      ].map((text): [string, string] => [form, text]);
    }),
  )('%s is made where no sentence stands around it: %j', (_form, text) => {
    for (const size of [text.length, 3]) expect(read(text, dialect, size).made).toEqual(['bash']);
  });

  test.each(isWholeAnswer ? [] : [[dialect]])('a sample stays beside a call that is made', () => {
    const [first, second] = Object.values(FORMS).map((write) => write('bash', BASH));
    const text = `A call looks like  ${first} there.\n\nNow I run mine:\n${second}`;
    for (const size of [text.length, 3])
      expect(read(text, dialect, size)).toMatchObject({
        made: ['? bash', 'bash'],
        text: `A call looks like  ${first} there.\n\nNow I run mine:`,
      });
  });

  const RESULTS = [
    '<tool_response>\nversion 9\n</tool_response>',
    '[TOOL_RESULTS]version 9[/TOOL_RESULTS]',
    'Observation: version 9',
    'Tool result: version 9',
    'Result of bash:\nversion 9',
    'Tool 1 [bash]: version 9',
    '<|observation|>version 9',
    '<tool_output name="bash">\nversion 9\n</tool_output>',
    '<longcat_tool_response>version 9</longcat_tool_response>',
    '<function_results>\n<result>version 9</result></function_results>',
    '<|START_TOOL_RESULT|>version 9<|END_TOOL_RESULT|>',
    '<TOOL_RESPONSE>version 9</TOOL_RESPONSE>',
    '```tool_output\nversion 9\n```',
  ];
  const writes = { ...FORMS, 'a JSON object': (of: string, args: string) => `{"name": "${of}", "arguments": ${args}}` };

  test.each(RESULTS)('nothing behind a result that was made up is read or kept: %j', (result) => {
    verifies('K5', 'L4');
    for (const [form, write] of Object.entries(writes)) {
      const next = write('write_file', '{"path": "a", "content": "version 9"}');
      const text = `I look.\n${write('bash', BASH)}\n${result}\n${next}\n\nDone.`;
      for (const size of [text.length, 3]) {
        const { made, text: left, invented } = read(text, dialect, size);
        const isBack = made[0]?.startsWith('?');
        expect([made.length, made[0]?.replace('? ', ''), left], form).toEqual([1, 'bash', isBack ? '' : 'I look.']);
        expect(invented).toContain('made up');
      }
    }
  });

  test.each([
    'Observation: the sky is blue.\nTool result: none.',
    'The mark <tool_response> begins a result in Hermes.',
    'A sample:\n```\n<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>\n<tool_response>x</tool_response>\n```\nSo it is.',
  ])('%j is text', (text) => {
    expect(read(text, dialect, 3)).toMatchObject({ made: [], text, invented: undefined });
  });

  test('a mark of results in the arguments of a call belongs to them', () => {
    for (const [form, write] of Object.entries(writes)) {
      const text = write(
        'write_file',
        '{"path": "a", "content": "x\\n<tool_response>y</tool_response>\\nObservation: z"}',
      );
      const { made, invented } = read(text, dialect, 3);
      expect([made.map((one) => one.replace('? ', '')), invented], form).toEqual([['write_file'], undefined]);
    }
  });
});

test.each([
  '<|channel|>commentary<|message|>Checking two things.<|end|><|start|>assistant<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command": "ls"}<|call|>',
  ' to=user<|message|>I run that now; one moment (5 s)…<|eom|><|start|>assistant to=bash<|message|><atem:function_calls>\n<atem:invoke name="bash">\n<atem:parameter name="command">ls</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
])('the marks of a template are no sentence: %j', (text) => {
  verifies('L4');
  for (const size of [text.length, 3]) expect(read(text, ['auto', 'auto'], size).made).toEqual(['bash']);
});
