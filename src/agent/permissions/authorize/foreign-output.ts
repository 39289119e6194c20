/** Whether the output of a command line may be what others wrote: it reaches the network, or reads outside the workspace. */
import { possibleCommands } from '../../../core/policy/shell-words.ts';
import { lexLine } from '../shell-rules/lexer.ts';
import { gitCommandAt } from '../shell-rules/wrappers.ts';

/** Programs whose work is to reach another machine. */
const NETWORKED = new Set(
  (
    'curl wget aria2c lynx w3m links elinks http https xh httpie fetch ftp lftp ncftp tftp scp sftp rsync rclone ssh mosh telnet nc ncat netcat socat ' +
    'dig host nslookup drill whois ping traceroute gh glab hub aws gcloud gsutil az doctl heroku flyctl vercel netlify kubectl helm terraform ' +
    'docker podman nerdctl skopeo npx bunx uvx pipx pip pip3 easy_install gem apt apt-get dnf yum pacman apk brew snap flatpak ' +
    'psql mysql mariadb redis-cli mongosh sqlcmd youtube-dl yt-dlp youtube mail mutt git-lfs svn hg bzr cvs p4 irssi websocat grpcurl'
  ).split(' '),
);
/** Of programs that do both: the commands that reach the network. */
const NETWORKED_COMMANDS: Readonly<Record<string, RegExp>> = {
  git: /^(?:clone|fetch|pull|ls-remote|submodule|remote|archive|lfs|svn|p4|fetch-pack|send-email)$/,
  npm: /^(?:i|install|ci|add|view|info|show|v|search|s|outdated|audit|exec|x|init|create|update|up|pack|fund|docs|ping|whoami)$/,
  pnpm: /^(?:i|install|add|dlx|view|info|outdated|audit|update|up|create|fetch|search)$/,
  yarn: /^(?:install|add|dlx|info|npm|outdated|audit|up|upgrade|create)$/,
  bun: /^(?:install|i|add|x|create|update|pm|outdated)$/,
  uv: /^(?:pip|add|sync|lock|tool|run|python)$/,
  poetry: /^(?:add|install|update|search|lock|show)$/,
  cargo: /^(?:install|add|fetch|search|update|info)$/,
  go: /^(?:get|install|mod|list)$/,
  bundle: /^(?:install|update|outdated)$/,
  composer: /^(?:install|require|update|show)$/,
  mvn: /./,
  openssl: /^s_client$/,
};
/** An address in the line, or code that opens a connection. */
const OPENS_CONNECTION =
  /:\/\/|\/dev\/(?:tcp|udp)\/|\b(?:urllib|requests|httpx|aiohttp|http\.client|socket|fetch\s*\(|net\.connect|https?\.(?:get|request)|Net::HTTP|LWP|open-uri|file_get_contents|Invoke-WebRequest|Invoke-RestMethod)\b/;

/** Programs that reach no other machine, or only where the project itself says so; all others could, a script among them. */
const LOCAL = new Set(
  (
    'ls dir vdir cat tac head tail wc sort uniq cut tr sed grep egrep fgrep rg ag ack find fd fdfind stat file du df pwd echo printf ' +
    'date cal expr test [ [[ true false : yes seq sleep usleep basename dirname realpath readlink mkdir rmdir rm mv cp ln touch chmod chown ' +
    'chgrp install tee diff cmp comm paste join fold fmt nl od xxd hexdump strings md5sum sha1sum sha224sum sha256sum sha384sum sha512sum ' +
    'b2sum cksum sum base64 base32 tree which whereis type command env printenv id whoami groups uname hostname uptime arch nproc ps top ' +
    'free kill pkill killall jobs wait fg bg cd pushd popd dirs export set unset read local declare typeset readonly shift return exit ' +
    'break continue let alias unalias umask ulimit times trap tar zip unzip gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd zstdcat ' +
    'lz4 jq column less more man info clear reset tput bat rev split csplit shuf truncate mktemp sync lsof lscpu lsblk mount getconf locale ' +
    'patch dos2unix unix2dos expand unexpand tsort factor numfmt bc dc timeout nice nohup time stdbuf ionice setsid xargs if then elif else ' +
    'fi for while until do done case esac in { } ! function select ' +
    // The project's own build, tests and checks: without them a person who allowed commands is asked after each one.
    'make gmake cmake ninja meson tsc eslint prettier biome jest vitest mocha ava pytest tox ruff black flake8 mypy pyright rspec rubocop ' +
    'phpunit ctest gcc g++ cc c++ clang clang++ rustc javac shellcheck'
  ).split(' '),
);
/** Of programs that do both: the commands that stay on this machine. */
const LOCAL_COMMANDS: Readonly<Record<string, RegExp>> = {
  git: /^(?:add|am|annotate|apply|bisect|blame|branch|bundle|cat-file|check-ignore|checkout|cherry|cherry-pick|clean|commit|config|describe|diff|diff-tree|diff-index|format-patch|fsck|gc|grep|help|init|log|ls-files|ls-tree|merge|merge-base|mv|name-rev|notes|range-diff|rebase|reflog|reset|restore|rev-list|rev-parse|revert|rm|shortlog|show|show-ref|sparse-checkout|stash|status|switch|symbolic-ref|tag|version|whatchanged|worktree|--version)$/,
  npm: /^(?:ls|list|root|prefix|bin|--version|-v|test|t|run|run-script|start)$/,
  pnpm: /^(?:ls|list|root|bin|--version|-v|test|t|run|start)$/,
  yarn: /^(?:list|bin|--version|-v|test|run|start|build|lint)$/,
  bun: /^(?:--version|-v|test)$/,
  deno: /^(?:--version|fmt|lint|check|test)$/,
  go: /^(?:version|env|fmt|vet|build|test)$/,
  cargo: /^(?:--version|fmt|clean|build|b|check|c|clippy|test|t|bench|doc)$/,
  dotnet: /^(?:--version|build|test|clean)$/,
};
const ONLY_ASKED = /^(?:--version|-[vV]|--help|-h|version|help)$/;

/**
 * Where commands reach the network: whether the output of a line may hold what came from there. A program that is not known
 * to stay on this machine may have fetched what it prints.
 */
export const mayBringForeign = (line: string): boolean => {
  if (reachesNetwork(line)) return true;
  const read = lexLine(line)?.commands.map(({ words }) => words.map(({ text, dynamic }) => (dynamic ? '' : text)));
  return (read ?? possibleCommands(line)).some((words) => words.length > 0 && !staysLocal(words));
};

const staysLocal = (words: readonly string[]): boolean => {
  const at = words.findIndex((word) => !WRAPS.test(word));
  // Of a wrapper alone nothing is run; an empty word is known to the shell alone.
  if (at === -1) return true;
  const name = (words[at] ?? '').slice((words[at] ?? '').lastIndexOf('/') + 1);
  const [command = ''] = words.slice(at + 1);
  if (words.length === at + 2 && ONLY_ASKED.test(command)) return true;
  // A setting of git for one command may name a program.
  if (name === 'git' && words.includes('-c')) return false;
  const from = name === 'git' ? at + gitCommandAt(words.slice(at)) : at + 1;
  const first = words.slice(from).find((word) => !word.startsWith('-')) ?? command;
  if (Object.hasOwn(LOCAL_COMMANDS, name)) return LOCAL_COMMANDS[name]?.test(first) === true;
  // What find and awk-like programs run is a word like others.
  const runs = words.findIndex((word) => /^-(?:exec|execdir|ok|okdir|x|X)$/.test(word));
  return LOCAL.has(name) && (runs === -1 || name === 'command' || staysLocal(words.slice(runs + 1)));
};

export const reachesNetwork = (line: string): boolean =>
  OPENS_CONNECTION.test(line) ||
  possibleCommands(line).some((words) => {
    // Also behind whatever wraps it: `timeout 5 curl …`.
    const first = words.findIndex((word) => !WRAPS.test(word));
    return words.slice(0, first === -1 ? words.length : first + 1).some((_, index) => isNetworked(words, index));
  });

const isNetworked = (words: readonly string[], at: number): boolean => {
  const word = words[at] ?? '';
  const name = word.slice(word.lastIndexOf('/') + 1);
  if (NETWORKED.has(name)) return true;
  if (!Object.hasOwn(NETWORKED_COMMANDS, name)) return false;
  const command = words.slice(at + 1).find((next) => !next.startsWith('-')) ?? '';
  return NETWORKED_COMMANDS[name]?.test(command) === true;
};

const WRAPS =
  /^(?:sudo|doas|env|timeout|nice|nohup|time|command|exec|xargs|watch|stdbuf|setsid|if|then|do|else|while|until|!|-.*|\d+[smhd]?|\w+=.*)$/;
