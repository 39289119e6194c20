/** What a schema says of an argument counts wherever the schema says it. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { fileOverrides, pathsOf } from '../policy/overrides.ts';
import { parseRule, ruleMatches } from '../policy/rules.ts';
import { chosenArguments, defaultArguments } from './argument-schemas.ts';
import { defineTool } from './define-tool.ts';

const TEXT: JsonObject = { type: 'string' };
const part = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
/** One set of properties, said in every place that is about the arguments themselves. */
const placesOf = (properties: JsonObject): [string, JsonObject][] => [
  ['properties', part(properties)],
  ['allOf', { type: 'object', allOf: [{}, part(properties)] }],
  ['anyOf', { type: 'object', anyOf: [part(properties), part({ other: TEXT })] }],
  ['oneOf in allOf', { type: 'object', allOf: [{ oneOf: [part(properties)] }] }],
  ['$ref', { type: 'object', $ref: '#/$defs/a', $defs: { a: part(properties) } }],
  ['$ref in allOf', { type: 'object', allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { allOf: [part(properties)] } } }],
  ['else', { type: 'object', if: { required: ['x'] }, else: part(properties) }],
  ['dependentSchemas', { type: 'object', dependentSchemas: { x: part(properties) } }],
];
/** Those that hold whatever the arguments are. */
const CERTAIN = new Set(['properties', 'allOf', '$ref', '$ref in allOf']);

const make = (parameters: JsonObject, more: object) =>
  defineTool({
    name: 'save',
    description: 'Saves.',
    parameters,
    effects: 'write',
    run: () => '',
    ...more,
  });

describe('a property of a tool is found', () => {
  it.each(placesOf({ path: TEXT }))('under %s, where it is declared a path or a sink', (_, parameters) => {
    verifies('E5');
    const more = { path_arguments: ['path'], sinks: ['path'] };
    const tool = make(parameters, more);
    expect(pathsOf(tool, { path: '.env', note: 'a.txt' })).toEqual(['.env']);
    expect(() => make(parameters, { path_arguments: ['paht'] })).toThrow(/path_arguments names "paht"/);
    for (const name of ['paht', '', 'constructor'])
      expect(() => make(parameters, { main_argument: name })).toThrow(`main_argument names "${name}", which is no`);
    expect(() => make(parameters, { sinks: ['paht'] })).toThrow(/sinks names "paht"/);
  });

  it.each(placesOf({ mode: { enum: ['a', 'b'] }, kind: { $ref: '#/properties/mode' }, free: TEXT }))(
    'under %s, with the values that it lists; those of a branch are no list of all',
    (name, parameters) => {
      verifies('S20');
      expect(chosenArguments(parameters).includes('mode')).toBe(CERTAIN.has(name));
      expect(chosenArguments(parameters)).not.toContain('free');
    },
  );

  it.each(placesOf({ limit: { default: 5 }, deep: { allOf: [{ default: 'x' }] } }))(
    'under %s, with its default',
    (_, parameters) => {
      verifies('S20');
      expect(defaultArguments(parameters)).toEqual({ limit: 5, deep: 'x' });
    },
  );
});

it.each<[string, JsonObject, boolean]>([
  ['a constant', { const: 'a' }, true],
  ['a union of constants', { anyOf: [{ const: 'a' }, { enum: ['b'] }] }, true],
  ['a union with a free text', { anyOf: [{ const: 'a' }, TEXT] }, false],
  ['a reference to a list', { $ref: '#/$defs/mode' }, true],
  ['a reference to itself', { $ref: '#/$defs/loop' }, false],
  ['a list of listed values', { type: 'array', items: { enum: ['a'] } }, true],
  ['a list of listed values, or a free text', { type: ['array', 'string'], items: { enum: ['a'] } }, false],
  ['anything, and lists of listed values', { items: { enum: ['a'] } }, false],
])('%s is chosen from a list: %s', (_, mode, isChosen) => {
  verifies('S20');
  const $defs: JsonObject = { mode: { enum: ['a'] }, loop: { anyOf: [{ $ref: '#/$defs/loop' }] } };
  expect(chosenArguments({ type: 'object', properties: { mode }, $defs })).toEqual(isChosen ? ['mode'] : []);
});

describe('paths inside an argument', () => {
  const tool = make(part({ files: {}, note: TEXT }), { path_arguments: ['files'], main_argument: 'files' });
  const SHAPES: [string, (path: string) => JsonValue][] = [
    ['a text', (path) => path],
    ['a list', (path) => ['docs/a.md', path]],
    [
      'a list of objects',
      (path) => [
        { path: 'docs/a.md', content: '' },
        { path, content: 'x' },
      ],
    ],
    ['a nested object', (path) => ({ target: { to: [path] } })],
    ['a record by path', (path) => ({ [path]: 'content' })],
    ['a record in a list', (path) => [{ files: { [path]: { content: 'x' } } }]],
  ];
  it.each(SHAPES)('are found in %s', (_, shape) => {
    verifies('Z8');
    const args = { files: shape('.bashrc') };
    expect(pathsOf(tool, args)).toContain('.bashrc');
    expect(fileOverrides(tool, args).length).toBeGreaterThan(0);
  });
  it.each(SHAPES)('are covered by a rule that denies, and by none that allows another folder: %s', (_, shape) => {
    verifies('Z7');
    const rule = (text: string) => {
      const parsed = parseRule(text);
      if (!parsed.ok) throw new Error(parsed.error.message);
      return parsed.value;
    };
    const args = { files: shape('secrets/a.txt') };
    expect(ruleMatches(rule('save(secrets/**)'), tool, args, 'deny')).toBe(true);
    expect(ruleMatches(rule('save(docs/**)'), tool, args, 'allow')).toBe(false);
  });
  it('are all to be allowed, and no path at all is none that is', () => {
    verifies('Z7');
    const docs = { tool: 'save', pattern: 'docs/**' };
    expect(ruleMatches(docs, tool, { files: ['docs/a.md', 'docs/b.md'] }, 'allow')).toBe(true);
    for (const files of [[], {}, null]) expect(ruleMatches(docs, tool, { files }, 'allow')).toBe(false);
  });
});
