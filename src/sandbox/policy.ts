/** What a confined process may do, and the folders and files that the confinement is about on an ordinary system. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { namedAtHome } from '../core/policy/program-folders.ts';
import {
  AUTO_EXECUTED_AT_HOME,
  AUTO_EXECUTED_WHEN_MISSING,
  isAutoExecutedPath,
  SECRET_WAYS,
} from '../core/policy/sensitive-files.ts';
import { TOKEN_FILES_AT_HOME, tokenIn } from '../core/policy/token-files.ts';
import { readSmallFile } from './anchored.ts';
import type { HomeView } from './home-view.ts';
import type { Layer } from './layer.ts';
import { SANDBOX_LIMITS } from './limits.ts';
import { unlessShort } from './shortage.ts';

export type SandboxPolicy = {
  /** Real absolute path; writable, and the folder that is started in unless `cwd` says otherwise. */
  workspace: string;
  cwd?: string;
  /** Further folders that may be written to (`--add-dir`). */
  writable?: readonly string[];
  /** Files and folders that may be read and not changed, also where they do not exist yet. Absolute. */
  protected: readonly string[];
  /** Files and folders that are not to be seen at all. Absolute; those that do not exist are left out. */
  hidden: readonly string[];
  /** What is seen of the home folder, read-only; absent: all of it. */
  home?: HomeView;
  /** What is seen of other folders, read-only; absent: all of them. */
  outside?: readonly HomeView[];
  network: boolean;
  /** What stands at /tmp inside; absent: a folder that ends with the command. */
  temporary?: string;
  /** Writable folders that the command sees through a layer; the others it writes to directly. */
  layers?: readonly Layer[];
  /** Programs that are seen inside, read-only, also where they lie in a folder that is replaced by an empty one (/tmp). */
  programs?: readonly string[];
  /** Folders that are seen inside, read-only, also where they lie in one that is replaced by an empty one (/tmp, home). */
  readable?: readonly string[];
  /** Sockets of other programs that are covered. */
  sockets?: readonly string[];
  /** Files of programs that cannot be started. */
  denied?: readonly string[];
  /** A filter of system calls lies at its descriptor. */
  filtered?: boolean;
  /** This bubblewrap cannot forbid user namespaces inside. */
  nestedUsers?: boolean;
  /** Variables of the environment that are set inside. */
  variables?: Readonly<Record<string, string>>;
  /** All of the repository's own folder is read-only, not just what decides what git runs. */
  gitReadOnly?: boolean;
};

/** In the home folder beside what is secret anywhere: names of single files, and whole folders of programs. */
const ONLY_AT_HOME: readonly string[] = [
  ...'.docker .netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .vault-token .s3cfg .boto .databrickscfg .env'.split(
    ' ',
  ),
  ...'.bash_history .zsh_history .python_history .node_repl_history .psql_history'.split(' '),
  ...'.config/BraveSoftware .config/microsoft-edge .config/Slack .config/Signal .config/Bitwarden .local/share/kwalletd'.split(
    ' ',
  ),
  ...'.config/solana .ethereum .bitcoin .electrum'.split(' '),
  ...'.composer/auth.json .config/composer/auth.json .bundle/config .hex/hex.config .pub-cache/credentials.json .config/configstore'.split(
    ' ',
  ),
  'Library/Cookies',
  'Library/Application Support/halter',
  'Library/Preferences/halter',
];
/** What lies in a folder that is hidden is hidden with it. */
const HOME_SECRETS: readonly string[] = [
  ...SECRET_WAYS.filter((way) => !ONLY_AT_HOME.some((folder) => way.startsWith(`${folder}/`))),
  ...ONLY_AT_HOME,
];

/** Root may read them, inside too. */
const SYSTEM_SECRETS: readonly string[] = [
  'shadow',
  'shadow-',
  'gshadow',
  'gshadow-',
  'sudoers',
  'sudoers.d',
  'ssl/private',
].map((name) => `/etc/${name}`);

/** Where people and programs keep their keys; `own` are halter's own folders, where they lie elsewhere. */
export const secretPaths = (home: string, own: readonly string[] = []): string[] => [
  ...HOME_SECRETS.map((name) => path.join(home, name)),
  ...SYSTEM_SECRETS,
  ...own,
];

/**
 * Settings of programs that hold a key now: hidden as well, but for those that the command's own line names, which was asked
 * about. Git's are seen: without them it would not know who commits.
 */
export const settingsWithKeys = (home: string, line: string): string[] => {
  const named = new Set(namedAtHome(line, home));
  return TOKEN_FILES_AT_HOME.map((name) => path.join(home, name)).filter(
    (file) => !named.has(file) && tokenIn(readSmallFile(file, SANDBOX_LIMITS.configBytes) ?? '') !== undefined,
  );
};

/** What decides which programs run later: for git, editors, the shell and halter. Protected also where it is missing. */
export const protectedPaths = (workspace: string, home: string, own: readonly string[] = []): string[] => [
  ...AUTO_EXECUTED_WHEN_MISSING.map((name) => path.join(workspace, name)),
  ...autoExecutedIn(workspace),
  ...AUTO_EXECUTED_AT_HOME.map((name) => path.join(home, name)),
  ...own,
];

/** What is there already. Only what lies in the folder itself is looked at: a walk at each command would be felt. */
const autoExecutedIn = (workspace: string): string[] => {
  try {
    return readdirSync(workspace)
      .filter((name) => isAutoExecutedPath(name) && !AUTO_EXECUTED_WHEN_MISSING.includes(name))
      .slice(0, SANDBOX_LIMITS.protectedPaths)
      .map((name) => path.join(workspace, name));
  } catch (error) {
    return unlessShort(error, []);
  }
};
