/**
 * The variables that say where a person's own files lie. An empty or relative home folder counts as not set, as the XDG
 * specification has it for its own variables: otherwise private files would lie in the project.
 */
import { statfsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

const FOLDERS = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'] as const;
/** procfs and sysfs. Nobody makes a folder there, and a recursive mkdir of Node never returns. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x9fa0, 0x62656572]);

type Environment = Record<string, string | undefined>;

/** Corrects the environment in place. Gives what is wrong with it where nothing can be kept there, in words. */
export const correctHome = (environment: Environment, accountHome = homeOfAccount): string | undefined => {
  const home = environment['HOME'];
  if (home !== undefined && !isAbsolute(home)) {
    delete environment['HOME'];
    const known = accountHome();
    if (known !== undefined) environment['HOME'] = known;
  }
  const wrong = FOLDERS.find((name) => isOfKernel(environment[name]));
  return wrong && `${wrong} is ${environment[wrong]}, where no files can be kept. Set it to a folder of yours.`;
};

/** As the list of accounts has it. Undefined for a user that stands in no list, as in some containers. */
const homeOfAccount = (): string | undefined => {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
};

const isOfKernel = (folder: string | undefined): boolean => {
  if (folder === undefined || !isAbsolute(folder)) return false;
  try {
    return KERNEL_FILE_SYSTEMS.has(statfsSync(folder).type);
  } catch {
    return false;
  }
};
