/** Does it write arguments of every kind? */
import type { JsonObject } from '../../../../core/json.ts';
import { type Check, expectCall, judged, tool } from '../check.ts';
import { asks, text, way } from './questions.ts';

/** One request that can only be met with arguments of one kind. */
type ArgumentCase = {
  id: string;
  title: string;
  name: string;
  properties: JsonObject;
  request: string;
  fits: JsonObject | ((args: JsonObject) => boolean);
  maxTokens?: number;
};

const includes =
  (name: string, ...parts: string[]) =>
  (args: JsonObject) =>
    parts.every((part) => String(args[name]).includes(part));
const isAnnWithHerAge = ({ user }: JsonObject): boolean =>
  typeof user === 'object' && user !== null && !Array.isArray(user) && user['name'] === 'Ann' && user['age'] === 31;
const LONG = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');

const CASES: readonly ArgumentCase[] = [
  {
    id: 'integer',
    title: 'an integer',
    name: 'set_volume',
    properties: { percent: { type: 'integer' } },
    request: 'Set the volume to 35 percent.',
    fits: { percent: 35 },
  },
  {
    id: 'number',
    title: 'a number with a fraction',
    name: 'set_temperature',
    properties: { degrees: { type: 'number' } },
    request: 'Set the temperature to 21.5 degrees.',
    fits: { degrees: 21.5 },
  },
  {
    id: 'boolean',
    title: 'true or false',
    name: 'set_lamp',
    properties: { on: { type: 'boolean' } },
    request: 'Set the lamp on.',
    fits: { on: true },
  },
  {
    id: 'enum',
    title: 'one of a few words',
    name: 'set_mode',
    properties: { mode: { type: 'string', enum: ['eco', 'normal', 'boost'] } },
    request: 'Set the mode to eco.',
    fits: { mode: 'eco' },
  },
  {
    id: 'two_integers',
    title: 'two of one kind, in their order',
    name: 'subtract',
    properties: { minuend: { type: 'integer' }, subtrahend: { type: 'integer' } },
    request: 'Subtract: minuend 90, subtrahend 17.',
    fits: { minuend: 90, subtrahend: 17 },
  },
  {
    id: 'list',
    title: 'a list',
    name: 'add_tags',
    properties: { tags: { type: 'array', items: text } },
    request: 'Add the tags "red", "green" and "blue".',
    fits: { tags: ['red', 'green', 'blue'] },
  },
  {
    id: 'nested',
    title: 'an object within an object',
    name: 'create_user',
    properties: {
      user: { type: 'object', properties: { name: text, age: { type: 'integer' } }, required: ['name', 'age'] },
    },
    request: 'Create the user Ann, who is 31 years old.',
    fits: isAnnWithHerAge,
  },
  {
    id: 'optional',
    title: 'leaves out what was not asked for',
    name: 'list_files',
    properties: { path: text, limit: { type: 'integer' } },
    request: 'List the files in the folder src.',
    fits: (args) => args['path'] === 'src',
  },
  {
    id: 'unicode',
    title: 'other scripts',
    name: 'save_note',
    properties: { note: text },
    request: 'Save the note "Grüße aus 東京".',
    fits: includes('note', 'Grüße', '東京'),
  },
  {
    id: 'quotes',
    title: 'quotes and backslashes',
    name: 'save_text',
    properties: { content: text },
    request: 'Save this text exactly: say "hi" to C:\\temp',
    fits: includes('content', '"hi"', 'C:\\temp'),
  },
  {
    id: 'path',
    title: 'a path',
    name: 'open_file',
    properties: { path: text },
    request: 'Open the file docs/how-to/start.md.',
    fits: { path: 'docs/how-to/start.md' },
  },
  {
    id: 'long',
    title: 'forty lines',
    name: 'save_lines',
    properties: { content: text },
    request: `Save these lines exactly:\n${LONG}`,
    fits: includes('content', 'line 1\n', 'line 40'),
    maxTokens: 1_024,
  },
];

export const ARGUMENT_CHECKS: readonly Check[] = CASES.map(
  ({ id, title, name, properties, request, fits, ...more }): Check => ({
    id,
    group: 'arguments',
    title,
    skip: (_, { noCalls }) => (noCalls ? 'it makes no calls' : undefined),
    run: (asker, findings) => {
      const tools = [tool(name, `Does it: ${name.replaceAll('_', ' ')}.`, properties)];
      return judged(asker, { ...asks(tools, request), ...more, ...way(findings) }, (answer) =>
        expectCall(answer, name, fits),
      );
    },
  }),
);
