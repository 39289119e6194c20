/** Which messages are stopped where workers die, by what runs in them and by kills from outside, in any mix. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { judge } from '../src/cluster/poison.ts';
import type { Command } from '../src/core/events.ts';
import type { Outcome } from '../src/core/outcome.ts';
import { DATABASE_IS_NEW } from '../src/storage/postgres/lease.ts';
import { openPostgres, type PostgresStorage } from '../src/storage/postgres.ts';
import { verifies } from './requirements.ts';
import { rounds, timeLimit } from './support/long.ts';
import { describePostgres, usePostgres } from './support/postgres.ts';
import type { Random } from './support/random.ts';
import { seededRandom } from './support/seeded-random.ts';

const postgres = usePostgres();
const ROUNDS = rounds(5, 120);
const DEATHS = 24;
const DEATHS_PLAYED_MAX = 1_000;
/** However many workers are killed from outside. */
const DEATHS_MAX = 30;
const DEATHS_ALONE = 4;
const PLACE = 'tools hold';
const COMMAND: Command = { type: 'send_message', content: 'do it' };
const NAME = 'kills_from_outside';

const must = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
};

type Message = { id: string; worker: number; here: number; own: number; state: 'fine' | 'suspect' | 'given_up' };
type Mix = { workers: number; messages: number; before: number; hasKiller: boolean; outside: number };
type Ended = { innocents: Message[]; killer: Message | undefined; faults: string[] };

/** Messages that all stay at one place, on workers that die one after the other. */
class Fleet {
  readonly #storage: PostgresStorage;
  readonly #random: Random;
  readonly #mix: Mix;
  readonly #messages: Message[];
  readonly #faults: string[] = [];
  /** What each worker that died had in work. */
  readonly #deaths: Message[][] = [];
  #process = 1_000;

  constructor(storage: PostgresStorage, random: Random, mix: Mix) {
    this.#storage = storage;
    this.#random = random;
    this.#mix = mix;
    this.#messages = Array.from({ length: mix.messages }, (_, index) => ({
      id: `s${index}`,
      worker: this.#any(mix.workers),
      here: 0,
      own: 0,
      state: 'fine',
    }));
  }

  async play(): Promise<Ended> {
    const [first] = this.#messages;
    const killer = this.#mix.hasKiller ? first : undefined;
    for (let idle = 0; idle < this.#mix.before; idle += 1) await this.#dieIdle();
    for (let death = 0; death < DEATHS || (isAtLarge(killer) && death < DEATHS_PLAYED_MAX); death += 1) {
      if (isAtLarge(killer) && this.#random() >= this.#mix.outside) await this.#die(killer.worker, killer);
      else if (this.#mix.outside > 0) await this.#die(this.#any(this.#mix.workers));
    }
    return { innocents: this.#messages.filter((each) => each !== killer), killer, faults: this.#faults };
  }

  #any(count: number): number {
    return Math.floor(this.#random() * count);
  }

  async #dieIdle(): Promise<void> {
    this.#process += 1;
    this.#deaths.push([]);
    await postgres().sql(
      `INSERT INTO halter.leases (number, renewed_at, works) VALUES (${this.#process}, now() - interval '5 s', true)`,
      NAME,
    );
  }

  /** `killer`: it dies of this one, in its trial where it has one. */
  async #die(worker: number, killer?: Message): Promise<void> {
    const aboard = this.#messages.filter((each) => each.worker === worker && each.state !== 'given_up');
    if (aboard.length === 0) return this.#dieIdle();
    const { jobs } = this.#storage;
    this.#process += 1;
    const process = this.#process;
    const suspects = aboard.filter(({ state }) => state === 'suspect');
    const tried = killer?.state === 'suspect' ? killer : suspects[this.#any(suspects.length)];
    if (tried !== undefined) must(await jobs.beginTrial(`${tried.id}/1`, process));
    const ids = aboard.map(({ id }) => `'${id}'`).join(', ');
    await postgres().sql(`UPDATE halter.sessions SET opener = ${process} WHERE id IN (${ids})`, NAME);
    must(await jobs.noteDeaths(aboard.map(({ id }) => ({ job: `${id}/1`, session: id, process }))));
    this.#deaths.push(aboard);
    for (const each of aboard) {
      each.here += 1;
      if (each === tried || aboard.length === 1) each.own += 1;
      await this.#judge(each, each === killer);
      each.worker = this.#any(this.#mix.workers);
    }
  }

  async #judge(message: Message, isKiller: boolean): Promise<void> {
    const { jobs } = this.#storage;
    const job = `${message.id}/1`;
    const { kind } = judge(must(await jobs.notePlace(job, PLACE)), true);
    message.state = kind;
    if (kind !== 'given_up') return;
    const { here } = message;
    must(await jobs.fail({ job, session: message.id, command: COMMAND, message: 'stopped', deaths: here }));
    const without = this.#deaths.filter((aboard) => aboard.every((each) => !isAccounted(each, message))).length;
    if (!isKiller && without >= here && here < DEATHS_MAX) {
      this.#faults.push(`stopped ${message.id} after ${here} deaths with it and ${without} without it`);
    }
  }
}

/** What a message that was given up was in is taken for its doing. */
const isAccounted = (each: Message, message: Message): boolean => each === message || each.state === 'given_up';

const isAtLarge = (killer: Message | undefined): killer is Message =>
  killer !== undefined && killer.state !== 'given_up';

const play = async (storage: PostgresStorage, random: Random, mix: Mix): Promise<Ended> => {
  await postgres().sql(
    'DELETE FROM halter.deaths; DELETE FROM halter.failed_jobs; DELETE FROM halter.trials; DELETE FROM halter.leases',
    NAME,
  );
  return new Fleet(storage, random, mix).play();
};

describePostgres('workers that die', () => {
  test('stop no message for kills that hit workers without it as often, and every message that kills', {
    timeout: timeLimit(180_000),
  }, async () => {
    verifies('B12');
    const random = seededRandom();
    const storage = must(await openPostgres({ url: await postgres().url(NAME) }));
    onTestFinished(() => storage.close());
    for (let index = 0; index < 10; index += 1) {
      must(await storage.sessions.create(`s${index}`, [{ seq: 1, at: 1, type: 'user_message_added', content: 'go' }]));
    }
    // Just after its start nobody is taken for gone.
    await vi.waitUntil(async () => (await postgres().sql(`SELECT NOT ${DATABASE_IS_NEW}`)) === 'true', {
      timeout: 60_000,
    });
    const faults: string[] = [];
    let innocents = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const hasKiller = round % 3 > 0;
      const mix: Mix = {
        workers: 1 + Math.floor(random() * 4),
        messages: 1 + Math.floor(random() * 10),
        before: Math.floor(random() * 6),
        hasKiller,
        outside: !hasKiller ? 1 : round % 3 === 1 ? 0 : random() * 0.7,
      };
      const ended = await play(storage, random, mix.outside === 0 ? { ...mix, before: 0 } : mix);
      innocents += ended.innocents.length;
      faults.push(...ended.faults.map((fault) => `${JSON.stringify(mix)}: ${fault}`));
      const { killer } = ended;
      if (killer === undefined) continue;
      const most = mix.outside === 0 ? DEATHS_ALONE : DEATHS_MAX;
      if (killer.state !== 'given_up' || killer.here > most) {
        faults.push(`${JSON.stringify(mix)}: what kills was ${killer.state} after ${killer.here} deaths`);
      }
    }
    expect(innocents).toBeGreaterThan(ROUNDS);
    expect(faults).toEqual([]);
  });
});
