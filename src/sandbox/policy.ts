/** What a confined process may do, and the folders and files that the confinement is about on an ordinary system. */
import path from 'node:path';

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
  network: boolean;
  /** All of the repository's own folder is read-only, not just what decides what git runs. */
  gitReadOnly?: boolean;
};

const HOME_SECRETS = (
  '.ssh .aws .gnupg .kube .docker .azure .oci .password-store .config/gcloud .config/gh .config/hub .config/glab-cli .config/op ' +
  '.config/rclone .config/sops .config/google-chrome .config/chromium .config/BraveSoftware .mozilla .thunderbird .local/share/keyrings ' +
  '.local/share/kwalletd .terraform.d .netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .config/git/credentials .vault-token ' +
  '.cargo/credentials .cargo/credentials.toml .gem/credentials .bash_history .zsh_history .python_history .node_repl_history .psql_history ' +
  '.config/halter .local/share/halter Library/Keychains Library/Cookies Library/Application\u00a0Support/halter Library/Preferences/halter'
)
  .split(' ')
  .map((name) => name.replaceAll('\u00a0', ' '));

/** Where people and programs keep their keys; `own` are halter's own folders, where they lie elsewhere. */
export const secretPaths = (home: string, own: readonly string[] = []): string[] => [
  ...HOME_SECRETS.map((name) => path.join(home, name)),
  ...own,
];

const PROTECTED_IN_WORKSPACE = '.git .halter .vscode .idea .husky .mcp.json .envrc'.split(' ');
const PROTECTED_IN_HOME = (
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .inputrc .gitconfig .config/git ' +
  '.ripgreprc .tmux.conf .vimrc .config/nvim .config/fish .config/systemd .config/autostart .local/bin .config/halter .local/share/halter .pam_environment'
).split(' ');

/** What decides which programs run later: for git, editors, the shell and halter. Protected also where it is missing. */
export const protectedPaths = (workspace: string, home: string, own: readonly string[] = []): string[] => [
  ...PROTECTED_IN_WORKSPACE.map((name) => path.join(workspace, name)),
  ...PROTECTED_IN_HOME.map((name) => path.join(home, name)),
  ...own,
];
