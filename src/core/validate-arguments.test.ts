import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import type { JsonObject, JsonSchema, JsonValue } from './json.ts';
import { repairText, validateArguments } from './validate-arguments.ts';

const search: JsonSchema = {
  type: 'object',
  properties: { query: { type: 'string' }, max_results: { type: 'integer', default: 5 }, exact: { type: 'boolean' } },
  required: ['query'],
};
const image: JsonSchema = {
  type: 'object',
  properties: { prompt: { type: 'string' }, guidance_scale: { type: 'number', default: 3.5 } },
  required: ['prompt'],
};
const strict = (schema: JsonSchema, args: unknown) => validateArguments(schema, args, 'strict');
const model = (schema: JsonSchema, args: unknown) => validateArguments(schema, args, 'model');

describe('arguments, strictly', () => {
  test('injects defaults and drops unknown arguments, naming them', () => {
    verifies('E5');
    expect(strict(search, { query: 'a', extra: 1 })).toEqual({
      ok: true,
      arguments: { query: 'a', max_results: 5 },
      dropped: ['extra'],
      repairs: [],
    });
  });

  test.each<[JsonValue, string]>([
    [{}, 'query is required (string)'],
    [{ query: 1 }, 'query must be string, not integer'],
    [{ query: 'a', max_results: '3' }, 'max_results must be integer, not string'],
    [{ query: 'a', max_results: true }, 'max_results must be integer, not boolean'],
    [{ query: 'a', max_results: 1.5 }, 'max_results must be integer, not number'],
    [{ query: 'a', exact: 1 }, 'exact must be boolean, not integer'],
    [{ query: 'a', max_results: 2 ** 60 }, 'max_results is too large to be exact'],
    [[], 'the arguments must be a JSON object'],
  ])('refuses %j: %s', (args, issue) => {
    verifies('E5');
    expect(strict(search, args)).toEqual({ ok: false, issues: [issue] });
  });

  test('an integer is a number, an infinite one is not', () => {
    verifies('E5');
    expect(strict(image, { prompt: 'a', guidance_scale: 4 })).toMatchObject({ ok: true });
    for (const type of ['number', 'integer', ['number', 'null']])
      expect(strict({ type: 'object', properties: { a: { type } } }, JSON.parse('{"a":1e999}'))).toEqual({
        ok: false,
        issues: ['a is too large for a number'],
      });
  });

  test('a __proto__ argument changes no prototype', () => {
    const checked = strict(search, JSON.parse('{"query":"a","__proto__":{"polluted":true}}'));
    expect(checked).toMatchObject({ ok: true, dropped: ['__proto__'] });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('accepts whatever it returned, unchanged', () => {
    verifies('E5');
    const args = fc.record(
      { query: fc.string(), max_results: fc.integer(), exact: fc.boolean() },
      { requiredKeys: ['query'] },
    );
    fc.assert(
      fc.property(args, (value) => {
        const once = strict(search, value);
        if (!once.ok) throw new Error(once.issues.join());
        expect(strict(search, once.arguments)).toEqual({ ...once, dropped: [] });
      }),
    );
  });
});

describe('an argument under another name', () => {
  const issuesOf = (required: readonly string[], args: JsonObject): readonly string[] => {
    const properties = Object.fromEntries(['path', 'content', 'limit'].map((name) => [name, { type: 'string' }]));
    const valid = validateArguments({ type: 'object', properties, required: [...required] }, args, 'model');
    return valid.ok ? [] : valid.issues;
  };
  test.each([
    [['path'], { paht: 'a' }, 'there is no argument paht, did you mean path?'],
    [['path'], { file: 'a' }, 'there is no argument file, did you mean path?'],
    [['path', 'content'], { path: 'a', contents: 'b' }, 'there is no argument contents, did you mean content?'],
  ] as const)('is pointed to: %j, sent as %j', (required, args, issue) => {
    verifies('K4');
    expect(issuesOf(required, args)).toContain(issue);
  });

  const EDIT: JsonSchema = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      old_text: { type: 'string' },
      new_text: { type: 'string' },
      replace_all: { type: 'boolean', default: false },
    },
    required: ['path', 'old_text', 'new_text'],
  };
  test.each([
    { file_path: 'a', old_string: 'x', new_string: 'y' },
    { path: 'a', old_string: 'x', new_string: 'y' },
    { path: 'a', old_str: 'x', new_str: 'y' },
    { filePath: 'a', oldString: 'x', newString: 'y' },
    { path: 'a', oldText: 'x', new_text: 'y' },
  ])('is taken where trained models call it so and nothing else is meant: %j', (args) => {
    verifies('K4');
    const checked = model(EDIT, args);
    const expected = { path: 'a', old_text: 'x', new_text: 'y', replace_all: false };
    expect(checked).toMatchObject({ ok: true, arguments: expected, dropped: [] });
    if (checked.ok) expect(new Set(checked.repairs.map(({ kind }) => kind))).toEqual(new Set(['argument_name']));
    expect(strict(EDIT, args)).toMatchObject({ ok: false });
  });

  test.each([
    { path: 'a', old_string: 'x', old_str: 'z', new_text: 'y' },
    { path: 'a', old_string: 7, new_text: true },
    { path: 'a', old: 'x', new: 'y' },
  ])('is refused where it could be either, or does not fit: %j', (args) => {
    verifies('K4');
    expect(model(EDIT, args)).toMatchObject({ ok: false });
  });

  test('stays what it is where the tool has both names, or the right one is there too', () => {
    verifies('K4');
    const properties = { path: { type: 'string' }, file_path: { type: 'string' } } as const;
    expect(model({ type: 'object', properties, required: ['path'] }, { file_path: 'a' })).toMatchObject({ ok: false });
    expect(model(EDIT, { path: 'a', old_text: 'x', old_string: 'z', new_text: 'y' })).toMatchObject({
      ok: true,
      arguments: { old_text: 'x' },
      dropped: ['old_string'],
    });
  });

  test('is not guessed among several, nor where nothing is missing', () => {
    expect(issuesOf(['path', 'content'], { file: 'a', text: 'b' })).toHaveLength(2);
    expect(issuesOf(['path'], { path: 'a', file: 'b' })).toEqual([]);
  });
});

