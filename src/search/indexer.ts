/**
 * Brings an index up to date with the files. What the system says is unchanged (size and time) costs that question;
 * what has the same bytes costs reading them; only the rest is parsed and written.
 */

import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as setImmediateAsync } from 'node:timers/promises';
import { type Outcome, succeed } from '../core/outcome.ts';
import { isSecretPath } from '../core/policy/sensitive-files.ts';
import type { FileStat, Workspace } from '../core/ports.ts';
import type { IndexProgress, IndexReport } from '../core/retrieval-port.ts';
import { codeChunks, proseChunks } from './chunks.ts';
import { type Language, languageOf } from './languages.ts';
import { SEARCH_LIMITS } from './limits.ts';
import type { Outline } from './outline.ts';
import { outlineOf } from './parser.ts';
import { maxBytesOf, readText } from './read-text.ts';
import { createStore, type FileContents, type FileFacts, type KnownFile } from './store.ts';
import { noteCommonWords } from './vocabulary.ts';

export type IndexerPorts = {
  database: DatabaseSync;
  workspace: Workspace;
  now(): number;
  /** Parses elsewhere while this thread writes; opened where there is enough to do. */
  openParser?(): ParserThread;
};
export type ParserThread = {
  /** As `outlineOf`; fails where the thread is gone. */
  outlineOf(language: Language, text: string): Promise<Outcome<Outline | undefined>>;
  close(): Promise<void>;
};
export type IndexOptions = { signal?: AbortSignal; onProgress?(progress: IndexProgress): void };

export type Indexer = {
  /** Everything in the workspace. */
  all(options?: IndexOptions): Promise<Outcome<IndexReport>>;
  /** These files alone: new, changed or gone. */
  some(paths: readonly string[], options?: IndexOptions): Promise<Outcome<IndexReport>>;
};

/** A file as far as it is known before it is written: its contents, or that they are the same as before. */
type Prepared = { facts: FileFacts } & ({ contents: FileContents } | { same: KnownFile });

const NO_CONTENTS: FileContents = { lines: [], chunks: [] };
/** A file written at this very moment may be written again without its time or size changing. */
const RECENT_MS = 2_000;
const UNSURE = -1;
/** What stands for a byte of a name that cannot be said as text; such a file cannot be asked for either. */
const NOT_A_NAME = '\ufffd';

