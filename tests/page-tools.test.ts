/** The page shows whatever tools the server has, so none is built into it. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { ROOT } from './source-files.ts';

/** Called by the page itself, for its first suggestions (web/src/state/api.ts). */
const CALLED = ['get_file_tree'];

it('has no tool’s name in any script of the built page but the one it calls', () => {
  verifies('L9');
  const files = globSync('dist/web/assets/*.js', { cwd: ROOT });
  expect(files, 'npm run build makes the page').not.toEqual([]);
  const scripts = files.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('\n');
  // Names of one word are words of other things too.
  const names = BUILT_IN_TOOLS.map(({ name }) => name).filter((name) => name.includes('_'));
  expect(names.filter((name) => scripts.includes(name))).toEqual(CALLED);
});
