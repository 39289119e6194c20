/** A file is named with `@` whatever it is called: begun, completed, sent and brought along, byte for byte. */
import { describe, expect, it } from 'vitest';
import { expandMessage } from '../src/agent/session/expand-message.ts';
import { failure, succeed } from '../src/core/outcome.ts';
import { createCompletion } from '../src/terminal/app/completion.ts';
import { originalText, putStandIns } from '../src/terminal/app/stand-ins.ts';
import { sanitizeText } from '../src/terminal/sanitize.ts';
import { verifies } from './requirements.ts';

const NAMES = [
  'plain.md',
  'docs/two words.md',
  'two  blanks.md',
  ' before.md',
  'behind.md ',
  'a "quoted" one.md',
  "it's.md",
  'back\\slash.md',
  'back\\nslash.md',
  'end).',
  'end!',
  '👨‍👩‍👧.md',
  '👩🏽‍🚀/log.txt',
  '🇩🇪.md',
  '1️⃣ first.md',
  '❤️.md',
  'می‌خواهم.txt',
  'क्‍ष.md',
  'caf\u00e9.md',
  'cafe\u0301.md',
  'שלום.txt',
  'مرحبا بالعالم.txt',
  'nbsp\u00a0name.md',
  'wide\u3000blank.md',
  'zero\u200bwidth.md',
  'lone\u200djoiner.md',
  'turned\u202ename.md',
  'escape\u001b[31m.md',
  'tab\there.md',
  'line\nfeed.md',
  'mark\u{10FFFD}u{41}.md',
];

const brought = async (text: string, names: readonly string[]): Promise<string[]> => {
  const found: string[] = [];
  const missing = async () => failure('not_found', 'There is no such file.');
  await expandMessage(text, {
    workspace: {
      stat: async (path) =>
        names.includes(path)
          ? succeed({ kind: 'file', size_bytes: 1, modified_ms: 0 } as never)
          : failure('not_found', 'There is no such file.'),
      readFile: missing,
      fileName: (path) => path,
    },
    executeTool: async (_tool, args) => {
      found.push((args as { path: string }).path);
      return { success: true, data: 'text', error_message: null, error_type: 'none', metadata: {} } as never;
    },
  });
  return found;
};

const { signal } = new AbortController();
const graphemes = new Intl.Segmenter();
/** What somebody types: the first letters, bare or in quotes, as the editor holds them. */
const beginnings = (name: string): string[] => {
  const letters = [...graphemes.segment(name)].map(({ segment }) => segment);
  const first = letters.slice(0, 2).join('');
  const whole = letters.slice(0, -1).join('');
  const written = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');
  return [
    ...(/[\s"]/.test(first) ? [] : [`@${first}`]),
    ...(first.includes('\n') ? [] : [`@"${written(first)}`]),
    ...(whole.includes('\n') ? [] : [`@"${written(whole)}`]),
  ].map(putStandIns);
};

describe('a file that is named with @', () => {
  it.each(NAMES)('%j is offered, taken whole and brought along', async (name) => {
    verifies('U1');
    const completion = createCompletion(
      { listFiles: async () => NAMES },
      () => 0,
      () => false,
    );
    for (const typed of beginnings(name)) {
      const line = `see ${typed}`;
      const found = await completion.getSuggestions([line], 0, line.length, { signal });
      const taken = (found?.items ?? []).map((item) => ({
        item,
        line: completion.applyCompletion([line], 0, line.length, item, found?.prefix ?? '').lines[0] ?? '',
      }));
      const results = await Promise.all(taken.map(({ line: text }) => brought(originalText(text), NAMES)));
      const at = results.findIndex(([path]) => path === name);
      expect(
        at,
        `${JSON.stringify(typed)} offers ${JSON.stringify(taken.map((each) => each.line))}`,
      ).toBeGreaterThanOrEqual(0);
      const { item, line: completed = '' } = taken[at] ?? { item: undefined };
      expect(results[at]).toEqual([name]);
      expect(sanitizeText(item?.label ?? '\n')).toBe(item?.label);
      expect(item?.label).not.toContain('\n');
      expect(completed).toMatch(/^see @/);
    }
  });

  it.each([
    ['caf\u00e9.md', 'cafe\u0301.md'],
    ['cafe\u0301.md', 'caf\u00e9.md'],
    ['\uac00.md', '\u1100\u1161.md'],
  ])('%j typed means the file that is kept as %j', async (typed, kept) => {
    expect(await brought(`see @${typed}`, [kept])).toEqual([kept]);
    expect(await brought(`see @${typed}`, [kept, typed])).toEqual([typed]);
    const completion = createCompletion(
      { listFiles: async () => [kept] },
      () => 0,
      () => false,
    );
    const line = `@${typed.slice(0, -3)}`;
    const found = await completion.getSuggestions([line], 0, line.length, { signal });
    expect(found?.items.length).toBe(1);
  });
});
