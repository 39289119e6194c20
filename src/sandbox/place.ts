/** Puts what was judged in the place of a name. The name is one of a folder that is held open. */
import fs from 'node:fs';

/**
 * Undefined for what is not there. A command may put a file in the place of a folder that is looked into, or a link, and then
 * the system says something else than that nothing is there: all of it is no entry of that name.
 */
export const statAt = (file: string): fs.Stats | undefined => {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};
/** The same with times and numbers in full. */
export const fullStatAt = (file: string): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/** Where a link leads is bytes, as names are. */
export const targetOf = (link: string): Buffer => fs.readlinkSync(link, { encoding: 'buffer' });
export const copyLink = (link: string, to: string): void => fs.symlinkSync(targetOf(link), to);

const isElsewhere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EXDEV';

/** On another file system a link in its place is removed first, so that nothing is written to where it leads. */
export const place = (copy: string, real: string): void => {
  try {
    fs.renameSync(copy, real);
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    fs.rmSync(real, { force: true });
    if (statAt(copy)?.isSymbolicLink()) copyLink(copy, real);
    else fs.copyFileSync(copy, real, fs.constants.COPYFILE_EXCL);
  }
};

export const putAside = (real: string, aside: string): void => {
  try {
    fs.renameSync(real, aside);
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    fs.rmSync(real, { recursive: true, force: true });
  }
};
