/** `halter/dialects` and `halter/core` say the same under Bun and Deno as under Node. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { npmProgram } from '../support/npm-program.ts';
import { BUILT } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const PROGRAM = path.join(ROOT, 'tests/support/other-runtime.mjs');
const RUNTIME_MS = 120_000;
const MEGABYTES = 64 * 1024 * 1024;
const CASES_OF_A_FORMAT = 6;

/** As they come from npm, outside the lock file: the program itself needs neither. */
const RUNTIMES = [
  { name: 'bun@1.4.5', files: ['@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-x64-baseline/bin/bun'], args: [] },
  {
    name: 'deno@2.9.6',
    files: ['@deno/linux-x64-glibc/deno', '@deno/linux-x64/deno', 'deno/deno'],
    args: ['run', '--no-config', '--allow-read'],
  },
];

const corpus = path.join(ROOT, 'tests/corpus');
const cases = fs
  .readdirSync(corpus)
  .flatMap((format) =>
    (JSON.parse(fs.readFileSync(path.join(corpus, format, 'cases.json'), 'utf8')) as unknown[]).slice(
      0,
      CASES_OF_A_FORMAT,
    ),
  );

describe('the pure parts', () => {
  for (const runtime of RUNTIMES) {
    it(
      `come to the same under ${runtime.name}`,
      async (context) => {
        verifies('L4');
        let program = '';
        try {
          program = await npmProgram(runtime);
        } catch (error) {
          const [reason = ''] = (error as Error).message.split('\n');
          context.skip(`${runtime.name} cannot be had or does not run here: ${reason}`);
        }
        const folder = scratchFolder();
        const dist = BUILT ?? path.join(folder, 'dist');
        if (BUILT === undefined) await bundleProgram(dist);
        const file = path.join(folder, 'cases.json');
        fs.writeFileSync(file, JSON.stringify(cases));
        const options = { cwd: folder, timeout: RUNTIME_MS, maxBuffer: MEGABYTES };
        const here = await run(process.execPath, [PROGRAM, dist, file], options);
        const there = await run(program, [...runtime.args, PROGRAM, dist, file], {
          ...options,
          env: { ...process.env, NO_COLOR: '1' },
        });
        const wanted = JSON.parse(here.stdout);
        expect(wanted.read.length).toBeGreaterThan(200);
        expect(wanted.core[0]).toBe('show_permission_prompt');
        expect(JSON.parse(there.stdout)).toEqual(wanted);
      },
      RUNTIME_MS * 2,
    );
  }
});
