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
    expect(changedFiles(all.map((over) => change('a', over)))).toEqual([{ path: 'a', state }]);
  });

  it('stands once, and is counted while something of it stands', () => {
    const all = [change('a'), change('b', UNDONE), change('a'), change('c', CREATED)];
    expect(changedFiles(all).map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    expect(standingFiles(all).map(({ path }) => path)).toEqual(['a', 'c']);
  });
});
