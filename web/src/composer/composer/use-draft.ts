/** What the person has written and attached and not sent yet. It stays through a reload. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ContentPart } from '../../../../src/core/message.ts';
import { useApp, useSnapshot } from '../../app-context.tsx';
import { useWritten } from '../../parts/use-written.ts';
import { keep, recall } from '../../state/kept.ts';
import { keptQueue } from '../../state/kept-queue.ts';
import { type Attachment, attachmentOf, isPicture, readPicture } from '../attachments.ts';
import { carryDraft, draftName, picturesName } from '../carry-draft.ts';

/** What was chosen elsewhere, to be written on. */
export type Suggestion = { text: string; parts?: readonly ContentPart[]; at: number };

export type Draft = {
  text: string;
  setText(text: string | ((now: string) => string)): void;
  pictures: readonly Attachment[];
  setPictures(change: (known: readonly Attachment[]) => readonly Attachment[]): void;
  /** Puts beside the next message what stood beside another. */
  putBack(parts: readonly ContentPart[]): void;
  /** Takes files from the person: pictures into the message, others into the session's documents. */
  attach(files: readonly File[]): Promise<void>;
};

export const useDraft = (): Draft => {
  const { sessionId, say, documents } = useApp();
  const { value: text, update: setText } = useWritten(draftName(sessionId), '');
  useWayOut(sessionId);
  const [pictures, setPictures] = useKeptPictures(sessionId);
  const { add: addDocuments } = documents;
  const attach = useCallback(
    async (files: readonly File[]): Promise<void> => {
      addDocuments(files.filter((file) => !isPicture(file)));
      for (const file of files.filter(isPicture)) {
        const read = await readPicture(file);
        if (!read.ok) say(read.message);
        else setPictures((known) => [...known.filter(({ key }) => key !== read.attachment.key), read.attachment]);
      }
    },
    [say, addDocuments, setPictures],
  );
  const putBack = useCallback(
    (parts: readonly ContentPart[]): void => {
      const back = parts.map(attachmentOf);
      setPictures((known) => [...back, ...known.filter(({ key }) => !back.some((each) => each.key === key))]);
    },
    [setPictures],
  );
  return { text, setText, pictures, setPictures, putBack, attach };
};

/** Nobody comes back to a session that is gone, so who leaves it takes along what was typed. */
const useWayOut = (sessionId: string | undefined): void => {
  const { connection } = useSnapshot();
  const isGone = useRef(false);
  isGone.current = connection === 'gone';
  useLayoutEffect(
    () => () => {
      if (sessionId !== undefined && isGone.current) carryDraft(sessionId, undefined);
    },
    [sessionId],
  );
};

const useKeptPictures = (sessionId: string | undefined) => {
  const [pictures, setPictures] = useState<readonly Attachment[]>([]);
  const isKnown = useRef(false);
  const name = picturesName(sessionId);
  useEffect(() => {
    void recall(name).then((found) => {
      isKnown.current = true;
      if (found !== undefined) setPictures((known) => [...(found as Attachment[]), ...known]);
    });
  }, [name]);
  useEffect(() => {
    if (!isKnown.current) return;
    // What goes with a message is kept beside it before it is forgotten here.
    void keptQueue()
      .written()
      .then(() => keep(name, pictures.length > 0 ? pictures : undefined));
  }, [name, pictures]);
  return [pictures, setPictures] as const;
};
