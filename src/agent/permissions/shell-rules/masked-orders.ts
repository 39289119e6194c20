/**
 * Words of a command by which its program runs another one: the value of an option, the script of an editor, what is run in
 * a container or on another machine. Where only the shell knows such a word, nobody knows what runs.
 */
import type { ShellWord } from './words.ts';
import { baseName } from './wrappers.ts';

/** Options whose value is run, or says what is run. */
const RUNS_VALUE: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [
    /^(?:g|bsd)?tar$/,
    /^-[A-Za-z]*[IF]$|^--(?:to-command|use-compress-program|checkpoint-action|rsh-command|info-script|new-volume-script)\b/,
  ],
  [/^rsync$/, /^-[A-Za-z]*e$|^--(?:rsh|rsync-path)\b/],
  [/^(?:rg|rga)$/, /^--(?:pre|hostname-bin)\b/],
  [/^sort$/, /^--compress/],
  [/^zip$/, /^-TT|^--unzip-command\b/],
  [/^(?:scp|sftp|ssh)$/, /^-[SoF]/],
  [
    /^git$/,
    /^-c$|^--(?:exec|config-env|upload-pack|receive-pack|extcmd|open-files-in-pager|sendmail-cmd|exec-path|[a-z-]+-filter)\b|^-[xO]|^alias\./i,
  ],
  [
    /^(?:flock|script|su|runuser|sg|xterm|uxterm|konsole|gnome-terminal|alacritty|kitty|urxvt)$/,
    /^-[A-Za-z]*[ce]$|^--(?:command|session-command)\b/,
  ],
  [/^(?:ex|vi|vim|nvim|view|less|more|most|man)$/, /^-[cSsPH]|^--(?:cmd|pager|html)\b/],
  [/^gdb(?:server)?$/, /^--?(?:ex|x|iex|ix|eval-command|command)\b/],
  [/^(?:psql|mysql|mariadb)$/, /^-[ce]|^--(?:command|execute)\b/],
  [/^(?:emacs|emacsclient)$/, /^-(?:-eval|-execute|l|-load|f|-funcall|e)\b/],
  [/^g?make$/, /^(?:-f|--file|--makefile|--eval)\b/],
  [/^start-stop-daemon$/, /^-(?:a|x|-exec|-startas)\b/],
  [/^(?:deno|sqlite3|expect)$/, /^(?:eval|-cmd|-c)$/],
  [/^socat$/, /(?:EXEC|SYSTEM|SHELL):/i],
  [/^fzf$/, /^--(?:preview|bind|with-shell)\b/],
];

/** Programs that run what stands behind one of these words, or behind so many plain words. */
const RUNS_BEHIND: readonly (readonly [program: RegExp, word: RegExp, plain: number])[] = [
  [/^(?:docker|podman|nerdctl)$/, /^(?:run|exec|create)$/, 1],
  [/^(?:kubectl|oc)$/, /^(?:exec|run|debug)$/, 1],
  [/^(?:npm|pnpm|yarn|bun|corepack)$/, /^(?:exec|x|dlx)$/, 0],
  [
    /^(?:uv|poetry|pipenv|pdm|rye|hatch|conda|mamba|micromamba|mise|pyenv|rbenv|nodenv|asdf|direnv|nix|opam|op|doppler|bundle|bundler|dotenvx?)$/,
    /^(?:run|exec|x|shell|develop|-c|--command|--)$/,
    0,
  ],
  [/^git$/, /^(?:foreach|run)$/, 0],
  [
    /^tmux$/,
    /^(?:new|new-session|new-window|neww|split-window|splitw|respawn-\w+|run|run-shell|if-shell|pipe-pane|send|send-keys)$/,
    0,
  ],
];
const FLAGS_ALONE = /^(?:--(?:rm|init|privileged|detach|interactive|tty|read-only|quiet|yes)|-[itdPqy]+)$/;

/** Programs whose first plain word is a script of theirs that may run programs. */
const SCRIPTED = /^(?:g?sed|[gmn]?awk|original-awk)$/;
const SCRIPT_OPTION = /^-[A-Za-z]*[ef]$|^--(?:expression|file|source|include|load)\b/;

/**
 * Variables whose value is the name of a program, or brings options of one. Makefiles, builds and git run them, also where
 * they stand behind `make`.
 */
const NAMES_PROGRAM =
  /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|GNUMAKEFLAGS|MAKE|CC|CXX|CPP|FC|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|OBJDUMP|RM|CP|MV|LN|INSTALL|LEX|YACC|HOSTCC|CROSS_COMPILE|PKG_CONFIG|PYTHON|RUBY|NODE|EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|RUSTC|RUSTDOC|RUSTC(?:_WORKSPACE)?_WRAPPER|CARGO|NODE_OPTIONS|GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|SSH|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND|EXEC_PATH|CONFIG_\w+)|SSH_ASKPASS|SUDO_ASKPASS|CARGO_(?:BUILD_|TARGET_)\w*(?:RUSTC|WRAPPER|RUNNER|LINKER)|GOFLAGS|npm_config_(?:script_shell|node_options|git|editor|viewer|browser)|PERL5OPT|RUBYOPT|\w+_(?:OPTIONS|OPTS|PAGER|EDITOR|RSH|COMMAND|SHELL|WRAPPER|RUNNER|LINKER))$/i;
