/**
 * Programs of others, as they come from npm. They stay out of the lock file: they are large, and one test each wants them.
 * They are kept between runs of the tests.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../source-files.ts';
import { cleanEnvironment } from './halter-process.ts';

const run = promisify(execFile);
export const INSTALL_MS = 180_000;

export type NpmProgram = {
  /** With its version: `@openai/codex@0.169.0`. */
  name: string;
  /** Where the program may lie below `node_modules`; the first that starts is taken. */
  files: readonly string[];
};

/** The folder `node_modules` that holds a package, such as `ollama@0.6.4`. Throws where it cannot be had. */
export const npmPackages = async (name: string): Promise<string> => {
  const folder = path.join(ROOT, 'node_modules', '.cache', name.replaceAll('/', '+'));
  const modules = path.join(folder, 'node_modules');
  if (fs.existsSync(modules)) return modules;
  // Test files run at the same time and want the same program: each installs aside, and a whole folder takes the place.
  const aside = `${folder}.${process.pid}`;
  fs.mkdirSync(aside, { recursive: true });
  try {
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save', '--prefix', aside, name];
    await run('npm', args, { cwd: aside, timeout: INSTALL_MS });
    if (!fs.existsSync(modules)) {
      fs.rmSync(folder, { recursive: true, force: true });
      fs.renameSync(aside, folder);
    }
  } finally {
    fs.rmSync(aside, { recursive: true, force: true });
  }
  return modules;
};

/** Where programs were found: on a busy machine `--version` of one can take longer than is waited for. */
const FOUND = new Map<string, string>();

/** The path of the program. Throws where it cannot be had or does not run here. */
export const npmProgram = async (program: NpmProgram): Promise<string> => {
  const found = FOUND.get(program.name) ?? (await startedProgram(program));
  FOUND.set(program.name, found);
  return found;
};

const startedProgram = async ({ name, files }: NpmProgram): Promise<string> => {
  const modules = await npmPackages(name);
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'halter-npm-'));
  try {
    for (const file of files) {
      const program = path.join(modules, file);
      const env = cleanEnvironment(home);
      const works = await run(program, ['--version'], { timeout: 30_000, env }).catch(() => undefined);
      if (works) return program;
    }
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
  throw new Error(`${name} has no program for this platform`);
};
