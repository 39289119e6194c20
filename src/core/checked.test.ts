import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import * as checked from './checked.ts';
import * as core from './index.ts';

it('decides about an argument that is null as the function itself does', () => {
  verifies('Z8');
  const rules = {
    allow: [],
    deny: [{ tool: 'own', pattern: 'recipient=null', source: 'program' as const }],
    mode: 'yolo' as const,
  };
  const tool = { name: 'own', risk: 'high' as const, effects: 'write' as const };
  const ask = ({ evaluatePolicy }: Pick<typeof core, 'evaluatePolicy'>) =>
    evaluatePolicy(rules, tool, { recipient: null });
  expect(ask(checked)).toEqual(ask(core));
  expect(ask(core)).toMatchObject({ verdict: 'deny' });
});

/** Logs are long, and a program asks for their history at each event. */
it('looks through an event once, and through a wrong one each time', () => {
  verifies('Z8');
  let reads = 0;
  const event = { type: 'user_message_added', seq: 1, at: 1 };
  Object.defineProperty(event, 'content', {
    enumerable: true,
    get: () => {
      reads += 1;
      return 'Hello';
    },
  });
  expect(checked.callHistory([event] as never)).toEqual([]);
  expect(reads).toBeGreaterThan(0);
  const first = reads;
  expect(checked.callHistory([event] as never)).toEqual([]);
  expect(reads).toBe(first);
  for (let time = 0; time < 2; time += 1)
    expect(() => checked.callHistory([{ type: 'user_message_added', seq: 1, at: 1 }] as never)).toThrow('events[0]');
});
