/** Where the tests put many small files: what runs that were killed left in memory goes, and a run without such a place works. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { folderInMemory } from '../scripts/memory-folder.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

const HOUR_MS = 3_600_000;

it('removes folders of test runs that are older than a day, and nothing else', () => {
  const memory = scratchFolder();
  putFiles(memory, { 'halter-test-old/home/a': 'x', 'halter-test-new/a': 'x', 'other-old/a': 'x' });
  const now = Date.now();
  for (const name of ['halter-test-old', 'other-old'])
    fs.utimesSync(path.join(memory, name), new Date(now - 25 * HOUR_MS), new Date(now - 25 * HOUR_MS));
  const made = folderInMemory(now, memory);
  expect(fs.readdirSync(memory).sort()).toEqual(['halter-test-new', 'other-old', path.basename(made ?? 'none')].sort());
});

it('is none where there is no such place', () => {
  expect(folderInMemory(Date.now(), path.join(scratchFolder(), 'none'))).toBeUndefined();
});
