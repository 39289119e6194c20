/**
 * Files that a rule for a whole tool never speaks of, by name, whether they are there yet or not (G5, G11).
 *
 * *Auto-executed* files are those of `autoloaded-files.ts` that are asked about each time. The others of that list are written
 * where a rule names them.
 *
 * *Secret* files hold keys and passwords. Reading one can do harm.
 *
 * The rules, the file tools, the search and the sandbox use this one list.
 */

import { withoutEnd } from '../without-end.ts';
import { AUTOLOADED_FILES, type AutoloadedRow } from './autoloaded-files.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const SECRET_NAMES = words(`
  .env .env.* *.env .envrc .netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .pg_service.conf .git-credentials .htpasswd .dockercfg .dockerconfigjson .vault-token .vault-pass .vault_pass .vault_password .sentryclirc .curlrc .wgetrc .fetchmailrc .msmtprc .esmtprc .lftprc .ghtoken .s3cfg .boto
  credentials id_rsa id_rsa.* id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk *.pkcs12 wallet.dat .databrickscfg .clasprc.json .terraformrc .rediscli_history *.pem *.key *.p12 *.pfx *.jks *.keystore
  *.kdbx *.ppk *.asc *.gpg *.age kubeconfig service-account*.json client_secret*.json *.tfstate *.tfstate.* *.tfvars *.mobileprovision
  .bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history
`);
/** Secret by several path segments, or with everything below one. */
export const SECRET_WAYS: readonly string[] = words(`
  .ssh .aws .gnupg .kube .docker/config.json .docker/contexts .azure .gcloud .oci .password-store .terraform.d .config/gcloud .config/gh .config/hub .config/glab-cli
  .config/op .config/sops .config/rclone .config/git/credentials .cargo/credentials .cargo/credentials.toml .gem/credentials
  .snowsql .vercel/auth.json .fly/config.yml .config/doctl .config/heroku .config/stripe .config/netlify .circleci/cli.yml .composer/auth.json
  .codex/auth.json .claude/.credentials.json .qwen/oauth_creds.json .local/share/opencode/auth.json .pi/agent/auth.json .gemini/oauth_creds.json
  .cursor/auth.json .config/github-copilot .config/goose/secrets.yaml .huggingface/token .cache/huggingface/token .kaggle/kaggle.json
  .config/containers/auth.json .config/argocd .argocd/config .config/ngrok .ngrok2 .netlify/config.json .wrangler/config .config/.wrangler .railway/config.json .config/fly
  .expo/state.json .config/firebase .pulumi/credentials.json .m2/settings-security.xml .subversion/auth .config/pypoetry/auth.toml .local/share/uv/credentials .jfrog
  .ivy2/.credentials .sbt/credentials .sbt/.credentials .sbt/1.0/credentials .sbt/1.0/.credentials .coursier/credentials.properties .config/coursier/credentials.properties .julia/servers .cache/huggingface/stored_tokens .config/huggingface/token
  .android/adbkey .cache/azure .cache/msal .cache/github-copilot .cache/google-cloud-sdk .config/dart/pub-credentials.json .mix/hex.config
  .config/halter .local/share/halter .local/share/keyrings .mozilla .thunderbird .config/chromium .config/google-chrome Library/Keychains