/** The same, and what a shell runs before and beside its own lines. */
export const saysWhatRuns = (name: string): boolean =>
  NAMES_PROGRAM.test(name) || /^(?:BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4]|PYTHONSTARTUP|LD_\w+|DYLD_\w+)$/.test(name);

/** A variable that is set to what only the shell knows, and that says what runs; its name. */
export const programVariable = (
  assignments: readonly { name: string; value: ShellWord }[],
  words: readonly ShellWord[],
): string | undefined => {
  const set = assignments.find(({ name, value }) => value.dynamic && NAMES_PROGRAM.test(name));
  if (set !== undefined) return set.name;
  if (!TAKES_VARIABLES.test(baseName(words[0]?.text ?? ''))) return undefined;
  const given = words.find(({ text, dynamic }) => dynamic && NAMES_PROGRAM.test(/^([\w.]+)=/.exec(text)?.[1] ?? ''));
  return given?.text.split('=')[0];
};
const TAKES_VARIABLES =
  /^(?:g?make|ninja|just|task|export|declare|typeset|readonly|local|env|configure|cmake|meson|scons)$/;

/** Programs that by their options, or a variable among their words, run whatever is named. Behind `--` stand words of another. */
const STEERED = /^(?:g?make|just|task|npm|pnpm|yarn|bun|cargo|gradle|gradlew|mvn|mvnw|ninja|rake|tox|nox|invoke)$/;
const isSteered = (program: string, words: readonly ShellWord[], counts: boolean): boolean => {
  if (!STEERED.test(program)) return false;
  const end = words.findIndex(({ text }) => text === '--');
  const own = end < 0 ? words : words.slice(0, end);
  // Without quotes it may become several words, and options. What `-j` gets of a program that counts is a number.
  return own.some(({ text, dynamic, quoted }, at) => {
    const isNumber = counts && (text === '-j' || own[at - 1]?.text === '-j');
    return dynamic && !quoted && !text.includes('=') && !isNumber;
  });
};

/** True where a word that runs something is known to the shell alone. `counts`: the line asks how many processors there are. */
export const hasUnknownOrder = (program: string, words: readonly ShellWord[], counts: boolean): boolean =>
  hasUnknownValue(program, words) ||
  isSteered(program, words, counts) ||
  isUnknownBehind(program, words) ||
  isUnknownScript(program, words) ||
  isUnknownThere(program, words);

const hasUnknownValue = (program: string, words: readonly ShellWord[]): boolean => {
  const option = RUNS_VALUE.find(([name]) => name.test(program))?.[1];
  if (option === undefined) return false;
  return words.some((word, at) => {
    if (word.dynamic && /^(?:ex|vi|vim|nvim|view|less|more|most|man)$/.test(program) && word.text.startsWith('+'))
      return true;
    if (!option.test(word.text)) return false;
    return word.dynamic || (!word.text.includes('=') && words[at + 1]?.dynamic === true);
  });
};

const isUnknownBehind = (program: string, words: readonly ShellWord[]): boolean => {
  const found = RUNS_BEHIND.find(([name]) => name.test(program));
  if (found === undefined) return false;
  const [, word, plain] = found;
  const from = words.findIndex(({ text }) => word.test(text));
  if (from < 0) return false;
  let left = plain;
  for (let at = from + 1; at < words.length; at += 1) {
    const { text, dynamic } = words[at] as ShellWord;
    const before = words[at - 1]?.text ?? '';
    if (text === '--') left = 0;
    else if (!dynamic && text.startsWith('-')) continue;
    else if (
      at - 1 > from &&
      before.startsWith('-') &&
      before !== '--' &&
      !before.includes('=') &&
      !FLAGS_ALONE.test(before)
    )
      continue;
    else if (dynamic) return true;
    else if (left === 0) return program === 'tmux' && words.slice(at).some((each) => each.dynamic);
    else left -= 1;
  }
  return false;
};

/** `sed "s/a/$b/"`: what is put in may end the pattern and go on with an order. */
const isUnknownScript = (program: string, words: readonly ShellWord[]): boolean => {
  if (!SCRIPTED.test(program) || words.some(({ text }) => text === '--sandbox' || text === '--posix')) return false;
  let isGiven = false;
  for (const [at, word] of words.entries()) {
    if (SCRIPT_OPTION.test(word.text)) {
      isGiven = true;
      if (word.dynamic || words[at + 1]?.dynamic) return true;
    }
  }
  if (isGiven) return false;
  const first = words.find(
    ({ text }, at) => !text.startsWith('-') && !(/awk$/.test(program) && /^-[Fv]$/.test(words[at - 1]?.text ?? '')),
  );
  return first?.dynamic === true;
};

/** On another machine the words are put together to a line again; sqlite3 takes orders behind the name of its file. */
const isUnknownThere = (program: string, words: readonly ShellWord[]): boolean => {
  if (/^(?:ssh|mosh|rsh|autossh)$/.test(program)) return words.some(({ dynamic }) => dynamic);
  if (program !== 'sqlite3') return false;
  const file = words.findIndex(({ text }) => !text.startsWith('-'));
  return words.slice(file + 1).some(({ dynamic }) => dynamic);
};
