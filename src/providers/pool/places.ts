/** The places at model servers, counted in this process alone. */
import { createDeferred } from '../../core/deferred.ts';
import {
  findsQueueFull,
  type ModelPlaces,
  nextTurn,
  type Place,
  type PlaceRequest,
  QUEUE_IS_FULL,
  type Turn,
} from '../../core/model-places.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { PROVIDER_LIMITS } from '../limits.ts';

type Waiter = PlaceRequest & Turn & { before: number | undefined; resolve(outcome: Outcome<Place | undefined>): void };
type Running = Turn & { server: string };

export const createPlaces = (perServer: number = PROVIDER_LIMITS.poolRequestsPerServer): ModelPlaces => {
  const running = new Set<Running>();
  /** In the order of their turns. */
  let waiting: Waiter[] = [];

  const usedAt = (server: string): number => [...running].filter((one) => one.server === server).length;
  const placeAt = (server: string, { conversation, turn }: Turn): Place => {
    const one = { server, conversation, turn };
    running.add(one);
    return {
      server,
      giveBack() {
        if (running.delete(one)) give();
      },
    };
  };
  const leave = (waiter: Waiter, outcome: Outcome<Place | undefined>): void => {
    waiting = waiting.filter((other) => other !== waiter);
    waiter.resolve(outcome);
  };
  /** Gives every place that is free to whoever's turn it is, and tells the others where they stand. */
  const give = (): void => {
    const before = new Map<string, number>();
    for (const waiter of [...waiting]) {
      const servers = waiter.servers();
      const free = servers.find((server) => usedAt(server) < perServer);
      if (free !== undefined || servers.length === 0) {
        leave(waiter, succeed(free === undefined ? undefined : placeAt(free, waiter)));
        continue;
      }
      const count = Math.max(...servers.map((server) => before.get(server) ?? 0));
      if (waiter.before === undefined && findsQueueFull(count)) {
        leave(waiter, { ok: false, error: QUEUE_IS_FULL });
        continue;
      }
      for (const server of servers) before.set(server, count + 1);
      if (waiter.before !== count) {
        waiter.before = count;
        waiter.onWaiting(count);
      }
    }
  };

  return {
    changed: give,
    async take(request): Promise<Outcome<Place | undefined>> {
      if (request.signal.aborted) return succeed(undefined);
      const { promise, resolve } = createDeferred<Outcome<Place | undefined>>();
      const turn = nextTurn(request.conversation, waiting, [...running]);
      const waiter: Waiter = { ...request, turn, before: undefined, resolve };
      const giveUp = (): void => {
        leave(waiter, succeed(undefined));
        give();
      };
      request.signal.addEventListener('abort', giveUp, { once: true });
      const behind = waiting.findIndex((other) => other.turn > turn);
      waiting.splice(behind === -1 ? waiting.length : behind, 0, waiter);
      give();
      const outcome = await promise;
      request.signal.removeEventListener('abort', giveUp);
      return outcome;
    },
    async counts() {
      const servers = new Set([...running].map(({ server }) => server));
      for (const waiter of waiting) for (const server of waiter.servers().slice(0, 1)) servers.add(server);
      return succeed(
        [...servers].map((server) => ({
          server,
          running: usedAt(server),
          waiting: waiting.filter((waiter) => waiter.servers()[0] === server).length,
        })),
      );
    },
  };
};
