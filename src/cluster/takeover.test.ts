import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { failure, succeed } from '../core/outcome.ts';
import { STORAGE_LIMITS } from '../storage/limits.ts';
import { executorName, type Job, wasTaken } from './jobs.ts';
import { deathsAllowed } from './poison.ts';
import { Strays, Takeover } from './takeover.ts';

const team = () => {
  const world = { now: 0, busy: [1, 2, 3], gone: [] as number[], isAway: false };
  const recovered: string[] = [];
  const takeover = new Takeover({
    self: executorName(1),
    now: () => world.now,
    executors: async () => [...world.busy.map(executorName), 'somebody-else'],
    gone: async (numbers) =>
      world.isAway ? failure('io_error', 'away') : succeed(numbers.filter((number) => world.gone.includes(number))),
    recover: async (name) => {
      recovered.push(name);
    },
  });
  return { world, recovered, look: () => takeover.look() };
};

describe('workers look after one another', () => {
  test('takes over from one that is gone for a while, and never from itself', async () => {
    verifies('B12');
    const { world, recovered, look } = team();
    world.gone = [1, 3];
    await look();
    expect(recovered).toEqual([]);
    world.now = STORAGE_LIMITS.databaseTakeoverMs;
    await look();
    expect(recovered).toEqual([executorName(3)]);
  });

  test('takes nobody for gone who came back in between, as all do after a restart of the database', async () => {
    verifies('B12');
    const { world, recovered, look } = team();
    world.gone = [2, 3];
    await look();
    world.isAway = true;
    world.now = STORAGE_LIMITS.databaseTakeoverMs / 2;
    await look();
    world.isAway = false;
    world.gone = [];
    await look();
    world.gone = [2];
    world.now = STORAGE_LIMITS.databaseTakeoverMs;
    await look();
    expect(recovered).toEqual([]);
  });
});

test('a job that the records give to a process that does not know of it goes back into the queue', async () => {
  verifies('B12');
  const world = { recorded: ['running', 'lost'], running: ['running'] };
  const requeued: string[] = [];
  const strays = new Strays({
    recorded: async () => world.recorded,
    runs: (job) => world.running.includes(job),
    requeue: async (jobs) => {
      requeued.push(...jobs);
    },
  });
  await strays.look();
  world.recorded.push('on its way');
  expect(requeued).toEqual([]);
  await strays.look();
  expect(requeued).toEqual(['lost']);
  world.running.push('on its way');
  await strays.look();
  expect(requeued).not.toContain('on its way');
});

test('a job may die more often where workers die without it as well, but not for ever', () => {
  expect([0, 1, 3, 100].map(deathsAllowed)).toEqual([2, 3, 5, 10]);
});

test('a message with a key was taken when its key is in the log, and not when another message is', () => {
  verifies('B12');
  const command = { type: 'send_message', content: 'go', idempotency_key: 'k' } as const;
  const other = { seq: 6, at: 0, type: 'user_message_added', content: 'go' } as const;
  expect(wasTaken(command, [other], 4)).toBe(false);
  expect(wasTaken(command, [{ ...other, idempotency_key: 'k' }], 10)).toBe(true);
});

test('a command that is in the log already is not taken again', () => {
  verifies('B12');
  const job: Job = { session: 's', command: { type: 'send_message', content: 'go' } };
  const before = { seq: 4, at: 0, type: 'user_message_added', content: 'earlier' } as const;
  const settings = { seq: 5, at: 0, type: 'model_changed', model: 'm' } as const;
  expect(wasTaken(job.command, [before, settings], 4)).toBe(false);
  expect(wasTaken(job.command, [before, settings, { ...before, seq: 6 }], 4)).toBe(true);
  expect(wasTaken({ type: 'cancel' }, [before], 0)).toBe(false);
});
