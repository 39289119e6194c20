/** What a word of a command might name as a file: outside the workspace, a secret, or a file that decides what runs. */
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { isSecretPath, SECRET_EXAMPLES, SECRET_WAYS } from '../../../core/policy/sensitive-files.ts';
import { TOKEN_EXAMPLES } from '../../../core/policy/token-files.ts';

const SIMPLE = /^[\w./+][\w./+-]*$/;
/** The parts of a word that could be a path: itself, what follows `=`, `:`, `@` or `,`, and what follows `-x`. */
export const pathsIn = (word: string): string[] => {
  if (SIMPLE.test(word)) return [word];
  const parts = word.startsWith('-') ? [] : [word];
  for (const match of word.matchAll(/[=:@,](?=[^=:@,])/g)) parts.push(word.slice(match.index + 1));
  const short = /^-[A-Za-z0-9](?=[^-=])/.exec(word);
  if (short) parts.push(word.slice(2));
  // -nf/etc/passwd: as many letters as there may be options in one word.
  const letters = /^-[A-Za-z]+(?=[/~.])/.exec(word);
  if (letters) parts.push(word.slice(letters[0].length));
  return parts;
};

/** Files that may be named without leaving the workspace. */
const HARMLESS_DEVICES = /^\/dev\/(?:null|stdin|stdout|stderr|zero|fd\/[0-2])$/;
const URL = /^(?:https?|ssh|git|ftp|sftp):\/\//;

/** True where a word names, by itself, something outside: absolute, the home folder, or a way up. */
export const looksOutside = (word: string, parts: readonly string[]): boolean => {
  if (!/[/~]|\.\.|^file:/i.test(word) || URL.test(word)) return false;
  // An address that names a file of this machine, whatever stands before it.
  if (/:\/\/\//.test(word)) return true;
  return parts.some(
    (part) =>
      (/^[/~]/.test(part) && !HARMLESS_DEVICES.test(part) && !part.startsWith('//')) ||
      /(?:^|\/)\.\.(?:\/|$)/.test(part) ||
      /^file:/i.test(part) ||
      (part.startsWith('//') && !/:\/\//.test(word)),
  );
};
export const isHarmlessDevice = (word: string): boolean => HARMLESS_DEVICES.test(word);

/** True where the shell could make the name of a secret of this glob. */
export const globCouldBeSecret = (glob: string): boolean => {
  const name = (glob.split('/').findLast((part) => part !== '' && part !== '.') ?? '').toLowerCase();
  if (/[[\]]/.test(name)) return true;
  return SECRET_EXAMPLES.some(
    (example) => (!example.startsWith('.') || name.startsWith('.')) && matchesWildcard(name, example),
  );
};

const SECRET_FILES = [...SECRET_EXAMPLES, ...SECRET_WAYS.map((way) => way.replace(/^.*\//, '')), ...TOKEN_EXAMPLES];
/** True where a name that a search asks for, as a glob, could be that of a secret in any folder. */
export const couldNameSecret = (glob: string): boolean =>
  isSecretPath(glob) || SECRET_FILES.some((name) => matchesWildcard(glob, name));
