/**
 * Files that a rule for a whole tool never speaks of, by name, whether they are there yet or not (G5, G11).
 *
 * *Auto-executed* files are read or run by other programs without being asked for: by a shell that starts, by git at a
 * commit, by an editor that opens the folder, by a package manager. Writing one runs code later. A file that a person
 * starts by hand, such as a script or a Makefile, is not auto-executed.
 *
 * *Secret* files hold keys and passwords. Reading one can do harm.
 *
 * The rules, the file tools, the search and the sandbox use this one list.
 */

export type Sensitivity = 'auto_executed' | 'secret';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Names that are auto-executed in any folder, with everything below them. */
const AUTO_EXECUTED_NAMES = words(`
  .git .hg .svn .bzr git~1 .gitconfig .gitmodules .hgrc .husky .githooks .pre-commit-config.yaml lefthook.y*ml .lefthook.y*ml
  .jj .overcommit.yml .lintstagedrc* .simple-git-hooks.*
  .halter .halterignore .mcp.json .claude .codex .gemini .cursor .windsurf .opencode .aider.conf.y*ml opencode.json opencode.jsonc
  .cursorrules .windsurfrules .cline .clinerules .roo .roomodes .kilocode .continue .continuerc.json .amazonq .kiro .junie .trae .qwen
  .augment .factory .goose .goosehints .crush .crush.json crush.json
  .vscode .idea .fleet .zed .nova .devcontainer .devcontainer.json *.code-workspace *.sublime-project .dir-locals.el .dir-locals-2.el .ideavimrc
  .helix .kakrc .gitpod.yml .idx .replit
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .login .logout .cshrc .tcshrc .kshrc .mkshrc .shrc
  .zshrc .zshenv .zprofile .zlogin .zlogout .xonshrc .inputrc .editrc .pam_environment .xprofile .xinitrc .xsession .xsessionrc
  .envrc .direnvrc .mise.toml mise.toml .mise.local.toml mise.local.toml .mise .rtx.toml .autoenv .autoenv.zsh .localrc
  .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js rust-toolchain rust-toolchain.toml ansible.cfg .ansible.cfg .bunfig.toml bunfig.toml .gemrc .bundle .condarc pip.conf .pydistutils.cfg
  sitecustomize.py usercustomize.py .rprofile .ghci .irbrc .pryrc .pythonrc .pythonrc.py .pdbrc .sqliterc .psqlrc .renviron .iex.exs .ocamlinit
  .gdbinit .lldbinit .bazelrc .bazeliskrc .buckconfig .watchmanconfig .screenrc .tmux.conf .vimrc .gvimrc .lvimrc .exrc .nvimrc .nvim.lua .emacs .emacs.d .spacemacs .nanorc
  lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .huskyrc* husky.config.* .git-hooks captainhook.json grumphp.y*ml .grumphp.y*ml prek.toml
  hk.pkl .rusty-hook.toml simple-git-hooks.* lint-staged.config.* .lfsconfig
  .openhands .void .pearai .agents .mux conductor.json .codebuddy .rovodev .iflow .zencoder .warp .theia .lapce .kateproject .externaltoolbuilders
  .lazy.lua .vimspector.json .vimrc.local .local.vimrc .nvimrc.local .ycm_extra_conf.py hie.yaml .merlin .latexmkrc latexmkrc
  .envrc.* .shadowenv.d devbox.json .flox pip.ini uv.toml nuget.config .jvmopts .sbtopts .mill-jvm-opts .buckconfig.*
  .octaverc .proverc .erlang .byebugrc .pi .amp jupyter_server_config.py jupyter_notebook_config.py
  .ripgreprc .ackrc .agrc .curlrc .wgetrc .lesskey .lessfilter .mailcap .forward .procmailrc .crontab .fzfrc
`);
/** Auto-executed by several path segments: `.config/fish/config.fish`. */
const AUTO_EXECUTED_WAYS = words(`
  .config/git .config/fish .config/nushell .config/powershell .config/systemd .config/autostart .config/environment.d .config/nvim
  .config/zsh .config/emacs .config/helix .config/zed .config/code .config/vscodium .config/cursor .config/sublime-text .config/xonsh .config/elvish
  .config/starship.toml .config/lazygit .config/i3 .config/sway .config/hypr .config/uv .config/lefthook.yml .vim/coc-settings.json .yarn/sdks
  .config/pip .config/npm .config/direnv .config/mise .config/tmux .config/kitty .config/alacritty .config/wezterm
  .local/bin .local/share/systemd .local/share/applications .cargo/config .cargo/config.toml .cargo/bin
  .gradle/init.d .gradle/init.gradle .m2/settings.xml .mvn/extensions.xml .mvn/jvm.config .mvn/maven.config .mvn/wrapper gradle/wrapper tools/bazel .yarn/releases .yarn/plugins .docker/cli-plugins .docker/config.json
  .github/hooks .sl/config mise/config.toml Library/LaunchAgents Library/LaunchDaemons .vim/plugin .vim/autoload .ipython/profile_default/startup
`);

