import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createTheme } from '../theme.ts';
import { PromptEditor } from './prompt-editor.ts';

const editor = (): PromptEditor =>
  new PromptEditor({ rows: () => 24, requestRender: () => undefined }, createTheme({ NO_COLOR: '1' }));

it('keeps the lines of what is pasted, however the terminal ends them', () => {
  verifies('Z19');
  const prompt = editor();
  prompt.input('\x1b[200~one\rtwo\r\nthree\nfour\x1b[201~');
  expect(prompt.text).toBe('one\ntwo\nthree\nfour');
});

it('shows what else is in pasted text as characters', () => {
  const prompt = editor();
  prompt.input('\x1b[200~a\x1b]0;title\x07b\u202e\x1b[201~');
  expect(prompt.text).toBe('a\\u{1B}]0;title\\u{7}b\\u{202E}');
});
