/**
 * Messages that wait for their turn. The server holds them; this browser keeps their words as well, so that a message whose
 * server was ended before it was sent comes back to the person.
 */

import { useEffect, useMemo, useState } from 'react';
import type { QueuedMessage } from '../../../src/core/events.ts';
import type { ContentPart } from '../../../src/core/message.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { attachedTo, companionsOf, wordsOf } from '../conversation/message-words.ts';
import { counted } from '../parts/format.ts';
import { readable } from '../parts/visible.ts';
import { onKept, tellKept } from '../state/kept-changes.ts';
import { type KeptMessage, keptQueue } from '../state/kept-queue.ts';
import { keysUnderWay, whenSent } from '../state/one-sender.ts';
import { lostMessages, NEW_PLACE, unsentMessages } from '../state/sending.ts';
import { mayNameFiles, withCompanions } from './attachments.ts';

const NOT_KEPT =
  'What stood beside this message was not kept, so it was not sent. Its words are in the field: look at what stands beside them, and send them.';

const NONE: ReadonlySet<string> = new Set();
const isSameSet = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((each) => other.has(each));

/** What other windows of this browser do with the messages that it keeps: which of them they send, and that something changed. */
const useOtherWindows = (kept: readonly KeptMessage[]) => {
  const [underWay, setUnderWay] = useState(NONE);
  const [changes, setChanges] = useState(0);
  useEffect(() => onKept(() => setChanges((before) => before + 1)), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew whenever something changed.
  useEffect(() => {
    const over = new AbortController();
    void keysUnderWay().then((keys) => {
      if (over.signal.aborted) return;
      setUnderWay((before) => (isSameSet(before, keys) ? before : keys));
      for (const key of keys) whenSent(key, () => setChanges((before) => before + 1), over.signal);
    });
    return () => over.abort();
  }, [kept, changes]);
  return { underWay, changes };
};

/** `onEdit` puts the words into the field, and beside it what stood beside them. */
export const Queue = ({ onEdit }: { onEdit(text: string, parts: readonly ContentPart[]): void }) => {
  const { api, sessionId, send, sending, sendMessage, say, openSession } = useApp();
  const { view: told, connection, toTheEnd } = useSnapshot();
  const { log } = told;
  useEffect(() => {
    if (toTheEnd && sessionId !== undefined && keptQueue().release(sessionId, log)) tellKept();
  }, [toTheEnd, sessionId, log]);
  // What was for a session that is gone is for a new one, and what waited there waits no more.
  const isGone = connection === 'gone';
  const view = useMemo(() => (isGone ? { ...told, queue: [] } : told), [isGone, told]);
  const place = isGone ? NEW_PLACE : (sessionId ?? NEW_PLACE);
  const [kept, setKept] = useState<readonly KeptMessage[]>([]);
  const { queue, removed } = view;
  const { underWay, changes } = useOtherWindows(kept);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `changes` says that another window wrote.
  useEffect(() => {
    // What waits and what was said is known once the session was told, and a message is on its way for a moment.
    if (connection === 'connecting') return;
    const isLive = connection === 'live';
    if (place !== NEW_PLACE) keptQueue().arrive(place, NEW_PLACE);
    const known = keptQueue().follow(place, { queue, removed });
    const lost = lostMessages(known, view);
    const waiting = known.filter(({ text }) => queue.some(({ content }) => wordsOf(content) === text));
    if (isLive && waiting.length + lost.length < known.length) keptQueue().keepOnly(place, [...lost, ...waiting]);
    const coming = sending.filter((each) => each.place === place);
    const unsent = unsentMessages(known, view, { coming, isLive, tab: keptQueue().tab(), underWay });
    setKept((before) => (before.length + unsent.length === 0 ? before : unsent));
  }, [place, connection, queue, removed, view, sending, underWay, changes]);
  const coming = lostMessages(
    sending.filter((each) => each.place === place && each.isBehind),
    view,
  );
  if (queue.length + kept.length + coming.length === 0) return null;
  const hide = (message: KeptMessage): void => setKept((known) => known.filter((each) => each !== message));
  const forget = (message: KeptMessage): void => {
    keptQueue().forget(place, message);
    hide(message);
  };
  const putBack = (message: KeptMessage, parts: readonly ContentPart[] | undefined): void => {
    onEdit(message.text, parts ?? []);
    if (parts === undefined) say(NOT_KEPT);
    forget(message);
  };
  const takeBack = async (message: KeptMessage): Promise<void> => putBack(message, await keptQueue().partsOf(message));
  /** It is kept until the server has it. */
  const sendAgain = async (message: KeptMessage): Promise<void> => {
    const parts = await keptQueue().partsOf(message);
    if (parts === undefined) {
      putBack(message, parts);
      return;
    }
    hide(message);
    // The files that its words name come again.
    const read = async () => {
      const told = await api.input(message.text);
      if (!told.ok) say(told.message);
      return told.ok ? withCompanions(told.value.content, [...parts]) : undefined;
    };
    const isRead = message.isWritten === true || mayNameFiles(message.text);
    const content = withCompanions(message.text, [...parts]);
    if (!(await sendMessage(content, { again: message, ...(isRead ? { read } : {}) }))) onEdit(message.text, parts);
  };
  /** What this browser keeps of it goes when the server tells all windows of it. */
  const remove = ({ queue_id }: QueuedMessage): Promise<boolean> => send({ type: 'remove_queued', queue_id });
  return (
    <ul
      aria-label="Messages that wait"
      className="mx-auto flex max-h-40 min-h-0 w-full max-w-[48rem] shrink-[4] flex-col gap-1 overflow-y-auto px-4 short:max-h-20 max-sm:px-2"
    >
      {queue.map((message) => {
        const words = wordsOf(message.content);
        return (
          <Entry
            key={message.queue_id}
            state={message.held ? 'Held' : 'Waits'}
            text={words}
            beside={companionsOf(message.content).length}
            onSend={message.held ? () => void send({ type: 'send_queued', queue_id: message.queue_id }) : undefined}
            onEdit={() =>
              void remove(message).then((isRemoved) =>
                isRemoved ? onEdit(words, attachedTo(message.content)) : undefined,
              )
            }
            onRemove={() => void remove(message)}
          />
        );
      })}
      {coming.map((message) => (
        <Entry key={`${message.after} ${message.text}`} state="Sending" text={message.text} />
      ))}
      {kept.map((message) => (
        <Entry
          key={`${message.after} ${message.text}`}
          state={message.perhapsIn === undefined ? 'Not sent' : 'May have been answered'}
          text={message.text}
          beside={message.beside ?? 0}
          sendWords={isGone ? 'To a new session' : 'Send now'}
          onSend={() => (isGone ? openSession(undefined) : void sendAgain(message))}
          onEdit={isGone ? undefined : () => void takeBack(message)}
          onRemove={() => forget(message)}
        />
      ))}
    </ul>
  );
};

type EntryProps = {
  state: string;
  text: string;
  /** How many files and pictures stand beside the words. */
  beside?: number;
  sendWords?: string;
  onSend?: (() => void) | undefined;
  onEdit?: (() => void) | undefined;
  onRemove?(): void;
};

const Entry = ({ state, text, beside = 0, sendWords = 'Send now', onSend, onEdit, onRemove }: EntryProps) => (
  <li className="flex min-w-0 items-center gap-1 rounded border border-line bg-sunken py-0.5 pr-1 pl-2 text-sm max-sm:flex-wrap max-sm:gap-y-0">
    <span className="shrink-0 text-xs text-soft">{state}:</span>
    <span className="min-w-0 flex-1 truncate max-sm:basis-28">{readable(text)}</span>
    {beside > 0 && <span className="shrink-0 text-xs text-soft">{counted(beside, 'file')}</span>}
    <span className="ml-auto flex shrink-0 items-center gap-1">
      {onSend && (
        <button type="button" className="quiet-button whitespace-nowrap" onClick={onSend}>
          {sendWords}
        </button>
      )}
      {onEdit && (
        <button type="button" className="quiet-button" onClick={onEdit}>
          Edit
        </button>
      )}
      {onRemove && (
        <button type="button" className="quiet-button" onClick={onRemove}>
          Remove
        </button>
      )}
    </span>
  </li>
);
