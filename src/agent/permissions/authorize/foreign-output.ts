/** Whether the output of a command line may be what others wrote: it reaches the network, or reads outside the workspace. */
import { possibleCommands } from '../../../core/policy/shell-words.ts';

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

export const reachesNetwork = (line: string): boolean =>
  OPENS_CONNECTION.test(line) ||
  possibleCommands(line).some((words) =>
    words.some((word, index) => {
      // Behind whatever wraps it: `timeout 5 curl …`.
      if (!words.slice(0, index).every((before) => WRAPS.test(before))) return false;
      const name = word.slice(word.lastIndexOf('/') + 1);
      const command = words.slice(index + 1).find((next) => !next.startsWith('-')) ?? '';
      return (
        NETWORKED.has(name) ||
        (Object.hasOwn(NETWORKED_COMMANDS, name) && NETWORKED_COMMANDS[name]?.test(command) === true)
      );
    }),
  );

const WRAPS =
  /^(?:sudo|doas|env|timeout|nice|nohup|time|command|exec|xargs|watch|stdbuf|setsid|if|then|do|else|while|until|!|-.*|\d+[smhd]?|\w+=.*)$/;

/** A path that begins outside the workspace; `/tmp` is a folder of the run, and devices hold nothing. */
const OUTSIDE =
  /(?:^|[\s=:'"<(,])(?:\/(?!(?:dev|tmp|usr\/bin|bin)(?:\/|$|[\s'"]))[^\s'"]|~|\$\{?HOME\b|\.\.(?:\/|\s|$))/;
export const readsOutside = (line: string): boolean => OUTSIDE.test(line);
