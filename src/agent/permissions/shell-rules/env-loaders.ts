/** Programs that read a `.env` of the folder by themselves, and print what stood in it or let the command behind them print it. */
import { codeOption, gluedCode, isShell, SHELL_OPTION } from './interpreters.ts';
import { behindOrder } from './uploads.ts';
import { baseName, withoutVersion } from './wrappers.ts';

/**
 * `order`: the words that make it do so, with options between them; `unless`: options that print no values; `code`: what
 * follows is code, which has to speak of it.
 */
type Loader = { program: RegExp; order?: readonly RegExp[]; unless?: RegExp; code?: RegExp };

const COMPOSE: readonly Omit<Loader, 'unless'>[] = [
  { program: /^(?:docker|podman|nerdctl)-compose$/, order: [] },
  { program: /^(?:docker|podman|nerdctl)$/, order: [/^compose$/] },
];
const composed = (word: RegExp, unless?: RegExp): Loader[] =>
  COMPOSE.map(({ program, order = [] }) => ({ program, order: [...order, word], ...(unless ? { unless } : {}) }));

/** Symfony's. */
const CONSOLE = [
  { program: /^console$/, order: [] },
  { program: /^symfony$/, order: [/^console$/] },
];
const OF_SETTINGS = /env|\bos\b|\bconfig\b|\bsettings\b|credentials|secret|eval|exec/i;
const PRINTS: readonly Loader[] = [
  ...composed(
    /^(?:config|convert)$/,
    /^(?:-q|--quiet|--services|--volumes|--images|--profiles|--networks|--models|--hash)(?:=|$)/,
  ),
  { program: /^dotenv(?:-cli|-rust)?$/, order: [/^(?:list|get)$/] },
  { program: /^dotenvx$/, order: [/^(?:get|decrypt|keypair)$/] },
  { program: /^direnv$/, order: [/^(?:export|dump|show_dump|apply_dump)$/] },
  { program: /^(?:mise|rtx)$/, order: [/^(?:env|e|set)$/] },
  { program: /^(?:serverless|sls)$/, order: [/^print$/] },
  { program: /^artisan$/, order: [/^(?:config:show|env:decrypt)$/] },
  { program: /^artisan$/, order: [/^tinker$/], code: OF_SETTINGS },
  { program: /^rails$/, order: [/^(?:runner|r)$/], code: OF_SETTINGS },
  ...CONSOLE.flatMap(({ program, order }) => [
    { program, order: [...order, /^(?:debug:dotenv|secrets:(?:list|reveal)|about)$/] },
    { program, order: [...order, /^debug:container$/], code: /^--env-var/ },
  ]),
  { program: /^flask$/, order: [/^shell$/] },
  { program: /^manage\.py$/, order: [/^diffsettings$/] },
  { program: /^manage\.py$/, order: [/^shell(?:_plus)?$/], code: OF_SETTINGS },
];
/** What they print of all that they know is asked for by an option. */
const PRINTING_OPTIONS: Readonly<Record<string, RegExp>> = {
  just: /^--(?:evaluate|command|dump)$|^-[a-z]*c$/,
  make: /^-[a-z]*p[a-z]*$|^--print-d/,
  gmake: /^-[a-z]*p[a-z]*$|^--print-d/,
};
const RUNS: readonly Loader[] = [
  ...composed(/^(?:run|exec)$/),
  { program: /^pipenv$/, order: [/^run$/] },
  { program: /^(?:dotenv(?:-cli|-rust)?|dotenvx|env-cmd|bunx)$/ },
  { program: /^bun$/, order: [/^(?:run|x|exec)$/] },
  { program: /^(?:foreman|honcho)$/, order: [/^run$/] },
  { program: /^heroku$/, order: [/^local:run$/] },
  { program: /^(?:direnv|mise|rtx)$/, order: [/^(?:exec|x)$/] },
];
/** A library that loads it, in code or as an option of the interpreter. */
const LIBRARIES = /dotenv|loadEnvFile|parseEnv|\benvirons\b|\bdecouple\b|dynaconf|pydantic_settings|@next\/env/i;

