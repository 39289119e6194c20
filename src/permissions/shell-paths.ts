/** What a word of a command might name as a file: outside the workspace, a secret, or a file that decides what runs. */
import { matchesWildcard } from '../core/glob.ts';

const SIMPLE = /^[\w./+][\w./+-]*$/;
/** The parts of a word that could be a path: itself, what follows `=`, `:`, `@` or `,`, and what follows `-x`. */
export const pathsIn = (word: string): string[] => {
  if (SIMPLE.test(word)) return [word];
  const parts = word.startsWith('-') ? [] : [word];
  for (const match of word.matchAll(/[=:@,](?=[^=:@,])/g)) parts.push(word.slice(match.index + 1));
  const short = /^-[A-Za-z0-9](?=[^-=])/.exec(word);
  if (short)
    parts.push(word.slice(2), ...[...word.matchAll(/[A-Za-z](?=[/~.])/g)].map(({ index }) => word.slice(index + 1)));
  return parts;
};

/** Files that may be named without leaving the workspace. */
const HARMLESS_DEVICES = /^\/dev\/(?:null|stdin|stdout|stderr|zero|fd\/[0-2])$/;
const URL = /^(?:https?|ssh|git|ftp|sftp):\/\//;

/** True where a word names, by itself, something outside: absolute, the home folder, or a way up. */
export const looksOutside = (word: string, parts: readonly string[]): boolean => {
  if (!/[/~]|\.\.|^file:/i.test(word) || URL.test(word)) return false;
  return parts.some(
    (part) =>
      (/^[/~]/.test(part) && !HARMLESS_DEVICES.test(part) && !part.startsWith('//')) ||
      /(?:^|\/)\.\.(?:\/|$)/.test(part) ||
      /^file:/i.test(part) ||
      (part.startsWith('//') && !/:\/\//.test(word)),
  );
};
export const isHarmlessDevice = (word: string): boolean => HARMLESS_DEVICES.test(word);

const SECRET_NAMES: readonly string[] = (
  '.env .env.* *.env .envrc .netrc .npmrc .pypirc .pgpass .git-credentials .htpasswd credentials credentials.* ' +
  'id_rsa id_rsa.* id_dsa id_ecdsa id_ed25519 *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.asc secrets.* secret.* .vault-token ' +
  'kubeconfig .dockercfg service-account*.json *.tfstate *.tfvars'
).split(' ');
const SECRET_FOLDERS = /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.gcloud|\.password-store)(?:\/|$)/i;
const NOT_SECRET = /^(?:\.env\.(?:example|sample|template|dist)|.*\.pub)$/i;
/** One name for each secret pattern, to ask whether the shell could make it of a glob. */
const SECRET_EXAMPLES: readonly string[] = SECRET_NAMES.map((name) => name.replaceAll('*', 'x'));

const segmentsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

const SECRET = new RegExp(
  `^(?:${SECRET_NAMES.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`,
  'is',
);

/** True for files that hold secrets by their name, in whatever folder. */
export const isSecretPath = (path: string): boolean => {
  if (path.includes('/') && SECRET_FOLDERS.test(path)) return true;
  const end = path.replace(/(?:\/\.?)+$/, '');
  const name = end.slice(end.lastIndexOf('/') + 1);
  return SECRET.test(name) && !NOT_SECRET.test(name);
};

/** True where the shell could make the name of a secret of this glob. */
export const globCouldBeSecret = (glob: string): boolean => {
  const name = (segmentsOf(glob).at(-1) ?? '').toLowerCase();
  if (/[[\]]/.test(name)) return true;
  return SECRET_EXAMPLES.some(
    (example) => (!example.startsWith('.') || name.startsWith('.')) && matchesWildcard(name, example),
  );
};

/**
 * Names below which nothing may be written by a rule: what decides which programs run later, for git, for the shell,
 * for editors and for halter itself.
 */
export const PROTECTED_NAMES: readonly string[] = (
  '.git .halter .halterignore .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .inputrc ' +
  '.gitconfig .gitmodules .ripgreprc .mcp.json .vscode .idea .envrc .tmux.conf .vimrc .exrc .gdbinit .husky'
).split(' ');
const PROTECTED = new RegExp(
  `(?:^|/)(?:${PROTECTED_NAMES.map((name) => name.replaceAll('.', '\\.')).join('|')})(?:/|$)`,
  'i',
);

export const isProtectedPath = (path: string): boolean => path.includes('.') && PROTECTED.test(path);
