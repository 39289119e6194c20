import { describe, expect, it } from 'vitest';
import { MODE_ITEMS } from '../slash/mode-commands.ts';
import { widthOf } from '../text.ts';
import { createTheme } from '../theme.ts';
import { ListPicker, type PickerItem } from './list-picker.ts';

const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
const MODES: readonly PickerItem[] = [
  { value: 'plan', label: 'plan', description: 'reads only; nothing is changed' },
  { value: 'auto', label: 'auto', description: 'what stays in this folder and in the sandbox passes; the rest asks' },
];
const SESSIONS: readonly PickerItem[] = [
  {
    value: 'a',
    label: 'A title in 日本語 with 👩‍👩‍👧 that is much longer than a list has columns',
    description: '2026-11-21 14:05',
  },
  { value: 'b', label: 'brief', description: '2026-11-20 09:00' },
];

const open = (items: readonly PickerItem[], take: (chosen: string) => void = () => {}): ListPicker =>
  new ListPicker(items, '', { title: 'Choose', hint: 'Enter takes it', take }, theme);
const rows = (picker: ListPicker, width: number): string[] =>
  picker
    .lines(width)
    .slice(1, -1)
    .map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, ''));

describe('a list to choose from', () => {
  it('gives labels the columns that they need, and the rest to what describes them', () => {
    expect(rows(open(MODES), 80)).toEqual([
      '→ plan  reads only; nothing is changed',
      '  auto  what stays in this folder and in the sandbox passes; the rest asks',
    ]);
  });

  it('says every mode whole in 40 columns', () => {
    const items = MODE_ITEMS;
    for (const [index, row] of rows(open(items), 39).entries()) {
      expect(row).toContain(items[index]!.label);
      expect(row).not.toContain('…');
      expect(row.length).toBeGreaterThan('→ plan  '.length);
    }
  });

  it.each([100, 80, 60, 40, 30, 20])('says with a sign what it cuts, and stays within %i columns', (width) => {
    for (const items of [MODES, SESSIONS]) {
      for (const [index, row] of rows(open(items), width).entries()) {
        expect(widthOf(row)).toBeLessThanOrEqual(width);
        const { label, description = '' } = items[index]!;
        const isWhole = row.includes(label) && (row.includes(description) || !row.includes(description.slice(0, 6)));
        expect(isWhole || row.includes('…')).toBe(true);
      }
    }
  });

  it('keeps emoji joined, filters as one types, and says where nothing is left', () => {
    const taken: string[] = [];
    const picker = open(SESSIONS, (chosen) => taken.push(chosen));
    expect(rows(picker, 100)[0]).toContain('👩‍👩‍👧');
    for (const key of 'brief') picker.key(key);
    expect(rows(picker, 100)).toEqual(['→ brief  2026-11-20 09:00']);
    picker.key('x');
    expect(rows(picker, 100)).toEqual(['  Nothing matches']);
    picker.key('\x7f');
    expect(picker.key('\r')).toBe(false);
    expect(taken).toEqual(['b']);
  });

  it.each([100, 40, 20])('says whole what its keys do, in %i columns', (width) => {
    const hint = 'Enter goes there, Esc stays here. Files stay as they are.';
    const picker = new ListPicker(MODES, '', { title: 'Go on where this leads', hint, take: () => {} }, theme);
    const lines = picker.lines(width).map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, ''));
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(lines.join(' ')).toContain(hint);
  });
});

it('clears what was typed into it, and says where nothing was', () => {
  const picker = open([{ value: 'a', label: 'a' }]);
  picker.key('x');
  expect(rows(picker, 40).join()).toContain('Nothing matches');
  expect(picker.clearFilter()).toBe(true);
  expect(rows(picker, 40).join()).not.toContain('Nothing matches');
  expect(picker.clearFilter()).toBe(false);
});

it.each([
  [undefined, true],
  [true, false],
])('keeps Ctrl+C from leaving it while something is typed, but in a search (%s)', (isSearch, clears) => {
  const words = { title: 'Pick', hint: '', take: () => undefined, ...(isSearch === undefined ? {} : { isSearch }) };
  const picker = new ListPicker([{ value: 'a', label: 'a' }], '', words, createTheme({ NO_COLOR: '1' }));
  picker.key('a');
  expect(picker.clearFilter()).toBe(clears);
});
