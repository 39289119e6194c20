/**
 * Code of others to measure on, fetched by the ordinary client of each registry into a folder that is kept. Versions are
 * pinned, so that everybody measures on the same.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { halterPaths } from '../../src/storage/paths.ts';
import type { SourceFile } from './questions.ts';

export type Package = { language: 'TypeScript' | 'Python' | 'Go'; name: string; version: string };

/**
 * Those of which the lowest hash of language and name was first among 276 that have a hundred comments or more and had
 * not been opened; at most one of the same people. What is by the same people is not among those that search was set on.
 */
export const REPORTED: readonly Package[] = [
  { language: 'TypeScript', name: 'pdf-lib', version: '1.17.1' },
  { language: 'TypeScript', name: '@jupyterlab/services', version: '7.6.6' },
  { language: 'TypeScript', name: 'mathjax-full', version: '3.2.2' },
  { language: 'Python', name: 'matplotlib', version: '3.11.2' },
  { language: 'Python', name: 'pandas', version: '3.1.1' },
  { language: 'Python', name: 'imageio', version: '2.38.1' },
  { language: 'Go', name: 'github.com/coredns/coredns', version: 'v1.15.0' },
  { language: 'Go', name: 'golang.org/x/crypto', version: 'v0.58.0' },
  { language: 'Go', name: 'github.com/hashicorp/nomad/api', version: 'v0.0.0-20260907080526-08ef8f3d26da' },
];

/** Chosen for being widely used and commented, before any of them was looked at; reported three times before, in sums. */
export const REPORTED_BEFORE: readonly Package[] = [
  { language: 'TypeScript', name: 'rxjs', version: '7.8.1' },
  { language: 'TypeScript', name: 'effect', version: '3.10.0' },
  { language: 'TypeScript', name: '@reduxjs/toolkit', version: '2.2.7' },
  { language: 'Python', name: 'networkx', version: '3.2.1' },
  { language: 'Python', name: 'requests', version: '2.31.0' },
  { language: 'Python', name: 'click', version: '8.1.7' },
  { language: 'Go', name: 'github.com/spf13/cobra', version: 'v1.8.0' },
  { language: 'Go', name: 'github.com/gin-gonic/gin', version: 'v1.9.1' },
  { language: 'Go', name: 'github.com/prometheus/client_golang', version: 'v1.17.0' },
];

const CACHE = join(halterPaths(process.env, process.platform).cache, 'evals', 'retrieval');
const ENDINGS = { TypeScript: /(?<!\.d)\.tsx?$/, Python: /\.py$/, Go: /\.go$/ } as const;
/** What a package carries of others. */
const OTHERS = /(?:^|[/\\])(?:node_modules|vendor|_vendor|third_party)[/\\]/;
const FILE_BYTES_MAX = 1024 * 1024;

const run = (command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): string => {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 1 << 26 });
  if (ran.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${ran.stderr || ran.error?.message}`);
  return ran.stdout;
};

const unpack = (folder: string, pattern: RegExp): void => {
  const archive = readdirSync(folder).find((name) => pattern.test(name));
  if (archive === undefined) throw new Error(`nothing was fetched into ${folder}`);
  run('tar', ['-xzf', archive], folder);
};

const FETCHERS: Record<Package['language'], (item: Package, folder: string) => void> = {
  TypeScript({ name, version }, folder) {
    run('npm', ['pack', `${name}@${version}`, '--silent'], folder);
    unpack(folder, /\.tgz$/);
  },
  Python({ name, version }, folder) {
    // A wheel of pure Python holds the sources as they are; for a source archive pip would run the package's own code.
    const flags = ['download', '--no-deps', '--only-binary', ':all:', '--dest', '.'];
    run('python3', ['-m', 'pip', ...flags, `${name}==${version}`], folder);
    const wheel = readdirSync(folder).find((file) => file.endsWith('.whl'));
    run('python3', ['-m', 'zipfile', '-e', wheel ?? '', '.'], folder);
  },
  Go({ name, version }, folder) {
    const told = run('go', ['mod', 'download', '-json', `${name}@${version}`], tmpdir(), {
      GOMODCACHE: join(folder, 'modules'),
      GOFLAGS: '-modcacherw',
    });
    if (!(JSON.parse(told) as { Dir?: string }).Dir) throw new Error(`${name} was not fetched`);
  },
};

/** Where the package lies; fetched where it is not there yet. */
export const fetchPackage = (item: Package): string => {
  const folder = join(CACHE, `${item.name.replaceAll('/', '_')}-${item.version}`);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  FETCHERS[item.language](item, part);
  // It has its name only when all of it is there.
  renameSync(part, folder);
  return folder;
};

export const sourcesOf = (item: Package, folder: string): SourceFile[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ENDINGS[item.language].test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !OTHERS.test(relative(folder, file)) && statSync(file).size <= FILE_BYTES_MAX)
    .sort()
    .map((file) => ({ path: relative(folder, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));