const SECRET_NAMES = words(`
  .env .env.* *.env .envrc .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg .vault-token .s3cfg .boto
  credentials id_rsa id_rsa.* id_dsa id_ecdsa id_ed25519 *.pem *.key *.p12 *.pfx *.jks *.keystore
  *.kdbx *.ppk *.asc *.gpg *.age kubeconfig service-account*.json client_secret*.json *.tfstate *.tfstate.* *.tfvars *.mobileprovision
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history
`);
/** Secret by several path segments, or with everything below one. */
export const SECRET_WAYS: readonly string[] = words(`
  .ssh .aws .gnupg .kube .docker/config.json .docker/contexts .azure .gcloud .oci .password-store .terraform.d .config/gcloud .config/gh .config/hub .config/glab-cli
  .config/op .config/sops .config/rclone .config/git/credentials .cargo/credentials .cargo/credentials.toml .gem/credentials
  .codex/auth.json .claude/.credentials.json .qwen/oauth_creds.json .local/share/opencode/auth.json .pi/agent/auth.json .gemini/oauth_creds.json
  .cursor/auth.json .config/github-copilot .config/goose/secrets.yaml .huggingface/token .cache/huggingface/token .kaggle/kaggle.json
  .config/halter .local/share/halter .local/share/keyrings .mozilla .thunderbird .config/chromium .config/google-chrome Library/Keychains
`);
/** Secret only as data files: `credentials.json` is, `credentials.ts` is not. */
const SECRET_DATA =
  /^(?:credentials?|secrets?)\.(?:jsonc?|ya?ml|toml|ini|txt|xml|csv|properties|conf|cfg|config|db|sqlite|enc|env|plist|bak|old)$/;
/** Public by design: a template without values, the public half of a key. */
const NO_SECRET = /^(?:\.env\.(?:example|sample|template|dist|defaults)|.*\.pub|known_hosts)$/;

/** Of a process of this system: its environment, memory and open files, whoever it belongs to. */
const PROCESS_INSIDES = /^(?:\/+proc\/|.*\/\.\.\/+proc\/).*\/?(?:environ|mem|maps|auxv|fd|cwd|root|task)(?:\/|$)/;

const oneOf = (names: readonly string[]): RegExp =>
  new RegExp(
    `^(?:${names.map((name) => name.toLowerCase().replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`,
    's',
  );
const AUTO_EXECUTED = oneOf(AUTO_EXECUTED_NAMES);
const SECRET = oneOf(SECRET_NAMES);
const waysOf = (ways: readonly string[]): RegExp =>
  new RegExp(`(?:^|/)(?:${ways.map((way) => way.toLowerCase().replaceAll('.', '\\.')).join('|')})(?:/|$)`);
const AUTO_EXECUTED_WAY = waysOf(AUTO_EXECUTED_WAYS);
const SECRET_WAY = waysOf(SECRET_WAYS);

