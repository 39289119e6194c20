/** Tells when what decides about the tools and prompts of a halter changed: settings, plugins, commands, the trust in a folder. */
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { watchFolders } from '../../io/workspace/watch.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type SettingsPlaces = {
  /** `halterPaths(…).config` */
  config: string;
  /** The folder that is worked in. */
  root: string;
};

const placesOf = ({ config, root }: SettingsPlaces) => {
  const own = join(root, '.halter');
  return {
    files: [join(config, 'config.json'), join(config, 'trust.json'), join(own, 'config.json')],
    folders: [join(config, 'plugins'), join(config, 'commands'), join(own, 'commands')],
  };
};

/** The folders that can be watched now: those that are there, and of the others what lies nearest above them. */
const watchable = ({ files, folders }: ReturnType<typeof placesOf>): Set<string> => {
  const nearest = (folder: string): string =>
    existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
  return new Set([...files.map(dirname), ...folders].map(nearest));
};

/** The names, sizes and times of all of them: a change of anything else is none. */
const stateOf = async ({ files, folders }: ReturnType<typeof placesOf>): Promise<string> => {
  const listed = await Promise.all(
    folders.map(async (folder) => (await readdir(folder).catch(() => [])).sort().map((name) => join(folder, name))),
  );
  const states = [...files, ...listed.flat()].map(async (path) => {
    const found = await stat(path).catch(() => undefined);
    return found === undefined ? `${path} -` : `${path} ${found.size} ${found.mtimeMs}`;
  });
  return (await Promise.all(states)).join('\n');
};

/** `onChange` is called after changes have settled, and not again before it has resolved. */
export const watchSettings = async (
  where: SettingsPlaces,
  onChange: () => Promise<void>,
): Promise<{ close(): void }> => {
  const places = placesOf(where);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let looking: Promise<void> = Promise.resolve();
  const watch = watchFolders('', () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      looking = looking.then(look);
    }, AGENT_LIMITS.settingsSettleMs).unref();
  });
  const look = async (): Promise<void> => {
    if (closed) return;
    watch.folders(watchable(places));
    const now = await stateOf(places);
    if (now === known) return;
    known = now;
    await onChange();
  };
  watch.folders(watchable(places));
  let known = await stateOf(places);
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      watch.close();
    },
  };
};
