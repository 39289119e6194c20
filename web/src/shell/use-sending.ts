/** Sends what the person wrote. It is in sight and kept from the first moment, however long the server takes. */
import { useCallback, useRef, useState } from 'react';
import type { ContentPart } from '../../../src/core/message.ts';
import { wordsOf } from '../conversation/message-words.ts';
import type { Answer, Api } from '../state/api.ts';
import { keptQueue } from '../state/kept-queue.ts';
import { NEW_PLACE, type Sending } from '../state/sending.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { NewSession } from './use-new-session.ts';

/** So long may an answer take before the page looks whether halter is there at all. */
const SLOW_MS = 5_000;

/** The words go back into the field, as those of a message that was refused. */
const TAKEN_BACK = { ok: false, status: 409, message: 'It was taken back and not sent.' } as const;

/** Of the message that waits for its session, as while a model is loaded: nobody but this page has it. */
const useTakingBack = () => {
  const take = useRef<() => void>(undefined);
  const orTakenBack = useCallback(<T>(begun: Promise<Answer<T>>): Promise<Answer<T>> => {
    const taken = Promise.withResolvers<Answer<T>>();
    take.current = () => taken.resolve(TAKEN_BACK);
    return Promise.race([begun, taken.promise]);
  }, []);
  const takeBack = useCallback(() => take.current?.(), []);
  return { orTakenBack, takeBack };
};

type Props = {
  api: Api;
  sessionId: string | undefined;
  store: SessionStore | undefined;
  newSession: NewSession;
  say(text: string | undefined): void;
  openSession(id: string): void;
  refreshSessions(): void;
  lookAgain(): void;
};

export const useSending = (props: Props) => {
  const { api, sessionId, store, newSession, say, openSession, refreshSessions, lookAgain } = props;
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const { orTakenBack, takeBack } = useTakingBack();
  const settled = useCallback((entry: Sending) => setSending((known) => known.filter((each) => each !== entry)), []);
  /** False: it was refused, and goes back to where it was written. What nobody answered is kept to be sent again. */
  const sendMessage = useCallback(
    async (content: string | ContentPart[]): Promise<boolean> => {
      const view = store?.snapshot().view;
      let entry: Sending = {
        place: sessionId ?? NEW_PLACE,
        content,
        text: wordsOf(content),
        after: view?.head ?? 0,
        isBehind: view?.running === true,
        isTaken: false,
      };
      keptQueue().add(entry.place, content, entry.after);
      setSending((known) => [...known, entry]);
      const change = (next: Partial<Sending>): void => {
        const [before, after] = [entry, { ...entry, ...next }];
        entry = after;
        setSending((known) => known.map((each) => (each === before ? after : each)));
      };
      const slow = setTimeout(lookAgain, SLOW_MS);
      const end = (answer: Answer<unknown>): boolean => {
        clearTimeout(slow);
        if (answer.ok) {
          say(undefined);
          // What waits for its turn is in the server's queue from now on, and may be taken out of it.
          if (entry.isBehind) settled(entry);
          else change({ isTaken: true });
          return true;
        }
        // Also where the page is being closed, which ends what is under way.
        const isKept = answer.status === 0;
        if (isKept) keptQueue().unanswered(entry.place, entry.text);
        else keptQueue().forget(entry.place, entry.text);
        settled(entry);
        say(answer.message);
        return isKept;
      };
      if (sessionId === undefined) {
        // The session that is begun meanwhile is for the next message.
        const made = await orTakenBack(newSession.begin());
        if (!made.ok) return end(made);
        const { id } = made.value;
        keptQueue().add(id, content, entry.after);
        keptQueue().forget(NEW_PLACE, entry.text);
        change({ place: id });
        if (newSession.mode !== undefined) await api.command(id, { type: 'change_mode', mode: newSession.mode });
      }
      const answer = await api.command(entry.place, { type: 'send_message', content });
      const isDone = end(answer);
      if (sessionId === undefined) {
        openSession(entry.place);
        refreshSessions();
      }
      return isDone;
    },
    [api, sessionId, store, newSession, say, openSession, refreshSessions, lookAgain, settled, orTakenBack],
  );
  return { sending, settled, sendMessage, takeBack };
};
