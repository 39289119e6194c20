/**
 * One connection of this process to the database that does three things: it hears which sessions have news, it tells
 * others so, and as long as it lives it holds a lock that says that this process does. A notification is a hint and no
 * more: who hears it looks at the table, and who did not hear it looks there anyway after a while.
 *
 * The notification is sent after an event was kept and not with it: PostgreSQL takes one lock of the whole database for a
 * transaction that notifies, and appends of different sessions would wait for one another.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { DatabaseAddress } from './address.ts';
import { connectionOptions, giveUp, limitConnection, type StatementLimits } from './connections.ts';
import { databaseFailure, isAway } from './database.ts';
import type { Driver } from './driver.ts';
import { LOCK_CLASS } from './locks.ts';

const NEWS_CHANNEL = 'halter_sessions';
/** Messages that are of use at this moment only, such as the words of an answer as they come. */
const MESSAGE_CHANNEL = 'halter_words';

/** What was kept of a session last; 0: it was removed. */
export type News = ReadonlyMap<string, number>;

type NewsListener = (news: News | undefined) => void;
type MessageListener = (message: string) => void;
/** The driver's types leave these out. */
type RefClient = Client & { ref(): void; unref(): void };

export class PubSub {
  readonly #driver: Driver;
  readonly #address: DatabaseAddress;
  readonly #limits: StatementLimits | undefined;
  readonly #newsListeners = new Set<NewsListener>();
  readonly #messageListeners = new Set<MessageListener>();
  readonly #closing = new AbortController();
  /** Announced here and not sent yet. */
  #unsentNews = new Map<string, number>();
  #unsentMessages: string[] = [];
  #sending: Promise<void> | undefined;
  #client: RefClient | undefined;
  #number: number | undefined;
  #opening: Promise<Outcome<number>> | undefined;
  #looking: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(driver: Driver, address: DatabaseAddress, limits?: StatementLimits) {
    this.#driver = driver;
    this.#address = address;
    this.#limits = limits;
  }

  /** The number under which this process opens sessions; waits until it is known. */
  opener(): Promise<Outcome<number>> {
    this.#opening ??= this.#connectFirst().then((opened) => {
      if (!opened.ok) this.#opening = undefined;
      return opened;
    });
    return this.#opening;
  }

  /** Says that a session has news. Costs nothing now; several that come together go out together. */
  announce(id: string, seq: number): void {
    this.#unsentNews.set(id, seq);
    this.#send();
  }

  /** Calls the listener with what others announced; with undefined where some of it may have been missed. */
  onNews(listener: NewsListener): () => void {
    this.#newsListeners.add(listener);
    return () => this.#newsListeners.delete(listener);
  }

  /**
   * Sends a message of at most `databaseNotificationBytes` to every process that listens now. It is kept nowhere, and
   * dropped where too many wait.
   */
  publish(message: string): void {
    if (this.#client === undefined || this.#unsentMessages.length >= STORAGE_LIMITS.databaseUnsentMessages) return;
    this.#unsentMessages.push(message);
    this.#send();
  }

  subscribe(listener: MessageListener): () => void {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    await this.#send();
    this.#closing.abort();
    clearInterval(this.#looking);
    await this.#opening;
    const client = this.#client;
    this.#client = undefined;
    // Its end is waited for, so it keeps the program alive until then.
    client?.ref();
    await client?.end().catch(() => {});
  }

  async #connectFirst(): Promise<Outcome<number>> {
    const end = performance.now() + STORAGE_LIMITS.databaseWaitMs;
    for (let delay: number = STORAGE_LIMITS.databaseRetryMs; ; delay = nextDelay(delay)) {
      try {
        return succeed(await this.#connect());
      } catch (error) {
        const isOver = performance.now() + delay > end || this.#closing.signal.aborted;
        if (isOver || !isAway(error)) return databaseFailure(this.#address, error);
        await this.#pause(delay, true);
      }
    }
  }

  /** After the connection broke. What was announced meanwhile is looked up by every listener. */
  async #stayConnected(): Promise<void> {
    // Others take this process for gone while it has no connection.
    while (!this.#closing.signal.aborted && this.#client === undefined) {
      try {
        await this.#connect();
        for (const listener of this.#newsListeners) listener(undefined);
        this.#send();
        return;
      } catch {
        await this.#pause(STORAGE_LIMITS.databaseReconnectMs, false);
      }
    }
  }

  async #connect(): Promise<number> {
    const client = new this.#driver.default.Client(connectionOptions(this.#address, this.#limits)) as RefClient;
    let isOver = false;
    const lost = (): void => {
      if (isOver) return;
      isOver = true;
      if (this.#client !== client) return;
      this.#client = undefined;
      void this.#stayConnected();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload = '' }) => this.#receive(channel, payload));
    let number: number;
    try {
      await client.connect();
      number = await this.#prepare(client);
    } catch (error) {
      isOver = true;
      await client.end().catch(() => {});
      throw error;
    }
    if (this.#closing.signal.aborted) await client.end().catch(() => {});
    else if (isOver) throw new Error('Connection terminated');
    else this.#client = client;
    // At the end of a program nobody waits for a notification.
    client.unref();
    this.#looking ??= setInterval(() => this.#look(), STORAGE_LIMITS.databaseLookMs).unref();
    return number;
  }

  /** Nobody asks anything on a connection that only listens, so nobody would miss an answer where it is cut. */
  #look(): void {
    const client = this.#client;
    if (client === undefined || this.#isLooking) return;
    this.#isLooking = true;
    const asked = client.query('SELECT 1');
    void asked
      .catch(() => giveUp(client))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  async #prepare(client: Client): Promise<number> {
    await limitConnection(client, this.#limits);
    await client.query(`LISTEN ${NEWS_CHANNEL}`);
    await client.query(`LISTEN ${MESSAGE_CHANNEL}`);
    this.#number ??= await newNumber(client);
    // Shared: a connection that broke may hold it a moment longer than this process knows of it.
    await client.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, this.#number]);
    return this.#number;
  }

  #receive(channel: string, payload: string): void {
    if (channel === MESSAGE_CHANNEL) {
      for (const listener of this.#messageListeners) listener(payload);
      return;
    }
    const news = newsOf(payload);
    if (news) for (const listener of this.#newsListeners) listener(news);
  }

  /** One sender at a time; what comes meanwhile is sent by it. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const client = this.#client;
    client?.ref();
    while (this.#client !== undefined && (this.#unsentNews.size > 0 || this.#unsentMessages.length > 0)) {
      const news = this.#unsentNews;
      this.#unsentNews = new Map();
      const messages = this.#unsentMessages;
      this.#unsentMessages = [];
      try {
        for (const payload of payloadsOf(news)) await notify(this.#client, NEWS_CHANNEL, payload);
        for (const payload of messages) await notify(this.#client, MESSAGE_CHANNEL, payload);
      } catch {
        for (const [id, seq] of news) if (!this.#unsentNews.has(id)) this.#unsentNews.set(id, seq);
        break;
      }
    }
    client?.unref();
  }

  async #pause(ms: number, ref: boolean): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal, ref }).catch(() => {});
  }
}

const nextDelay = (delay: number): number => Math.min(delay * 2, STORAGE_LIMITS.databaseRetryMaxMs);

const notify = (client: Client, channel: string, payload: string): Promise<unknown> =>
  client.query({ name: 'halter_notify', text: 'SELECT pg_notify($1, $2)', values: [channel, payload] });

const newNumber = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ number: number }>(`SELECT nextval('halter.openers')::integer AS number`);
  return Number(rows[0]?.number);
};

/** As many sessions in one notification as it takes. */
const payloadsOf = (news: ReadonlyMap<string, number>): string[] => {
  const payloads: string[] = [];
  let text = '';
  for (const [id, seq] of news) {
    const entry = `${id} ${seq}`;
    if (text.length + entry.length + 1 > STORAGE_LIMITS.databaseNotificationBytes) {
      payloads.push(text);
      text = '';
    }
    text += `${text === '' ? '' : '\n'}${entry}`;
  }
  return text === '' ? payloads : [...payloads, text];
};

/** Anybody who may connect may notify, so a text of another form is passed over. */
const newsOf = (payload: string): News | undefined => {
  const news = new Map<string, number>();
  for (const line of payload.split('\n')) {
    const [, id, seq] = /^([\w.-]{1,128}) (\d{1,15})$/.exec(line) ?? [];
    if (id === undefined) return undefined;
    news.set(id, Number(seq));
  }
  return news;
};
