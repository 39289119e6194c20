/** The package `halter-dialects`, built and packed once a run. Nobody writes into it. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildDialects } from '../../scripts/build-dialects.ts';
import { onceARun } from './once-a-run.ts';

const BUILD_MS = 180_000;
const run = promisify(execFile);

export type PackedDialects = { built: string; tarball: string };

const make = async (place: string): Promise<PackedDialects> => {
  const built = path.join(place, 'package');
  await buildDialects(built);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts'], { cwd: built });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return { built, tarball: path.join(built, filename) };
};

export const packDialects = (): Promise<PackedDialects> => onceARun('halter-dialects', BUILD_MS, make);
