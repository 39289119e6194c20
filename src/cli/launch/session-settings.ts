/** The files around a launched client: the one made for its session, and those that would win over it. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { isAlive } from '../../sandbox/alive.ts';
import { readSettings, withSettings } from '../connect/settings-file.ts';
import type { Io } from '../io.ts';
import type { Gateway, LaunchedClient } from './clients.ts';

export type SessionFile = { path: string; remove(): Promise<void> };

/** An empty path where the client needs none. */
export const writeSessionFile = async (
  { settings }: LaunchedClient,
  gateway: Gateway,
  io: Pick<Io, 'env'>,
): Promise<Outcome<SessionFile>> => {
  if (settings === undefined) return succeed({ path: '', remove: async () => undefined });
  const base = settings.insteadOf === undefined ? succeed(undefined) : await readSettings(settings.insteadOf(io.env));
  if (!base.ok) return base;
  const content = settings.content(gateway, io.env);
  const text = withSettings(settings.insteadOf?.(io.env) ?? settings.name, base.value, content);
  if (!text.ok) return text;
  try {
    await removeLeft(tmpdir());
    // Only its owner can look into such a folder.
    const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
    const path = join(folder, settings.name);
    await writeFile(path, text.value, { mode: 0o600, flag: 'wx' });
    return succeed({ path, remove: () => rm(folder, { recursive: true, force: true }) });
  } catch (error) {
    return failure('io_error', `the settings of the session cannot be written: ${(error as Error).message}`);
  }
};

const PREFIX = 'halter-launch-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-\\w{6}$`);

/** Folders of launches that were killed hold the settings of a gateway that is gone. Others' folders cannot be removed. */
const removeLeft = async (parent: string): Promise<void> => {
  const names = await readdir(parent).catch(() => []);
  const left = names.filter((name) => {
    const pid = NAME.exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
  await Promise.allSettled(left.map((name) => rm(join(parent, name), { recursive: true, force: true })));
};

/** What cannot be read may lead anywhere. */
export const checkManaged = async ({
  managed,
  program,
}: Pick<LaunchedClient, 'managed' | 'program'>): Promise<Outcome<void>> => {
  for (const file of managed?.files ?? []) {
    const text = await readSettings(file);
    if (!text.ok) return text;
    if (text.value !== undefined && managed?.leadsElsewhere.test(text.value))
      return failure(
        'io_error',
        `${file} decides which server ${program} speaks with; nothing passed to it would win over that file.`,
      );
  }
  return succeed(undefined);
};
