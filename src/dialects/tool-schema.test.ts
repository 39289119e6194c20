/** The description of a tool among words is shown, and is no call. */
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createParser, readAnswer } from './index.ts';

const SCHEMA = { type: 'object', properties: { path: { type: 'string', description: 'A file' } }, required: ['path'] };
const tools = [
  { name: 'read_file', parameters: SCHEMA },
  { name: 'define', parameters: { type: 'object', properties: { type: {}, properties: { type: 'object' } } } },
];
const isTool = (name: string): boolean => tools.some((tool) => tool.name === name);

const judged = (text: string, dialect: string) => {
  const parser = createParser({ dialect, tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  return readAnswer(answer, { tools, isTool, mayGuess: () => false, dialect, reads: dialect });
};

const plain = JSON.stringify({ name: 'read_file', parameters: SCHEMA });
const DESCRIPTIONS = {
  plain,
  'with a description': JSON.stringify({ name: 'read_file', description: 'Reads', parameters: SCHEMA }),
  'of OpenAI': JSON.stringify({
    type: 'function',
    function: { name: 'read_file', description: 'Reads', parameters: SCHEMA },
  }),
  'in a list': `[${plain}]`,
  'over lines': JSON.stringify({ name: 'read_file', parameters: SCHEMA }, null, 2),
  'without properties': '{"name": "read_file", "parameters": {"type": "object", "properties": {}}}',
};
const PLACES: Record<string, (schema: string) => string> = {
  'behind a sentence': (schema) => `The tool that reads files has this schema.\n${schema}`,
  'before words': (schema) => `${schema}\n\nSo it takes a path.`,
  'in a fence': (schema) => `I have one tool.\n\n\`\`\`json\n${schema}\n\`\`\`\n\nIt reads files.`,
  'in a last fence': (schema) => `I have one tool.\n\n\`\`\`json\n${schema}\n\`\`\``,
};

it.each(Object.keys(DESCRIPTIONS))('is text among words: %s', (form) => {
  verifies('L4');
  const schema = DESCRIPTIONS[form as keyof typeof DESCRIPTIONS];
  for (const [place, placed] of Object.entries(PLACES))
    for (const dialect of ['auto', 'hermes', 'plain-json', 'mistral-args', 'edison']) {
      const text = placed(schema);
      const read = judged(text, dialect);
      const { written, held, warning, isReturned } = read;
      expect([written.parts, held, warning, isReturned, read.text], `${dialect} ${place}`).toEqual([
        [],
        undefined,
        undefined,
        undefined,
        text,
      ]);
    }
});

it('is a call where it is the whole answer, which is told what is wrong with it, or where it has values', () => {
  const kinds = (text: string): string[] => judged(text, 'auto').written.parts.map(({ kind }) => kind);
  expect(kinds(plain)).toEqual(['call']);
  const meant = '{"name": "read_file", "parameters": {"type": "object", "properties": {"path": "a.txt"}}}';
  expect(kinds(`I read it.\n${meant}`)).toEqual(['call']);
});

it('is a call of a tool that takes a schema', () => {
  const defined = `I will define it.\n${JSON.stringify({ name: 'define', arguments: SCHEMA })}`;
  expect(judged(defined, 'auto').written.parts).toMatchObject([{ kind: 'call', call: { name: 'define' } }]);
});
