/** Files that a line writes, and which programs of it may run what is in them. */
import { isPrinter, isReader } from './objections/option-tables.ts';
import type { Fed } from './printed-text.ts';
import { isNoReader } from './tree-readers.ts';
import { baseName } from './wrappers.ts';

/** They read, change, compare, pack or check files, and run none of them. */
const RUNS_NOTHING = new RegExp(
  `^(?:${(
    'chmod chown git tee cp mv ln dd curl wget scp rsync kubectl gh patch dos2unix unix2dos truncate file stat install rm mkdir touch kill sleep ' +
    'prettier eslint tsc biome ruff black isort mypy pyright flake8 pylint shellcheck shfmt gofmt rustfmt clang-format gcc cc g\\+\\+ c\\+\\+ clang clang\\+\\+ ' +
    'javac jq yq tar zip unzip gzip code nano md5sum sha256sum set export cd wait read test \\[ true exit unset printf jobs'
  )
    .split(' ')
    .join('|')})$`,
);
export const runsNothing = (words: readonly string[]): boolean => {
  const named = /^(?:npx|bunx|pnpx)$/.test(words[0] ?? '')
    ? words.slice(1).find((word) => !word.startsWith('-'))
    : words[0];
  const program = baseName(named ?? '');
  return RUNS_NOTHING.test(program) || isReader(program) || isPrinter(program) || isNoReader(program);
};

/** Whatever reads them takes them as data. */
const DATA =
  /\.(?:md|txt|csv|tsv|log|html?|css|s[ac]ss|svg|xml|ya?ml|toml|ini|conf|cfg|lock|sql|png|jpe?g|gif|pdf|diff|patch|out|bak|orig|gitignore|pid)$|(?<!(?:package|deno|composer|\.code-workspace))\.jsonc?$/i;
export const isData = (name: string): boolean => DATA.test(name);

export type Written = {
  fed: Fed;
  /** What came in over the network, or was put together, and not what a program of the person made. */
  isBrought: boolean;
};
const BRINGS =
  /\b(?:curl|wget|nc|ncat|socat|ssh|base64|base32|basenc|xxd|openssl|gunzip|zcat|tr|rev|printf|echo|sed|awk|gpg)\b/;
export const isBroughtBy = (source: string): boolean => BRINGS.test(source);

const LANGUAGES: readonly (readonly [ending: RegExp, program: string])[] = [
  [/\.pyw?$|\.pth$/, 'python3'],
  [
    /\.(?:[cm]?[jt]sx?|go|rs|c|cc|cpp|java|kt|cs|swift|scala|ex|exs|clj|el|lisp|scm|jl|r|cmake|ps1|awk|tcl)$|^CMakeLists\.txt$/i,
    'node',
  ],
  [/\.rb$|(?:^|\/)(?:Rakefile|Gemfile)$/, 'ruby'],
  [/\.p[lm]$/, 'perl'],
  [/\.php$/, 'php'],
  [/\.lua$/, 'lua'],
];
/** The program that is told what is in a file of this name, by an option that has it in a word. */
export const languageOf = (name: string, text: string): string => {
  const [, told] = /^#!\s*\S*\/(?:env\s+(?:-\S+\s+)*)?([\w.]+)/.exec(text) ?? [];
  return told ?? LANGUAGES.find(([ending]) => ending.test(name))?.[1] ?? 'sh';
};

/** As lines of a shell: what a makefile or a list of scripts has of its own is taken away. */
export const shellLines = (name: string, text: string): string[] => {
  if (/\.jsonc?$/.test(name))
    return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
      .map(([, inner = '']) => inner)
      .filter((inner) => /\s/.test(inner));
  if (!/(?:^|\/)(?:GNU)?[Mm]akefile|\.mk$|(?:^|\/)\.?[Jj]ustfile$|(?:^|\/)Dockerfile/.test(name)) return [text];
  return text
    .replaceAll(/\$\(shell\s+([^()]*)\)/g, '`$1`')
    .replaceAll(/\$\(\w+\)/g, 'x')
    .replaceAll('$$', '$')
    .split('\n')
    .map((each) => each.replace(/^[^\s=:]*\s*:(?!=)[^;]*;?|^RUN\s+/, '').replace(/^[\s@+-]+/, ''))
    .filter((each) => each !== '');
};

/** Files that a command writes by its own words: `-o t.sh`, `of=t.sh`, the last part of an address. */
export const fetchedFiles = (words: readonly string[]): string[] => {
  const program = baseName(words[0] ?? '');
  const behind = (option: RegExp): string[] =>
    words.flatMap((word, at) =>
      option.test(word) ? [words[at + 1] ?? ''] : (/^--[\w-]+=(.*)$/s.exec(word)?.slice(1) ?? []),
    );
  if (program === 'dd') return words.flatMap((word) => /^of=(.*)$/s.exec(word)?.slice(1) ?? []);
  if (/^(?:curl|wget|http|https|xh|aria2c)$/.test(program)) {
    const last = words.map((word) => /^\w+:\/\/[^?#]*\/([^/?#]+)/.exec(word)?.[1] ?? '').filter((word) => word !== '');
    const glued = words.flatMap((word) => /^-[A-Za-z]*[oO](.+)$/s.exec(word)?.slice(1) ?? []);
    return [...behind(/^-[A-Za-z]*[oO]$|^--output(?:-document)?$/), ...glued, ...last];
  }
  if (/^(?:openssl|gpg|base64|basenc|sed|awk)$/.test(program)) return behind(/^-(?:out|o|-output)$/);
  if (/^(?:scp|sftp|rsync)$/.test(program) || program === 'xxd') return words.slice(-1);
  return [];
};
