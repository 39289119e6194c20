/** Reads definitions, references and imports out of code by tree-sitter. */

import type { CodeParser, OutlineEntry } from '../core/retrieval-port.ts';
import { type Grammar, openGrammar } from './grammars.ts';
import { readImport } from './imports.ts';
import { type Language, languageOf } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';
import {
  type Definition,
  type Outline,
  qualifiedName,
  REFERENCE_KINDS,
  type Reference,
  type ReferenceKind,
} from './outline.ts';
import type { NodeColumns } from './syntax/node-columns.ts';
import { matchPatterns } from './syntax/patterns.ts';

const IDENTIFIER = /[\p{L}\p{N}_$#]+/uy;

/** The end of a name is found in the text: asking the tree costs a step into another world for each. */
const nameAt = (text: string, start: number): string => {
  IDENTIFIER.lastIndex = start;
  return IDENTIFIER.exec(text)?.[0] ?? '';
};

type Found = { definition: Definition; start: number; end: number };
type Names = { text: string; start: number; row: number; kind: ReferenceKind };

const REFERENCES: ReadonlySet<string> = new Set(REFERENCE_KINDS);

/** Undefined where the text took longer than it may. */
export const outlineOf = async (language: Language, text: string): Promise<Outline | undefined> => {
  const grammar = await openGrammar(language);
  const deadline = performance.now() + SEARCH_LIMITS.indexParseMs;
  const options =
    text.length > SEARCH_LIMITS.indexParseWatched
      ? { progressCallback: () => performance.now() > deadline }
      : undefined;
  const tree = grammar.parser.parse(text, null, options);
  if (tree === null) {
    grammar.parser.reset();
    return undefined;
  }
  try {
    return collect(grammar, grammar.columnsOf(tree), text);
  } finally {
    // What lies in the parser's own memory is not collected by itself.
    tree.delete();
  }
};

const collect = ({ language, patterns }: Grammar, columns: NodeColumns, text: string): Outline => {
  const { start, end, startRow, endRow } = columns;
  const startOf = (row: number): number => start[row] as number;
  const lineOf = (row: number): number => (startRow[row] as number) + 1;
  const found: Found[] = [];
  const names: Names[] = [];
  const nameStarts = new Set<number>();
  const imports: Outline['imports'] = [];
  matchPatterns(patterns, columns, text, (captures, rows) => {
    let name = '';
    let owner: string | undefined;
    let whole = -1;
    let kind = '';
    for (let index = 0; index < captures.length; index += 1) {
      const capture = captures[index] as string;
      const row = rows[index] as number;
      const from = startOf(row);
      if (REFERENCES.has(capture)) {
        names.push({
          text: nameAt(text, from),
          start: from,
          row: startRow[row] as number,
          kind: capture as ReferenceKind,
        });
      } else if (capture === 'name') {
        name = nameAt(text, from) || text.slice(from, end[row]);
        nameStarts.add(from);
      } else if (capture === 'owner') {
        owner = nameAt(text, from);
        nameStarts.add(from);
      } else if (capture === 'import') {
        imports.push(...readImport(language.name, text.slice(from, end[row]), lineOf(row)));
      } else if (capture !== 'require') {
        whole = row;
        kind = capture;
      }
    }
    if (whole === -1 || name === '') return;
    found.push({
      definition: {
        name,
        kind,
        parent: -1,
        lineStart: lineOf(whole),
        lineEnd: (endRow[whole] as number) + 1,
        owner,
      },
      start: startOf(whole),
      end: end[whole] as number,
    });
  });
  const definitions = nested(found);
  return {
    definitions: definitions.map(({ definition }) => definition),
    references: placed(names, nameStarts, definitions),
    imports,
  };
};

/** In their order, each with the one it stands in; what two patterns found is one. */
const nested = (found: Found[]): Found[] => {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Found[] = [];
  const open: number[] = [];
  for (const entry of found) {
    for (let top = open.at(-1); top !== undefined && (kept[top] as Found).end <= entry.start; top = open.at(-1)) {
      open.pop();
    }
    const above = open.at(-1);
    const last = above === undefined ? undefined : kept[above];
    if (last && last.start === entry.start && last.end === entry.end) {
      if (last.definition.name === entry.definition.name) continue;
      // Several names in one statement stand beside each other.
      entry.definition.parent = last.definition.parent;
      kept.push(entry);
      continue;
    }
    entry.definition.parent = above ?? -1;
    if (entry.definition.kind === 'function' && last && isContainer(last.definition.kind)) {
      entry.definition.kind = 'method';
    }
    open.push(kept.length);
    kept.push(entry);
  }
  return kept;
};

const CONTAINERS: ReadonlySet<string> = new Set(['class', 'interface', 'implementation', 'enum']);
export const isContainer = (kind: string): boolean => CONTAINERS.has(kind);

const placed = (names: Names[], nameStarts: ReadonlySet<number>, definitions: readonly Found[]): Reference[] => {
  // A name that two patterns found counts by what it says most: it is inherited, then called, then used.
  const weight: Record<ReferenceKind, number> = { inherit: 0, call: 1, member: 2, use: 3 };
  names.sort((a, b) => a.start - b.start || weight[a.kind] - weight[b.kind]);
  const references: Reference[] = [];
  const seen = new Set<string>();
  const open: number[] = [];
  let next = 0;
  let last = -1;
  for (const { text, start, row, kind } of names) {
    if (start === last || nameStarts.has(start) || text === '') continue;
    last = start;
    while (next < definitions.length && (definitions[next] as Found).start <= start) open.push(next++);
    while (open.length > 0 && (definitions[open.at(-1) as number] as Found).end <= start) open.pop();
    const within = open.at(-1) ?? -1;
    const key = `${within} ${kind} ${text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    references.push({ name: text, kind, within, line: row + 1 });
  }
  return references;
};

const SIGNATURE_CHARACTERS = 160;

/** The first line of a definition, as a person would quote it. */
export const signatureOf = (line: string): string => line.trim().slice(0, SIGNATURE_CHARACTERS);

export const createCodeParser = (): CodeParser => ({
  async outline(path, text) {
    const language = languageOf(path);
    if (language === undefined) return undefined;
    const outline = await outlineOf(language, text);
    if (outline === undefined) return undefined;
    const lines = text.split('\n');
    return outline.definitions.map((definition, index): OutlineEntry => {
      const within = qualifiedName(outline.definitions, index).split('.').slice(0, -1);
      const { name, kind, lineStart, lineEnd } = definition;
      return {
        name,
        kind,
        line_start: lineStart,
        line_end: lineEnd,
        within,
        signature: signatureOf(lines[lineStart - 1] ?? ''),
      };
    });
  },
});
