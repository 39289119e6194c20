/**
 * The port to the index of one folder: its files, their parts as full text, a graph of symbols, and vectors. Two makes:
 * node:sqlite (one machine) and PostgreSQL (all processes read the same one). Methods reject where the index cannot be
 * read or written; `IndexUnavailable` says why in words for a person.
 */
import type { Failure } from './outcome.ts';

/** What went wrong with the place of an index, not with what is asked of it. */
export class IndexUnavailable extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export type FileFacts = {
  path: string;
  size: number;
  modifiedMs: number;
  hash: string;
  /** A programming language, `prose`, `pdf` …; empty where nothing of it is kept, and `note` says why. */
  language: string;
  note: string;
};
export type KnownFile = { id: number; size: number; modifiedMs: number; hash: string; note: string };

/** A symbol of a file. `parent`: place of the one that it stands in, -1 at the top; an outer one comes first. */
export type SymbolEntry = {
  name: string;
  kind: string;
  parent: number;
  fullName: string;
  lineStart: number;
  lineEnd: number;
};
/** A name that stands for a symbol. `within`: place of the symbol that it stands in, -1 at the top. */
export type ReferenceEntry = { name: string; kind: number; within: number; line: number };
export type ImportEntry = { key: string; module: string; names: { name: string; as: string }[]; line: number };
/** A part of a file. `symbol`: place of the one that it is, or is the beginning of; -1 where it is none. */
export type ChunkEntry = {
  symbol: number;
  lineStart: number;
  lineEnd: number;
  text: string;
  /** Text and names to find it by, with spaces at the humps of identifiers. */
  body: string;
  names: string;
};
/** All that is kept of one file. */
export type FileEntry = {
  facts: FileFacts;
  /** The path with spaces at its humps. */
  pathWords: string;
  /** What a module's name may be that means this file. */
  keys: readonly string[];
  symbols: readonly SymbolEntry[];
  references: readonly ReferenceEntry[];
  imports: readonly ImportEntry[];
  chunks: readonly ChunkEntry[];
};

export type IndexChange =
  | { type: 'write'; entry: FileEntry }
  /** The same bytes with another time. */
  | { type: 'touch'; id: number; size: number; modifiedMs: number }
  | { type: 'remove'; id: number };

export type PendingText = { chunk: number; text: string };
export type VectorRow = { chunk: number; vector: Float32Array };

/** How an index is written. Several processes may do so at once. */
export type IndexStore = {
  /** Every file that the index knows, by its path. */
  known(): Promise<Map<string, KnownFile>>;
  knownFile(path: string): Promise<KnownFile | undefined>;
  /** All of it or nothing: whoever asks meanwhile, or after the process was killed, sees no half of a file. */
  apply(changes: readonly IndexChange[]): Promise<void>;
  /** To be called after changes, with the time in milliseconds since 1970. */
  noteChanges(now: number): Promise<void>;
  /** Parts that have no vector of this model yet. Vectors of another model say nothing beside this one's, so they go. */
  pendingTexts(model: string, limit: number): Promise<PendingText[]>;
  writeVectors(model: string, rows: readonly VectorRow[]): Promise<void>;
};

export type FileRow = { id: number; path: string; language: string };
export type SymbolRow = {
  id: number;
  file: number;
  path: string;
  language: string;
  name: string;
  full_name: string;
  kind: string;
  parent: number | null;
  line_start: number;
  line_end: number;
};
export type ReferenceRow = { name: string; file: number; symbol: number; kind: number; line: number };
export type ImportRow = { file: number; module: string; names: { name: string; as: string }[]; line: number };
/** What is known of a part that may be an answer. */
export type Candidate = {
  id: number;
  file: number;
  path: string;
  language: string;
  lineStart: number;
  lineEnd: number;
  /** `Parser.push`; empty where it is no definition. */
  symbol: string;
  symbolId: number;
  kind: string;
  /** Where the definition begins that it belongs to; 0 where it is none. */
  symbolStart: number;
  text: string;
  /** When its file was changed; negative where that was so lately that the time is not sure. */
  modifiedMs: number;
};
export type IndexedFile = {
  path: string;
  /** Up to the last line that holds a word. */
  lines: number;
  chunks: number;
  /** Why nothing of it is kept; empty where something is. */
  note: string;
};
export type IndexCounts = {
  files: number;
  chunks: number;
  symbols: number;
  vectors: number;
  updatedAt: number;
  vectorModel: string | undefined;
};

