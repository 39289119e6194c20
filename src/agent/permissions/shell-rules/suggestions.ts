/** Patterns that a person could choose to be remembered for a line: the line itself, then what is ever wider. */

import { isFilter } from './filters.ts';
import { programObjections } from './objections/programs.ts';
import { PLAIN_WORDS, type ShellAnalysis, type ShellCommand } from './words.ts';
import { baseName, isWrapper, lookThrough } from './wrappers.ts';

const MAX_SUGGESTIONS = 3;
/** Programs whose second word says what they do; alone they would be allowed too much. */
const NEED_A_COMMAND: ReadonlySet<string> = new Set(
  (
    'git hg svn jj npm pnpm yarn bun cargo go docker podman nerdctl kubectl oc pip pip3 uv apt apt-get apt-mark brew snap flatpak ' +
    'systemctl loginctl timedatectl hostnamectl localectl supervisorctl launchctl gh glab make just dotnet mvn mvnw gradle gradlew rustup ' +
    'terraform tofu aws gcloud gsutil az doctl heroku fly flyctl railway vercel netlify wrangler firebase supabase composer bundle mix ' +
    'deno poetry conda pyenv rbenv asdf nix guix rails prisma alembic turbo nx lerna helm kind minikube k3d argocd flux istioctl skaffold ' +
    'eksctl vault consul nomad etcdctl packer pulumi cdk serverless sls eb sam vagrant virsh rclone restic borg zfs zpool btrfs ip nmcli ' +
    'ufw defaults security diskutil pm2 ollama dvc mlflow jupyter huggingface-cli hf sentry-cli stripe twilio bw op tmux'
  ).split(' '),
);
/** A script whose next word says what it does. */
const SCRIPT_WITH_COMMANDS = /(?:^|\/)(?:manage\.py|artisan|rails|console)$/;
/** Never offered with a `*` after the name alone: what they do cannot be put back. */
const NOT_ALONE =
  /^(?:rm|rmdir|mv|dd|chmod|chown|kill|killall|pkill|ssh|scp|curl|wget|rsync|shutdown|reboot|mkfs.*|crontab|ip6?tables|nft|dpkg|rpm|pacman|nix-env|ssh-add|gpg|journalctl|dmesg|sysctl|fdisk|parted|mount|umount|xattr|ar|date|hostname|scutil|networksetup)$/;
/** What they do stands in a text of their own language. */
const SPEAK_TO_A_DATABASE = /^(?:sqlite3|psql|mysql|mariadb|duckdb|redis-cli|mongosh|sqlcmd|clickhouse-client)$/;
/** Of a line that only tells, nobody is offered a pattern that covers what does it. */
const ONLY_TELLS = /^--(?:dry-?run(?:=.*)?|help|list|just-print|show-[a-z]+|current|simulate)$/;
const DRY = /^(?:git (?:add|clean|rm|mv|push)|make|gmake|rsync|go clean) (?:.* )?-n(?: |$)/;
/** What stands behind the name of such a group says whether it reads or writes. */
const MIXED =
  /^git (?:branch|tag|reflog|stash|config|remote|worktree|notes|bisect|lfs)(?: -|$)|^npm (?:version|audit)$/;
const READS_ONLY =
  /^(?:list|ls|show|view|get|status|info|inspect|current|history|logs?|diff|stat|df|du|ps|search|path|dir|tree|why|graph|can-i|top|config|whoami|versions?|validate|(?:list|get|describe|ls|current)-[a-z-]+)$/;
const SUBCOMMAND = /^[a-z][a-z0-9:_-]*$/;

/** Without those that only go somewhere or pass on what others print, unless there is nothing else. */
export const lackingCommands = (commands: readonly ShellCommand[]): ShellCommand[] => {
  const all = commands.filter(({ words }) => words[0]?.text !== 'cd');
  const own = all.filter((command) => !isFilter(command));
  return own.length > 0 ? own : all;
};

/** The only one of them, as a line of its own. */
export const lackingText = (line: string, [only, ...others]: readonly ShellCommand[]): string | undefined => {
  const words = only === undefined || others.length > 0 ? undefined : lookThrough(only)?.command.words;
  const text = words?.map((word) => word.text).join(' ') ?? '';
  const isPlain = PLAIN_WORDS.test(text) && words?.every(({ dynamic, glob }) => !dynamic && !glob);
  return isPlain && text !== line ? text : undefined;
};

export const suggestPatterns = (
  analysis: ShellAnalysis,
  line: string,
  [only, ...others]: readonly ShellCommand[],
): string[] => {
  const exact = `=${line}`;
  if (!analysis.ok || only === undefined || others.length > 0 || analysis.notSimple.length > 0) return [exact];
  const command = lookThrough(only)?.command;
  if (command === undefined || command.words.some(({ dynamic }) => dynamic)) return [exact];
  const words = command.words.map(({ text }) => text);
  const program = words[0] ?? '-';
  if (
    isWrapper(program) ||
    program.startsWith('-') ||
    (words.some((word) => word === '' || /[\s*?=]/.test(word)) && words.length < 2)
  )
    return [exact];

  // What is run has to be spelled out; of what does more than that, nobody is offered a pattern that covers still more.
  const objections = programObjections(command);
  if (objections.some(({ names }) => names === undefined)) return [exact];
  const text = words.join(' ');
  if (words.some((word) => ONLY_TELLS.test(word)) || DRY.test(text) || MIXED.test(text)) return [exact];
  const name = baseName(program);
  if (SPEAK_TO_A_DATABASE.test(name)) return [exact];
  const isScript = SCRIPT_WITH_COMMANDS.test(words[1] ?? '');
  const needed = Math.max(isScript ? 3 : 0, ...objections.map(({ word }) => word + 1));
  const needsCommand = NEED_A_COMMAND.has(name);
  const suggestions = [exact];
  for (const length of [3, 2, 1]) {
    if (length < needed || length > words.length || suggestions.length >= MAX_SUGGESTIONS) continue;
    const kept = words.slice(0, length);
    if (kept.some((word) => !/^[\w./:@+-]+$/.test(word))) continue;
    if (length === 1 && (needsCommand || NOT_ALONE.test(name))) continue;
    // `gh pr list` is no reason for `gh pr *`.
    if (needsCommand && words.slice(length, length + 2).some((word) => READS_ONLY.test(word))) continue;
    const speaks = needsCommand ? SUBCOMMAND.test(kept[1] ?? '') : true;
    // Of a third word only a further command says something: `npm run test`, `docker compose up`.
    if (!speaks || (length === 3 && !SUBCOMMAND.test(kept[2] as string) && needed !== 3)) continue;
    if (length > 1 && !needsCommand && needed !== length) continue;
    suggestions.push(`${kept.join(' ')} *`);
  }
  return suggestions;
};