const ASCII = /^[\x21-\x7e]*$/;
/** As a file system that folds case, drops invisible characters or trailing dots would read the name. */
export const foldedName = (name: string): string => {
  const plain = ASCII.test(name)
    ? name
    : name
        .normalize('NFKC')
        .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
        .replace(/\s+$/, '');
  return plain.replace(/[. ]+$/, '').toLowerCase();
};

/** A cheap first test, since most words are not sensitive: names that begin with a dot, and the literal part of the rest. */
const BARE_PARTS = [...AUTO_EXECUTED_NAMES, ...AUTO_EXECUTED_WAYS, ...SECRET_NAMES, ...SECRET_WAYS]
  .filter((name) => !name.startsWith('.'))
  .map((name) => name.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest), ''));
const SUSPICIOUS = new RegExp(
  `(?:^|[/\\\\])\\.+[^./\\\\]|[^\\x20-\\x7e]|[. ](?:[/\\\\]|$)|/proc/|credential|secret|${BARE_PARTS.map((part) => part.replaceAll('.', '\\.')).join('|')}`,
  'i',
);

const segmentsOf = (path: string): string[] => {
  const segments: string[] = [];
  for (const part of path.split(/[\\/]/)) {
    if (part === '' || part === '.') continue;
    if (part === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop();
    else segments.push(part === '..' ? part : foldedName(part));
  }
  return segments;
};

/** True for files that other programs execute automatically. */
export const isAutoExecutedPath = (path: string): boolean => {
  if (!SUSPICIOUS.test(path)) return false;
  const segments = segmentsOf(path);
  return segments.some((name) => AUTO_EXECUTED.test(name)) || AUTO_EXECUTED_WAY.test(segments.join('/'));
};

/** True for files that hold secrets by their name, in whatever folder. */
export const isSecretPath = (path: string): boolean => {
  if (!SUSPICIOUS.test(path)) return false;
  if (PROCESS_INSIDES.test(path)) return true;
  const segments = segmentsOf(path);
  const name = segments.at(-1) ?? '';
  if (NO_SECRET.test(name)) return false;
  return SECRET.test(name) || SECRET_DATA.test(name) || SECRET_WAY.test(segments.join('/'));
};

const NEVER_WRITTEN = oneOf(words('.git .hg .svn .bzr git~1 .halter'));
const HALTERS_OWN = waysOf(words('.config/halter .local/share/halter .cache/halter'));
/** True for what the file port always refuses to write. Nobody is asked about it. */
export const isNeverWritten = (path: string): boolean => {
  const segments = segmentsOf(path);
  return segments.some((name) => NEVER_WRITTEN.test(name)) || HALTERS_OWN.test(segments.join('/'));
};

/** The same as globs for a search tool; what they find is still asked `isSecretPath`. */
export const SECRET_GLOBS: readonly string[] = [
  ...SECRET_NAMES,
  ...SECRET_WAYS.flatMap((way) => [`**/${way}`, `**/${way}/**`]),
  'credentials.*',
  'credential.*',
  'secrets.*',
  'secret.*',
];

/** One name for each secret pattern, to ask whether the shell could make it of a glob. */
export const SECRET_EXAMPLES: readonly string[] = [
  ...SECRET_NAMES.map((name) => name.replaceAll('*', 'x')),
  'credentials.json',
  'secrets.yaml',
];

/** Auto-executed names that the sandbox protects in a workspace even where they do not exist yet. */
export const AUTO_EXECUTED_WHEN_MISSING: readonly string[] = words(
  '.git .halter .vscode .idea .husky .mcp.json .envrc',
);
/** The same for a home folder. */
export const AUTO_EXECUTED_AT_HOME: readonly string[] = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .inputrc .gitconfig .config/git
  .ripgreprc .tmux.conf .vimrc .config/nvim .config/fish .config/systemd .config/autostart .local/bin .config/halter .local/share/halter
  .pam_environment .npmrc
`);
