/** A rule that allows files covers what a name of the call leads to, and not the name of a link alone. */
import { realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { JsonObject } from '../../core/json.ts';
import { type PolicyRules, parseRule } from '../../core/policy.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import type { Tool } from '../../core/tool.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { createToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { authorize } from './authorize.ts';

const own = (name: string, main?: 'path'): Tool =>
  defineTool({
    name,
    description: 'Changes a file',
    risk: 'high',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    path_arguments: ['path'],
    ...(main === undefined ? {} : { main_argument: main }),
    run: () => 'done',
  });
const OWN = [own('own', 'path'), own('paired')];
const MORE: Readonly<Record<string, JsonObject>> = {
  write_file: { content: 'x' },
  edit_file: { old_text: 'a', new_text: 'b' },
  replace_lines: { line_start: 1, line_end: 1, new_content: 'b' },
  insert_lines: { line_start: 1, line_end: 1, new_content: 'b' },
};
const TOOLS = [...BUILT_IN_TOOLS.filter(({ risk, name }) => risk !== 'safe' && MORE[name] !== undefined), ...OWN];

/** `docs` is allowed; some names in it lead elsewhere. */
const laidOut = (): string => {
  const root = path.join(realpathSync(scratchFolder()), 'ws');
  putFiles(root, { 'docs/a': 'a', 'docs/deep/b': 'a', 'src/x': 'a', 'src/deep/y': 'a' });
  for (const [name, target] of [
    ['docs/up', '../src'],
    ['docs/file', '../src/x'],
    ['docs/chain', 'file'],
    ['docs/whole', path.join(root, 'src')],
    ['docs/new', '../src/missing'],
    ['docs/within', 'deep'],
    ['papers', 'docs'],
  ] as const)
    symlinkSync(target, path.join(root, name));
  return root;
};

const judgeIn = async (root: string, rule: string) => {
  const workspace = await createWorkspace({ root });
  const parsed = parseRule(rule);
  if (!workspace.ok || !parsed.ok) throw new Error(rule);
  const allow = [{ ...parsed.value, source: 'command line' as const }];
  const rules: PolicyRules = { allow, deny: [], mode: 'ask' };
  const ports = {
    registry: createToolRegistry([...BUILT_IN_TOOLS, ...OWN], {}),
    rules: () => rules,
    workspace: workspace.value,
  };
  return async (name: string, file: string) => {
    const answer = await authorize(ports, { name, arguments: { path: file, ...MORE[name] } }, { mode: 'model' });
    return answer.kind === 'evaluated' ? answer : { verdict: answer.message, because: answer.message };
  };
};
const ruleFor = ({ name, main_argument }: Tool, pattern: string): string =>
  main_argument === undefined ? `${name}(path=${pattern})` : `${name}(${pattern})`;

const PATTERNS = ['docs/**', './docs/**', 'docs/*', 'papers/**', 'docs/**/*'];
const ELSEWHERE = ['docs/up/x', 'docs/up/new', 'docs/file', 'docs/chain', 'docs/whole/deep/y', 'docs/new'];

describe.each(TOOLS)('$name', (tool) => {
  test('what a link in an allowed folder leads to is asked about', async () => {
    verifies('S34');
    const root = laidOut();
    const passed: string[] = [];
    for (const pattern of PATTERNS) {
      const judge = await judgeIn(root, ruleFor(tool, pattern));
      for (const file of ELSEWHERE.map((each) =>
        pattern.startsWith('papers') ? each.replace('docs', 'papers') : each,
      ))
        if ((await judge(tool.name, file)).verdict !== 'ask') passed.push(`${pattern} ${file}`);
    }
    expect(passed).toEqual([]);
  });

  const COVERED: readonly (readonly [pattern: string, file: string])[] = [
    ['docs/**', 'docs/a'],
    ['docs/**', 'docs/missing/c'],
    ['docs/**', 'docs/within/b'],
    // The writer of the rule named the link.
    ['papers/**', 'papers/a'],
    ['docs/up/**', 'docs/up/x'],
    ['=docs/file', 'docs/file'],
    ['**', 'docs/up/x'],
  ];
  // A rule about an argument has no exact form.
  const isRule = (pattern: string): boolean => tool.main_argument !== undefined || !pattern.startsWith('=');
  test.each(COVERED.filter(([pattern]) => isRule(pattern)))('%s still covers %s', async (pattern, file) => {
    verifies('S34');
    const judge = await judgeIn(laidOut(), ruleFor(tool, pattern));
    expect((await judge(tool.name, file)).verdict).toBe('allow');
  });
});

test('the question says that the name leads elsewhere', async () => {
  const judge = await judgeIn(laidOut(), 'write_file(docs/**)');
  expect((await judge('write_file', 'docs/up/x')).because).toBe(
    'write_file(docs/**) covers this name, and not the file that it leads to',
  );
});
