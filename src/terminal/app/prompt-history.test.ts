/** What the arrow keys bring back from before can be gone on with, or thrown away, as in a shell. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createTheme } from '../theme.ts';
import { PromptEditor } from './prompt-editor.ts';

const [UP, DOWN, CTRL_U, CTRL_W, BACKSPACE] = ['\x1b[A', '\x1b[B', '\x15', '\x17', '\x7f'];
const typed = (keys: readonly string[], history: readonly string[]): string => {
  const prompt = new PromptEditor({ rows: () => 24, requestRender: () => undefined }, createTheme({ TERM: 'dumb' }));
  for (const entry of history) prompt.editor.addToHistory(entry);
  for (const key of keys) prompt.input(key);
  return prompt.text;
};

describe('what was sent before', () => {
  it.each([
    [[UP], 'second words'],
    [[UP, CTRL_U], ''],
    [[UP, UP, CTRL_U], ''],
    [[UP, ' more'], 'second words more'],
    [[UP, CTRL_W], 'second '],
    [[UP, BACKSPACE], 'second word'],
    [[UP, UP], 'first'],
    [[UP, UP, UP], 'two\nlines'],
    [[UP, UP, DOWN], 'second words'],
    [[UP, UP, DOWN, DOWN], ''],
    [['draft', UP, DOWN], 'draft'],
  ])('%j makes %j', (keys, text) => {
    verifies('Z19');
    expect(typed(keys, ['two\nlines', 'first', 'second words'])).toBe(text);
  });
});
