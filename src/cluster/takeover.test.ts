import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { failure, succeed } from '../core/outcome.ts';
import { executorName, type Job, wasTaken } from './jobs.ts';
import { judge } from './poison.ts';
import { Strays, Takeover } from './takeover.ts';

const takeover = (gone: () => readonly number[] | 'away') => {
  const recovered: string[] = [];
  const ports = {
    self: executorName(1),
    executors: async () => [...[1, 2, 3].map(executorName), 'somebody-else'],
    gone: async (asked: readonly number[]) => {
      const found = gone();
      return found === 'away' ? failure('io_error', 'away') : succeed(asked.filter((number) => found.includes(number)));
    },
    recover: async (name: string) => {
      recovered.push(name);
    },
  };
  return { recovered, look: () => new Takeover(ports).look() };
};

test('takes over from those that are gone, never from itself, and from nobody while that cannot be asked', async () => {
  verifies('B12');
  let gone: number[] | 'away' = 'away';
  const { recovered, look } = takeover(() => gone);
  await look();
  expect(recovered).toEqual([]);
  gone = [1, 3];
  await look();
  expect(recovered).toEqual([executorName(3)]);
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

test.each([
  // Deaths at this place, those of them its own, workers that died without it, whether a tool was running.
  [1, 0, 0, true, 'suspect'],
  [1, 0, 0, false, 'fine'],
  [1, 1, 0, false, 'suspect'],
  // Two recoveries are made, whatever it was.
  [2, 2, 0, true, 'suspect'],
  [2, 2, 0, false, 'suspect'],
  [3, 2, 0, true, 'given_up'],
  [3, 2, 0, false, 'given_up'],
  // One kill from outside in its trial, after workers were killed under many.
  [3, 1, 0, true, 'suspect'],
  [3, 1, 0, false, 'suspect'],
  [9, 1, 0, true, 'suspect'],
  [9, 2, 0, true, 'given_up'],
  // Where workers die without it, somebody kills from outside: for each of the first four two more are let pass, then one.
  [3, 2, 1, true, 'suspect'],
  [4, 3, 1, true, 'suspect'],
  [4, 4, 1, true, 'given_up'],
  [5, 5, 2, false, 'suspect'],
  [6, 6, 2, false, 'given_up'],
  [10, 9, 4, true, 'suspect'],
  [10, 10, 4, true, 'given_up'],
  [11, 10, 5, true, 'suspect'],
  [11, 11, 5, true, 'given_up'],
  // Somebody beside it may have been the one that kills: it comes out in the trials.
  [9, 0, 0, true, 'suspect'],
  // And nothing kills for ever.
  [10, 0, 0, true, 'given_up'],
  [10, 0, 0, false, 'given_up'],
  [10, 1, 1, true, 'suspect'],
  [11, 1, 1, true, 'given_up'],
  [29, 1, 50, true, 'suspect'],
  [30, 1, 50, true, 'given_up'],
] as const)(
  'a job with %i deaths at a place, %i its own, %i without it, a tool running: %s, is %s',
  (here, own, others, hasTool, kind) => {
    verifies('B12');
    expect(judge({ here, own, others }, hasTool)).toMatchObject({ kind });
  },
);

test('a trial is the longer the more deaths were in none, and waited for without end from the second on', () => {
  const times = (hasTool: boolean, own = 0): unknown[] =>
    [1, 2, 3, 4, 9]
      .map((here) => judge({ here, own, others: 0 }, hasTool))
      .map((each) => 'trialMs' in each && [each.trialMs, each.waitMs]);
  const ever = Number.POSITIVE_INFINITY;
  const longer = [
    [8_000, ever],
    [32_000, ever],
    [128_000, ever],
    [300_000, ever],
  ];
  expect(times(true)).toEqual([[2_000, 4_000], ...longer]);
  expect(times(false, 1)).toEqual([[2_000, 4_000], ...longer]);
  expect(times(false)).toEqual([false, [2_000, ever], [8_000, ever], [32_000, ever], [300_000, ever]]);
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
