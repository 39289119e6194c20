import { expect, it, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createTheme } from '../theme.ts';
import { WholeCharacters } from '../typed-line.ts';
import { createCompletion } from './completion.ts';
import { PromptEditor } from './prompt-editor.ts';

const editor = (): PromptEditor =>
  new PromptEditor({ rows: () => 24, requestRender: () => undefined }, createTheme({ NO_COLOR: '1' }));

it('keeps the lines of what is pasted, however the terminal ends them', () => {
  verifies('Z19');
  const prompt = editor();
  prompt.input('\x1b[200~one\rtwo\r\nthree\nfour\x1b[201~');
  expect(prompt.text).toBe('one\ntwo\nthree\nfour');
});

it('shows what must not reach the terminal by a sign, and keeps it', () => {
  const prompt = editor();
  const text = 'a\x1b]0;title\x07b\u202e';
  prompt.input(`\x1b[200~${text}\x1b[201~`);
  expect(prompt.text).toBe(text);
  expect(prompt.render(60).lines.join('\n')).toContain('a␛]0;title␇b\ufffd');
});

/** What people type in their own scripts, and what others paste. */
const TYPED = [
  '🎉 done',
  'नमस्ते क्ष',
  'ภาษาไทยที่นี่',
  'שָׁלוֹם',
  'cafe\u0301 de\u0301ja\u0300',
  '👩‍👩‍👧‍👦 ❤️‍🔥 👍🏽',
  'می\u200cخواهم',
  'क्\u200dष',
  'zero\u200bwidth',
  'tag \u{e0041}\u{e0042}',
  'private \u{100001}\u{10fffd}',
];

it.each(TYPED)('gives back what was typed unit by unit, and what was pasted: %s', (text) => {
  const typed = editor();
  const whole = new WholeCharacters();
  // The terminal hands over one UTF-16 unit at a time.
  for (const unit of text.split('')) {
    const character = whole.next(unit);
    if (character !== undefined) typed.input(character);
  }
  expect(typed.text).toBe(text);
  const pasted = editor();
  pasted.input(`\x1b[200~${text}\x1b[201~`);
  expect(pasted.text).toBe(text);
  const sent: string[] = [];
  pasted.onSubmit((submitted) => void sent.push(submitted));
  pasted.input('\r');
  expect(sent).toEqual([text]);
});

it('gives back a long paste, its tabs and what nobody can see', () => {
  const text = Array.from({ length: 40 }, (_, index) => `\tline ${index}\u202e\x1b[31m 🎉`).join('\n');
  const prompt = editor();
  prompt.input(`\x1b[200~${text}\x1b[201~`);
  expect(prompt.text).toBe(text);
  expect(prompt.render(60).lines.join('\n')).not.toMatch(/[\u202e\x1b]\[31m/);
});

/** What is sent where these keys are pressed while the list of commands is open. */
const sentBy = async (typed: string, keys: readonly string[]): Promise<string[]> => {
  const prompt = editor();
  const sent: string[] = [];
  prompt.onSubmit((text) => void sent.push(text));
  const own = [{ name: 'deploy-all', description: '' }];
  const options = { listCommands: async () => own };
  prompt.editor.setAutocompleteProvider(
    createCompletion(
      options,
      () => 0,
      () => prompt.isSending,
    ),
  );
  for (const character of typed) prompt.input(character);
  await vi.waitFor(() => expect(prompt.editor.isShowingAutocomplete()).toBe(true), { timeout: 10_000 });
  for (const key of keys) prompt.input(key);
  return sent;
};
const [ENTER, DOWN, UP, TAB] = ['\r', '\x1b[B', '\x1b[A', '\t'];

it.each([
  ['/status', [ENTER], '/status'],
  ['/deploy', [ENTER], '/deploy'],
  ['/status', [DOWN, UP, ENTER], '/status-line'],
  ['/status', [TAB, ENTER], '/status-line'],
  ['/he', [ENTER], '/help'],
  ['/mode', [ENTER], '/mode'],
  ['/clear', [ENTER], '/clear'],
])('sends %s with the keys %j as %s', async (typed, keys, sent) => {
  expect(await sentBy(typed, keys)).toEqual([sent]);
});
