import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../../tests/requirements.ts';

const MODULE = programFile(new URL('./hide-environment.ts', import.meta.url));
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  import { spawnSync } from 'node:child_process';
  import { hideEnvironment } from ${JSON.stringify(MODULE)};
  const hidden = hideEnvironment();
  const seen = spawnSync('/bin/sh', ['-c', 'cat /proc/$PPID/environ'], { env: {} }).stdout.toString();
  console.log(JSON.stringify({ hidden, seen, key: process.env.SOME_API_KEY, long: process.env.OTHER_TOKEN.length, plain: process.env.PLAIN }));
`;

it.skipIf(process.platform !== 'linux')('takes secrets from where every program of the user could read them', () => {
  verifies('S26');
  const long = 't'.repeat(40_000);
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env: { SOME_API_KEY: 'sk-not-to-be-seen', OTHER_TOKEN: long, PLAIN: 'may be seen', PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  const { hidden, seen, ...kept } = JSON.parse(run.stdout) as Record<string, string>;
  expect(kept).toEqual({ key: 'sk-not-to-be-seen', long: 40_000, plain: 'may be seen' });
  expect(hidden).toBe(true);
  expect(seen).toContain('PLAIN=may be seen');
  expect(seen).not.toContain('sk-not');
  expect(seen).not.toContain('ttt');
});
