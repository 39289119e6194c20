/**
 * Options that carry a program, code, settings, a host or a file, told by the words of their name: they mean the same to
 * most programs (`--registry`, `--config`, `--globalSetup`, `--outputFile`, `--config.registry`). An option without a value
 * carries nothing.
 */
import { type Objection, spelled } from '../objections.ts';

const CARRYING: ReadonlySet<string> = new Set(
  (
    'registry proxy proxies host hostname hosts url uri server servers endpoint remote address socket interface auth token password username ' +
    'config configuration configfile configs rc rcfile settings ini userconfig globalconfig pnpmfile gemfile makefile manifest lockfile requirement constraint index bootstrap ' +
    'plugin plugins extension extensions require import imports loader loaders preload setup teardown hook hooks script scripts module modules provider resolver ' +
    'transform transforms transformer processor sequencer serializer serializers extractor runner driver haste interpreter compiler linker toolchain sdk ' +
    'exec execute eval command cmd shell pager editor browser viewer argv wrapper launcher python ' +
    'dir dirs rootdir directory directories folder root roots path paths prefix cwd workspace workspaces projects location ' +
    'file files outfile outdir out output log logs logfile archive trace cert certificate key keyfile ca cafile cacert capath cafingerprint'
  ).split(' '),
);
/** These name one of a few kinds, or code: only the value says which. */
const SOMETIMES: ReadonlySet<string> = new Set(
  'reporter reporters environment env pool ui format formatter filter parser target report template theme preset engine backend'.split(
    ' ',
  ),
);
/** Whole names whose words say too little. */
const NAMES: ReadonlySet<string> = new Set([
  'generate-cpu-profile',
  'node-options',
  'node-option',
  'node-arg',
  'use-node-version',
]);

const PLACE = /^(?!profile$).+(?:dir|path|file|folder)$/;

/** A path, an address, or a name of a file with code or settings. */
const SHAPED =
  /^[./~]|:\/\/|^[^\s=]*[/\\][^\s=]*\.\w+$|\.(?:[cm]?[jt]sx?|json5?|ya?ml|toml|ini|conf|cfg|py|rb|sh|pl|lua|so|dll|dylib|jar|wasm|exe|node)$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Programs whose options mean something else by these names; their tables say what carries. */
const BY_THEIR_TABLE: ReadonlySet<string> = new Set(
  'kubectl oc helm cmake ninja tar bsdtar gtar zip rm cp mv ln mkdir touch chmod chown tee split ssh scp sftp wget gradle gradlew mvn mvnw'.split(
    ' ',
  ),
);

/** Short options that carry, and those where the value says so. */
const SHORT: Readonly<Record<string, { always: string; shaped?: string }>> = {
  vitest: { always: 'cr' },
  jest: { always: 'c' },
  mocha: { always: 'rn', shaped: 'Ru' },
  eslint: { always: 'co', shaped: 'f' },
  ruff: { always: 'o' },
  stylelint: { always: 'co', shaped: 'f' },
  rollup: { always: 'cpo' },
  webpack: { always: 'co' },
  tsup: { always: 'd' },
  black: { always: 'c' },
  'sphinx-build': { always: 'cdw' },
  rspec: { always: 'rIO', shaped: 'fo' },
  phpunit: { always: 'c' },
};
/** Behind `npm test --` nobody knows whose options they are. */
const SCRIPT_SHORT = { always: '', shaped: 'crRfo' };

export const carriedObjections = (program: string, words: readonly string[], from: number): Objection[] => {
  if (BY_THEIR_TABLE.has(program)) return [];
  const short = Object.hasOwn(SHORT, program) ? SHORT[program] : undefined;
  return found(words, from, words.length, short);
};

/** What a script of the project is handed behind `--`. */
export const handedObjections = (words: readonly string[], from: number): Objection[] =>
  found(words, from, words.length, SCRIPT_SHORT);

/** A script of the person's own: its options are not known, so what looks like an address or like settings is no plain word. */
export const handedToScript = (words: readonly string[]): Objection[] =>
  words.flatMap((word, at) => {
    if (at === 0) return [];
    const value = word.startsWith('-') ? carriedValue(words, at) : word;
    // What stands behind a switch of one letter is mostly a file to work on.
    const shape = /^-[A-Za-z]$/.test(word) ? SETTINGS : HOST_OR_FILE;
    const isCarried = value !== undefined && (ELSEWHERE.test(value) || (word.startsWith('-') && shape.test(value)));
    return isCarried ? [spelled(at, `${word} may carry a program, a host or a file`)] : [];
  });
const ELSEWHERE =
  /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+(?::|$)|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|^[\w-]+(?:\.[\w-]+)*:\d+$/i;
const SETTINGS = /\.(?:conf|cfg|ini|ya?ml|toml|env|rc)$/;
const HOST_OR_FILE = /^[./~]|^[\w-]+(?:\.[\w-]+)+(?::\d+)?$|\//;

const found = (
  words: readonly string[],
  from: number,
  to: number,
  short: { always: string; shaped?: string } | undefined,
): Objection[] => {
  const objections: Objection[] = [];
  for (let at = from; at < to; at += 1) {
    const word = words[at] as string;
    const value = carriedValue(words, at);
    if (!word.startsWith('-') || value === undefined) continue;
    if (LONG.test(word) ? carries(word, value) : shortCarries(word, value, short)) {
      objections.push(spelled(at, `${word} may carry a program, a host or a file`));
    }
  }
  return objections;
};

/** Some programs write long options with one dash: `-var-file`. */
const LONG = /^--|^-[a-z]{2,}-[a-z]/;

/** What stands behind `=`, or the next word where it is no option. */
const carriedValue = (words: readonly string[], at: number): string | undefined => {
  const word = words[at] as string;
  const sign = word.indexOf('=');
  if (sign > 0) return word.slice(sign + 1);
  if (/^-[A-Za-z]./.test(word) && !LONG.test(word)) return word.slice(2);
  const next = words[at + 1];
  return next === undefined || /^-./.test(next) ? undefined : next;
};

/** They take no value, whatever follows. */
const SWITCHES = /^--(?:ignore-(?:missing-imports|scripts|engines|platform-reqs|optional|workspace)|no-[a-z-]+)$/;
const carries = (word: string, value: string): boolean => {
  if (SWITCHES.test(word)) return false;
  const name = word.replace(/^-+/, '').split('=')[0] as string;
  if (word.includes('=') && ADDRESS.test(value)) return true;
  if (/^no-/.test(name) && !word.includes('=')) return false;
  const parts = nameWords(name);
  if (NAMES.has(parts.join('-')) || parts.some((part) => CARRYING.has(part) || PLACE.test(part))) {
    return !/^(?:formats?|patterns?)$/.test(parts.at(-1) ?? '');
  }
  return SHAPED.test(value) && parts.some((part) => SOMETIMES.has(part));
};

const shortCarries = (word: string, value: string, short: { always: string; shaped?: string } | undefined): boolean => {
  const letter = word[1] ?? '';
  if (short === undefined || letter === '') return false;
  return short.always.includes(letter) || ((short.shaped?.includes(letter) ?? false) && SHAPED.test(value));
};

/** `coverage.customProviderModule` → coverage custom provider module. */
const nameWords = (name: string): string[] =>
  name
    .slice(0, NAME_CHARACTERS)
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
const NAME_CHARACTERS = 200;
