/** The programming languages that files are cut and linked in, by the endings of their names. */
import * as queries from './language-queries.ts';

export type LanguageName = 'typescript' | 'tsx' | 'javascript' | 'python' | 'go' | 'rust' | 'c' | 'cpp' | 'java';

export type Language = {
  name: LanguageName;
  endings: readonly string[];
  /** The grammar's file, and the package that has it in a checkout. */
  wasm: string;
  package: string;
  query: string;
  /** A line that belongs to the comment or decorator above a definition. */
  leading: RegExp;
  /** Where names of the same folder are visible without an import. */
  sharesFolder: boolean;
};

const SLASHES = /^\s*(?:\/\/|\/\*|\*|@\w)/;
const HASHES = /^\s*(?:#|@\w)/;

export const LANGUAGES: readonly Language[] = [
  {
    name: 'typescript',
    endings: ['.ts', '.mts', '.cts'],
    wasm: 'tree-sitter-typescript.wasm',
    package: 'tree-sitter-typescript',
    query: queries.TYPESCRIPT,
    leading: SLASHES,
    sharesFolder: false,
  },
  {
    name: 'tsx',
    endings: ['.tsx'],
    wasm: 'tree-sitter-tsx.wasm',
    package: 'tree-sitter-typescript',
    query: queries.TSX,
    leading: SLASHES,
    sharesFolder: false,
  },
  {
    name: 'javascript',
    endings: ['.js', '.mjs', '.cjs', '.jsx'],
    wasm: 'tree-sitter-javascript.wasm',
    package: 'tree-sitter-javascript',
    query: queries.JAVASCRIPT,
    leading: SLASHES,
    sharesFolder: false,
  },
  {
    name: 'python',
    endings: ['.py', '.pyi'],
    wasm: 'tree-sitter-python.wasm',
    package: 'tree-sitter-python',
    query: queries.PYTHON,
    leading: HASHES,
    sharesFolder: false,
  },
  {
    name: 'go',
    endings: ['.go'],
    wasm: 'tree-sitter-go.wasm',
    package: 'tree-sitter-go',
    query: queries.GO,
    leading: SLASHES,
    sharesFolder: true,
  },
  {
    name: 'rust',
    endings: ['.rs'],
    wasm: 'tree-sitter-rust.wasm',
    package: 'tree-sitter-rust',
    query: queries.RUST,
    leading: /^\s*(?:\/\/|\/\*|\*|#!?\[)/,
    sharesFolder: false,
  },
  {
    name: 'c',
    endings: ['.c', '.h'],
    wasm: 'tree-sitter-c.wasm',
    package: 'tree-sitter-c',
    query: queries.C,
    leading: SLASHES,
    sharesFolder: false,
  },
  {
    name: 'cpp',
    endings: ['.cc', '.cpp', '.cxx', '.hpp', '.hh', '.hxx'],
    wasm: 'tree-sitter-cpp.wasm',
    package: 'tree-sitter-cpp',
    query: queries.CPP,
    leading: SLASHES,
    sharesFolder: false,
  },
  {
    name: 'java',
    endings: ['.java'],
    wasm: 'tree-sitter-java.wasm',
    package: 'tree-sitter-java',
    query: queries.JAVA,
    leading: SLASHES,
    sharesFolder: true,
  },
];

const BY_ENDING = new Map(LANGUAGES.flatMap((language) => language.endings.map((ending) => [ending, language])));

/** `.ts` of `src/a.ts`; empty where there is none. Lower case. */
export const endingOf = (path: string): string => /[^./](\.[^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const languageOf = (path: string): Language | undefined => BY_ENDING.get(endingOf(path));

export const languageNamed = (name: string): Language | undefined =>
  LANGUAGES.find((language) => language.name === name);
