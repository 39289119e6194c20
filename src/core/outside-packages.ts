/**
 * Packages that are loaded when something needs them. Each may be missing, of another version, or damaged: what is said
 * then is the same for all of them, and names the command that mends it.
 */

export type OutsidePackage = {
  /** In the registry. */
  name: string;
  /** What halter is tried with, as package.json has it. */
  version: string;
  /** As people call it. */
  title: string;
  /** What is said where it is missing. */
  missing: string;
  /** Its inner modules are used, and the next minor version may not have them. */
  usesInnerModules?: true;
  /** npm does not install it with halter, or goes on where it cannot. */
  isOptional?: true;
};

/** What lies where Node looks for the package; no version: its package.json cannot be read. */
export type FoundPackage = { folder: string; version: string | undefined };

export const OUTSIDE_PACKAGES = {
  postgres: {
    name: 'pg',
    version: '8.23.1',
    title: 'The driver for PostgreSQL',
    missing: 'A database was named, and the driver for PostgreSQL is not installed.',
    isOptional: true,
  },
  queue: {
    name: '@dbos-inc/dbos-sdk',
    version: '5.3.0',
    title: 'DBOS',
    missing: 'Conversations are shared among workers by DBOS, and it is not installed.',
    usesInnerModules: true,
    isOptional: true,
  },
  engine: {
    name: 'node-llama-cpp',
    version: '3.21.1',
    title: 'The embedded engine',
    missing: 'The embedded engine (node-llama-cpp) is not installed.',
    isOptional: true,
  },
  terminals: {
    name: '@lydell/node-pty',
    version: '1.1.0',
    title: 'The package for terminals of background jobs',
    missing: 'Background jobs have no terminal: the package for it is not installed.',
    isOptional: true,
  },
  ripgrep: {
    name: '@vscode/ripgrep',
    version: '1.18.0',
    title: 'ripgrep',
    missing: 'The search needs ripgrep, which is not installed beside this program.',
  },
  system: {
    name: 'systeminformation',
    version: '5.33.23',
    title: 'The package that measures this machine',
    missing: 'The package that measures this machine is not installed.',
  },
  pdf: {
    name: 'unpdf',
    version: '1.7.0',
    title: 'The reader of PDF files',
    missing: 'The reader of PDF files is not installed.',
  },
  parser: {
    name: 'web-tree-sitter',
    version: '0.27.1',
    title: 'The parser of commands and code',
    missing: 'The parser of commands and code is not installed.',
  },
  mcp: {
    name: '@modelcontextprotocol/client',
    version: '2.4.0',
    title: 'The client for MCP servers',
    missing: 'The client for MCP servers is not installed.',
  },
} satisfies Readonly<Record<string, OutsidePackage>>;

/** The argument of `npm install`. */
export const packageToInstall = ({ name, version }: OutsidePackage): string => `${name}@${version}`;

const installWords = (one: OutsidePackage): string =>
  `Install it with \`npm install ${packageToInstall(one)}\`, with -g where halter was.`;

/** What is wrong, and what to do about it. */
export type PackageProblem = { message: string; advice: string };

const numbersOf = (version: string): readonly number[] | undefined =>
  /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+]|$)/.exec(version)?.slice(1).map(Number);

/** How many of its numbers must be the same: the major, and before 1.0.0 or with inner modules the minor as well. */
const series = ({ version, usesInnerModules }: OutsidePackage): number => {
  const [major = 0] = numbersOf(version) ?? [];
  return usesInnerModules || major === 0 ? 2 : 1;
};

const fits = (one: OutsidePackage, version: string): boolean => {
  const has = numbersOf(version);
  const needed = numbersOf(one.version) ?? [];
  if (has === undefined) return false;
  const fixed = series(one);
  const at = needed.findIndex((number, index) => has[index] !== number);
  return at === -1 || (at >= fixed && (has[at] ?? 0) > (needed[at] ?? 0));
};

/** Before it is loaded: one of another version may fail in ways that say nothing of it. */
export const wrongVersion = (one: OutsidePackage, found: FoundPackage): PackageProblem | undefined => {
  if (found.version === undefined || fits(one, found.version)) return undefined;
  const later = one.version.split('.').slice(0, series(one)).join('.');
  return {
    message: `${one.title} (${one.name}): found ${found.version} in ${found.folder}, needs ${one.version} or a later ${later}.`,
    advice: installWords(one),
  };
};

/** What Node could not load once, it does not load again. */
const START_AGAIN = 'Then start halter again.';

/** After it could not be loaded. `reason`: one line. */
export const notLoaded = (
  one: OutsidePackage,
  found: FoundPackage | undefined,
  reason: string | undefined,
): PackageProblem => {
  if (found === undefined && reason === undefined) return { message: one.missing, advice: installWords(one) };
  const version = found?.version === undefined ? '' : ` ${found.version}`;
  const what = found === undefined ? one.name : `found ${one.name}${version} in ${found.folder}`;
  return {
    message: `${one.title} (${what}) cannot be loaded${reason === undefined ? '' : `: ${reason}`}.`,
    advice: found === undefined ? installWords(one) : `Remove that folder. ${installWords(one)} ${START_AGAIN}`,
  };
};
