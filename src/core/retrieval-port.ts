/**
 * What is known of a workspace's files (Z13, Z20): full text, a graph of symbols, vectors where there is an embedder.
 * Made in `retrieval/`, opened by the runtime in a thread of its own, and handed to tools.
 */
import type { Outcome } from './outcome.ts';
import type { LinesShown } from './tool-result.ts';

/** Where an answer stands. Lines count from 1, both ends included. */
export type SearchHit = {
  path: string;
  line_start: number;
  line_end: number;
  /** The definition that the lines belong to, with what it stands in: `Parser.push`. */
  symbol?: string;
  /** Comparable within one answer only. */
  score: number;
  text: string;
  /** What found it: `words`, `name`, `vector`, `graph`; `meaning` where no word is shared, and other words for it are. */
  found_by: string[];
};

export type SearchOptions = {
  limit: number;
  /** Only these files. */
  paths?: readonly string[];
  /** `words`: full text alone, to compare with. */
  mode?: 'hybrid' | 'words';
  /** Files of this conversation, the latest first: they come first where nothing else tells two apart. */
  recent?: readonly string[];
  /** The time, so that what was changed lately does so too. */
  now?: number;
  signal?: AbortSignal;
};

export const GRAPH_RELATIONS = [
  'defines',
  'references',
  'calls',
  'called_by',
  'imports',
  'imported_by',
  'contains',
] as const;
export type GraphRelation = (typeof GRAPH_RELATIONS)[number];

export type GraphQuestion = { relation: GraphRelation; symbol?: string; path?: string; limit: number };
export type GraphRow = {
  /** A symbol with what it stands in, or a module's name. */
  name: string;
  /** `function`, `class`, `method` …; `file` and `module` in answers about imports. */
  kind: string;
  path?: string;
  line_start?: number;
  line_end?: number;
  /** The line that calls, names or imports. */
  line?: number;
  /** How sure it is that this name means that definition: it may be one of several of the name. */
  certainty?: 'certain' | 'likely' | 'possible';
};
export type GraphAnswer = { rows: GraphRow[] /** How many there are beyond the limit. */; more: number };

export type CodeGraph = {
  ask(question: GraphQuestion): Promise<Outcome<GraphAnswer>>;
};

export type VectorStore = {
  /** Chunks that have a vector, of those there are. */
  coverage(): Promise<{ model: string | undefined; vectors: number; chunks: number }>;
};

/** Texts → vectors. Fails as a value: a server that is away only means that there are no vectors. */
export type Embedder = {
  /** Vectors of different models are never compared. */
  readonly model: string;
  embed(texts: readonly string[], signal: AbortSignal): Promise<Outcome<Float32Array[]>>;
};

export type OutlineEntry = {
  name: string;
  kind: string;
  line_start: number;
  line_end: number;
  /** Names of what it stands in, outermost first. */
  within: string[];
  signature: string;
};
export type CodeParser = {
  /** The definitions of a file in their order; undefined where its language is not known. */
  outline(path: string, text: string): Promise<OutlineEntry[] | undefined>;
};

export type IndexStatus = {
  /** False: there is none yet. */
  exists: boolean;
  file: string;
  files: number;
  chunks: number;
  symbols: number;
  vectors: number;
  /** Milliseconds since 1970 of the last change; 0 where there is none. */
  updated_at: number;
};

export type IndexProgress = { phase: 'looking' | 'reading' | 'embedding'; done: number; total: number; path?: string };
export type IndexReport = {
  files: number;
  indexed: number;
  removed: number;
  unchanged: number;
  skipped: { path: string; reason: string }[];
  /** More files than the index takes: said, never silent. */
  truncated: boolean;
  cancelled: boolean;
  seconds: number;
  /** What the person should know: an index that was damaged and rebuilt. */
  notes: string[];
  /** What could not be done for now. */
  warnings: string[];
};

/** What tools and surfaces get. Everything is opened on first use. */
export type Retrieval = {
  search(query: string, options: SearchOptions): Promise<Outcome<SearchHit[]>>;
  readonly graph: CodeGraph;
  readonly vectors: VectorStore;
  readonly embedder?: Embedder;
  readonly parser: CodeParser;
  /** The files of the conversation: read, written or attached (E2). */
  documents?(): readonly string[];
};

/** Which lines of a long file matter to a conversation (H3). */
export type CuratedSection = { line_start: number; line_end: number; reason?: string };
export type Curated = {
  sections: CuratedSection[];
  /** The definitions of the file, to name what was left out. */
  outline: OutlineEntry[];
  by: 'deterministic' | 'model';
  /** Taken from an earlier reading of the same file in the same conversation. */
  cached: boolean;
};
export type Curator = {
  curate(file: { path: string; hash: string; text: string }, signal: AbortSignal): Promise<Curated>;
  /** What came of it: told once for each `curate` that resolved, so that another reading of the file in the same round goes on from there. */
  shown?(file: { path: string; hash: string }, lines: LinesShown | undefined): void;
};
