/** Where halter keeps what is its own. A pure function of what it is given, so that tests need no home. */
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';

export type HalterPaths = {
  /** config.json, policies.json, keybindings.json */
  config: string;
  /** sessions, index, models, undo */
  data: string;
  /** what can be made again */
  cache: string;
  sessions: string;
  undo: string;
};
type Environment = Readonly<Record<string, string | undefined>>;

export const halterPaths = (environment: Environment, platform: NodeJS.Platform): HalterPaths => {
  const folders =
    platform === 'win32' ? onWindows(environment) : platform === 'darwin' ? onMac(environment) : onXdg(environment);
  const { join } = platform === 'win32' ? win32 : posix;
  return { ...folders, sessions: join(folders.data, 'sessions'), undo: join(folders.data, 'undo') };
};

/** What the embedded engine keeps of the prompts it read. */
export const promptStatesFolder = (paths: Pick<HalterPaths, 'cache'>): string => join(paths.cache, 'prompt-states');

type Folders = Omit<HalterPaths, 'sessions' | 'undo'>;

/** Relative values are to be ignored, says the XDG specification; an empty one counts as not set. The same for HOME. */
const homeFolder = ({ HOME: home }: Environment): string => (home && posix.isAbsolute(home) ? home : homedir());

const onXdg = (environment: Environment): Folders => {
  const home = homeFolder(environment);
  const folder = (name: string, ...otherwise: string[]): string => {
    const value = environment[name];
    return posix.join(value && posix.isAbsolute(value) ? value : posix.join(home, ...otherwise), 'halter');
  };
  return {
    config: folder('XDG_CONFIG_HOME', '.config'),
    data: folder('XDG_DATA_HOME', '.local', 'share'),
    cache: folder('XDG_CACHE_HOME', '.cache'),
  };
};

/** The folders that env-paths gives; it is no dependency here because it reads the environment of its own process. */
const onMac = (environment: Environment): Folders => {
  const library = posix.join(homeFolder(environment), 'Library');
  return {
    config: posix.join(library, 'Preferences', 'halter'),
    data: posix.join(library, 'Application Support', 'halter'),
    cache: posix.join(library, 'Caches', 'halter'),
  };
};
const onWindows = (environment: Environment): Folders => {
  const home = environment['USERPROFILE'] || homedir();
  const roaming = environment['APPDATA'] || win32.join(home, 'AppData', 'Roaming');
  const local = environment['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local');
  return {
    config: win32.join(roaming, 'halter', 'Config'),
    data: win32.join(local, 'halter', 'Data'),
    cache: win32.join(local, 'halter', 'Cache'),
  };
};
