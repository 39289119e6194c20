/** The documents of the session: those that are there, and those on their way. */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { documentName } from '../../../src/core/document-names.ts';
import type { Answer, Api, DocumentRow } from '../state/api.ts';
import { keep, recall } from '../state/kept.ts';
import { uploadDocument } from '../state/upload.ts';
import {
  type DocumentView,
  type Fresh,
  freshIn,
  marked,
  merged,
  placed,
  shortText,
  tooLarge,
  viewOf,
} from './use-documents/document-list.ts';
import type { NewSession } from './use-new-session.ts';

export type { DocumentView } from './use-documents/document-list.ts';

export type Documents = {
  list: readonly DocumentView[];
  add(files: readonly File[]): void;
  /** Takes it out of the session, or gives it up where it is not there yet. */
  remove(name: string): void;
  /** These go with a message, and with no other; what was refused is told no longer. The answer: they go with the next one after all. */
  take(names: readonly string[]): () => void;
};

export const useDocuments = (
  api: Api,
  sessionId: string | undefined,
  newSession: NewSession,
  say: (text: string) => void,
): Documents => {
  const [list, setList] = useState<readonly DocumentView[]>([]);
  const uploads = useRef(new Map<string, AbortController>());
  /** Whose documents these are. */
  const owner = useRef<string>(undefined);
  const place: Place = useCallback((name, change) => setList((known) => placed(known, name, change)), []);
  useServerList({ api, sessionId, newSession, list, setList, owner, uploads });
  const add = useUpload({ api, begin: newSession.begin, place, owner, uploads });
  const remove = useRemoval({ api, begin: newSession.begin, place, list, uploads, say });
  const take = useCallback((names: readonly string[]) => {
    setList((known) => marked(known, names, false).filter(({ state }) => state !== 'failed'));
    return () => setList((known) => marked(known, names, true));
  }, []);
  return useMemo(() => ({ list, add, remove, take }), [list, add, remove, take]);
};

type Place = (name: string, change: (before: DocumentView | undefined) => DocumentView | undefined) => void;
type Uploads = RefObject<Map<string, AbortController>>;

const keptName = (sessionId: string | undefined): string => `documents ${sessionId ?? 'new'}`;
const NONE: Answer<{ documents: DocumentRow[] }> = { ok: true, value: { documents: [] } };

/** Reads the server's list now and whenever the person comes back to the page. */
const useServerList = (of: {
  api: Api;
  sessionId: string | undefined;
  newSession: NewSession;
  list: readonly DocumentView[];
  setList(change: (known: readonly DocumentView[]) => readonly DocumentView[]): void;
  owner: RefObject<string | undefined>;
  uploads: Uploads;
}): void => {
  const { api, sessionId, list, setList, owner, uploads } = of;
  const { begunId, forget } = of.newSession;
  /** Whose documents were looked at: only then is it known what there is. */
  const settled = useRef<string>(undefined);

  useEffect(() => {
    if (owner.current !== sessionId) {
      for (const upload of uploads.current.values()) upload.abort();
      setList(() => []);
    }
    owner.current = sessionId;
    let over = false;
    const look = async (): Promise<void> => {
      // Before the first message there may be a session all the same, for the files that came early.
      const id = sessionId ?? begunId();
      const kept = ((await recall(keptName(sessionId))) as Fresh[] | undefined) ?? [];
      const answer = id === undefined ? NONE : await api.documents(id);
      if (over) return;
      if (!answer.ok && answer.status === 404 && sessionId === undefined) forget();
      settled.current = keptName(sessionId);
      if (answer.ok) setList((known) => merged(known, answer.value.documents, kept));
    };
    void look();
    const onFocus = (): void => void look();
    window.addEventListener('focus', onFocus);
    return () => {
      over = true;
      window.removeEventListener('focus', onFocus);
    };
  }, [api, sessionId, begunId, forget, setList, owner, uploads]);
  // What has not gone with a message yet still goes with the next one after a reload.
  useEffect(() => {
    if (settled.current !== keptName(sessionId)) return;
    const fresh = freshIn(list);
    void keep(keptName(sessionId), fresh.length > 0 ? fresh : undefined);
  }, [list, sessionId]);
};

const useUpload = ({
  api,
  begin,
  place,
  owner,
  uploads,
}: {
  api: Api;
  begin: NewSession['begin'];
  place: Place;
  owner: RefObject<string | undefined>;
  uploads: Uploads;
}): Documents['add'] => {
  const take = useCallback(
    async (file: File): Promise<void> => {
      const named = documentName(file.name);
      const name = named.ok ? named.value : file.name;
      const fail = (problem: string): void =>
        place(name, () => ({ name, size: file.size, state: 'failed', problem, fresh: true }));
      const refused = tooLarge(file, name);
      if (refused !== undefined) return fail(refused);
      const upload = new AbortController();
      uploads.current.get(name)?.abort();
      uploads.current.set(name, upload);
      place(name, () => ({ name, size: file.size, state: 'coming', fresh: true }));
      const [session, text] = await Promise.all([begin(), shortText(file)]);
      if (!session.ok) return fail(session.message);
      owner.current = session.value.id;
      const answer = await uploadDocument(api.documentsPath(session.value.id), file, {
        signal: upload.signal,
        onProgress: (progress) => place(name, (before) => before && { ...before, progress }),
      });
      if (uploads.current.get(name) === upload) uploads.current.delete(name);
      if (upload.signal.aborted) return;
      if (!answer.ok) return fail(answer.message);
      place(name, () => undefined);
      place(answer.value.name, () => ({ ...viewOf(answer.value), text, fresh: true }));
    },
    [api, begin, place, owner, uploads],
  );
  return useCallback(
    (files) => {
      for (const file of files) void take(file);
    },
    [take],
  );
};

const useRemoval = ({
  api,
  begin,
  place,
  list,
  uploads,
  say,
}: {
  api: Api;
  begin: NewSession['begin'];
  place: Place;
  list: readonly DocumentView[];
  uploads: Uploads;
  say(text: string): void;
}): Documents['remove'] =>
  useCallback(
    (name) => {
      const upload = uploads.current.get(name);
      if (upload) {
        upload.abort();
        uploads.current.delete(name);
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
    [api, begin, list, place, say, uploads],
  );
