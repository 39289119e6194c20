import { expect, it } from 'vitest';
import { createTheme } from '../theme.ts';
import type { PermissionQuestion } from './permission-body.ts';
import { PermissionPrompt } from './permission-prompt.ts';

const EDIT: PermissionQuestion = {
  callId: 'c1',
  name: 'edit_file',
  arguments: { path: 'a.txt' },
  risk: 'medium',
  rule: { tool: 'edit_file' },
  preview: { summary: 'edit a.txt', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n' },
  isEdit: true,
  sandbox: { text: 'bubblewrap', confined: true },
};
const COMMAND: PermissionQuestion = {
  ...EDIT,
  name: 'bash',
  arguments: { command: Array.from({ length: 40 }, (_, line) => `echo ${line}`).join('\n') },
  rule: { tool: 'bash' },
  mainArgument: 'command',
  preview: undefined,
  isEdit: false,
};
const KINDS = {
  edit: EDIT,
  'asked each time': { ...EDIT, asksEachTime: true, isEdit: false },
  'too long to see': COMMAND,
};
const SHOWN_AT = 0;
const ARMED_AT = 100_000;

const hintOf = (question: PermissionQuestion, width: number, isDrafted: boolean): string => {
  const prompt = new PermissionPrompt(question, createTheme({ NO_COLOR: '1' }, 'dark', 'plain'));
  prompt.lines(width, 16, SHOWN_AT, isDrafted);
  prompt.shown(SHOWN_AT);
  return prompt.lines(width, 16, ARMED_AT, isDrafted).at(-1) ?? '';
};
/** Letters and signs that the hint says do something. */
const lettersIn = (hint: string): string[] => hint.match(/(?<=^|[\s,.;])[a-z?](?=[ :])/g) ?? [];

it.each(Object.entries(KINDS))('names no letter as a key while a message stands in the prompt: %s', (_, question) => {
  for (const width of [30, 40, 60, 80, 100, 200]) {
    const hint = hintOf(question, width, true);
    expect([width, hint, lettersIn(hint)]).toEqual([width, hint, []]);
    expect(hint).toMatch(/4/);
  }
  expect(hintOf(question, 100, true)).toMatch(/go to your message/);
});

it('names them where none stands there', () => {
  expect(lettersIn(hintOf(EDIT, 100, false))).toEqual(['a', '?']);
});
