/**
 * Programs that run another program. A rule that allows looks through the plain ones and lets the others pass only
 * where it spells out the whole command; a rule that denies looks through all of them, rather too far than not enough.
 */
import { isPlainAwk, isPlainSed } from './script-safety.ts';
import type { ShellCommand, ShellWord } from './words.ts';

/** Programs that run what their words name, and change neither who runs it nor what it means. */
const PLAIN: Readonly<Record<string, { flags: RegExp; values: RegExp; operands: number }>> = {
  nice: { flags: /^-[0-9]+$|^--adjustment=-?[0-9]+$|^-n-?[0-9]+$/, values: /^(?:-n|--adjustment)$/, operands: 0 },
  nohup: { flags: /^$/, values: /^$/, operands: 0 },
  timeout: {
    flags:
      /^(?:-v|--verbose|--foreground|--preserve-status|-[sk][A-Z0-9.smhd]+|--(?:signal|kill-after)=[A-Z0-9.smhd]+)$/,
    values: /^(?:-s|-k|--signal|--kill-after)$/,
    operands: 1,
  },
  stdbuf: { flags: /^-[ioe][0L]$|^--(?:input|output|error)=[0L]$/, values: /^-[ioe]$/, operands: 0 },
  ionice: { flags: /^-[ct]?[0-9]+$|^-t$/, values: /^-[cn]$/, operands: 0 },
  setsid: { flags: /^-w$|^--wait$/, values: /^$/, operands: 0 },
  command: { flags: /^$/, values: /^$/, operands: 0 },
};
const DURATION = /^[0-9.]+[smhd]?$/;

/** Programs that do work of their own too, and by some words run what others of their words name. */
const SEARCH = 'find fd fdfind rg';
const OWN =
  'git hg make gmake just task ninja awk gawk mawk sed vim vi nvim ex ed emacs less more man tar rsync scp sftp zip';
const REMOTE = 'ssh docker podman kubectl nerdctl';
const RUN =
  'npm pnpm yarn bun uv poetry pipenv pdm rye hatch bundle bundler conda mamba micromamba mise asdf rbenv pyenv nodenv rustup direnv nix opam dune stack cabal op doppler';

/** Programs that run another one in a way that cannot be followed word by word, or as somebody or somewhere else. */
const WRAPPERS: ReadonlySet<string> = new Set(
  (
    'env sudo doas su runuser setpriv pkexec chroot unshare nsenter capsh bwrap firejail systemd-run machinectl ' +
    'xargs parallel watch entr flock script strace ltrace gdb valgrind perf time chrt taskset prlimit unbuffer expect ' +
    'busybox toybox faketime fakeroot dbus-run-session xvfb-run dbus-launch ssh-agent gpg-agent ccache distcc choom numactl cgexec ' +
    'lxc lxc-exec vagrant npx bunx uvx pipx corepack tmux screen at batch crontab start-stop-daemon daemonize ' +
    'bash sh dash zsh ksh mksh ash fish csh tcsh rbash eval exec source . trap builtin coproc nice nohup timeout stdbuf ionice setsid command ' +
    'setarch linux32 linux64 i386 x86_64 hyperfine watchexec nodemon concurrently run-s run-p npm-run-all cross-env cross-env-shell dotenv dotenvx env-cmd ' +
    'proxychains proxychains4 torsocks torify tsocks systemd-inhibit systemd-cat eatmydata cpulimit rlwrap chronic ifne pee vipe vidir zrun fakechroot proot ' +
    'gosu su-exec chpst setlock softlimit envdir envuidgid setuidgid sg newgrp sudoedit dumb-init tini catchsegv rr heaptrack uclampset caffeinate xcrun reflex air ' +
    'when-changed onchange start-server-and-test forever pm2 aws-vault envchain nix-shell guix toolbox distrobox flatpak snap apptainer singularity run-parts logrotate ' +
    'xterm uxterm konsole gnome-terminal alacritty kitty wezterm urxvt rxvt st foot xdg-open open sensible-browser sensible-editor sensible-pager see run-mailcap ' +
    'nyc c8 sem multitime gdbserver dtach abduco byobu lckdo mispipe sops chamber teller volta fnm nvm n rtx pnpx box64 box86 qemu-i386 qemu-x86_64 qemu-aarch64 qemu-arm ' +
    'ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ltrace bpftrace trace-cmd uftrace samply flamegraph scalene pyinstrument py-spy austin memray memusage mtrace sprof stress-ng ' +
    'rsh rexec mosh autossh sshpass pssh parallel-ssh clush mpirun mpiexec srun sbatch wsl winpty ' +
    `${SEARCH} ${OWN} ${REMOTE} ${RUN}`
  ).split(' '),
);