`);
/** Secret only as data files: `credentials.json` is, `credentials.ts` is not. */
const SECRET_DATA =
  /^(?:credentials?|secrets?)\.(?:jsonc?|ya?ml|toml|ini|txt|xml|csv|properties|conf|cfg|config|db|sqlite|enc|env|plist|bak|old)$/;
/** Public by design: a template without values, the public half of a key. */
const NO_SECRET = /^(?:\.env\.(?:example|sample|template|dist|defaults)|.*\.pub|known_hosts)$/;

/** Of this system: what only root should read. A command that root starts may. */
const SYSTEM_SECRETS =
  /^(?:\/+|.*\/\.\.\/+)etc\/+(?:g?shadow-?|sudoers(?:\.d)?|ssl\/private|ssh\/ssh_host_\w+_key|krb5\.keytab|NetworkManager\/system-connections|wireguard)(?:\/|$)/;

/** Of a process of this system: its environment, memory and open files, whoever it belongs to. */
const PROCESS_INSIDES = /^(?:\/+proc\/|.*\/\.\.\/+proc\/).*\/?(?:environ|mem|maps|auxv|fd|cwd|root|task)(?:\/|$)/;

const patternOf = (name: string, wildcard: string): string =>
  name.toLowerCase().replaceAll('.', '\\.').replaceAll('*', wildcard);
/** Of none nothing is one: an empty choice would fit every empty name. */
const choiceOf = (patterns: readonly string[]): string => (patterns.length === 0 ? '(?!)' : patterns.join('|'));
const oneOf = (names: readonly string[]): RegExp =>
  new RegExp(`^(?:${choiceOf(names.map((name) => patternOf(name, '.*')))})$`, 's');
const waysOf = (ways: readonly string[]): RegExp =>
  new RegExp(`(?:^|/)(?:${choiceOf(ways.map((way) => patternOf(way, '[^/]*')))})(?:/|$)`);
const SECRET = oneOf(SECRET_NAMES);
const SECRET_WAY = waysOf(SECRET_WAYS);

/** Whether a path, folded and in segments, is one of the files of these rows. */
const isOneOf = (rows: readonly AutoloadedRow[]): ((segments: readonly string[]) => boolean) => {
  const files = rows.flatMap((row) => row.files);
  const name = oneOf(files.filter((file) => !file.includes('/')));
  const way = waysOf(files.filter((file) => file.includes('/')));
  return (segments) => segments.some((segment) => name.test(segment)) || way.test(segments.join('/'));
};
const EACH_TIME = AUTOLOADED_FILES.filter(({ asks }) => asks === 'each time');
const isAutoExecuted = isOneOf(EACH_TIME);
const PARTS_OF_WAYS = oneOf([
  ...new Set(EACH_TIME.flatMap(({ files }) => files).flatMap((file) => file.split('/').slice(0, -1))),
]);
const UNTIL_NAMED = AUTOLOADED_FILES.filter(({ asks }) => asks === 'until named').map((row) => ({
  row,
  holds: isOneOf([row]),
}));

const ASCII = /^[\x21-\x7e]*$/;
/** As a file system that folds case, drops invisible characters or trailing dots would read the name. */
export const foldedName = (name: string): string => {
  const plain = ASCII.test(name)
    ? name
    : name
        .normalize('NFKC')
        .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
        .trimEnd();
  return withoutEnd(plain, /[. ]/).toLowerCase();
};

/** A cheap first test, since most words are not sensitive: names that begin with a dot, and the literal part of the rest. */
const BARE_PARTS = [...AUTOLOADED_FILES.flatMap(({ files }) => files), ...SECRET_NAMES, ...SECRET_WAYS]
  .filter((name) => !name.startsWith('.'))
  .map((name) => name.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest), ''));
const SUSPICIOUS = new RegExp(
  `(?:^|[/\\\\])\\.+[^./\\\\]|[^\\x20-\\x7e]|[. ](?:[/\\\\]|$)|/proc/|etc/|credential|secret|${BARE_PARTS.map((part) => part.replaceAll('.', '\\.')).join('|')}`,
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
  return isAutoExecuted(segmentsOf(path));
};

/** True for the name of a folder in which some files are auto-executed that are not elsewhere: `.config` for `fish`. */
export const isPartOfAutoloadedWay = (name: string): boolean => PARTS_OF_WAYS.test(foldedName(name));

/** What a file is that is written where a rule names it, and nowhere else: an instruction for agents, a build service's. */
export const askedUntilNamed = (path: string): AutoloadedRow | undefined => {
  if (!SUSPICIOUS.test(path)) return undefined;
  const segments = segmentsOf(path);
  return isAutoExecuted(segments) ? undefined : UNTIL_NAMED.find(({ holds }) => holds(segments))?.row;
};

/** True for files that hold secrets by their name, in whatever folder. */
export const isSecretPath = (path: string): boolean => {
  if (!SUSPICIOUS.test(path)) return false;
  if (PROCESS_INSIDES.test(path) || SYSTEM_SECRETS.test(path)) return true;
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
