/** Makes vectors for chunks that have none, and for questions. Without an embedder everything else works as well. */
import type { Embedder, IndexProgress, IndexReport } from '../core/retrieval-port.ts';
import { unlessAborted } from '../core/unless-aborted.ts';
import type { Ranking } from './fuse.ts';
import type { IndexReader } from './index-reader.ts';
import type { IndexThread } from './index-thread.ts';
import { SEARCH_LIMITS } from './limits.ts';

export class ChunkVectors {
  readonly #embedder: Embedder;
  readonly #reader: IndexReader;
  /** The embedder answered once, so its model is loaded. */
  #loaded = false;

  constructor(embedder: Embedder, reader: IndexReader) {
    this.#embedder = embedder;
    this.#reader = reader;
  }

  /** Chunks without a vector get one. An embedder that fails is a warning in the report. */
  async makePending(
    thread: IndexThread,
    report: IndexReport,
    signal: AbortSignal,
    onProgress?: (progress: IndexProgress) => void,
  ): Promise<void> {
    const { model } = this.#embedder;
    for (let done = 0; !signal.aborted; ) {
      const pending = await thread.texts(model);
      if (!pending.ok || pending.value.length === 0) return;
      const texts = pending.value.map(({ text }) => text);
      const made = await this.#embedder.embed(texts, signal);
      if (signal.aborted) return;
      if (!made.ok) {
        report.warnings.push(`There are no vectors for now: ${made.error.message}`);
        return;
      }
      const rows = pending.value.map(({ chunk }, at) => ({ chunk, vector: made.value[at] ?? new Float32Array() }));
      const written = await thread.vectors(model, rows);
      if (!written.ok) return;
      done += rows.length;
      const isLast = rows.length < SEARCH_LIMITS.embedBatch;
      onProgress?.({ phase: 'embedding', done, total: isLast ? done : done + SEARCH_LIMITS.embedBatch });
    }
  }

  /** A question waits only so long for its vector; the first one may have to wait for the model to be loaded. */
  async nearestTo(query: string, signal: AbortSignal | undefined): Promise<Ranking> {
    if (!(await this.#reader.exists())) return [];
    const timeout = AbortSignal.timeout(
      this.#loaded ? SEARCH_LIMITS.embedQueryTimeoutMs : SEARCH_LIMITS.embedFirstQueryTimeoutMs,
    );
    const enough = signal ? AbortSignal.any([signal, timeout]) : timeout;
    // A model that is being loaded does not look at the signal. It goes on loading, for the next question.
    const made = await unlessAborted(this.#embedder.embed([query], enough), enough);
    if (made === undefined) return [];
    this.#loaded ||= made.ok;
    const [vector] = made.ok ? made.value : [];
    if (vector === undefined) return [];
    const found = await this.#reader.ask(({ tables }) =>
      tables.nearest(vector, this.#embedder.model, SEARCH_LIMITS.searchCandidates),
    );
    return found.ok ? found.value : [];
  }
}
