/** Patterns that others wrote, at every place where one meets a text: each is answered, and rightly. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandGlob } from '../src/agent/permissions/shell-rules/folder-contents.ts';
import { formFields, typedValue } from '../src/core/form-fields.ts';
import type { JsonSchema } from '../src/core/json.ts';
import { matchesGlob, matchesRun, matchesWildcard } from '../src/core/policy/glob.ts';
import { ruleMatches } from '../src/core/policy/rules.ts';
import { validateAnswer, validateArguments } from '../src/core/validate-arguments.ts';
import { parseToolCalls } from '../src/dialects/index.ts';
import { jsonAnswer } from '../src/gateway/json-answer.ts';
import { addIgnoreText, isIgnored } from '../src/io/workspace/ignore-rules.ts';
import { toolParameters } from '../src/mcp/server-tools/tool-schema.ts';
import { parseFileFilter } from '../src/tools/grep-pattern.ts';
import { verifies } from './requirements.ts';
import { EVIL_EXPRESSIONS, EVIL_GLOBS } from './support/evil-patterns.ts';

const of = (x: JsonSchema): JsonSchema => ({ type: 'object', properties: { x }, required: ['x'] });
const keyed = (pattern: string): JsonSchema => ({
  type: 'object',
  patternProperties: { [pattern]: { type: 'integer' } },
  additionalProperties: true,
});

/** Whether the text fits the pattern there. Of none of the pairs it does. */
const EXPRESSIONS: Readonly<Record<string, (pattern: string, text: string) => boolean>> = {
  'an argument': (pattern, text) => validateArguments(of({ pattern }), { x: text }, 'strict').ok,
  'an argument that a model writes': (pattern, text) => validateArguments(of({ pattern }), { x: text }, 'model').ok,
  'the name of an argument': (pattern, text) => !validateArguments(keyed(pattern), { [text]: 'x' }, 'strict').ok,
  'a name that must fit': (pattern, text) =>
    validateArguments(
      { type: 'object', propertyNames: { pattern }, additionalProperties: true },
      { [text]: 1 },
      'strict',
    ).ok,
  'an argument for a server': (pattern, text) =>
    validateArguments(toolParameters(of({ pattern })), { x: text }, 'strict').ok,
  'the name of an argument for a server': (pattern, text) =>
    !validateArguments(toolParameters(keyed(pattern)), { [text]: 'x' }, 'strict').ok,
  'a part that may fit': (pattern, text) => validateArguments(of({ anyOf: [{ pattern }] }), { x: text }, 'model').ok,
  'an answer': (pattern, text) => validateAnswer({ pattern }, text).ok,
  "a client's answer": (pattern, text) => jsonAnswer(JSON.stringify({ x: text }), of({ pattern }), false).ok,
  "a server's form": (pattern, text) => {
    const [field] = formFields(of({ type: 'string', pattern }));
    return field !== undefined && typedValue(field, text).ok;
  },
  'a call in a text': (pattern, text) => {
    const call = JSON.stringify({ name: 'show', arguments: { [text]: '1' } });
    const [read] = parseToolCalls(call, {
      dialect: 'auto',
      tools: [{ name: 'show', description: '', parameters: keyed(pattern) }],
    }).calls;
    // The name has no part of its own in the schema, so nothing says that it is a number.
    return read?.arguments[text] !== '1';
  },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'halter-patterns-'));
  writeFileSync(path.join(folder, 'a'.repeat(200)), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TOOL = {
  name: 'write_file',
  main_argument: 'path',
  path_arguments: ['path'],
  effects: 'write',
  risk: 'high',
} as const;
const GLOBS: Readonly<Record<string, (pattern: string, text: string) => boolean>> = {
  'a rule': (pattern, text) => ruleMatches({ tool: 'write_file', pattern }, TOOL, { path: text }, 'allow'),
  'a rule of folders': (pattern, text) => matchesGlob(`${'**/'.repeat(500)}${pattern}`, `${'a/'.repeat(500)}${text}`),
  'a word of a command': matchesWildcard,
  'an ignore file': (pattern, text) => isIgnored(addIgnoreText(undefined, 0, pattern), text),
  'an ignore file with folders': (pattern, text) =>
    isIgnored(addIgnoreText(undefined, 0, `/${'**/'.repeat(50)}${pattern}`), `${'a/'.repeat(50)}${text}`),
  'a filter of a search': (pattern, text) => {
    const filter = parseFileFilter(`src/${pattern}`, false);
    return filter.ok && filter.value.accepts(`src/${text}`);
  },
  'the names that the shell makes': (pattern) => expandGlob(folder, pattern)?.length !== 0,
};

describe('a pattern of a stranger', () => {
  it.each(Object.entries(EXPRESSIONS))('is tried in bounded time where it is about %s', (_, fits) => {
    verifies('B10', 'E2');
    for (const [pattern, text] of EVIL_EXPRESSIONS) expect([pattern, fits(pattern, text)]).toEqual([pattern, false]);
  });

  it.each(Object.entries(GLOBS))('of names is tried in bounded time where it is about %s', (_, fits) => {
    verifies('Z10');
    for (const [pattern, text] of EVIL_GLOBS) expect([pattern, fits(pattern, text)]).toEqual([pattern, false]);
  });

  it('of names takes as many steps as its letters times those of the name', () => {
    for (const [pattern, text] of EVIL_GLOBS) {
      let steps = 0;
      matchesRun<string, string>(pattern, text, {
        isStar: (part) => part === '*',
        matches: (part, character) => {
          steps += 1;
          return part === '?' || part === character;
        },
      });
      expect(steps).toBeLessThanOrEqual((pattern.length + 1) * (text.length + 1));
    }
  });
});