describe("a model's own arguments", () => {
  test.each<[JsonValue, JsonValue, string]>([
    [{ query: 'a', max_results: '3' }, { query: 'a', max_results: 3 }, 'type_coercion'],
    [{ query: 'a', exact: 'True' }, { query: 'a', exact: true, max_results: 5 }, 'type_coercion'],
    [{ query: 7 }, { query: '7', max_results: 5 }, 'type_coercion'],
    [{ query: 'a', max_results: null }, { query: 'a', max_results: 5 }, 'null_argument'],
  ])('repairs %j and names the repair', (args, expected, kind) => {
    verifies('K4');
    const checked = model(search, args);
    expect(checked).toMatchObject({ ok: true, arguments: expected });
    if (checked.ok) expect(checked.repairs.map((repair) => repair.kind)).toEqual([kind]);
  });

  test('a boolean is never a number, and words are not guessed', () => {
    expect(model(search, { query: 'a', max_results: true })).toMatchObject({ ok: false });
    expect(model(search, { query: 'a', max_results: 'three' })).toMatchObject({ ok: false });
    expect(model(search, { query: 'a', exact: 'yes' })).toMatchObject({ ok: false });
  });

  test('an enum value in another spelling is taken where only one fits', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { status: { type: 'string', enum: ['pending', 'in_progress'] } },
    };
    expect(model(schema, { status: 'In Progress' })).toMatchObject({ ok: true, arguments: { status: 'in_progress' } });
    expect(model(schema, { status: 'done' })).toMatchObject({ ok: false });
  });

  test('the text for the model names the problem and shows the schema', () => {
    verifies('K4');
    const text = repairText('web_search', search, ['query is required (string)']);
    expect(text).toContain('query is required');
    expect(text).toContain(JSON.stringify(search));
    expect(text).toContain('(string). Call web_search again');
    const asked = repairText('web_search', search, ['there is no argument q, did you mean query?']);
    expect(asked).toContain('did you mean query? Call web_search again');
  });

  test('no value makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (schema, value) => {
        const parameters = typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? schema : {};
        model(parameters as JsonSchema, value);
        model(search, value);
        strict(search, value);
      }),
      { numRuns: rounds(333, 10_000) },
    );
  });
});
