/**
 * Messages that wait for their turn or are on their way, as this browser keeps them: the words at once, and beside them what
 * stood beside the words, which is too large for the same place and takes a moment.
 */
import type { Event } from '../../../src/core/events.ts';
import type { ContentPart } from '../../../src/core/message.ts';
import { attachedTo, wordsOf } from '../conversation/message-words.ts';
import { type BrowserStore, inBrowser } from './browser-store.ts';
import { inAllTabs, keep, recall, tab } from './kept.ts';
import { newKey } from './message-keys.ts';
import type { View } from './view.ts';

/**
 * `key`: it is sent under this key however often, also after a reload, so it stands in the session once. `tab`: the one that
 * sent it. `after`: the newest fact of the moment when it was sent.
 */
export type KeptMessage = {
  text: string;
  after: number;
  key?: string;
  tab?: string;
  /** Nobody took it when it was sent. */
  isUnanswered?: boolean;
  /** The server said that it has it. */
  isTaken?: boolean;
  /** As it was written: the files and prompts that it names are still to be read. */
  isWritten?: boolean;
  /** What the server calls it, once it was seen to wait there. */
  queueId?: string;
  /** How many files and pictures stood beside its words. */
  beside?: number;
  /** The session that was begun for it, while it stands where no session is. */
  session?: string;
  /** The session that it was for, which was not found any more, and nobody here saw its end: it may have been answered there. */
  perhapsIn?: string;
};

/** What is told of a message that is added. */
type Told = Pick<KeptMessage, 'after' | 'key' | 'isWritten' | 'perhapsIn'>;

export type KeptQueuePorts = {
  words: BrowserStore;
  keep(name: string, value: unknown): Promise<void>;
  recall(name: string): Promise<unknown>;
  newKey(): string;
  tab(): string;
};

export type KeptQueue = {
  /** This tab. */
  tab(): string;
  all(place: string): readonly KeptMessage[];
  /** In the place of the one with the same key, where one is named. */
  add(place: string, content: string | readonly ContentPart[], told: Told): KeptMessage;
  /** What is known of it from now on. False: it is not kept here. */
  change(place: string, message: KeptMessage, next: Partial<KeptMessage>): boolean;
  /** Takes from this place what the session was begun for. */
  arrive(session: string, from: string): void;
  /**
   * Their session is gone: they are for a new one. `log`: all that was in it to its end, where this window followed it; without
   * it any of them may have been answered, and the person is told so. Whether something changed.
   */
  release(session: string, log?: readonly Event[]): boolean;
  /** The session is there after all, as where another halter answered in between: they are for it again. */
  restore(session: string): boolean;
  /** Sessions that messages are kept for. */
  places(): readonly string[];
  /** Learns which of them wait at the server, and forgets those that somebody took out there. What is left of them. */
  follow(place: string, view: Pick<View, 'queue' | 'removed'>): readonly KeptMessage[];
  /** Forgets all others. */
  keepOnly(place: string, messages: readonly KeptMessage[]): void;
  forget(place: string, message: KeptMessage): void;
  /** What stood beside its words; undefined where that was not kept, or not whole. */
  partsOf(message: KeptMessage): Promise<readonly ContentPart[] | undefined>;
  /** Resolves once all that was added is kept. */
  written(): Promise<unknown>;
};

const PLACE = 'halter queue ';
const nameOf = (place: string): string => `${PLACE}${place}`;
/** Where a message of a session that does not exist yet is kept. */
export const NEW_PLACE = 'new';
const partsName = ({ key, after, text }: KeptMessage): string => `beside ${key ?? `${after} ${text}`}`;
export const isSameMessage = (one: KeptMessage, other: KeptMessage): boolean =>
  one.key !== undefined && other.key !== undefined
    ? one.key === other.key
    : one.text === other.text && one.after === other.after;

/** Each with the id of the one that waits with the same words, the first with the first. */
const withIds = (known: readonly KeptMessage[], queue: View['queue']): readonly KeptMessage[] => {
  const taken = new Set(known.flatMap(({ queueId }) => queueId ?? []));
  return known.map((message) => {
    if (message.queueId !== undefined) return message;
    const found = queue.find((each) => !taken.has(each.queue_id) && wordsOf(each.content) === message.text);
    if (found === undefined) return message;
    taken.add(found.queue_id);
    return { ...message, queueId: found.queue_id };
  });
};

/** What a server called it, and what was said in its session, is over. */
const unbound = ({ queueId: _, isTaken: __, session: ___, perhapsIn: ____, ...message }: KeptMessage): KeptMessage => ({
  ...message,
  after: 0,
  isUnanswered: true,
});

/** And is bound for no other one by now. */
const isPerhapsIn = (message: KeptMessage, session: string): boolean =>
  message.session === undefined && message.perhapsIn === session;

const isSaidIn = (log: readonly Event[], { key, text, after }: KeptMessage): boolean =>
  log.some(
    (event) =>
      event.type === 'user_message_added' &&
      (key === undefined ? event.seq > after && wordsOf(event.content) === text : event.idempotency_key === key),
  );

