/** The documents of the session: those that are there, and those on their way. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { documentName } from '../../../src/core/document-names.ts';
import { RETRIEVAL_LIMITS } from '../../../src/core/limits/retrieval-limits.ts';
import type { Answer, Api, DocumentRow } from '../state/api.ts';
import { keep, recall } from '../state/kept.ts';
import { type UploadProgress, uploadDocument } from '../state/upload.ts';
import type { NewSession } from './use-new-session.ts';

export type DocumentView = {
  name: string;
  size: number;
  lines?: number;
  /** What a message says of it to the model. */
  note?: string;
  /** Its whole text, where it is so short that looking it up would be a detour. */
  text?: string;
  state: 'coming' | 'ready' | 'failed';
  progress?: UploadProgress;
  /** Why it could not be taken. */
  problem?: string;
  /** It came since the last message. */
  fresh: boolean;
};

export type Documents = {
  list: readonly DocumentView[];
  add(files: readonly File[]): void;
  /** Takes it out of the session, or gives it up where it is not there yet. */
  remove(name: string): void;
  /** What came since the last message went with this one. */
  sent(): void;
};

const SHORT_BYTES = 6_000;

/** What came since the last message. */
type Fresh = { name: string; text?: string };
const keptName = (sessionId: string | undefined): string => `documents ${sessionId ?? 'new'}`;
const NONE: Answer<{ documents: DocumentRow[] }> = { ok: true, value: { documents: [] } };

const shortText = async (file: File): Promise<string | undefined> => {
  if (file.size > SHORT_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
};

const viewOf = ({ name, size_bytes, lines, note }: DocumentRow): DocumentView => ({
  name,
  size: size_bytes,
  lines,
  note,
  state: 'ready',
  fresh: false,
});

export const useDocuments = (
  api: Api,
  sessionId: string | undefined,
  { begin, begunId, forget }: NewSession,
  say: (text: string) => void,
): Documents => {
  const [list, setList] = useState<readonly DocumentView[]>([]);
  const coming = useRef(new Map<string, AbortController>());
  /** Whose documents these are. */
  const owner = useRef<string>(undefined);
  /** Whose documents were looked at: only then is it known what there is. */
  const settled = useRef<string>(undefined);
  const place = useCallback(
    (name: string, change: (before: DocumentView | undefined) => DocumentView | undefined): void =>
      setList((known) => {
        const next = change(known.find((each) => each.name === name));
        const at = known.findIndex((each) => each.name === name);
        if (at === -1) return next ? [...known, next] : known;
        return known.flatMap((each, index) => (index === at ? (next ?? []) : each));
      }),
    [],
  );

  // The list is the server's; what is on its way or was refused is known here alone.
  useEffect(() => {
    if (owner.current !== sessionId) {
      for (const upload of coming.current.values()) upload.abort();
      setList([]);
    }
    owner.current = sessionId;
    let over = false;
    const look = async (): Promise<void> => {
      // Before the first message there may be a session all the same, for the files that came early.
      const id = sessionId ?? begunId();
      const fresh = new Map(
        ((await recall(keptName(sessionId))) as Fresh[] | undefined)?.map((each) => [each.name, each]),
      );
      const answer = id === undefined ? NONE : await api.documents(id);
      if (over) return;
      if (!answer.ok && answer.status === 404 && sessionId === undefined) forget();
      settled.current = keptName(sessionId);
      if (!answer.ok) return;
      setList((known) => {
        const mine = new Map(known.map((each) => [each.name, each]));
        const there = answer.value.documents.map((row) => {
          const kept = fresh.get(row.name);
          return { ...viewOf(row), ...(kept ? { ...kept, fresh: true } : {}), ...mine.get(row.name) };
        });
        const names = new Set(there.map(({ name }) => name));
        return [...there, ...known.filter(({ name, state }) => state !== 'ready' && !names.has(name))];
      });
    };
    void look();
    const onFocus = (): void => void look();
    window.addEventListener('focus', onFocus);
    return () => {
      over = true;
      window.removeEventListener('focus', onFocus);
    };
  }, [api, sessionId, begunId, forget]);
  // What has not gone with a message yet still goes with the next one after a reload.
  useEffect(() => {
    if (settled.current !== keptName(sessionId)) return;
    const fresh = list.filter((each) => each.fresh && each.state === 'ready');
    const kept: Fresh[] = fresh.map(({ name, text }) => ({ name, ...(text === undefined ? {} : { text }) }));
    void keep(keptName(sessionId), kept.length > 0 ? kept : undefined);
  }, [list, sessionId]);

  const take = useCallback(
    async (file: File): Promise<void> => {
      const named = documentName(file.name);
      const name = named.ok ? named.value : file.name;
      const fail = (problem: string): void =>
        place(name, () => ({ name, size: file.size, state: 'failed', problem, fresh: true }));
      if (file.size > RETRIEVAL_LIMITS.indexDocumentBytes) {
        const most = Math.round(RETRIEVAL_LIMITS.indexDocumentBytes / 1024 / 1024);
        return fail(`${name} is too large: a document may have ${most} MB.`);
      }
      const upload = new AbortController();
      coming.current.get(name)?.abort();
      coming.current.set(name, upload);
      place(name, () => ({ name, size: file.size, state: 'coming', fresh: true }));
      const [session, text] = await Promise.all([begin(), shortText(file)]);
      if (!session.ok) return fail(session.message);
      owner.current = session.value.id;
      const answer = await uploadDocument(api.documentsPath(session.value.id), file, {
        signal: upload.signal,
        onProgress: (progress) => place(name, (before) => before && { ...before, progress }),
      });
      if (coming.current.get(name) === upload) coming.current.delete(name);
      if (upload.signal.aborted) return;
      if (!answer.ok) return fail(answer.message);
      const short = text === undefined ? {} : { text };
      place(name, () => undefined);
      place(answer.value.name, () => ({ ...viewOf(answer.value), ...short, fresh: true }));
    },
    [api, begin, place],
  );
  const add = useCallback(
    (files: readonly File[]): void => {
      for (const file of files) void take(file);
    },
    [take],
  );
  const remove = useCallback(
    (name: string): void => {
      const upload = coming.current.get(name);
      if (upload) {
        upload.abort();
        coming.current.delete(name);
        place(name, () => undefined);
        return;
      }
      const gone = list.find((each) => each.name === name);
      place(name, () => undefined);
      if (gone?.state !== 'ready') return;
      void begin()
        .then((session) => (session.ok ? api.removeDocument(session.value.id, name) : session))
        .then((answer) => {
          if (answer.ok || answer.status === 404) return;
          say(answer.message);
          place(name, () => gone);
        });
    },
    [api, begin, list, place, say],
  );
  const sent = useCallback(
    () => setList((known) => known.flatMap((each) => (each.state === 'failed' ? [] : { ...each, fresh: false }))),
    [],
  );
  return useMemo(() => ({ list, add, remove, sent }), [list, add, remove, sent]);
};
