/** Reads definitions, references and imports out of code by tree-sitter. */
import type { QueryMatch } from 'web-tree-sitter';
import { LIMITS } from '../core/limits.ts';
import type { CodeParser, OutlineEntry } from '../core/retrieval-port.ts';
import { type Grammar, openGrammar } from './grammars.ts';
import { readImport } from './imports.ts';
import { type Language, languageOf } from './languages.ts';
import {
  type Definition,
  type Outline,
  qualifiedName,
  REFERENCE_KINDS,
  type Reference,
  type ReferenceKind,
} from './outline.ts';

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
  const deadline = performance.now() + LIMITS.indexParseMs;
  const options =
    text.length > LIMITS.indexParseWatched ? { progressCallback: () => performance.now() > deadline } : undefined;
  const tree = grammar.parser.parse(text, null, options);
  if (tree === null) {
    grammar.parser.reset();
    return undefined;
  }
  try {
    return collect(grammar, grammar.query.matches(tree.rootNode), text);
  } finally {
    // What lies in the parser's own memory is not collected by itself.
    tree.delete();
  }
};

const collect = ({ language }: Grammar, matches: readonly QueryMatch[], text: string): Outline => {
  const found: Found[] = [];
  const names: Names[] = [];
  const nameStarts = new Set<number>();
  const imports: Outline['imports'] = [];
  for (const { captures } of matches) {
    let name: string | undefined;
    let owner: string | undefined;
    let whole: (typeof captures)[number] | undefined;
    for (const capture of captures) {
      const { node } = capture;
      if (REFERENCES.has(capture.name)) {
        names.push({
          text: nameAt(text, node.startIndex),
          start: node.startIndex,
          row: node.startPosition.row,
          kind: capture.name as ReferenceKind,
        });
      } else if (capture.name === 'name') {
        name = nameAt(text, node.startIndex) || text.slice(node.startIndex, node.endIndex);
        nameStarts.add(node.startIndex);
      } else if (capture.name === 'owner') {
        owner = nameAt(text, node.startIndex);
        nameStarts.add(node.startIndex);
      } else if (capture.name === 'import') {
        imports.push(
          ...readImport(language.name, text.slice(node.startIndex, node.endIndex), node.startPosition.row + 1),
        );
      } else if (capture.name !== 'require') whole = capture;
    }
    if (whole === undefined || name === undefined || name === '') continue;
    const { node } = whole;
    found.push({
      definition: {
        name,
        kind: whole.name,
        parent: -1,
        lineStart: node.startPosition.row + 1,
        lineEnd: node.endPosition.row + 1,
        ...(owner === undefined ? {} : { owner }),
      },
      start: node.startIndex,
      end: node.endIndex,
    });
  }
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
    if (last && last.start === entry.start && last.end === entry.end && last.definition.name === entry.definition.name)
      continue;
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