class OwnQueue implements KeptQueue {
  readonly #ports: KeptQueuePorts;
  /** Each begins when the one before is done, so that the last word counts. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: KeptQueuePorts) {
    this.#ports = ports;
  }

  tab(): string {
    return this.#ports.tab();
  }

  all(place: string): readonly KeptMessage[] {
    try {
      return JSON.parse(this.#ports.words.get(nameOf(place)) ?? '[]') as KeptMessage[];
    } catch {
      return [];
    }
  }

  add(place: string, content: string | readonly ContentPart[], told: Told): KeptMessage {
    const parts = attachedTo(content);
    const message: KeptMessage = {
      text: wordsOf(content),
      after: told.after,
      key: told.key ?? this.#ports.newKey(),
      tab: this.#ports.tab(),
      ...(told.isWritten ? { isWritten: true } : {}),
      ...(told.perhapsIn === undefined ? {} : { perhapsIn: told.perhapsIn }),
      ...(parts.length > 0 ? { beside: parts.length } : {}),
    };
    const others = this.all(place).filter((each) => !isSameMessage(each, message));
    this.#write(place, [...others, message]);
    this.#keepBeside(message, parts.length > 0 ? parts : undefined);
    return message;
  }

  change(place: string, message: KeptMessage, next: Partial<KeptMessage>): boolean {
    const known = this.all(place);
    if (!known.some((each) => isSameMessage(each, message))) return false;
    this.#write(
      place,
      known.map((each) => (isSameMessage(each, message) ? { ...each, ...next } : each)),
    );
    return true;
  }

  arrive(session: string, from: string): void {
    const known = this.all(from);
    const arrived = known.filter((message) => message.session === session);
    if (arrived.length === 0) return;
    const moved = arrived.map(({ session: _, perhapsIn: __, ...message }) => message);
    const others = this.all(session).filter((each) => !moved.some((message) => isSameMessage(each, message)));
    // First the new place: whoever is ended in between has it twice, and not never.
    if (this.#write(session, [...others, ...moved]))
      this.#write(
        from,
        known.filter((message) => !arrived.includes(message)),
      );
  }

  release(session: string, log?: readonly Event[]): boolean {
    const inNew = this.all(NEW_PLACE);
    // Another window may have been first, without having seen the end.
    const isOf = (message: KeptMessage): boolean =>
      message.session === session || (log !== undefined && isPerhapsIn(message, session));
    const here = this.all(session);
    if (here.length === 0 && !inNew.some(isOf)) return false;
    const stay = here.filter((each) => !inNew.some((message) => isSameMessage(each, message)));
    const said = [...inNew.filter(isOf), ...stay].filter((message) => log !== undefined && isSaidIn(log, message));
    const released = (message: KeptMessage): readonly KeptMessage[] =>
      said.includes(message)
        ? []
        : [log === undefined ? { ...unbound(message), perhapsIn: session } : unbound(message)];
    const left = [...inNew.flatMap((each) => (isOf(each) ? released(each) : [each])), ...stay.flatMap(released)];
    if (!this.#write(NEW_PLACE, left) || !this.#write(session, [])) return false;
    for (const message of said) this.#keepBeside(message, undefined);
    return true;
  }

  restore(session: string): boolean {
    const known = this.all(NEW_PLACE);
    // What some window sends anew stays where it is sent from.
    const found = known.filter((message) => isPerhapsIn(message, session) && message.isUnanswered);
    const back = found.map(unbound);
    if (back.length === 0) return false;
    const others = this.all(session).filter((each) => !back.some((message) => isSameMessage(each, message)));
    // First the new place, as above.
    if (!this.#write(session, [...others, ...back])) return false;
    return this.#write(
      NEW_PLACE,
      known.filter((message) => !found.includes(message)),
    );
  }

  places(): readonly string[] {
    return this.#ports.words.names().flatMap((name) => {
      const place = name.startsWith(PLACE) ? name.slice(PLACE.length) : NEW_PLACE;
      return place === NEW_PLACE ? [] : place;
    });
  }

  follow(place: string, { queue, removed }: Pick<View, 'queue' | 'removed'>): readonly KeptMessage[] {
    const known = this.all(place);
    const named = withIds(known, queue);
    const left = named.filter(({ queueId }) => queueId === undefined || !removed.includes(queueId));
    if (left.length < known.length) this.keepOnly(place, left);
    else if (named.some((message, index) => message !== known[index])) this.#write(place, named);
    return left;
  }

  keepOnly(place: string, messages: readonly KeptMessage[]): void {
    const gone = this.all(place).filter((each) => !messages.some((message) => isSameMessage(message, each)));
    this.#write(place, messages);
    for (const message of gone) this.#keepBeside(message, undefined);
  }

  forget(place: string, message: KeptMessage): void {
    this.keepOnly(
      place,
      this.all(place).filter((each) => !isSameMessage(each, message)),
    );
  }

  async partsOf(message: KeptMessage): Promise<readonly ContentPart[] | undefined> {
    await this.#last;
    const parts = ((await this.#ports.recall(partsName(message))) as readonly ContentPart[] | undefined) ?? [];
    return parts.length < (message.beside ?? 0) ? undefined : parts;
  }

  written(): Promise<unknown> {
    return this.#last;
  }

  /** False: there was no room, and what was there stays. */
  #write(place: string, messages: readonly KeptMessage[]): boolean {
    const { words } = this.#ports;
    if (messages.length > 0) return words.set(nameOf(place), JSON.stringify(messages));
    words.remove(nameOf(place));
    return true;
  }

  #keepBeside(message: KeptMessage, parts: readonly ContentPart[] | undefined): void {
    this.#last = this.#last.then(() => this.#ports.keep(partsName(message), parts)).catch(() => undefined);
  }
}

export const createKeptQueue = (ports: KeptQueuePorts): KeptQueue => new OwnQueue(ports);

/** This browser's own. */
export const keptQueue = (): KeptQueue => {
  // The words are there for every window, and so is what belongs to them.
  own ??= createKeptQueue({
    words: inBrowser,
    keep: (name, value) => keep(name, value, inAllTabs),
    recall: (name) => recall(name, inAllTabs),
    newKey,
    tab,
  });
  return own;
};
let own: KeptQueue | undefined;
