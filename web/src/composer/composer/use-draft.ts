/** What the person has written and attached and not sent yet. It stays through a reload. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp } from '../../app-context.tsx';
import { keep, recall } from '../../state/kept.ts';
import { type Attachment, isPicture, readPicture } from '../attachments.ts';

const draftKey = (id: string | undefined): string => `halter draft ${id ?? 'new'}`;

export type Draft = {
  text: string;
  setText(text: string | ((now: string) => string)): void;
  pictures: readonly Attachment[];
  setPictures(change: (known: readonly Attachment[]) => readonly Attachment[]): void;
  /** Takes files from the person: pictures into the message, others into the session's documents. */
  attach(files: readonly File[]): Promise<void>;
};

export const useDraft = (): Draft => {
  const { sessionId, say, documents } = useApp();
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey(sessionId)) ?? '');
  const [pictures, setPictures] = useKeptPictures(sessionId);
  useEffect(() => sessionStorage.setItem(draftKey(sessionId), text), [sessionId, text]);
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
  return { text, setText, pictures, setPictures, attach };
};

const useKeptPictures = (sessionId: string | undefined) => {
  const [pictures, setPictures] = useState<readonly Attachment[]>([]);
  const isKnown = useRef(false);
  const name = `pictures ${sessionId ?? 'new'}`;
  useEffect(() => {
    void recall(name).then((found) => {
      isKnown.current = true;
      if (found !== undefined) setPictures((known) => [...(found as Attachment[]), ...known]);
    });
  }, [name]);
  useEffect(() => {
    if (isKnown.current) void keep(name, pictures.length > 0 ? pictures : undefined);
  }, [name, pictures]);
  return [pictures, setPictures] as const;
};
