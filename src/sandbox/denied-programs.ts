/**
 * Programs that no command starts, whatever it is that starts them: where a rule denies a program, the file is covered in
 * the sandbox. What a line hides from its reading, and what lies in a script, ends there.
 */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { statAt } from './place.ts';

/** Where programs lie beside the folders of PATH. */
const USUAL = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/games'];
const OF_GIT = ['/usr/lib/git-core', '/usr/libexec/git-core'];
/** Without these no line would run at all. */
const NEEDED = /^(?:ba|da)?sh$/;

/** The files to be covered, as they are without links. A file that is many programs in one is left as it is. */
export const deniedFiles = (names: readonly string[], searched = process.env['PATH'] ?? ''): string[] => {
  const own = realOf(process.execPath);
  const folders = [...searched.split(':').filter(path.isAbsolute), ...USUAL, ...OF_GIT].flatMap(
    (folder) => realOf(folder) ?? [],
  );
  const files = [...new Set(folders)].flatMap((folder) =>
    names.flatMap((name) => {
      const file = NEEDED.test(name) ? undefined : realOf(path.join(folder, name));
      return file !== undefined && file !== own && isProgram(file, name) ? [file] : [];
    }),
  );
  return [...new Set(files)];
};

/** `python3.11` for `python3`, `vim.basic` for `vim`; not `busybox` for `rm`. */
const isProgram = (file: string, name: string): boolean => {
  const found = path.basename(file);
  const isNamed = found === name || (found.startsWith(name) && /^[-.\d]/.test(found.slice(name.length)));
  return isNamed && statAt(file)?.isFile() === true;
};

const realOf = (file: string): string | undefined => {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
};