/** True where what stands in a `.env` may come out. */
export const showsLoaded = (words: readonly string[]): boolean => {
  const program = withoutVersion(words[0] ?? '');
  const rest = words.slice(1);
  const behind = (list: readonly Loader[]): readonly (readonly string[])[] =>
    list
      .filter((each) => each.program.test(program))
      .flatMap(({ order = [], code, unless }) =>
        behindOrder(rest, order).filter(
          (told) =>
            !told.some((word) => unless?.test(word)) && (code === undefined || told.some((word) => code.test(word))),
        ),
      );
  if (behind(PRINTS).length > 0) return true;
  if (Object.hasOwn(PRINTING_OPTIONS, program) && rest.some((word) => PRINTING_OPTIONS[program]?.test(word)))
    return true;
  if (behind(RUNS).some((told) => told.some((_, at) => printsEnvironment(told.slice(at))))) return true;
  return loadsInCode(program, words) || runsScript(program, rest);
};

const PRINTER = /^(?:env|printenv|set|export|declare|typeset|compgen|envsubst)$/;
/** They print it, or let another program do so, where one of their words says it. */
const PRINTS_WHERE_TOLD: readonly (readonly [program: RegExp, word: RegExp])[] = [
  [/^(?:[gmn]?awk|goawk)$/, /ENVIRON|SYMTAB|PROCINFO|system\s*\(|getline|(?<!\|)\|(?!\|)|@/],
  [/^(?:go|j)?jq$|^[yjtx]q$|^jaq$|^gomplate$|^j2$/, /env/i],
  [/^ps$/, /^(?!-)[a-zA-Z]*e[a-zA-Z]*$|^-[a-zA-Z]*E|environ/],
  [/^php[\d.]*$/, /^(?:-[a-zA-Z]*i|--info)$/],
  [/^(?:gdb|lldb|sqlite3|vim?|nvim|ex|ed|m4|tmux|screen|expect)$/, /env|[!|]|shell|system|print/i],
];
const printsEnvironment = (words: readonly string[]): boolean => {
  const program = withoutVersion(words[0] ?? '');
  if (PRINTER.test(program)) return true;
  if (PRINTS_WHERE_TOLD.some(([name, told]) => name.test(program) && words.slice(1).some((word) => told.test(word))))
    return true;
  const option = isShell(program) ? SHELL_OPTION : codeOption(program)?.test;
  const at =
    option === undefined ? -1 : words.findIndex((word, index) => index > 0 && option.test(word.split('=')[0] ?? ''));
  const code = at < 0 ? gluedCode(program, words) : words.slice(at).join(' ');
  return code !== undefined && (isShell(program) ? OF_SHELL : OF_CODE).test(code);
};
const OF_SHELL = /\b(?:env|printenv|set|export|declare|typeset|compgen|eval)\b|\$(?!\()/;
const OF_CODE =
  /env|\bos\b|process|\b(?:Deno|Bun|globals|globalThis|vars|eval|exec|system|popen|posix|pty)\b|_SERVER|phpinfo|defined_vars|__(?:import|builtins|dict)__|\[|`/i;

/** `node -r dotenv/config -e …`, and what loads it unasked. */
const loadsInCode = (program: string, words: readonly string[]): boolean => {
  const option = codeOption(program)?.test;
  const hasCode =
    gluedCode(program, words) !== undefined ||
    (option !== undefined && words.some((word, at) => at > 0 && option.test(word.split('=')[0] ?? '')));
  if (/^bun$/.test(program)) return hasCode && words.some((word) => OF_CODE.test(word));
  if (program === 'deno')
    return /^(?:eval|repl)$/.test(words[1] ?? '') && words.some((word) => /^--env(?:-file)?(?:=|$)/.test(word));
  return hasCode && words.some((word) => LIBRARIES.test(word));
};

/** `python3 manage.py shell`, `php artisan tinker`, `python3 -m dotenv list`. */
const runsScript = (program: string, rest: readonly string[]): boolean => {
  if (!/^(?:python|pypy|php|ruby)[\d.]*$/.test(program)) return false;
  const at = rest.findIndex((word, index) => !word.startsWith('-') || rest[index - 1] === '-m');
  const [script = '', ...others] = rest.slice(at);
  return (
    at >= 0 &&
    /^(?:dotenv|flask|honcho|manage\.py|artisan|console|rails)$/.test(baseName(script)) &&
    showsLoaded([baseName(script), ...others])
  );
};
