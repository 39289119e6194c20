/** `halter/dialects` and `halter/core` say the same under Bun and Deno as under Node. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { scratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const PROGRAM = path.join(ROOT, 'tests/support/other-runtime.mjs');
const RUNTIME_MS = 120_000;
const MEGABYTES = 64 * 1024 * 1024;
const CASES_OF_A_FORMAT = 6;

/** Fetched by npx, outside the lock file: the program itself needs neither. */
const RUNTIMES = {
  Bun: ['bun@1.4.5'],
  Deno: ['deno@2.9.6', 'run', '--no-config', '--allow-read'],
};

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
  for (const [name, command] of Object.entries(RUNTIMES)) {
    it(
      `come to the same under ${name}`,
      async (context) => {
        verifies('L4');
        const folder = scratchFolder();
        const dist = path.join(folder, 'dist');
        await bundleProgram(dist);
        const file = path.join(folder, 'cases.json');
        fs.writeFileSync(file, JSON.stringify(cases));
        const options = { cwd: folder, timeout: RUNTIME_MS, maxBuffer: MEGABYTES };
        const env = { ...process.env, NO_COLOR: '1', npm_config_update_notifier: 'false' };
        const here = await run(process.execPath, [PROGRAM, dist, file], options);
        const there = await run('npx', ['--yes', '--prefer-offline', ...command, PROGRAM, dist, file], {
          ...options,
          env,
        }).catch((error: Error & { stderr?: string }) => error);
        if (there instanceof Error) {
          const text = `${there.message}${there.stderr ?? ''}`;
          if (!/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|E404|npm error/.test(text)) throw there;
          return context.skip(`${name} cannot be had from the registry`);
        }
        const wanted = JSON.parse(here.stdout);
        expect(wanted.read.length).toBeGreaterThan(200);
        expect(wanted.core[0]).toBe('show_permission_prompt');
        expect(JSON.parse(there.stdout)).toEqual(wanted);
      },
      RUNTIME_MS * 2,
    );
  }
});
