/** Grammars of tree-sitter, each loaded when the first file of its language comes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Parser, Tree, Language as TreeLanguage } from 'web-tree-sitter';
import { OUTSIDE_PACKAGES } from '../core/outside-packages.ts';
import { loadPackage } from '../disk/load-package.ts';
import { packageFile } from '../disk/own-package.ts';
import { LANGUAGES, type Language, type LanguageName } from './languages.ts';
import { createColumns, fillByCursor, type NodeColumns } from './syntax/node-columns.ts';
import { type Patterns, readPatterns } from './syntax/patterns.ts';
import { createTreeReader, type LibraryMemory, readTables } from './syntax/tree-memory.ts';

export type Grammar = {
  language: Language;
  parser: Parser;
  patterns: Patterns;
  /** The tree as columns, which are good until the next tree is read. */
  columnsOf(tree: Tree): NodeColumns;
};

/** A build lays the grammars into one folder; a checkout has them among its packages. */
const GRAMMAR_FOLDER = '../grammars/';
export const grammarFiles = (): { package: string; wasm: string }[] =>
  LANGUAGES.map((language) => ({ package: language.package, wasm: language.wasm }));

const readGrammar = async (language: Language): Promise<Uint8Array> => {
  const file = packageFile('grammars/', new URL(`${GRAMMAR_FOLDER}${language.wasm}`, import.meta.url));
  if (!file.ok) throw new Error(file.error.message);
  try {
    return await readFile(file.value);
  } catch {
    return readFile(createRequire(import.meta.url).resolve(`${language.package}/${language.wasm}`));
  }
};

const loaded = new Map<LanguageName, Promise<Grammar>>();
let library: Promise<typeof import('web-tree-sitter')> | undefined;
/** Stays empty where another part of this thread started the library first. */
export const libraryMemory: LibraryMemory = {};

const openLibrary = async (): Promise<typeof import('web-tree-sitter')> => {
  const module = await loadPackage(OUTSIDE_PACKAGES.parser, () => import('web-tree-sitter'));
  if (!module.ok) throw new Error(module.error.message);
  await module.value.Parser.init(libraryMemory);
  return module.value;
};

const load = async (language: Language): Promise<Grammar> => {
  library ??= openLibrary();
  const [{ Language: Grammars, Parser: ParserClass }, bytes] = await Promise.all([library, readGrammar(language)]);
  const grammar: TreeLanguage = await Grammars.load(bytes);
  const parser = new ParserClass();
  parser.setLanguage(grammar);
  return {
    language,
    parser,
    patterns: readPatterns(grammar, language.query),
    columnsOf: createColumnsOf(libraryMemory),
  };
};

/** Nodes of one tree by its cursor: room for a file of the largest kind that is indexed. */
const roomFor = (tree: Tree): number => tree.rootNode.descendantCount + 1;

const byCursor = (tree: Tree): NodeColumns => {
  const columns = createColumns(roomFor(tree));
  fillByCursor(tree, columns);
  return columns;
};

const sameColumns = (one: NodeColumns, other: NodeColumns): boolean => {
  if (one.count !== other.count) return false;
  for (const name of ['symbol', 'field', 'start', 'end', 'startRow', 'endRow', 'after'] as const) {
    for (let row = 0; row < one.count; row += 1) if (one[name][row] !== other[name][row]) return false;
  }
  return true;
};

/** Trees of so many nodes show every kind of place in the memory; smaller ones are all looked at both ways. */
const ENOUGH_NODES = 500;

/** Out of the memory, once that has given the same as the cursor for the first trees of the grammar. */
export const createColumnsOf = (from: LibraryMemory): Grammar['columnsOf'] => {
  let reader: ReturnType<typeof createTreeReader> | undefined;
  let trusted: boolean | undefined = from.HEAPU32 === undefined ? false : undefined;
  return (tree) => {
    if (trusted === false) return byCursor(tree);
    const root = tree.rootNode.id;
    if (reader === undefined) {
      const tables = readTables(from, root);
      if (tables !== undefined) reader = createTreeReader(from, tables);
    }
    if (reader?.fill(root) !== true) {
      // A very deep tree is no sign of another memory.
      if (trusted === undefined) trusted = false;
      return byCursor(tree);
    }
    if (trusted) return reader.columns;
    const sure = byCursor(tree);
    if (!sameColumns(reader.columns, sure)) trusted = false;
    else if (sure.count >= ENOUGH_NODES) trusted = true;
    return sure;
  };
};

export const openGrammar = (language: Language): Promise<Grammar> => {
  let opening = loaded.get(language.name);
  if (opening === undefined) {
    opening = load(language);
    loaded.set(language.name, opening);
  }
  return opening;
};
