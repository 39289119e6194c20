/**
 * Programs that no row knows, by the shape of the command: a word that says that it sends or packs (`x deploy`), or a folder
 * and an address behind it (`x . https://…`). Known programs, and what runs files of the project, are not meant.
 */
import { isLanguage, isShell } from './interpreters.ts';
import { isKnownPacker, packedAs } from './packers.ts';
import { behindOrder } from './uploads.ts';
import { baseName, withoutVersion } from './wrappers.ts';

export type WholeFolder = {
  program: string;
  operands: readonly string[];
  /** The folder of the line is taken unless an operand is one of these. */
  unless?: readonly FoundKind[];
};
export type FoundKind = 'file' | 'folder';

export const wholeFolderOf = (words: readonly string[]): WholeFolder | undefined => {
  for (const tail of programsIn(words)) {
    const found = takenBy(tail);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Words that mean the folder itself, with a sign that says which step it is a part of. */
const SENDS =
  /^(?:[\w.-]+:)?(?:bulk-)?(?:deploy|publish|upload|ship|backup|push|transfer|submit|replicate|go-?live|pack|package|sdist)(?:[:-][\w:-]*)?$/i;
const FILES = /^(?:[\w.-]+:)?(?:bulk-)?(?:upload|push|ship|transfer|submit)/i;
/** They take what they are told, where it is a folder. */
const TAKES = /^(?:archive|snapshot|bundle|compress|mirror|send|share|store)$/i;
/** It only tells, or what follows is the name of something. */
const TELLS =
  /^(?:status|logs?|list|ls|get|show|describe|info|view|help|watch|restart|stop|start|rollback|rollout|history|explain|inspect|delete|rm|remove|cancel|diff|plan|init|run|exec|test|lint|build|dev|add|install|new|generate|config|set|search|open|edit|login|logout|use|switch|db|schema|migrate|git|image|images|pull|check|completion|state|stack|tail|preview)$/i;
const NAMED = /(?:^|[-_])(?:deploy|publish|upload|uploader|backup)$|^(?:deploy|publish|upload|backup)[-_]/;
const TELLING = /^(?:--help|-h|--version|-V)$/;

/** What its words say; it may be told to say only what it would do. */
const takenBy = (words: readonly string[]): WholeFolder | undefined => {
  const program = withoutVersion(words[0] ?? '');
  const rest = words.slice(1);
  if (isOfProject(words[0] ?? '') || isKnown(program) || rest.some((word) => TELLING.test(word))) return undefined;
  const sent = sentAway(rest);
  if (sent !== undefined) return { program, operands: sent };
  const plain = rest.filter((word) => !word.startsWith('-'));
  if (!TELLS.test(plain[0] ?? '')) {
    // One word of the program may stand before it: `x app deploy`.
    for (const order of [[SENDS], [/^[\w:.-]+$/, SENDS]]) {
      const operands = packedAs({ program: /^/, order, isHere: true }, rest);
      if (operands.length === 0) continue;
      const isOfFiles = rest.some((word) => FILES.test(word));
      return { program, operands: operands.filter(isNoDot), unless: isOfFiles ? ['folder', 'file'] : ['folder'] };
    }
    const taken = behindOrder(rest, [TAKES]).flat();
    if (taken.length > 0) return { program, operands: taken };
  }
  return NAMED.test(program) ? { program, operands: rest, unless: ['folder', 'file'] } : undefined;
};
const isNoDot = (word: string): boolean => word !== '.';

/** What stands before an address that is not of this machine. */
const ADDRESS =
  /^(?:-{1,2}[\w-]+=)?(?:[a-z][\w+.-]*:\/\/(?!localhost\b|127\.|\[::1\]|0\.0\.0\.0)|[\w.-]{2,}:(?:~|\/(?!\/))|[\w.-]+@[\w.-]+:)/i;
const sentAway = (rest: readonly string[]): readonly string[] | undefined => {
  const at = rest.findIndex((word) => ADDRESS.test(word));
  if (at <= 0) return undefined;
  return rest
    .slice(0, at)
    .map((word) => (word.startsWith('-') ? word.replace(/^-[^=]*=?/, '') : word))
    .filter(Boolean);
};

/** A script of the project does what it does; `@scope/x` and `example.org/x@v1` are packages. */
const isOfProject = (word: string): boolean =>
  word.includes('/') && !word.startsWith('/') && !/^@|@|(?:^|\/)\.bin\/|venv\/bin\//.test(word);

/** They run a script or a target of the project by its name. */
const RUNNERS =
  'npm pnpm yarn bun deno just task rake make gmake gradle gradlew mvn mvnw ant sbt lein mix fab inv invoke cap mina nx turbo lerna bazel bazelisk buck2 pants tox nox ansible ansible-playbook dotnet msbuild nmake ninja cmake ctest cargo go rustup swift xcodebuild fastlane bundle foreman honcho heroku grunt gulp wireit moon mage tasks poe doit pixi php composer artisan rails hatch';
/** Their words are names of files, of branches, of machines or of what runs already; or they only bring something in. */
const LOCAL =
  'git hg jj svn bzr fossil darcs sl gh glab hub tea kubectl oc kubens kubectx helm terraform tofu terragrunt vault consul nomad etcdctl docker podman nerdctl skopeo crane regctl minikube kind k3d ' +
  'echo printf cat tac head tail less more bat view nl wc sort uniq cut tr rev fold fmt pr column paste join comm cmp diff sdiff od xxd hexdump strings file stat ls dir exa eza lsd tree du df find fd fdfind locate which whereis type hash command test [ [[ true false : cd pushd popd dirs pwd mkdir rmdir rm unlink mv cp ln touch chmod chown chgrp install mktemp readlink realpath basename dirname truncate split csplit tee grep egrep fgrep rg ag ack sed awk gawk mawk perl jq yq xmllint date cal seq sleep wait kill pkill killall pgrep ps top htop jobs fg bg disown nohup id whoami groups who w uname hostname uptime free env printenv export unset set alias unalias source . eval exec let read local return exit break continue shift trap ulimit umask declare typeset readonly for case if while until do done then else fi function time ' +
  'vi vim nvim ex ed nano emacs micro code codium cursor zed subl idea open xdg-open start say man info help tldr apropos tmux screen zellij ' +
  'ssh scp sftp rsync rclone ping dig nslookup host nc ncat telnet whois traceroute ip ss netstat lsof ifconfig systemctl journalctl service launchctl loginctl crontab at ' +
  'wget curl aria2c http https httpie xh degit tiged axel youtube-dl yt-dlp ' +
  'pip pip3 uv pipx conda mamba apt apt-get dpkg dnf yum apk pacman brew port snap flatpak nix nix-env gem bundler ' +
  'psql mysql sqlite3 redis-cli mongosh prisma drizzle-kit sequelize knex typeorm alembic flyway liquibase atlas dbmate supabase-db ' +
  'pytest jest vitest mocha ava playwright cypress phpunit rspec karma k6 newman ' +
  'eslint prettier biome tsc ruff black mypy flake8 pylint isort rubocop shellcheck stylelint golangci-lint cspell markdownlint tsx ts-node vite next nuxt astro ng webpack rollup esbuild parcel serve http-server live-server lighthouse nodemon ' +
  'cowsay figlet logger act rpm dpkg dpkg-query nats rabbitmqadmin redis-server redis-benchmark awslocal jira watchexec entr ' +
  'tar zip unzip gzip gunzip bzip2 xz zstd 7z notify-send xclip pbcopy pbpaste dvc zoxide z direnv mise asdf';
const KNOWN: ReadonlySet<string> = new Set(`${RUNNERS} ${LOCAL}`.split(/\s+/));
const isKnown = (program: string): boolean =>
  KNOWN.has(program) ||
  isKnownPacker(program) ||
  isShell(program) ||
  isLanguage(program) ||
  /^(?:python|pypy)/.test(program);

/** Programs that run the one that follows, and the words that have to stand between. */
const STARTERS: readonly (readonly [program: RegExp, order: readonly RegExp[]])[] = [
  [
    /^(?:sudo|doas|env|nice|nohup|timeout|time|stdbuf|ionice|setsid|command|exec|xargs|npx|bunx|uvx|pipx|cross-env|dotenv|env-cmd|torsocks|proxychains4?|faketime|unbuffer|chronic|caffeinate|direnv|systemd-run)$/,
    [],
  ],
  [/^(?:pipx|poetry|uv|pipenv|pdm|conda|mamba|pixi|doppler|infisical|dotenvx|op)$/, [/^run$/]],
  [/^(?:pnpm|yarn)$/, [/^(?:dlx|exec)$/]],
  [/^(?:npm|bun|mise)$/, [/^(?:exec|x)$/]],
  [/^(?:bundle|dotnet)$/, [/^(?:exec|tool)$/]],
  [/^(?:uv|dotnet)$/, [/^tool$/, /^run$/]],
  [/^go$/, [/^run$/]],
  [/^python[\d.]*$/, []],
];

/** The command itself, and what programs that run another one start by its words. */
const programsIn = (words: readonly string[], depth = STARTED_MAX): readonly (readonly string[])[] => {
  if (depth === 0 || words.length === 0) return [];
  const program = baseName(words[0] ?? '');
  const rest = words.slice(1);
  if (/^python[\d.]*$/.test(program)) return moduleOf(rest);
  const tails = STARTERS.filter(([name]) => name.test(program)).flatMap(([, order]) =>
    behindOrder(rest, order).flatMap(behindOptions),
  );
  const started = program === 'go' ? tails.filter(([name = '']) => name.includes('@')) : tails;
  return started.length === 0 ? [words] : started.flatMap((tail) => programsIn(tail, depth - 1));
};
const STARTED_MAX = 5;

/** `python -m twine upload` is what the program of that name does. */
const moduleOf = (rest: readonly string[]): readonly (readonly string[])[] => {
  const at = rest.indexOf('-m');
  const module = at < 0 ? undefined : rest[at + 1];
  if (module === undefined || rest.slice(0, at).some((word) => !word.startsWith('-'))) return [];
  return [[module.replace(/\..*$/s, '').replaceAll('_', '-'), ...rest.slice(at + 2)]];
};

/** Without options, and values of these, which may be the program as well. */
const behindOptions = (words: readonly string[]): readonly (readonly string[])[] => {
  const isBefore = (word: string): boolean =>
    word.startsWith('-') || /^\w+=/.test(word) || /^[\d.]+[smhd]?$/.test(word);
  let at = 0;
  while (at < words.length && isBefore(words[at] as string)) at += 1;
  const mayBeValue = at > 0 && (words[at - 1] as string).startsWith('-') && words[at - 1] !== '--';
  const tails = [words.slice(at), ...(mayBeValue ? [words.slice(at + 1)] : [])];
  return tails.filter((tail) => tail.length > 0);
};
