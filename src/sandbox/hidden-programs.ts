/** Programs that the person has and a command in the sandbox does not find. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { SYSTEM_PROGRAMS } from '../core/policy/program-folders.ts';
import type { HiddenProgram } from '../core/ports.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/**
 * Who says it counts: a script that prints `x: not found` of its own speaks of something else, and `cat: x: No such file or
 * directory` of a file. A shell names itself or its script with the line: `bash: line 1: x: command not found`, `build.sh: 3: x: not found`.
 */
const SHELL = '(?:bash|sh|dash|ash|zsh|ksh|mksh|fish|busybox)';
const STARTER =
  '(?:env|xargs|nice|nohup|timeout|time|exec|execvp|setsid|stdbuf|sudo|watch|flock|make|find|chroot|ionice|strace)';
const NAME = `['"‘\`]?([\\w.+-]+)['"’\`]?`;
const NOT_FOUND = new RegExp(
  [
    `^(?:[^:\\n]+: (?:line )?\\d+: |(?:\\S*/)?-?${SHELL}: )(?:exec: )?${NAME}: (?:command )?not found$`,
    `^(?:[^:\\n]+: (?:line )?\\d+: )?exec: ${NAME}: not found$`,
    `^(?:\\S*/)?${SHELL}:(?:\\d+:)? (?:command not found|Unknown command): ${NAME}$`,
    `^(?:\\S*/)?${STARTER}(?:\\[\\d+\\])?: (?:failed to (?:run command|execute) )?${NAME}: No such file or directory$`,
  ].join('|'),
  'gm',
);
/** A command has places of its own for these. */
const OWN_INSIDE = ['/tmp', '/var/tmp'];
const VISIBLE = SYSTEM_PROGRAMS.filter((folder) => !OWN_INSIDE.includes(folder));

/** What the end of the output says is missing, and what PATH leads to outside of the sandbox. */
export const hiddenPrograms = (output: string, searched = ''): HiddenProgram[] => {
  const end = output.slice(-SANDBOX_LIMITS.searchedOutputCharacters);
  const names = [
    ...new Set([...end.matchAll(NOT_FOUND)].flatMap(([, ...found]) => found.find((name) => name !== undefined) ?? [])),
  ];
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
