/** An index as it is read in this thread: opened at the first question, closed where it may be another one. */
import { type IndexCounts, type IndexedFile, type IndexTables, IndexUnavailable } from '../core/index-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { IndexStatus, VectorStore } from '../core/retrieval-port.ts';
import { thrownText } from '../core/thrown-text.ts';
import type { Graph } from './graph.ts';
import type { IndexHome } from './index-home.ts';
import type { Searcher } from './search.ts';

const NO_INDEX = failure(
  'not_found',
  "There is no index of this folder yet. `halter index` makes one; in a program search: { graphRag: 'on' } does.",
  'no_index',
);

type Opened = { tables: IndexTables; searcher: Searcher; graph: Graph; close(): void };
/** How many questions are asked of it now, and whether it is closed after the last of them. */
type Use = { opened: Promise<Opened | undefined>; questions: number; isOver: boolean };
type Coverage = Awaited<ReturnType<VectorStore['coverage']>>;

export class IndexReader {
  readonly #home: IndexHome;
  #use: Use | undefined;

  constructor(home: IndexHome) {
    this.#home = home;
  }

  /** True where an index was made once. False too where nobody can say. */
  async exists(): Promise<boolean> {
    return this.#home.exists().catch(() => false);
  }

  /** An index that cannot be read is reported; whoever indexes next makes a new one of what was damaged. */
  async ask<T>(question: (opened: Opened) => Promise<T>): Promise<Outcome<T>> {
    this.#use ??= { opened: this.#open(), questions: 0, isOver: false };
    const use = this.#use;
    use.questions += 1;
    try {
      const opened = await use.opened;
      if (opened === undefined) this.close();
      return opened === undefined ? NO_INDEX : succeed(await question(opened));
    } catch (error) {
      this.close();
      if (error instanceof IndexUnavailable) return { ok: false, error: error.failure };
      const message = thrownText(error);
      return failure('io_error', `The index cannot be read (${message}). \`halter index\` makes a new one.`, 'damaged');
    } finally {
      use.questions -= 1;
      closeUnused(use);
    }
  }

  async #open(): Promise<Opened | undefined> {
    const opened = await this.#home.open();
    if (opened === undefined) return undefined;
    const [{ createSearcher }, { Graph }] = await Promise.all([import('./search.ts'), import('./graph.ts')]);
    const { tables, close } = opened;
    return { tables, close, searcher: createSearcher(tables), graph: new Graph(tables) };
  }

  async sizeAndTime(path: string): Promise<{ size: number; modifiedMs: number } | undefined> {
    const row = await this.ask(({ tables }) => tables.sizeAndTime(path));
    return row.ok ? row.value : undefined;
  }

  paths(): Promise<Outcome<string[]>> {
    return this.ask(({ tables }) => tables.paths());
  }

  contents(): Promise<Outcome<IndexedFile[]>> {
    return this.ask(({ tables }) => tables.contents());
  }

  /** The lines of a document that is no text itself. Those without a word are not kept, and stand here empty. */
  textOf(path: string): Promise<Outcome<string>> {
    return this.ask(async ({ tables }) => {
      const lines: string[] = [];
      for (const { lineStart, text } of await tables.textOf(path)) {
        while (lines.length < lineStart - 1) lines.push('');
        lines.splice(lineStart - 1, lines.length, ...text.split('\n'));
      }
      return lines.join('\n');
    });
  }

  async status(): Promise<IndexStatus> {
    const file = this.#home.place;
    const counted = await this.ask(({ tables }) => tables.counts());
    const { files, chunks, symbols, vectors, updatedAt } = counted.ok ? counted.value : NOTHING;
    return { exists: counted.ok, file, files, chunks, symbols, vectors, updated_at: updatedAt };
  }

  async coverage(): Promise<Coverage> {
    const counted = await this.ask(({ tables }) => tables.counts());
    const { vectorModel: model, vectors, chunks } = counted.ok ? counted.value : NOTHING;
    return { model, vectors, chunks };
  }

  /** The next question opens it again. */
  close(): void {
    const use = this.#use;
    if (use === undefined) return;
    this.#use = undefined;
    use.isOver = true;
    closeUnused(use);
  }
}

const closeUnused = ({ opened, questions, isOver }: Use): void => {
  if (!isOver || questions > 0) return;
  void opened.then(
    (one) => one?.close(),
    () => {},
  );
};

const NOTHING: IndexCounts = { files: 0, chunks: 0, symbols: 0, vectors: 0, updatedAt: 0, vectorModel: undefined };
