/** A test that ends before it looked at anything passes and says nothing: it is not written down, or skipped with a word. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { isTest, listFiles, ROOT } from './source-files.ts';

type Node = { type: string; start: number; end: number; [field: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];

/** Names of what makes a test, also as `it.each(rows)`. */
const MAKES_TEST = /^(?:it|test|row|inBrowser|inLongRun|inSandboxWorld)\b/;
const LOOKS = /\bexpect|\bassert|\.waitFor/;

/** `if (…) return;`, with a block or without. */
const endsSilently = (statement: Node): boolean => {
  if (statement.type !== 'IfStatement') return false;
  const [then] = nodesIn(statement['consequent']);
  const last = then?.type === 'BlockStatement' ? nodesIn(then['body']).at(-1) : then;
  return last?.type === 'ReturnStatement' && !isNode(last['argument']);
};

/** The lines of tests that may end so before they looked at anything. */
const silentLines = (path: string, text: string): number[] => {
  const lines: number[] = [];
  const lookAt = (body: Node): void => {
    for (const statement of nodesIn(body['body'])) {
      if (LOOKS.test(text.slice(statement.start, statement.end))) return;
      if (endsSilently(statement)) lines.push(text.slice(0, statement.start).split('\n').length);
    }
  };
  const visit = (node: Node): void => {
    const [callee] = nodesIn(node['callee']);
    if (node.type === 'CallExpression' && callee && MAKES_TEST.test(text.slice(callee.start, callee.end))) {
      const played = nodesIn(node['arguments']).findLast(({ type }) => /Function/.test(type));
      for (const body of nodesIn(played?.['body'])) if (body.type === 'BlockStatement') lookAt(body);
    }
    for (const field of Object.values(node)) for (const each of nodesIn(field)) visit(each);
  };
  for (const node of nodesIn(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path)['body'])) visit(node);
  return lines;
};

it.each([
  ["it('x', () => {\n  if (!works) return;\n  expect(1).toBe(1);\n});", [2]],
  [
    "it.each(ROWS)('%s', async (row) => {\n  verifies('L1');\n  if (row) {\n    return;\n  }\n  expect(1).toBe(1);\n});",
    [3],
  ],
  ["it('x', (context) => {\n  if (!works) return context.skip('why');\n  expect(1).toBe(1);\n});", []],
  ["it('x', () => {\n  expect(1).toBe(1);\n  if (done) return;\n});", []],
  ["it('x', () => {\n  if (done) {\n    expect(1).toBe(1);\n    return;\n  }\n});", []],
])('is seen in %j', (text, lines) => {
  expect(silentLines('a.test.ts', text)).toEqual(lines);
});

it('is nowhere', () => {
  const found = ['src', 'tests', 'web/src', 'evals']
    .flatMap((folder) => listFiles(folder, ['.ts', '.tsx']))
    .filter(isTest)
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const)
    .filter(([, text]) => /\bif \([^\n]*return;|^\s*return;$/m.test(text))
    .flatMap(([file, text]) => silentLines(file, text).map((line) => `${file}:${line}`));
  const advice =
    'These tests pass without having looked at anything. Leave such rows out of the table, or call context.skip() with the reason.';
  expect(found, advice).toEqual([]);
});
