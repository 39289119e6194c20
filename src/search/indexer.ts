/**
 * Brings an index up to date with the files. An unchanged file (same size and mtime) costs one stat call. A file with the
 * same bytes is read and not parsed. Only the rest is parsed and written.
 */
import { setImmediate as setImmediateAsync } from 'node:timers/promises';
import type { IndexStore, KnownFile } from '../core/index-port.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import { isSecretPath } from '../core/policy/sensitive-files.ts';
import type { FileStat, Workspace } from '../core/ports.ts';
import type { IndexProgress, IndexReport } from '../core/retrieval-port.ts';
import { fileEntry } from './file-entry.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { type ParserThread, type PreparedFile, prepareFile } from './prepare-file.ts';
import { workAhead } from './work-ahead.ts';
import { WriteBatch } from './write-batch.ts';

export type IndexerPorts = {
  store: IndexStore;
  workspace: Workspace;
  now(): number;
  /** Parses elsewhere while this thread writes; asked for where there is enough to do. */
  openParser?(): ParserThread;
};
export type IndexOptions = { signal?: AbortSignal; onProgress?(progress: IndexProgress): void };

type Candidate = { path: string; stat: FileStat | undefined };
type Files = {
  candidates: readonly Candidate[];
  known: ReadonlyMap<string, KnownFile>;
  /** Files of the index that are not in the workspace any more. */
  gone: readonly KnownFile[];
};

export class Indexer {
  readonly #ports: IndexerPorts;

  constructor(ports: IndexerPorts) {
    this.#ports = ports;
  }

  /** Everything in the workspace. */
  async all(options: IndexOptions = {}): Promise<Outcome<IndexReport>> {
    const run = this.#run(options);
    options.onProgress?.({ phase: 'looking', done: 0, total: 0 });
    const walked = await this.#ports.workspace.walk({
      maxPaths: SEARCH_LIMITS.indexFiles,
      stats: true,
      signal: options.signal,
    });
    if (!walked.ok) return walked;
    const { paths, stats = [], truncated, unnamed = [] } = walked.value;
    run.report.truncated = truncated;
    for (const shown of unnamed) run.skip(shown, 'its name is not UTF-8');
    const candidates = paths.map((path, at) => ({ path, stat: stats[at] })).filter(({ path }) => !isSecretPath(path));
    const known = await this.#ports.store.known();
    const here = new Set(candidates.map(({ path }) => path));
    // What a cut walk did not come to is not gone.
    const gone = truncated ? [] : [...known].filter(([path]) => !here.has(path)).map(([, file]) => file);
    return succeed(await run.of({ candidates, known, gone }));
  }

  /** These files alone: new, changed or gone. */
  async some(paths: readonly string[], options: IndexOptions = {}): Promise<Outcome<IndexReport>> {
    const run = this.#run(options);
    const known = new Map<string, KnownFile>();
    const candidates: Candidate[] = [];
    for (const path of new Set(paths)) {
      if (isSecretPath(path)) continue;
      const before = await this.#ports.store.knownFile(path);
      if (before) known.set(path, before);
      const stat = await this.#ports.workspace.stat(path);
      candidates.push({ path, stat: stat.ok && stat.value.kind === 'file' ? stat.value : undefined });
    }
    return succeed(await run.of({ candidates, known, gone: [] }));
  }

  #run(options: IndexOptions): IndexRun {
    return new IndexRun(this.#ports, options);
  }
}

/** One run of the indexer over some files. */
class IndexRun {
  readonly report: IndexReport = {
    files: 0,
    indexed: 0,
    removed: 0,
    unchanged: 0,
    skipped: [],
    truncated: false,
    cancelled: false,
    seconds: 0,
    notes: [],
    warnings: [],
  };
  readonly #ports: IndexerPorts;
  readonly #options: IndexOptions;
  readonly #batch: WriteBatch;
  readonly #started = performance.now();

  constructor(ports: IndexerPorts, options: IndexOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#batch = new WriteBatch(ports.store);
  }

  async of({ candidates, known, gone }: Files): Promise<IndexReport> {
    const { report } = this;
    report.files = candidates.length;
    const changed = candidates.filter((file) => !isUnchanged(file, known.get(file.path)));
    report.unchanged = candidates.length - changed.length;
    const parser = changed.length < SEARCH_LIMITS.indexParserFiles ? undefined : this.#ports.openParser?.();
    try {
      for (const file of gone) await this.#remove(file);
      await this.#write(changed, known, parser);
      await this.#batch.commit();
      if (report.indexed + report.removed > 0) await this.#ports.store.noteChanges(this.#ports.now());
    } finally {
      await parser?.close();
    }
    report.cancelled = this.#options.signal?.aborted ?? false;
    this.#options.onProgress?.({ phase: 'reading', done: changed.length, total: changed.length });
    report.seconds = (performance.now() - this.#started) / 1000;
    return report;
  }

  async #write(
    changed: readonly Candidate[],
    known: ReadonlyMap<string, KnownFile>,
    parser: ParserThread | undefined,
  ): Promise<void> {
    const { signal, onProgress } = this.#options;
    const { workspace, now } = this.#ports;
    const parts = { workspace, now, parser, signal };
    const preparing = workAhead(
      changed.map(({ stat }) => stat?.size ?? 0),
      (at) => {
        const { path } = changed[at] as Candidate;
        return prepareFile(path, known.get(path), parts);
      },
    );
    const breathe = createBreath();
    for (const [done, { path }] of changed.entries()) {
      await breathe();
      if (signal?.aborted) return;
      onProgress?.({ phase: 'reading', done, total: changed.length, path });
      const prepared = await preparing(done);
      if (signal?.aborted) return;
      await this.#keep(path, prepared, known.get(path));
    }
  }

  async #keep(path: string, prepared: PreparedFile | undefined, before: KnownFile | undefined): Promise<void> {
    if (prepared === undefined) {
      if (before !== undefined) await this.#remove(before);
      return;
    }
    const { facts } = prepared;
    if (facts.note !== '') this.skip(path, facts.note);
    if ('same' in prepared) {
      this.report.unchanged += 1;
      const { size, modifiedMs } = facts;
      await this.#batch.add({ type: 'touch', id: prepared.same.id, size, modifiedMs });
    } else {
      this.report.indexed += 1;
      await this.#batch.add({ type: 'write', entry: fileEntry(facts, prepared.contents) });
    }
  }

  async #remove({ id }: KnownFile): Promise<void> {
    this.report.removed += 1;
    await this.#batch.add({ type: 'remove', id });
  }

  /** Says why a file is left out. */
  skip(path: string, reason: string): void {
    if (this.report.skipped.length < SEARCH_LIMITS.indexSkippedNamed) this.report.skipped.push({ path, reason });
  }
}

const isUnchanged = ({ stat }: Candidate, before: KnownFile | undefined): boolean =>
  stat !== undefined && before !== undefined && before.size === stat.size && before.modifiedMs === stat.modified_ms;

/** Where nothing waits for the system, a request to stop would be read only after the last file. */
const createBreath = (): (() => Promise<void> | undefined) => {
  let last = performance.now();
  return () => {
    if (performance.now() - last < SEARCH_LIMITS.indexBreathMs) return undefined;
    return setImmediateAsync().then(() => {
      last = performance.now();
    });
  };
};
