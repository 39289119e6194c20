/** Grammars of tree-sitter, each loaded when the first file of its language comes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Parser, Query } from 'web-tree-sitter';
import { LANGUAGES, type Language, type LanguageName } from './languages.ts';

export type Grammar = { language: Language; parser: Parser; query: Query };

/** A build lays the grammars into one folder; a checkout has them among its packages. */
const GRAMMAR_FOLDER = '../grammars/';
export const grammarFiles = (): { package: string; wasm: string }[] =>
  LANGUAGES.map((language) => ({ package: language.package, wasm: language.wasm }));

const readGrammar = async (language: Language): Promise<Uint8Array> => {
  try {
    return await readFile(new URL(`${GRAMMAR_FOLDER}${language.wasm}`, import.meta.url));
  } catch {
    return readFile(createRequire(import.meta.url).resolve(`${language.package}/${language.wasm}`));
  }
};

const loaded = new Map<LanguageName, Promise<Grammar>>();
let library: Promise<typeof import('web-tree-sitter')> | undefined;

const openLibrary = async (): Promise<typeof import('web-tree-sitter')> => {
  const module = await import('web-tree-sitter');
  await module.Parser.init();
  return module;
};

const load = async (language: Language): Promise<Grammar> => {
  library ??= openLibrary();
  const [{ Language: Grammars, Parser: ParserClass, Query: QueryClass }, bytes] = await Promise.all([
    library,
    readGrammar(language),
  ]);
  const grammar = await Grammars.load(bytes);
  const parser = new ParserClass();
  parser.setLanguage(grammar);
  return { language, parser, query: new QueryClass(grammar, language.query) };
};

export const openGrammar = (language: Language): Promise<Grammar> => {
  let opening = loaded.get(language.name);
  if (opening === undefined) {
    opening = load(language);
    loaded.set(language.name, opening);
  }
  return opening;
};