export const baseName = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

/** The same where a version may stand behind it: `npx vercel@latest`, `pipx run black[jupyter]==24.1`. */
export const withoutVersion = (program: string): string => beforeVersion(baseName(program));
const beforeVersion = (name: string): string => name.replace(/(?<=.)(?:@|\[|[=<>~!]=|[<>]).*$/s, '');

export type Unwrapped = {
  command: ShellCommand /** What stood before it, for the sentence that says why. */;
  through: string[];
};

/** `nice -n 5 timeout 10 make` → `make`. Undefined where a wrapper's own words are not understood. */
export const lookThrough = (command: ShellCommand): Unwrapped | undefined => {
  let words = command.words;
  const through: string[] = [];
  for (;;) {
    const program = words[0];
    const wrapper =
      program === undefined || program.dynamic || program.glob ? undefined : ownValue(PLAIN, program.text);
    if (program === undefined || wrapper === undefined) return { command: { ...command, words }, through };
    // It only asks where a program is.
    if (program.text === 'command' && /^-[vV]$/.test(words[1]?.text ?? ''))
      return { command: { ...command, words }, through };
    let at = 1;
    for (; at < words.length; at += 1) {
      const word = words[at] as ShellWord;
      if (!word.text.startsWith('-')) break;
      if (word.dynamic || word.glob) return undefined;
      if (word.text === '--') {
        at += 1;
        break;
      }
      if (wrapper.flags.test(word.text)) continue;
      if (!wrapper.values.test(word.text) || words[at + 1]?.dynamic) return undefined;
      at += 1;
    }
    for (let operand = 0; operand < wrapper.operands; operand += 1, at += 1) {
      if (!DURATION.test(words[at]?.text ?? '')) return undefined;
    }
    if (at >= words.length) return undefined;
    through.push(program.text);
    words = words.slice(at);
  }
};

const ownValue = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

/** Options of git that stand before its command, and take a word with them. */
const GIT_VALUES =
  /^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/;

export const gitCommandAt = (words: readonly string[]): number => {
  let at = 1;
  while (at < words.length && (words[at] as string).startsWith('-')) at += GIT_VALUES.test(words[at] as string) ? 2 : 1;
  return at;
};

/**
 * Every reading of a command that a denying rule should see: as it is, without the folder of its program, without what
 * wraps it, and the lines that are handed to another shell within it (`lines`, to be read by the caller).
 */
export const deniableReadings = (words: readonly string[]): { commands: string[][]; lines: string[] } => {
  const commands: string[][] = [];
  const lines: string[] = [];
  const add = (tail: readonly string[]): void => {
    const name = baseName(tail[0] ?? '');
    if (name === '') return;
    commands.push([...tail]);
    if (name !== tail[0]) commands.push([name, ...tail.slice(1)]);
    // A version may be an address, with slashes of its own.
    for (const plain of new Set([withoutVersion(name), baseName(beforeVersion(tail[0] ?? ''))]))
      if (plain !== name && plain !== '') commands.push([plain, ...tail.slice(1)]);
    if (name === 'git') {
      const at = gitCommandAt(tail);
      if (at > 1) commands.push(['git', ...tail.slice(at)]);
    }
  };
  add(words);
  const whole = baseName(words[0] ?? '');
  const name = WRAPPERS.has(whole) ? whole : whole.replace(/(?:\.exe|[0-9.]+)$/, '');
  if (!WRAPPERS.has(name) || onlyWorksAlone(name, words)) return { commands, lines };
  const followed = !OWN_COMMANDS.has(name) || words.some((word) => RUNS_THE_REST.test(word));
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as string;
    if (followed) add(words.slice(at, at + WORDS_OF_A_RULE));
    const alias = name === 'git' ? /^alias\.[^=]+=([^!].*)$/s.exec(word)?.[1] : undefined;
    if (alias !== undefined) commands.push(['git', ...alias.trim().split(/\s+/), ...words.slice(at + 2)]);
    // An alias of git, the value of an option, or a line for another shell.
    if (/[\s;|&<>()`$!={}]/.test(word)) {
      lines.push(word, ...(/[!=]+(.+)$/s.exec(word)?.slice(1) ?? []));
      if (/^-[A-Za-z]/.test(word)) lines.push(word.slice(2));
    }
  }
  return { commands, lines };
};

/** Programs of the list that were not told to run anything: their words are no commands. */
const onlyWorksAlone = (name: string, words: readonly string[]): boolean => {
  if (name === 'command') return /^-[vV]$/.test(words[1] ?? '');
  if (SEARCHERS.test(name)) return !words.some((word) => SEARCHER_RUNS.test(word));
  if (name === 'git') return !words.some((word) => GIT_RUNS.test(word));
  if (PACKAGES.test(name)) return !words.some((word) => /^(?:exec|x|dlx)$/.test(word));
  if (RUNNERS.has(name) || CONTAINERS.test(name)) return !words.some((word) => RUNS_THE_REST.test(word));
  if (name === 'sed')
    return words.slice(1).every((word) => word.startsWith('-') || !/\s/.test(word) || isPlainSed(word));
  return /^[gm]?awk$/.test(name) && words.slice(1).every((word) => isPlainAwk(word));
};

/** No rule has more words than this. */
const WORDS_OF_A_RULE = 64;
/** Their words are commands of their own: `git rm` is no `rm`. */
const OWN_COMMANDS: ReadonlySet<string> = new Set(OWN.split(' '));
/** What they look for is no command, unless they are told to run one. */
const SEARCHERS = /^(?:find|fd|fdfind|rg)$/;
const SEARCHER_RUNS = /^-(?:exec|ok)|^-[A-Za-z]*[xX]|^--+(?:exec|pre|hostname-bin)/;
const GIT_RUNS =
  /^(?:-c|-x|-O.*|foreach|run|alias\..*|--(?:exec|config-env|upload-pack|receive-pack|extcmd|open-files-in-pager|sendmail-cmd|[a-z-]+-filter)(?:=.*)?)$/;
const PACKAGES = /^(?:npm|pnpm|yarn|bun)$/;
const RUNNERS: ReadonlySet<string> = new Set(RUN.split(' '));
const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl)$/;
const RUNS_THE_REST = /^(?:run|exec|x|dlx|shell|debug|foreach|-x|--exec|-c|--to-command)$/;

/** True for programs whose words were looked through for what they run. */
export const isKnownRunner = (program: string): boolean => WRAPPERS.has(program);
/** True for programs that a rule with a `*` at its end never covers: what they run is not theirs. */
export const isWrapper = (program: string): boolean => WRAPPERS_ALONE.has(program);
const WORKS_ALONE: ReadonlySet<string> = new Set(`${SEARCH} ${OWN} ${REMOTE} ${RUN}`.split(' '));
const WRAPPERS_ALONE: ReadonlySet<string> = new Set([...WRAPPERS].filter((name) => !WORKS_ALONE.has(name)));
