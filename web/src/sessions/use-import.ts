/** Takes sessions in out of files, one after the other: how far it is, how it ended, and that it was broken off. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { counted } from '../../../src/core/number-text.ts';
import type { Api } from '../state/api.ts';
import { inBrowser } from '../state/browser-store.ts';

const IMPORT_BYTES = 30_000_000;
/** Of an import that goes on, so that a page that is opened later can tell of it. */
const UNDER_WAY = 'halter import';
/** Between two looks at the list while many are taken in. */
const LIST_EVERY = 25;
/** Files that are named one by one. */
const NAMED = 20;

export type Importing =
  | { state: 'running'; done: number; of: number }
  | { state: 'over'; words: string; problems: readonly string[] };

type Counts = { done: number; of: number; taken: number; known: number; problems: string[] };

type Props = { api: Api; refreshSessions(): void; openSession(id: string): void };

export const useImport = ({ api, refreshSessions, openSession }: Props) => {
  const [importing, setImporting] = useState<Importing>();
  const stopped = useRef(false);
  useEffect(() => {
    void brokenOff().then((words) => {
      if (words !== undefined) setImporting((known) => known ?? { state: 'over', words, problems: [] });
    });
  }, []);
  const isRunning = importing?.state === 'running';
  useEffect(() => {
    if (!isRunning) return;
    const askFirst = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', askFirst);
    return () => window.removeEventListener('beforeunload', askFirst);
  }, [isRunning]);
  const importFiles = useCallback(
    async (files: readonly File[]): Promise<void> => {
      if (files.length === 0) return;
      const release = holdLock();
      stopped.current = false;
      const counts: Counts = { done: 0, of: files.length, taken: 0, known: 0, problems: [] };
      let last: string | undefined;
      for (const file of files) {
        if (stopped.current) break;
        setImporting({ state: 'running', done: counts.done, of: counts.of });
        inBrowser.set(UNDER_WAY, JSON.stringify([counts.done, counts.of]));
        last = (await takeIn(api, file, counts)) ?? last;
        counts.done += 1;
        if (counts.done % LIST_EVERY === 0) refreshSessions();
      }
      inBrowser.remove(UNDER_WAY);
      release();
      refreshSessions();
      setImporting({ state: 'over', words: endWords(counts), problems: problemWords(counts.problems) });
      if (last !== undefined && counts.of === 1) openSession(last);
    },
    [api, refreshSessions, openSession],
  );
  const stopImport = useCallback(() => {
    stopped.current = true;
  }, []);
  const forgetImport = useCallback(() => setImporting(undefined), []);
  return useMemo(
    () => ({ importing, importFiles, stopImport, forgetImport }),
    [importing, importFiles, stopImport, forgetImport],
  );
};

/** Other tabs know by it that an import goes on. Where the browser has no locks there is none. */
const LOCK = 'halter import';
const holdLock = (): (() => void) => {
  const over = Promise.withResolvers<void>();
  void navigator.locks?.request(LOCK, { mode: 'shared' }, () => over.promise);
  return () => over.resolve();
};

const takeIn = async (api: Api, file: File, counts: Counts): Promise<string | undefined> => {
  if (file.size > IMPORT_BYTES) {
    counts.problems.push(`${file.name} is larger than 30 MB.`);
    return undefined;
  }
  const made = await api.importSession(await file.text());
  if (!made.ok) {
    counts.problems.push(`${file.name}: ${made.message}`);
    return undefined;
  }
  if (made.value.known) counts.known += 1;
  else counts.taken += 1;
  return made.value.id;
};

const endWords = ({ done, of, taken, known, problems }: Counts): string => {
  const parts = [
    `${counted(taken, 'session')} imported`,
    ...(known === 0 ? [] : [`${known} here already`]),
    ...(problems.length === 0 ? [] : [`${problems.length} not taken`]),
    ...(done === of ? [] : [`stopped after ${done} of ${of}`]),
  ];
  return `${parts.join(', ')}.`;
};

const problemWords = (problems: readonly string[]): string[] =>
  problems.length <= NAMED
    ? [...problems]
    : [...problems.slice(0, NAMED), `and ${counted(problems.length - NAMED, 'more file')}`];

/** What is to be told of an import whose page was closed. */
const brokenOff = async (): Promise<string | undefined> => {
  const kept = inBrowser.get(UNDER_WAY);
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  if (kept === null || held.some(({ name }) => name === LOCK)) return undefined;
  inBrowser.remove(UNDER_WAY);
  const [done, of] = JSON.parse(kept) as [number, number];
  return `An import was broken off after ${done} of ${of} files. Choose the same files again: what is here already is not taken twice.`;
};
