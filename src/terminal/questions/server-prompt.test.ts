import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { formFields, typedValue } from '../../core/form-fields.ts';
import type { JsonSchema, JsonValue } from '../../core/json.ts';
import type { ServerQuestion } from '../../core/server-question.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { createTheme } from '../theme.ts';
import { ServerPrompt } from './server-prompt.ts';

const theme = createTheme({ LANG: 'C.UTF-8', NO_COLOR: '1' });
const ARMED = TERMINAL_LIMITS.questionArmMs;
const screenOf = (prompt: ServerPrompt, rows = 100, width = 100): string =>
  prompt
    .lines(width, rows, ARMED)
    .join('\n')
    .replaceAll(/\x1b\[[0-9;]*m/g, '');
const shown = (question: object, rows = 100): ServerPrompt => {
  const prompt = new ServerPrompt(
    { question_id: 'q', server: 'files', message: 'Why', ...question } as ServerQuestion,
    theme,
  );
  prompt.lines(100, rows, 0);
  prompt.shown(0);
  return prompt;
};
const type = (prompt: ServerPrompt, ...keys: string[]) => keys.map((key) => prompt.key(key, ARMED)).at(-1);

const FORM: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name' },
    age: { type: 'integer', minimum: 18 },
    colour: {
      type: 'string',
      oneOf: [
        { const: 'r', title: 'Red' },
        { const: 'b', title: 'Blue' },
      ],
    },
    sure: { type: 'boolean', default: false },
  },
  required: ['name', 'age'],
};

describe('a question of a server in the terminal', () => {
  it('asks the fields of a form one after another, corrects what does not fit, and shows the whole before it goes', () => {
    verifies('B10');
    const prompt = shown({ kind: 'form', fields: FORM });
    expect(screenOf(prompt)).toContain('MCP server: files');
    expect(screenOf(prompt)).toContain('[1] Fill it in  [2] Decline');
    type(prompt, '1');
    expect(screenOf(prompt)).toContain('name: ');
    type(prompt, '\r');
    expect(screenOf(prompt)).toContain('this has to be filled in');
    type(prompt, 'A', 'd', 'x', '\x7f', 'a', '\r', '1', '7', '\r');
    expect(screenOf(prompt)).toContain('18');
    type(prompt, '\x15', '3', '6', '\r', 'b', 'l', 'u', 'e', '\r', '\r');
    expect(screenOf(prompt)).toMatch(/name: "Ada"[\s\S]*age: 36[\s\S]*colour: "b"[\s\S]*sure: false/);
    expect(screenOf(prompt)).toContain('[1] Send it  [2] Decline  [3] Fill it in anew');
    const content = { name: 'Ada', age: 36, colour: 'b', sure: false };
    expect(type(prompt, '1')).toEqual({ type: 'answer', answer: { action: 'accept', content } });
  });

  it('sends nothing on a key that was pressed early, on Enter, or before all of it was on the screen', () => {
    verifies('B10');
    const long = {
      kind: 'sampling_answer',
      model: 'm',
      answer: Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n'),
    };
    const early = shown(long);
    expect(early.key('1', 0)).toEqual({ type: 'redraw' });
    const half = shown(long, 20);
    screenOf(half, 20);
    expect(type(half, '\r', '1')).toEqual({ type: 'redraw' });
    expect(type(half, '2')).toEqual({ type: 'answer', answer: { action: 'decline' } });
    for (let page = 0; page < 6; page += 1) {
      type(half, ' ');
      screenOf(half, 20);
    }
    expect(type(half, '1')).toEqual({ type: 'answer', answer: { action: 'accept' } });
  });

  it('names the host of an address as the network knows it, and opens it only on that key', () => {
    verifies('B10');
    const prompt = shown({ kind: 'url', url: 'https://xn--pypal-4ve.com/login?next=paypal.com' });
    expect(screenOf(prompt)).toContain('Host: xn--pypal-4ve.com');
    expect(type(prompt, '3')).toEqual({ type: 'answer', answer: { action: 'accept' } });
    expect(type(prompt, '1')).toMatchObject({ open: 'https://xn--pypal-4ve.com/login?next=paypal.com' });
    expect(type(prompt, '\x1b')).toEqual({ type: 'stop' });
  });

  it('shows nothing raw of what a server sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, schema) => {
        const fields = { type: 'object', properties: { [text]: schema } } as JsonSchema;
        const screens = [
          shown({ message: text, kind: 'form', fields }),
          shown({ message: text, server: text, kind: 'sampling', prompt: text, system: text, max_tokens: 1 }),
        ].map((prompt) => prompt.lines(60, 40, ARMED).join('\n'));
        for (const screen of screens)
          expect(screen.replaceAll(/\x1b\[[0-9;]*m/g, '')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
      }),
    );
  });
});

describe('what is typed into a field', () => {
  const field = (schema: JsonSchema, required = true) =>
    formFields({ type: 'object', properties: { x: schema }, required: required ? ['x'] : [] })[0] as ReturnType<
      typeof formFields
    >[0];
  const read = (schema: JsonSchema, typed: string, required?: boolean): JsonValue | undefined => {
    const value = typedValue(field(schema, required), typed);
    return value.ok ? value.value : `refused: ${value.message}`;
  };

  it('becomes what the field wants, or is refused with a sentence', () => {
    verifies('B10');
    const choices = { type: 'string', enum: ['a', 'b'], enumNames: ['First', 'Second'] };
    expect(read(choices, 'second')).toBe('b');
    expect(read(choices, '2')).toBe('b');
    expect(read(choices, 'c')).toMatch(/^refused/);
    const several = {
      type: 'array',
      items: {
        anyOf: [
          { const: 'x', title: 'Ex' },
          { const: 'y', title: 'Why' },
        ],
      },
    };
    expect(read(several, 'ex, 2')).toEqual(['x', 'y']);
    expect(read({ type: 'boolean' }, 'N')).toBe(false);
    expect(read({ type: 'number' }, '1e3')).toBe(1000);
    expect(read({ type: 'integer' }, '1.5')).toMatch(/^refused/);
    expect(read({ type: 'string' }, '', false)).toBeUndefined();
    expect(read({ type: 'string', default: 'd' }, ' ')).toBe('d');
    // A number that is a choice's own value is that choice, and not the second one.
    expect(read({ type: 'string', enum: ['2', '1'] }, '2')).toBe('2');
  });

  it('is never a value that the form would refuse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (schema, typed) => {
        const [made] = formFields({ type: 'object', properties: { x: schema } } as JsonSchema);
        if (made) void typedValue(made, typed);
      }),
    );
  });
});
