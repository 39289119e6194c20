/** Where halter's own cache takes nothing, it has a folder in the memory that all people of the machine share. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { OwnPlaces } from './own-places.ts';
import { seccompFilter } from './seccomp.ts';
import { SandboxShortage } from './shortage.ts';

const hasFilter = seccompFilter({ unixSockets: true }) !== undefined;
/** A file stands where the cache would be. */
const fullCache = (): string => {
  const file = path.join(scratchFolder(), 'cache');
  fs.writeFileSync(file, '');
  return file;
};

it.skipIf(!hasFilter)('is made for this person alone', () => {
  verifies('S16');
  const memory = path.join(scratchFolder(), 'halter');
  const places = new OwnPlaces(fullCache(), { memory });
  const file = places.filter({ unixSockets: false });
  expect(file?.startsWith(memory)).toBe(true);
  expect(fs.statSync(memory).mode & 0o777).toBe(0o700);
  places.close();
  expect(fs.existsSync(file ?? '')).toBe(false);
});

it.skipIf(!hasFilter).each<[string, (memory: string) => void]>([
  ['all can write in', (memory) => fs.chmodSync(fs.mkdirSync(memory, { recursive: true }) ?? memory, 0o777)],
  [
    'leads elsewhere',
    (memory) => {
      fs.mkdirSync(`${memory}-elsewhere`);
      fs.symlinkSync(`${memory}-elsewhere`, memory);
    },
  ],
  [
    'holds a folder that all can write in',
    (memory) => {
      fs.mkdirSync(path.join(memory, 'layers'), { recursive: true, mode: 0o700 });
      fs.chmodSync(path.join(memory, 'layers'), 0o777);
    },
  ],
])('is not used where somebody made it who could change what is in it: it %s', (_what, make) => {
  verifies('S16');
  const memory = path.join(scratchFolder(), 'halter');
  make(memory);
  expect(() => new OwnPlaces(fullCache(), { memory }).filter({ unixSockets: false })).toThrow(SandboxShortage);
});
