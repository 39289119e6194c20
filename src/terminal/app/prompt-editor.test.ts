import { expect, it, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { sanitizeText } from '../sanitize.ts';
import { widthOf } from '../text.ts';
import { createTheme } from '../theme.ts';
import { WholeCharacters } from '../typed-line.ts';
import { createCompletion } from './completion.ts';
import { PromptEditor } from './prompt-editor.ts';

const [PASTE, PASTED, LEFT] = ['\x1b[200~', '\x1b[201~', '\x1b[D'];
const editor = (): PromptEditor =>
  new PromptEditor({ rows: () => 24, requestRender: () => undefined }, createTheme({ NO_COLOR: '1' }));

it('keeps the lines of what is pasted, however the terminal ends them', () => {
  verifies('Z19');
  const prompt = editor();
  prompt.input('\x1b[200~one\rtwo\r\nthree\nfour\x1b[201~');
  expect(prompt.text).toBe('one\ntwo\nthree\nfour');
});

it('shows what must not reach the terminal as the transcript does, and keeps it', () => {
  verifies('Z19');
  const characters = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at), 0x202e, 0x200b]
    .concat(0x2028, 0xfeff, 0x2066, 0x3164, 0xad, 0xe0041, 0x10fffd)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => !'\n\r\t'.includes(character));
  const seen = characters.map((character) => {
    const prompt = editor();
    const text = `a${character}b`;
    prompt.input(`${PASTE}${text}${PASTED}`);
    return { shown: prompt.render(60).lines.join('\n'), text: prompt.text };
  });
  expect(seen).toEqual(
    characters.map((character) => ({
      shown: `❯ ${character === '\u{10fffd}' ? 'a\\u{10FFFD}b' : sanitizeText(`a${character}b`)}`,
      text: `a${character}b`,
    })),
  );
});

it('moves over a hidden character and takes it away with one key', () => {
  const prompt = editor();
  prompt.input(`${PASTE}a\x1b\t\u{e0041}\x07b${PASTED}`);
  expect(prompt.render(60)).toMatchObject({
    lines: ['❯ a\\u{1B}    \\u{E0041}\\u{7}b'],
    cursor: { row: 0, column: 28 },
  });
  prompt.input(LEFT);
  prompt.input('\x7f');
  expect(prompt.text).toBe('a\x1b\t\u{e0041}b');
  prompt.input(LEFT);
  expect(prompt.render(60).cursor).toEqual({ row: 0, column: 13 });
  prompt.input('\x7f');
  expect(prompt.text).toBe('a\x1b\u{e0041}b');
  prompt.input('\x1b[3~');
  prompt.input('\x7f');
  expect(prompt.text).toBe('ab');
});

it('breaks a line of hidden characters where the window ends', () => {
  const prompt = editor();
  prompt.input(`${PASTE}${'\x1b\u202e'.repeat(3)}${PASTED}`);
  for (const width of [12, 13, 21, 40]) {
    const { lines } = prompt.render(width);
    expect(lines.map((line) => line.slice(2)).join('')).toBe('\\u{1B}\\u{202E}'.repeat(3));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  }
});

it.each([
  [20, 20],
  [20, 20, '\n'],
  [5_000, 5_000, '\n'],
  [12, 13, '\n\n'],
])('counts the lines of a long paste: %i', (lines, counted, end = '') => {
  const prompt = editor();
  const text = `${Array.from({ length: lines }, (_, at) => `line ${at}`).join('\n')}${end}`;
  prompt.input(`${PASTE}${text}${PASTED}`);
  expect(prompt.render(60).lines[0]).toBe(`❯ [paste #1 +${counted} lines]`);
  expect(prompt.text).toBe(text);
});

it('opens no gap before a long paste that begins like a path', () => {
  for (const first of ['/', '~', '.']) {
    const prompt = editor();
    prompt.input('x');
    prompt.input(`${PASTE}${first}${'y'.repeat(2_000)}${PASTED}`);
    expect(prompt.text).toBe(`x${first}${'y'.repeat(2_000)}`);
  }
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

it.each([
  '1️⃣ key',
  'ab1️⃣2️⃣',
  '❤️',
  '☎︎ ☎️',
  '⚠️ ⚠️ x',
  '👩🏽‍🚀!',
  '👨‍👩‍👧‍👦',
  '🇩🇪🇫🇷',
  '👍🏿',
  '❤️‍🔥',
  'cafe\u0301',
  '가한',
  'שלום',
])('draws %s as the transcript does, with the cursor behind it', (text) => {
  const prompt = editor();
  prompt.input(`${PASTE}${text}${PASTED}`);
  const { lines, cursor } = prompt.render(60);
  expect(lines).toEqual([`❯ ${sanitizeText(text)}`]);
  expect(cursor).toEqual({ row: 0, column: 2 + widthOf(sanitizeText(text)) });
  expect(prompt.text).toBe(text);
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
