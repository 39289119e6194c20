import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { openIndex } from './database.ts';

it('makes the folders of an index', () => {
  const file = path.join(scratchFolder(), 'a', 'b', 'index.sqlite');
  openIndex(file).database.close();
  expect(existsSync(file)).toBe(true);
});

it.runIf(existsSync('/proc/self'))(
  'ends where no folder can be made, though the system says that none is there',
  () => {
    expect(() => openIndex('/proc/none/a/index.sqlite')).toThrow(/ENOENT/);
  },
);
