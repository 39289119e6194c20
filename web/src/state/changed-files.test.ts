import { describe, expect, it } from 'vitest';
import { changedFiles, standingFiles } from './changed-files.ts';
import type { ChangeView } from './view.ts';

const change = (path: string, over: Partial<ChangeView> = {}): ChangeView => ({
  seq: 1,
  path,
  callId: 'c',
  created: false,
  removed: false,
  undone: false,
  elsewhere: false,
  ...over,
});
const [CREATED, REMOVED, UNDONE] = [{ created: true }, { removed: true }, { undone: true }];

describe('a file that a session changed', () => {
  it.each<[string, Partial<ChangeView>[]]>([
    ['changed', [{}]],
    ['changed', [{}, {}]],
    ['new', [CREATED]],
    ['new', [CREATED, {}]],
    ['deleted', [REMOVED]],
    ['deleted', [{}, REMOVED]],
    ['deleted', [CREATED, REMOVED]],
    ['changed', [REMOVED, {}]],
    ['changed', [{}, { ...REMOVED, ...UNDONE }]],
    ['undone', [{ ...CREATED, ...UNDONE }]],
    ['undone', [UNDONE, { ...REMOVED, ...UNDONE }]],
  ])('is called %s after %j', (state, all) => {
    expect(changedFiles(all.map((over) => change('a', over)))).toEqual([{ path: 'a', state, elsewhere: false }]);
  });

  it('is of another branch where all that stands of it is, and not listed where that was taken back', () => {
    const other = { elsewhere: true };
    const files = [change('a', other), change('b', other), change('b'), change('c', { ...other, ...UNDONE })];
    const mixed = [change('d', { ...other, ...CREATED }), change('d', UNDONE)];
    expect(changedFiles([...files, ...mixed])).toEqual([
      { path: 'a', state: 'changed', elsewhere: true },
      { path: 'b', state: 'changed', elsewhere: false },
      { path: 'd', state: 'new', elsewhere: true },
    ]);
  });

  it('stands once, and is counted while something of it stands', () => {
    const all = [change('a'), change('b', UNDONE), change('a'), change('c', CREATED)];
    expect(changedFiles(all).map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    expect(standingFiles(all).map(({ path }) => path)).toEqual(['a', 'c']);
  });
});
