import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { SessionUpdate } from '../core/events.ts';
import { createWitness, type Trial, Trials } from './trials.ts';

test('suspects are tried one after the other, each until it came forward or its time is over', async () => {
  verifies('B12');
  const pauses: { ms: number; over(): void }[] = [];
  const trials = new Trials((ms) => new Promise((resolve) => pauses.push({ ms, over: () => resolve(undefined) })));
  const begun: string[] = [];
  const begin = async (name: string, ms: number): Promise<Trial> => {
    const trial = await trials.next(ms);
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

const result = (success: boolean) => ({ tool: 't', success, data: '' });
const update = (body: object): SessionUpdate => ({ seq: 1, at: 0, ...body }) as SessionUpdate;
const started = (id: string) => update({ type: 'tool_started', tool_call_id: id });
const finished = (id: string, success: boolean) =>
  update({ type: 'tool_finished', tool_call_id: id, result: result(success) });

test.each([
  ['words of an answer', [{ type: 'text_delta', delta: 'a' } as SessionUpdate], false, false],
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
