/** What of a long file is shown to whom: chosen by what was said, true to the file, remembered. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { renderCurated } from '../../tools/support/curated.ts';
import { linesOf } from '../../tools/support/lines.ts';
import { roomFor } from './choose.ts';
import { type CuratorMemory, createCurator, type Judge } from './curator.ts';
import { linesIn, soundSections } from './sections.ts';

const { signal } = new AbortController();
const body = (name: string, words: string): string =>
  [
    `export const ${name} = (input: string) => {`,
    ...Array.from({ length: 10 }, (_none, at) => `  const step${at} = ${words}(input, ${at});`),
    '  return input;',
    '};',
    '',
  ].join('\n');
const NAMES = [
  'readConfig',
  'parseArguments',
  'drawScreen',
  'sendRequest',
  'countTokens',
  'openSocket',
  'hashFile',
  'mergeTrees',
  'printTable',
  'sortRows',
  'findMatch',
  'closeDoor',
];
const FILE = NAMES.map((name, at) => body(name, `helper${at}`)).join('\n');

const curate = async (messages: string[], options: { text?: string; memory?: CuratorMemory; judge?: Judge } = {}) =>
  createCurator({
    messages: () => messages,
    memory: options.memory ?? new Map(),
    ...(options.judge ? { judge: options.judge } : {}),
  }).curate({ path: 'src/app.ts', hash: String(options.text ?? FILE), text: options.text ?? FILE }, signal);

describe('the curator', () => {
  it('shows what the person speaks of, whole, and at most a part of the file', async () => {
    verifies('H3');
    const curated = await curate(['hello there', 'How are the tokens counted in src/app.ts?']);
    const { data } = renderCurated(linesOf(FILE), curated);
    const start = FILE.split('\n').findIndex((line) => line.includes('countTokens')) + 1;
    expect(data).toContain(`${start}: export const countTokens`);
    expect(data).toContain(`${start + 12}: };`);
    expect(linesIn(curated.sections)).toBeLessThanOrEqual(roomFor(FILE));
    expect(data).toMatch(/\[lines 1–\d+ left out: readConfig 1–13/);
    expect(data).toContain('all with full: true]');
  });

  it('begins at the beginning where nothing that was said is in the file', async () => {
    expect((await curate(['zzz qqq'])).sections).toEqual([{ line_start: 1, line_end: 100 }]);
  });

  it('remembers by file and messages, and curates again when either is another', async () => {
    verifies('H3');
    const memory: CuratorMemory = new Map();
    const first = await curate(['print the table'], { memory });
    expect(first.cached).toBe(false);
    expect(await curate(['print the table'], { memory })).toEqual({ ...first, cached: true });
    expect((await curate(['print the table', 'and sort rows'], { memory })).cached).toBe(false);
    expect((await curate(['print the table'], { memory, text: `${FILE}\n` })).cached).toBe(false);
  });

  it('asks a model only where words do not decide, and believes of its answer what can be true', async () => {
    verifies('H3');
    const asked: string[] = [];
    const judge: Judge = async ({ messages }) => {
      asked.push(messages.at(-1) ?? '');
      return {
        sections: [
          { line_start: 29, line_end: 41, reason: 'draws' },
          { line_start: 5_000, line_end: 9_000 },
          { line_start: 'x' },
        ],
      };
    };
    const judged = await curate(['what makes it visible'], { judge });
    expect(judged).toMatchObject({ by: 'model', sections: [{ line_start: 29, line_end: 41, reason: 'draws' }] });
    expect(await curate(['explain countTokens'], { judge })).toMatchObject({ by: 'deterministic' });
    expect(asked).toEqual(['what makes it visible']);
    const silent = await curate(['qwertz uiop'], { judge: async () => undefined });
    expect(silent).toMatchObject({ by: 'deterministic', sections: [{ line_start: 1, line_end: 100 }] });
  });

  it('finds what was said in words that the file does not have', async () => {
    verifies('H3');
    expect((await curate(['what makes it visible'])).sections).toEqual([{ line_start: 29, line_end: 41 }]);
  });

  it('shows no more than the window of the model has room for', async () => {
    verifies('H3');
    const shown = async (resultCharacters: number): Promise<number> => {
      const curator = createCurator({
        messages: () => ['how is the input read, parsed, drawn and sent'],
        memory: new Map(),
        resultCharacters: () => resultCharacters,
      });
      return linesIn((await curator.curate({ path: 'a.ts', hash: 'h', text: FILE }, signal)).sections);
    };
    expect(await shown(800)).toBeLessThanOrEqual(800 / 30);
    expect(await shown(100_000)).toBeGreaterThan(800 / 30);
  });

  it('of any answer makes lines of the file, in order, none twice, and no more than there is room', () => {
    const value = fc.oneof(fc.integer({ min: -5, max: 500 }), fc.double(), fc.string(), fc.constant(null));
    const section = fc.oneof(fc.record({ line_start: value, line_end: value, reason: fc.string() }), fc.anything());
    fc.assert(
      fc.property(
        fc.array(section),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 100 }),
        (sections, lines, room) => {
          let last = 0;
          const sound = soundSections({ sections }, lines, room);
          for (const { line_start: from, line_end: to } of sound) {
            expect(from).toBeGreaterThan(last);
            expect(to).toBeGreaterThanOrEqual(from);
            expect(to).toBeLessThanOrEqual(lines);
            last = to;
          }
          // Gaps of a line or two are closed, so a little more than the room may be shown.
          expect(linesIn(sound)).toBeLessThanOrEqual(room + 2 * Math.max(0, sections.length - 1));
        },
      ),
    );
  });

  it('prints lines exactly as they stand in the file, whatever the file and whatever is said', async () => {
    verifies('H3');
    const line = fc.constantFrom(
      'export function alpha() {',
      '}',
      '  return beta("x");',
      '',
      '# Title',
      'some words',
      '\tconst 三 = 3;',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 100, maxLength: 250 }),
        fc.constantFrom('alpha', 'beta words', 'Title', ''),
        async (lines, said) => {
          const text = `${lines.join('\r\n')}\n`;
          const { data } = renderCurated(linesOf(text), await curate([said], { text }));
          for (const shown of data.split('\n')) {
            const [, number, rest] = /^(\d+): (.*)$/.exec(shown) ?? [];
            if (number !== undefined) expect(rest).toBe(lines[Number(number) - 1]);
            else expect(shown).toMatch(/^\[.*\]$/);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
