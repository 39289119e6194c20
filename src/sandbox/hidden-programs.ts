/** Programs that the person has and a command in the sandbox does not find. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { SYSTEM_PROGRAMS } from '../core/policy/program-folders.ts';
import type { HiddenProgram } from '../core/ports.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** `bash: x: command not found`, `sh: 1: x: not found`, `env: 'x': No such file or directory`, `exec: x: not found`. */
const NOT_FOUND =
  /(?:^|[\s:])['"‘`]?([\w.+-]+)['"’`]?: (?:(?:command )?not found(?!: )|No such file or directory)|command not found: ([\w.+-]+)/gm;
/** A command has places of its own for these. */
const OWN_INSIDE = ['/tmp', '/var/tmp'];
const VISIBLE = SYSTEM_PROGRAMS.filter((folder) => !OWN_INSIDE.includes(folder));

/** What the end of the output says is missing, and what PATH leads to outside of the sandbox. */
export const hiddenPrograms = (output: string, searched = ''): HiddenProgram[] => {
  const end = output.slice(-SANDBOX_LIMITS.searchedOutputCharacters);
  const names = [...new Set([...end.matchAll(NOT_FOUND)].flatMap(([, name, other]) => name ?? other ?? []))];
  const folders = searched.split(':').filter(path.isAbsolute);
  return names.slice(0, SANDBOX_LIMITS.hiddenPrograms).flatMap((name) => {
    const file = folders.map((folder) => programAt(path.join(folder, name))).find((found) => found !== undefined);
    return file === undefined || VISIBLE.some((folder) => file.startsWith(`${folder}/`)) ? [] : [{ name, file }];
  });
};

/** Where it is without links, since one of them may lead out of what is seen. */
const programAt = (file: string): string | undefined => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? realpathSync.native(file) : undefined;
  } catch {
    return undefined;
  }
};
