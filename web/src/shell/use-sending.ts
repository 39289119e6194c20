/** Sends what the person wrote. It is in sight and kept from the first moment, however long the server takes. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ContentPart } from '../../../src/core/message.ts';
import { carryDraft } from '../composer/carry-draft.ts';
import type { Answer, Api } from '../state/api.ts';
import { AskedSessions } from '../state/asked-sessions.ts';
import { tellKept } from '../state/kept-changes.ts';
import { isSameMessage, type KeptMessage, keptQueue } from '../state/kept-queue.ts';
import { newKey } from '../state/message-keys.ts';
import { asOnlySender, heldWhile } from '../state/one-sender.ts';
import { NEW_PLACE, type Sending } from '../state/sending.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { NewSession } from './use-new-session.ts';

/** So long is waited until what goes with a message is kept; a browser that says nothing of it does not hold it back for ever. */
const KEEPING_MS = 10_000;
/** So long may an answer take before the page looks whether halter is there at all. */
const SLOW_MS = 5_000;

type Listed = { id: string };

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

/**
 * A page that was loaded again after the session of its message was begun, and before it heard that it was sent: what became
 * of the message stands in that session. Where there is none any more, also since somebody deleted it, the message stands here,
 and goes back where that session is there after all.
 */
const useReturn = (
  api: Api,
  sessionId: string | undefined,
  openSession: (id: string) => void,
  sessions: readonly Listed[],
  onChange: () => void,
): void => {
  const isNew = sessionId === undefined;
  const isFirst = useRef(true);
  const asked = useRef(new AskedSessions());
  // biome-ignore lint/correctness/useExhaustiveDependencies: at first, and whenever the list reads otherwise.
  useEffect(() => {
    const opens = isFirst.current && isNew;
    isFirst.current = false;
    const inNew = keptQueue().all(NEW_PLACE);
    const bound = inNew.flatMap(({ session, perhapsIn }) => session ?? perhapsIn ?? []);
    const meant = [...bound, ...keptQueue().places()];
    const look = asked.current.next(
      meant,
      sessions.map(({ id }) => id),
    );
    const isBack = look.there.filter((session) => keptQueue().restore(session));
    if (isBack.length > 0) onChange();
    for (const session of look.ask) {
      void api.hasSession(session).then((found) => {
        asked.current.heard(session, found);
        const changed =
          found === 'gone' ? keptQueue().release(session) : found === 'there' && keptQueue().restore(session);
        if (changed) onChange();
        const own = inNew.find((message) => message.session === session && message.tab === keptQueue().tab());
        if (found === 'gone' || !opens || !own) return;
        carryDraft(undefined, session);
        openSession(session);
      });
    }
  }, [sessions]);
};

const within = (ms: number, work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms))]);

type Content = string | ContentPart[];
export type SendOptions = {
  /** It is sent once more. */
  again?: KeptMessage;
  /** What is sent in its place, where files or prompts that it names are read first; undefined: it cannot be. */
  read?(): Promise<Content | undefined>;
  /** There is no field that it could go back to. */
  isWithoutField?: boolean;
};

type Props = {
  api: Api;
  sessionId: string | undefined;
  store: SessionStore | undefined;
  newSession: NewSession;
  say(text: string | undefined): void;
  openSession(id: string): void;
  /** The list of them, as it is known. */
  sessions: readonly Listed[];
  refreshSessions(): void;
  lookAgain(): void;
};

/** One message under way, in the page and in what the browser keeps. */
class Underway {
  entry: Sending;
  /** Where it is kept. */
  readonly #place: string;
  readonly #set: (change: (known: readonly Sending[]) => readonly Sending[]) => void;

  constructor(entry: Sending, set: (change: (known: readonly Sending[]) => readonly Sending[]) => void) {
    this.entry = entry;
    this.#place = entry.place;
    this.#set = set;
    set((known) => [...known, entry]);
  }

  change(next: Partial<Sending>): void {
    const [before, after] = [this.entry, { ...this.entry, ...next }];
    this.entry = after;
    this.#set((known) => known.map((each) => (each === before ? after : each)));
  }

