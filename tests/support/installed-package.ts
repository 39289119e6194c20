/** The package as people get it: built, packed, and installed by npm in an empty folder. */
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../source-files.ts';
import { onceARun } from './once-a-run.ts';

const run = promisify(execFile);
const INSTALL_MS = 240_000;
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;

export type PackedFile = { path: string; size: number };
export type InstalledPackage = {
  tarball: string;
  files: readonly PackedFile[];
  tarballBytes: number;
  /** Where npm installed it; absent where no registry could be reached. */
  folder?: string;
  whyNot?: string;
  remove(): void;
};

/** npm as this machine has it, under the Node that runs the tests. */
const npm = (args: readonly string[], cwd: string) => {
  const quiet = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' };
  const env = { ...process.env, ...quiet, PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` };
  return run('npm', args, { cwd, env, timeout: INSTALL_MS, maxBuffer: 64 * 1024 * 1024 });
};

/** Puts further packages of the registry into a project. False where it cannot be reached. */
export const npmInstall = async (folder: string, packages: readonly string[]): Promise<boolean> => {
  const quiet = ['--prefer-offline', '--ignore-scripts', '--loglevel=error'];
  return npm(['install', ...quiet, ...packages], folder).then(
    () => true,
    (error: Error & { stderr?: string }) => {
      if (OFFLINE.test(error.stderr ?? '')) return false;
      throw error;
    },
  );
};

/** `npm test` has built already, and people are handed just that. */
const buildInto = (dist: string): void => {
  const there = process.env['HALTER_TEST_DIST'];
  if (there !== undefined) {
    fs.cpSync(there, dist, { recursive: true });
    return;
  }
  const built = spawnSync(process.execPath, [path.join(ROOT, 'scripts/build.mjs'), dist], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
};

/** The files of `to` are those of `from`: what writes must write a new file. What npm itself rewrites is copied. */
const linkPackages = (from: string, to: string): void => {
  for (const entry of fs.readdirSync(from, { recursive: true, withFileTypes: true })) {
    const source = path.join(entry.parentPath, entry.name);
    const target = path.join(to, path.relative(from, source));
    if (entry.isDirectory()) {
      fs.mkdirSync(target, { recursive: true });
      continue;
    }
    fs.mkdirSync(path.dirname(target), { recursive: true });
    if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target);
    else if (/(?:^|\/)(?:\.?package(?:-lock)?\.json)$/.test(source)) fs.copyFileSync(source, target);
    else fs.linkSync(source, target);
  }
};

/** It is packed and installed once a run. Each caller has a project of its own, whose packages are the same files. */
export const installPackage = async (): Promise<InstalledPackage> => {
  const made = await onceARun('package', INSTALL_MS, packAndInstall);
  if (made.folder === undefined) return { ...made, remove: () => {} };
  const base = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'halter-package-'));
  const remove = (): void => fs.rmSync(base, { recursive: true, force: true });
  const folder = path.join(base, path.basename(made.folder));
  linkPackages(made.folder, folder);
  return { ...made, folder, remove };
};

const packAndInstall = async (base: string): Promise<Omit<InstalledPackage, 'remove'>> => {
  const staged = path.join(base, 'staged');
  const folder = path.join(base, 'empty folder');
  fs.mkdirSync(folder, { recursive: true });
  buildInto(path.join(staged, 'dist'));
  for (const name of fs.readdirSync(ROOT)) {
    // Whole folders too: which files of them are packed is what npm decides.
    if (/\.(md|txt|json|jsonc)$|^(?:LICENSE|docs|examples|deploy)$/.test(name))
      fs.cpSync(path.join(ROOT, name), path.join(staged, name), { recursive: true });
  }
  const packed = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', base], staged);
  const [{ filename, files, size }] = JSON.parse(packed.stdout) as [
    { filename: string; files: PackedFile[]; size: number },
  ];
  const tarball = path.join(base, filename);
  const whyNot = await npm(
    // Named, since npm otherwise takes the nearest folder above that has node_modules for the project.
    ['install', '--prefix', folder, '--prefer-offline', '--loglevel=error', tarball],
    folder,
  ).then(
    () => undefined,
    (error: Error & { stderr?: string }) => {
      if (OFFLINE.test(error.stderr ?? '')) return 'npm reaches no registry here';
      throw error;
    },
  );
  const whole = { tarball, files, tarballBytes: size };
  return whyNot === undefined ? { ...whole, folder } : { ...whole, whyNot };
};
