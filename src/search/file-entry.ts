/** What a parser and a cutter made of a file → the rows that an index keeps of it. */
import type { FileEntry, FileFacts } from '../core/index-port.ts';
import type { Chunk } from './chunks.ts';
import { fileKeys, moduleKey } from './imports.ts';
import type { LanguageName } from './languages.ts';
import { type Outline, qualifiedName, REFERENCE_KINDS } from './outline.ts';
import { indexedText } from './words.ts';

export type FileContents = { lines: readonly string[]; chunks: readonly Chunk[]; outline?: Outline };

const NO_OUTLINE: Outline = { definitions: [], references: [], imports: [] };

export const fileEntry = (facts: FileFacts, { lines, chunks, outline = NO_OUTLINE }: FileContents): FileEntry => ({
  facts,
  pathWords: indexedText(facts.path),
  keys: fileKeys(facts.path),
  symbols: outline.definitions.map(({ name, kind, parent, lineStart, lineEnd }, at) => ({
    name,
    kind,
    parent,
    fullName: qualifiedName(outline.definitions, at),
    lineStart,
    lineEnd,
  })),
  references: outline.references.map(({ name, kind, within, line }) => ({
    name,
    kind: REFERENCE_KINDS.indexOf(kind),
    within,
    line,
  })),
  imports: outline.imports.map(({ module, names, line }) => ({
    key: moduleKey(facts.language as LanguageName, module),
    module,
    names,
    line,
  })),
  chunks: chunks.map(({ lineStart, lineEnd, definition, names, text: piece }) => {
    const text = piece ?? lines.slice(lineStart - 1, lineEnd).join('\n');
    return {
      symbol: definition,
      lineStart,
      lineEnd,
      text,
      body: indexedText(text),
      names: indexedText(names.join(' ')),
    };
  }),
});