  /** What was written, with what it names. */
  read(content: Content): void {
    const { isWritten: _, ...kept } = keptQueue().add(this.#place, content, { ...this.entry, isWritten: false });
    this.change({ ...kept, content, isWritten: false });
  }

  /** False: it is not kept. */
  keep(next: Partial<KeptMessage>): boolean {
    // Another window may look at its session already.
    const places = [this.#place, this.entry.session ?? this.#place];
    return places.some((place) => keptQueue().change(place, this.entry, next));
  }

  /** The session that was begun for it; undefined: it was no good. */
  goesTo(session: string | undefined): void {
    this.keep({ session });
    this.change({ session });
  }

  taken(): void {
    this.keep({ isTaken: true });
    // What waits for its turn is in the server's queue from now on, and may be taken out of it.
    if (this.entry.isBehind) this.settle();
    else this.change({ isTaken: true });
  }

  /** True: it is kept to be sent again. False: it goes back to where it was written. */
  refused(toBeKept: boolean): boolean {
    // What this browser had no room for is kept by the field alone.
    const isKept = toBeKept && this.keep({ isUnanswered: true });
    if (!isKept) keptQueue().forget(this.#place, this.entry);
    this.settle();
    return isKept;
  }

  settle(): void {
    this.#set((known) => known.filter((each) => !isSameMessage(each, this.entry)));
  }
}

export const useSending = (props: Props) => {
  const { api, sessionId, store, newSession, say, openSession, sessions, refreshSessions, lookAgain } = props;
  const [sending, setSending] = useState<readonly Sending[]>([]);
  const { orTakenBack, takeBack } = useTakingBack();
  useReturn(api, sessionId, openSession, sessions, tellKept);
  const shown = useRef(sessionId);
  shown.current = sessionId;
  const settled = useCallback((entry: Sending) => setSending((known) => known.filter((each) => each !== entry)), []);
  const sendOne = useCallback(
    async (key: string, content: Content, { again, read, isWithoutField = false }: SendOptions): Promise<boolean> => {
      const view = store?.snapshot().view;
      const place = sessionId ?? NEW_PLACE;
      const told = { after: view?.head ?? 0, isWritten: read !== undefined, key, perhapsIn: again?.perhapsIn };
      const kept = keptQueue().add(place, content, told);
      const isBehind = view?.running === true;
      const underway = new Underway({ ...kept, place, content, isBehind }, setSending);
      // The field in which it was written is there no more, so it is kept.
      const hasLeft = (): boolean => isWithoutField || shown.current !== sessionId;
      const slow = setTimeout(lookAgain, SLOW_MS);
      const end = (answer: Answer<unknown>): boolean => {
        clearTimeout(slow);
        say(answer.ok ? undefined : answer.message);
        if (!answer.ok) return underway.refused(answer.status === 0 || hasLeft());
        underway.taken();
        return true;
      };
      const whole = read === undefined ? content : await read();
      if (whole === undefined) {
        clearTimeout(slow);
        return underway.refused(hasLeft());
      }
      if (read !== undefined) underway.read(whole);
      // Nothing is under way that a page which is left here could not send again as it was.
      if (underway.entry.beside !== undefined) await within(KEEPING_MS, keptQueue().written());
      // The session that is begun meanwhile is for the next message.
      const made = await orTakenBack(newSession.begin());
      if (!made.ok) return end(made);
      const { id } = made.value;
      if (sessionId === undefined && newSession.mode !== undefined) {
        // Under another mode than the one that was chosen nothing runs.
        const changed = await api.command(id, { type: 'change_mode', mode: newSession.mode });
        if (!changed.ok) return end(changed);
      }
      if (sessionId === undefined) underway.goesTo(id);
      const answer = await api.command(id, { type: 'send_message', content: whole, idempotency_key: key });
      if (sessionId !== undefined) return end(answer);
      const isThere = answer.ok || answer.status === 0;
      if (!isThere) underway.goesTo(undefined);
      if (!answer.ok && answer.status === 404) newSession.forget();
      const isDone = end(answer);
      if (isThere) underway.change({ place: id });
      // Whoever looks at another session by now stays there.
      if (isThere && !hasLeft()) {
        carryDraft(undefined, id);
        openSession(id);
      }
      refreshSessions();
      return isDone;
    },
    [api, sessionId, store, newSession, say, openSession, refreshSessions, lookAgain, orTakenBack],
  );
  /** False: it was refused, and goes back to where it was written. What nobody answered is kept to be sent again. */
  const sendMessage = useCallback(
    async (content: Content, options: SendOptions = {}): Promise<boolean> => {
      const { again } = options;
      if (again?.key === undefined) {
        const key = newKey();
        // It is kept before anything is waited for, and nobody else knows its key.
        return heldWhile(key, sendOne(key, content, options));
      }
      const { key } = again;
      const place = sessionId ?? NEW_PLACE;
      // Another window may have sent it, or taken it back, since this one looked.
      const isThere = (): boolean =>
        keptQueue()
          .all(place)
          .some((each) => isSameMessage(each, again));
      const isDone = await asOnlySender(key, async () =>
        isThere() ? sendOne(key, content, options) : ('not there' as const),
      );
      if (isDone === undefined) say('Another window sends this message now.');
      else if (isDone === 'not there') say('Another window has sent this message, or has taken it back.');
      return isDone !== false;
    },
    [sessionId, sendOne, say],
  );
  return { sending, settled, sendMessage, takeBack };
};