export const createIndexer = (ports: IndexerPorts): Indexer => {
  const { database, workspace } = ports;
  const store = createStore(database);

  const outlineBy = async (parser: ParserThread | undefined, language: Language, text: string) => {
    const elsewhere = await parser?.outlineOf(language, text);
    return elsewhere?.ok ? elsewhere.value : outlineOf(language, text);
  };
  const contentsOf = async (
    facts: FileFacts,
    bytes: Uint8Array,
    parser: ParserThread | undefined,
  ): Promise<FileContents> => {
    const read = await readText(facts.path, bytes);
    if (read.kind === 'none') {
      facts.note = read.note;
      return NO_CONTENTS;
    }
    const language = read.kind === 'text' ? languageOf(facts.path) : undefined;
    const outline = language && (await outlineBy(parser, language, read.text));
    facts.language = language && outline ? language.name : read.kind === 'text' ? 'prose' : read.kind;
    const chunks = language && outline ? codeChunks(read.lines, outline, language) : proseChunks(read.lines);
    return { lines: read.lines, chunks, ...(outline ? { outline } : {}) };
  };

  /** Opened for a while of writing at a time: other halters get their turn, and a killed one loses little. */
  const writer = () => {
    let since: number | undefined;
    return {
      open(): void {
        if (since !== undefined) return;
        store.begin();
        since = performance.now();
      },
      rest(): void {
        if (since !== undefined && performance.now() - since > SEARCH_LIMITS.indexTransactionMs) this.close();
      },
      close(): void {
        if (since === undefined) return;
        since = undefined;
        store.commit();
      },
      undo(): void {
        if (since === undefined) return;
        since = undefined;
        store.rollback();
      },
    };
  };

  const run = async (
    files: readonly { path: string; stat: FileStat | undefined }[],
    known: ReadonlyMap<string, KnownFile>,
    gone: readonly KnownFile[],
    report: IndexReport,
    { signal, onProgress }: IndexOptions,
  ): Promise<void> => {
    const changed = files.filter(({ path, stat }) => {
      const before = known.get(path);
      const same = stat && before && before.size === stat.size && before.modifiedMs === stat.modified_ms;
      if (same) report.unchanged += 1;
      return !same;
    });
    const batch = writer();
    const breathe = createBreath();
    const parser = changed.length < SEARCH_LIMITS.indexParserFiles ? undefined : ports.openParser?.();
    const prepare = async (path: string): Promise<Prepared | undefined> => {
      const read = await readOne(path, signal);
      if (read === undefined) return undefined;
      const { facts, bytes } = read;
      const before = known.get(path);
      if (before !== undefined && before.hash === facts.hash && facts.hash !== '') return { facts, same: before };
      return { facts, contents: bytes === undefined ? NO_CONTENTS : await contentsOf(facts, bytes, parser) };
    };
    const preparing = workAhead(
      changed.map(({ stat }) => stat?.size ?? 0),
      (at) => prepare((changed[at] as { path: string }).path),
    );
    try {
      for (const file of gone) {
        batch.open();
        store.remove(file.id);
        report.removed += 1;
        batch.rest();
      }
      for (const [done, { path }] of changed.entries()) {
        await breathe();
        if (signal?.aborted) break;
        onProgress?.({ phase: 'reading', done, total: changed.length, path });
        const prepared = await preparing(done);
        if (signal?.aborted) break;
        if (prepared === undefined) {
          const before = known.get(path);
          if (before === undefined) {
            if (path.includes(NOT_A_NAME)) skip(report, path, 'its name is not UTF-8');
            continue;
          }
          batch.open();
          store.remove(before.id);
          report.removed += 1;
          continue;
        }
        const { facts } = prepared;
        batch.open();
        if ('same' in prepared) {
          store.touch(prepared.same.id, facts.size, facts.modifiedMs);
          report.unchanged += 1;
        } else {
          store.write(facts, prepared.contents);
          report.indexed += 1;
        }
        if (facts.note !== '') skip(report, path, facts.note);
        batch.rest();
      }
      if (report.indexed + report.removed > 0) {
        batch.open();
        noteCommonWords(database);
        database.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES ('updated_at', ?)").run(String(ports.now()));
      }
      batch.close();
      report.cancelled = signal?.aborted ?? false;
      onProgress?.({ phase: 'reading', done: changed.length, total: changed.length });
    } catch (error) {
      batch.undo();
      throw error;
    } finally {
      await parser?.close();
    }
  };

  /** Undefined where there is no such file any more. */
  const readOne = async (
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<{ facts: FileFacts; bytes?: Uint8Array } | undefined> => {
    const read = await workspace.readFile(path, { maxBytes: maxBytesOf(path), ...(signal ? { signal } : {}) });
    if (read.ok) {
      const { bytes, hash, stat } = read.value;
      const modifiedMs = ports.now() - stat.modified_ms < RECENT_MS ? UNSURE : stat.modified_ms;
      return { facts: { path, size: stat.size, modifiedMs, hash, language: '', note: '' }, bytes };
    }
    if (read.error.error_type === 'not_found' || read.error.reason === 'cancelled') return undefined;
    const stat = await workspace.stat(path);
    if (!stat.ok || stat.value.kind !== 'file') return undefined;
    const { size, modified_ms: modifiedMs } = stat.value;
    const note = read.error.reason === 'too_large' ? `larger than ${maxBytesOf(path)} bytes` : read.error.message;
    return { facts: { path, size, modifiedMs, hash: '', language: '', note } };
  };

  const begin = (): { report: IndexReport; end(): IndexReport } => {
    const started = performance.now();
    const report: IndexReport = {
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
    return {
      report,
      end() {
        report.seconds = (performance.now() - started) / 1000;
        return report;
      },
    };
  };

  return {
    async all(options = {}) {
      const { report, end } = begin();
      options.onProgress?.({ phase: 'looking', done: 0, total: 0 });
      const walked = await workspace.walk({
        maxPaths: SEARCH_LIMITS.indexFiles,
        stats: true,
        ...(options.signal ? { signal: options.signal } : {}),
      });
      if (!walked.ok) return walked;
      const { paths, stats = [], truncated } = walked.value;
      report.truncated = truncated;
      const files = paths.map((path, at) => ({ path, stat: stats[at] })).filter(({ path }) => !isSecretPath(path));
      report.files = files.length;
      const known = store.known();
      const here = new Set(files.map(({ path }) => path));
      // What a cut walk did not come to is not gone.
      const gone = truncated ? [] : [...known].filter(([path]) => !here.has(path)).map(([, file]) => file);
      await run(files, known, gone, report, options);
      return succeed(end());
    },
    async some(paths, options = {}) {
      const { report, end } = begin();
      const wanted = [...new Set(paths)].filter((path) => !isSecretPath(path));
      report.files = wanted.length;
      const known = new Map<string, KnownFile>();
      const files: { path: string; stat: FileStat | undefined }[] = [];
      for (const path of wanted) {
        const before = store.knownFile(path);
        if (before) known.set(path, before);
        const stat = await workspace.stat(path);
        files.push({ path, stat: stat.ok && stat.value.kind === 'file' ? stat.value : undefined });
      }
      await run(files, known, [], report, options);
      return succeed(end());
    },
  };
};

/** Where nothing waits for the system, a word from outside (to stop) would come in only after the last file. */
const createBreath = (): (() => Promise<void> | undefined) => {
  let last = performance.now();
  return () => {
    if (performance.now() - last < SEARCH_LIMITS.indexBreathMs) return undefined;
    return setImmediateAsync().then(() => {
      last = performance.now();
    });
  };
};

/**
 * The next files are read and parsed while one is written: a disk and two threads can work at the same time. So many ahead,
 * and so many bytes, as fill the time of a commit.
 */
const workAhead = <T>(sizes: readonly number[], work: (at: number) => Promise<T>): ((at: number) => Promise<T>) => {
  const started: Promise<T>[] = [];
  let ahead = 0;
  return (at) => {
    while (
      started.length < sizes.length &&
      (started.length <= at ||
        (started.length < at + SEARCH_LIMITS.indexFilesAhead && ahead < SEARCH_LIMITS.indexBytesAhead))
    ) {
      ahead += sizes[started.length] as number;
      const own = work(started.length);
      // Where the index is stopped, nobody waits for it any more.
      own.catch(() => undefined);
      started.push(own);
    }
    const wanted = started[at] as Promise<T>;
    ahead -= sizes[at] as number;
    // What was handed out is not held any longer.
    delete started[at];
    return wanted;
  };
};

const skip = (report: IndexReport, path: string, reason: string): void => {
  if (report.skipped.length < SEARCH_LIMITS.indexSkippedNamed) report.skipped.push({ path, reason });
};
