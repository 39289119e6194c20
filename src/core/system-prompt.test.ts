/** The instructions speak of the tools on offer, and of no others. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { composeSystemPrompt, systemPrompt } from './system-prompt.ts';

const ALL = BUILT_IN_TOOLS.map(({ name }) => name);
const FOLDER =
  /^(?:ls|read_file|get_file_tree|grep_search|code_graph|rag_search|write_file|edit_file|replace_lines|insert_lines|bash)$/;
/** What may be said only where one of these tools is there. */
const SAID: readonly [words: RegExp, needs: RegExp][] = [
  [/read_file/, /^read_file$/],
  [/\bfiles?\b|\bfolder\b|\bPaths\b/, FOLDER],
  [
    /\bedit\b|changes go|files you changed|Look before you change/,
    /^(?:write_file|edit_file|replace_lines|insert_lines|bash)$/,
  ],
  [/[Ll]ine numbers/, /^(?:replace_lines|insert_lines)$/],
  [/\bcommands?\b|\bshell\b/, /^bash$/],
  [/\bweb\b/, /^web_/],
  [/the time\b/, /^(?:get_current_time|bash)$/],
  [/task list/, /^add_task$/],
  [/list or search/, /^(?:ls|get_file_tree|grep_search|code_graph|rag_search)$/],
];

describe.each(['small', 'standard'] as const)('the %s instructions', (size) => {
  it('speak of no tool that is not on offer', () => {
    verifies('B8');
    const subsets = fc.subarray([...ALL, 'mcp__bank__pay', 'add'], { minLength: 1 });
    fc.assert(
      fc.property(subsets, (tools) => {
        const said = systemPrompt(size, tools);
        for (const [words, needs] of SAID) if (!tools.some((name) => needs.test(name))) expect(said).not.toMatch(words);
        expect(said).not.toMatch(/ (?:or|and) [,.]|, ,|undefined| {2}/);
      }),
    );
  });

  it('say the same with every tool as where nobody names any', () => {
    expect(systemPrompt(size, [...ALL, 'mcp__bank__pay'])).toBe(systemPrompt(size));
    for (const [words] of SAID.slice(1, 2)) expect(systemPrompt(size)).toMatch(words);
  });

  it('say that there are none, and promise nothing then', () => {
    const said = composeSystemPrompt({ size, tools: [] });
    expect(said).toContain('You have no tools here');
    expect(said).not.toMatch(/call a tool|tool result|You act/);
  });
});
