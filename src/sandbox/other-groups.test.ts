import { chownSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { ofOtherGroup } from './other-groups.ts';

const folder = (): string => {
  const root = scratchFolder();
  putFiles(root, { 'a.txt': 'a', 'lib/deep/b.txt': 'b' });
  return root;
};

describe('files of another group than the own one of a person', () => {
  it('are none in a folder of their own', () => {
    const root = folder();
    expect(ofOtherGroup(root, { uid: 1_000, gid: lstatSync(root).gid, groups: [99_999] })).toBeUndefined();
  });

  it('are found at the top, and do not matter to root', () => {
    verifies('Z9');
    const root = folder();
    const { gid } = lstatSync(root);
    const person = { uid: 1_000, gid: gid + 1, groups: [gid + 1, gid] };
    expect(ofOtherGroup(root, person)).toBe(root);
    expect(ofOtherGroup(root, { ...person, uid: 0 })).toBeUndefined();
    // A group that they are not in gives them no right to write there.
    expect(ofOtherGroup(root, { ...person, groups: [gid + 1] })).toBeUndefined();
  });

  it.skipIf(process.getuid?.() !== 0)('are found in folders below', () => {
    verifies('Z9');
    const root = folder();
    const { gid } = lstatSync(root);
    const deep = path.join(root, 'lib', 'deep');
    chownSync(deep, 0, gid + 1);
    expect(ofOtherGroup(root, { uid: 1_000, gid, groups: [gid, gid + 1] })).toBe(deep);
  });
});
