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
import { connectionOptions, databaseFailure } from './database.ts';
import type { Driver } from './driver.ts';
import { LOCK_CLASS } from './schema.ts';

const CHANNEL = 'halter_sessions';
/** What is of use at this moment or never: words of an answer as they come. */
const WORDS = 'halter_words';

/** What was kept of a session last; 0: it was removed. */
export type News = ReadonlyMap<string, number>;

export type PubSub = {
  /** The number under which this process opens sessions; waits until it is known. */
  opener(): Promise<Outcome<number>>;
  /** Says that a session has news. Costs nothing now; several that come together go out together. */
  ring(id: string, seq: number): void;
  /** Hears what others rang. Without news: some may have been missed. */
  hear(listener: (news: News | undefined) => void): () => void;
  /** To every process that listens now; it is kept nowhere, and dropped where too much waits. At most `databaseBellBytes`. */
  say(words: string): void;
  listen(listener: (words: string) => void): () => void;
  close(): Promise<void>;
};

export const createPubSub = (driver: Driver, address: DatabaseAddress): PubSub => {
  const listeners = new Set<(news: News | undefined) => void>();
  const closing = new AbortController();
  /** Rung and not told yet. */
  let waiting = new Map<string, number>();
  const listening = new Set<(words: string) => void>();
  let unsaid: string[] = [];
  let telling = false;
  let client: Client | undefined;
  let number: number | undefined;
  let opening: Promise<Outcome<number>> | undefined;

  const publish = (news: News | undefined): void => {
    for (const listener of listeners) listener(news);
  };
  const connect = async (): Promise<number> => {
    const next: Client = new driver.default.Client(connectionOptions(address));
    let over = false;
    const lost = (): void => {
      if (over) return;
      over = true;
      if (client !== next) return;
      client = undefined;
      void stayConnected();
    };
    next.on('error', lost);
    next.on('end', lost);
    next.on('notification', ({ channel, payload = '' }) => {
      if (channel === WORDS) {
        for (const listener of listening) listener(payload);
        return;
      }
      const news = newsOf(payload);
      if (news) publish(news);
    });
    try {
      await next.connect();
      // The other end hears soon that this machine is gone, and lets go of the lock.
      await next.query(`SET tcp_keepalives_idle = ${STORAGE_LIMITS.databaseKeepaliveIdleS}`);
      await next.query(`SET tcp_keepalives_interval = ${STORAGE_LIMITS.databaseKeepaliveIntervalS}`);
      await next.query(`SET tcp_keepalives_count = ${STORAGE_LIMITS.databaseKeepaliveCount}`);
      await next.query(`LISTEN ${CHANNEL}`);
      await next.query(`LISTEN ${WORDS}`);
      number ??= await newNumber(next);
      // Shared: a connection that broke may hold it a moment longer than this process knows of it.
      await next.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, number]);
    } catch (error) {
      over = true;
      await next.end().catch(() => {});
      throw error;
    }
    if (closing.signal.aborted) await next.end().catch(() => {});
    else if (over) throw new Error('Connection terminated');
    else client = next;
    // Nothing waits for a notification at the end of a program.
    (next as Client & { unref(): void }).unref();
    return number;
  };
  /** After the connection broke; what was rung meanwhile is looked up by everybody. */
  const stayConnected = async (): Promise<void> => {
    for (let delay: number = STORAGE_LIMITS.databaseRetryMs; !closing.signal.aborted && client === undefined; ) {
      try {
        await connect();
        publish(undefined);
        void tell();
        return;
      } catch {
        await sleep(delay, undefined, { signal: closing.signal, ref: false }).catch(() => {});
        delay = Math.min(delay * 2, STORAGE_LIMITS.databaseRetryMaxMs);
      }
    }
  };
  const tell = async (): Promise<void> => {
    if (telling) return;
    telling = true;
    while (client !== undefined && (waiting.size > 0 || unsaid.length > 0)) {
      const news = waiting;
      waiting = new Map();
      const words = unsaid;
      unsaid = [];
      try {
        for (const payload of payloadsOf(news)) await notify(client, CHANNEL, payload);
        for (const payload of words) await notify(client, WORDS, payload);
      } catch {
        for (const [id, seq] of news) if (!waiting.has(id)) waiting.set(id, seq);
        break;
      }
    }
    telling = false;
  };
  const first = async (): Promise<Outcome<number>> => {
    const end = performance.now() + STORAGE_LIMITS.databaseWaitMs;
    for (
      let delay: number = STORAGE_LIMITS.databaseRetryMs;
      ;
      delay = Math.min(delay * 2, STORAGE_LIMITS.databaseRetryMaxMs)
    ) {
      try {
        return succeed(await connect());
      } catch (error) {
        if (performance.now() + delay > end || closing.signal.aborted) return databaseFailure(address, error);
        await sleep(delay, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };

  return {
    opener() {
      opening ??= first().then((opened) => {
        if (!opened.ok) opening = undefined;
        return opened;
      });
      return opening;
    },
    ring(id, seq) {
      waiting.set(id, seq);
      void tell();
    },
    say(words) {
      if (client === undefined || unsaid.length >= STORAGE_LIMITS.databaseUnsaid) return;
      unsaid.push(words);
      void tell();
    },
    listen(listener) {
      listening.add(listener);
      return () => listening.delete(listener);
    },
    hear(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      if (closing.signal.aborted) return;
      await tell();
      closing.abort();
      await opening;
      const open = client;
      client = undefined;
      await open?.end().catch(() => {});
    },
  };
};

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
    if (text.length + entry.length + 1 > STORAGE_LIMITS.databaseBellBytes) {
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
