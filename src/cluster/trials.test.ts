import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { SessionUpdate } from '../core/events.ts';
import { createWitness, type Trial, Trials } from './trials.ts';

const EVER = Number.POSITIVE_INFINITY;
/** Pauses that are over when the test says so. */
const led = () => {
  const pauses: { ms: number; over(): void }[] = [];
  const trials = new Trials((ms) => new Promise((resolve) => pauses.push({ ms, over: () => resolve(undefined) })));
  return { pauses, trials };
};

test('suspects are tried one after the other, each until it came forward or its time is over', async () => {
  verifies('B12');
  const { pauses, trials } = led();
  const begun: string[] = [];
  const begin = async (name: string, trialMs: number): Promise<Trial | undefined> => {
    const trial = await trials.next({ trialMs, waitMs: EVER });
    begun.push(name);
    return trial;
  };
  const all = [begin('first', 1), begin('second', 2), begin('third', 3)];
  const first = await all[0];
  expect(begun).toEqual(['first']);
  first?.end();
  await first?.ended;
  const second = await all[1];
  expect(begun).toEqual(['first', 'second']);
  // It never comes forward.
  expect(pauses.map(({ ms }) => ms)).toEqual([1, 2]);
  pauses[1]?.over();
  await second?.ended;
  await all[2];
  expect(begun).toEqual(['first', 'second', 'third']);
});

test('a trial goes on beyond its time as long as no other suspect waits', async () => {
  verifies('B12');
  const { pauses, trials } = led();
  const first = await trials.next({ trialMs: 1, waitMs: EVER });
  let ended = false;
  void first?.ended.then(() => {
    ended = true;
  });
  pauses[0]?.over();
  await nextTurn();
  expect(ended).toBe(false);
  await trials.next({ trialMs: 2, waitMs: 0 });
  expect(ended).toBe(true);
});

test('a suspect that waits no longer than so long is not tried where those before it may take longer', async () => {
  verifies('B12');
  const { pauses, trials } = led();
  const first = await trials.next({ trialMs: 3, waitMs: 0 });
  const second = trials.next({ trialMs: 3, waitMs: 3 });
  expect(await trials.next({ trialMs: 3, waitMs: 5 })).toBeUndefined();
  first?.end();
  await second;
  const fourth = trials.next({ trialMs: 3, waitMs: 5 });
  pauses[1]?.over();
  expect(await fourth).toBeDefined();
});

test('no suspect begins beside the trial of one that died before, tried or not; that trial is over at its time', async () => {
  verifies('B12');
  const { pauses, trials } = led();
  const begun: string[] = [];
  const begin = async (name: string, times: { trialMs: number; waitMs: number }): Promise<Trial | undefined> => {
    const trial = await trials.next(times);
    begun.push(trial === undefined ? `${name} untried` : name);
    return trial;
  };
  const again = begin('again', { trialMs: 8, waitMs: EVER });
  const some = ['a', 'b', 'c', 'd', 'e'].map((name) => begin(name, { trialMs: 2, waitMs: 4 }));
  await again;
  await nextTurn();
  expect(begun).toEqual(['again']);
  pauses[0]?.over();
  await nextTurn();
  expect(begun.toSorted()).toEqual(['a', 'again', 'd untried', 'e untried']);
  (await some[0])?.end();
  (await some[1])?.end();
  expect((await Promise.all(some)).map((trial) => trial !== undefined)).toEqual([true, true, true, false, false]);
});

const result = (success: boolean) => ({ tool: 't', success, data: '' });
const update = (body: object): SessionUpdate => ({ seq: 1, at: 0, ...body }) as SessionUpdate;
const started = (id: string) => update({ type: 'tool_started', tool_call_id: id });
const finished = (id: string, success: boolean) =>
  update({ type: 'tool_finished', tool_call_id: id, result: result(success) });

test.each([
  ['words of an answer', [{ type: 'text_delta', delta: 'a' } as SessionUpdate], false, false],
  ['words of an answer that are kept', [update({ type: 'answer_streamed', text: 'a' })], false, false],
  ['any event, where no tool was running', [update({ type: 'assistant_message_added' })], false, true],
  ['any event, where a tool was running', [update({ type: 'assistant_message_added' })], true, false],
  ['a tool that begins', [started('a')], true, false],
  ['what is told of the call that was running', [finished('a', false)], true, false],
  ['a call that was made again and went well', [finished('a', true)], true, true],
  ['a new call that failed', [started('b'), finished('b', false)], true, true],
] as const)('%s', (_what, updates, hasTool, isPast) => {
  verifies('B12');
  const witness = createWitness(hasTool);
  expect(updates.map((each) => witness(each)).at(-1)).toBe(isPast);
});