export type Scored = { id: number; score: number };
type Placed = { id: number; path: string };

/** A word of a question as the index knows it. `at`: its place among those that were asked about. */
export type IndexTerm = { at: number; term: string; parts: number };
/** A word to look for: as it was asked, as the index knows it, and how much it says. */
export type SoughtWord = { word: string; term: string; weight: number };
export type Sought = {
  /** One of them must be there. */
  anyOf: readonly SoughtWord[];
  /** These only tell apart what was found: the beginning that all forms share, and how much it says. */
  common: readonly { stem: string; weight: number }[];
  /** Text alone, and not names and paths. */
  textOnly: boolean;
  /** Only in these files. */
  paths?: readonly string[] | undefined;
  limit: number;
};

/** How an index is asked. What may be asked together is asked together: a database answers it at once. */
export type IndexTables = {
  /** In how many parts each of these words is, and of how many parts that is said. */
  terms(words: readonly string[]): Promise<{ chunks: number; terms: IndexTerm[] }>;
  /** The best first. */
  matching(sought: Sought): Promise<readonly Scored[]>;
  /** Parts with definitions of exactly these names, so many of each. */
  defining(names: readonly string[], limit: number): Promise<Placed[]>;
  everyPart(limit: number): Promise<Placed[]>;
  candidates(ids: readonly number[]): Promise<Map<number, Candidate>>;
  /** The nearest first; none where the vectors are another model's. */
  nearest(vector: Float32Array, model: string, limit: number): Promise<readonly Scored[]>;

  fileById(id: number): Promise<FileRow | undefined>;
  fileAt(path: string): Promise<FileRow | undefined>;
  importsOf(file: number): Promise<ImportRow[]>;
  filesByKey(key: string): Promise<FileRow[]>;
  /** Files with an import of this key. */
  importersOf(key: string, limit: number): Promise<number[]>;
  symbolsNamed(name: string, limit: number): Promise<SymbolRow[]>;
  symbolsOf(file: number): Promise<SymbolRow[]>;
  symbolById(id: number): Promise<SymbolRow | undefined>;
  /** Its own id and those of all that stand inside it. */
  withInside(symbol: SymbolRow): Promise<number[]>;
  contentsOf(symbol: SymbolRow, limit: number): Promise<SymbolRow[]>;
  /** `kinds` absent: all of them. */
  referencesNamed(name: string, kinds: readonly number[] | undefined, limit: number): Promise<ReferenceRow[]>;
  /** Those that stand in one of these symbols; 0: outside of all. */
  referencesIn(
    file: number,
    within: readonly number[],
    kinds: readonly number[] | undefined,
    limit: number,
  ): Promise<ReferenceRow[]>;
  referencesBetween(file: number, from: number, to: number, limit: number): Promise<ReferenceRow[]>;
  /** The part that holds this line. */
  partAt(file: number, line: number): Promise<number | undefined>;

  paths(): Promise<string[]>;
  sizeAndTime(path: string): Promise<{ size: number; modifiedMs: number } | undefined>;
  contents(): Promise<IndexedFile[]>;
  /** The kept text of a file in its order. */
  textOf(path: string): Promise<{ lineStart: number; text: string }[]>;
  counts(): Promise<IndexCounts>;
};

/** The index of one folder in a place that processes share. */
export type SharedIndex = {
  /** Where it is, for a person. */
  readonly place: string;
  /** Undefined where there is none, or one of another version. */
  tables(): Promise<IndexTables | undefined>;
  /** Makes it where there is none, and empties one of an older version, which `notes` says. */
  store(): Promise<{ store: IndexStore; notes: string[] }>;
};

/** The one of this folder (its real path), of this version of what an index holds. */
export type OpenSharedIndex = (root: string, version: number) => SharedIndex;
