/**
 * Programs that run another one as one of their own commands: `uv run pytest`, `npm exec eslint`. A rule has to name what
 * they run, and then it is judged as what it is.
 */
import { closed, naming, type Objection, optionObjections, spelled, textsOf } from '../objections.ts';
import type { ShellCommand } from '../words.ts';
import { baseName } from '../wrappers.ts';
import { carriedObjections, handedObjections } from './carrying-options.ts';
import { tableOf } from './option-tables.ts';
import { sourceObjections } from './sources.ts';

type Runner = {
  /** The commands whose next word is a program. */
  runs?: RegExp;
  /** Commands that change settings, or run what they bring: a rule has to say them and the next word. */
  reaches?: RegExp;
  /** Commands that are its own. Any other is taken for a program, or a script of the project by that name. */
  own?: RegExp;
  /** It runs the package that its first word names. */
  always?: true;
};

const OWN_OF_PACKAGES =
  /^(?:add|i|install|ci|remove|rm|un|uninstall|up|update|upgrade|outdated|ls|ll|la|list|why|info|view|audit|licenses|bin|root|store|prune|dedupe|rebuild|pack|publish|version|versions|fetch|import|env|cache|help|t|tst|test|start|stop|restart|run|run-script|build|dev|lint|format|fmt|typecheck|type-check|coverage|e2e|docs|preview|serve|storybook|[a-z]+:[a-z:-]+)$/;
const RUNNERS: Readonly<Record<string, Runner>> = {
  npx: { always: true },
  bunx: { always: true },
  uvx: { always: true },
  pipx: { runs: /^run$/ },
  npm: {
    runs: /^(?:exec|x)$/,
    reaches:
      /^(?:init|innit|create|config|c|set|link|ln|explore|edit|pkg|install-script|adduser|login|token|owner|access|hook)$/,
  },
  pnpm: {
    runs: /^(?:exec|dlx)$/,
    reaches: /^(?:create|init|config|c|set|link|ln|patch|env|setup|-.*)$/,
    own: OWN_OF_PACKAGES,
  },
  yarn: {
    runs: /^(?:exec|dlx)$/,
    reaches: /^(?:create|init|config|link|plugin|set|unplug|node)$/,
    own: OWN_OF_PACKAGES,
  },
  bun: { runs: /^(?:x|exec|run)$/, reaches: /^(?:create|init|link|repl|upgrade)$/, own: OWN_OF_PACKAGES },
  uv: { runs: /^run$/, reaches: /^(?:tool|python|pip|self|publish)$/ },
  poetry: { runs: /^run$/, reaches: /^(?:shell|config|self|publish)$/ },
  pipenv: { runs: /^run$/, reaches: /^(?:shell|open)$/ },
  pdm: { runs: /^run$/, reaches: /^(?:config|plugin|self)$/ },
  rye: { runs: /^run$/ },
  hatch: { runs: /^run$/, reaches: /^(?:shell|config|env|test)$/ },
  bundle: { runs: /^exec$/, reaches: /^(?:config|open|plugin|console)$/ },
  bundler: { runs: /^exec$/, reaches: /^(?:config|open|plugin|console)$/ },
  conda: { runs: /^run$/, reaches: /^config$/ },
  mamba: { runs: /^run$/ },
  micromamba: { runs: /^run$/ },
  mise: { runs: /^(?:exec|x)$/, reaches: /^(?:run|r|set|use|trust|settings|task|tasks)$/ },
  asdf: { runs: /^exec$/, reaches: /^plugin$/ },
  rbenv: { runs: /^exec$/ },
  pyenv: { runs: /^exec$/ },
  nodenv: { runs: /^exec$/ },
  rustup: { reaches: /^(?:run|override|default|toolchain|self)$/ },
  direnv: { reaches: /^(?:exec|allow|edit|reload)$/ },
  nix: { reaches: /^(?:run|shell|develop|eval|build|repl|profile|fmt)$/ },
  opam: { runs: /^exec$/, reaches: /^(?:config|pin|repo|option)$/ },
  dune: { runs: /^exec$/ },
  stack: { runs: /^(?:exec|run|runghc|runhaskell)$/, reaches: /^(?:eval|ghci|ghc|script)$/ },
  cabal: { runs: /^exec$/, reaches: /^repl$/ },
  op: { runs: /^run$/, reaches: /./ },
  doppler: { runs: /^run$/ },
  cargo: { reaches: /^(?:watch|install|script|make|xtask|login|publish|owner|config)$/ },
  mix: { reaches: /^(?:run|cmd|eval|do|archive\..*|escript\..*|local\..*|phx\.new)$/ },
  go: { reaches: /^(?:generate|run|install|get|tool|env)$/ },
};
const QUESTION = /^(?:--version|-v|-V|--help|-h)$/;
const QUIET = /^(?:-s|-q|-r|--silent|--quiet|--recursive|--no-color|--no-progress)$/;
/** Programs that are scripts of the project to the package managers, whatever they are called there. */
const PACKAGES = /^(?:npm|pnpm|yarn|bun)$/;

/** Undefined where the program is none of them. `judge` says what there is to say against what they run. */
export const runnerObjections = (
  command: ShellCommand,
  judge: (command: ShellCommand) => Objection[],
): Objection[] | undefined => {
  const words = textsOf(command);
  const name = baseName(words[0] ?? '');
  const runner = Object.hasOwn(RUNNERS, name) ? (RUNNERS[name] as Runner) : undefined;
  if (runner === undefined) return undefined;
  if (words.length === 2 && QUESTION.test(words[1] as string)) return [];
  const at = runner.always ? 0 : words.findIndex((word, index) => index > 0 && !word.startsWith('-'));
  const before = words
    .slice(1, at < 0 ? undefined : Math.max(at, 1))
    .flatMap((word, index) => (QUIET.test(word) ? [] : [spelled(index + 1, `${word} changes what ${name} does`)]));
  if (at < 0) return before;
  const what = at === 0 ? '' : (words[at] as string);
  if (runner.always || runner.runs?.test(what)) return [...before, ...programBehind(command, name, at, judge)];
  const end = words.indexOf('--', at);
  const found = [
    ...before,
    ...optionObjections(tableOf(PACKAGES.test(name) ? 'npm' : name), command.words, at + 1),
    ...carriedObjections(name, words, at + 1),
    ...(end > 0 ? handedObjections(words, end + 1) : []),
    ...sourceObjections(name, words, at),
  ];
  // `yarn workspace web exec …`
  if (PACKAGES.test(name) && words.some((word, index) => index > at + 1 && /^(?:exec|dlx|foreach)$/.test(word))) {
    found.push(closed(words.length - 1, `${name} ${what} runs other programs`));
  }
  if (runner.reaches?.test(what)) {
    found.push(spelled(Math.min(at + 1, words.length - 1), `${name} ${what} runs or sets what it is told to`));
  } else if (runner.own !== undefined && !runner.own.test(what)) {
    found.push(naming(at, `${name} ${what} may be any program`));
  }
  return found;
};

const programBehind = (
  command: ShellCommand,
  name: string,
  at: number,
  judge: (command: ShellCommand) => Objection[],
): Objection[] => {
  const words = textsOf(command);
  let first = at + 1;
  if (words[first] === '--') first += 1;
  const program = words[first];
  if (program === undefined || program.startsWith('-')) return [closed(at, `${name} runs other programs`)];
  const inner = judge({ ...command, words: command.words.slice(first) });
  return [
    naming(first, `${name} runs ${program}`),
    ...inner.map((objection) => ({ ...objection, word: objection.word + first })),
  ];
};
