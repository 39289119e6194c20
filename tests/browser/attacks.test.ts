/** The catalogue's cases about pages, each on the real page in a real browser. */
import { afterAll, expect, test } from 'vitest';
import type { AttackCase } from '../../conformance/attacks/attack-case.ts';
import { closeChromium } from '../../conformance/attacks/chromium.ts';
import { runAttack } from '../../conformance/attacks/run-attack.ts';
import { CONFORMANCE_LIMITS } from '../../conformance/limits.ts';
import { attackCases } from '../conformance/attack-cases.ts';
import { everyNth } from '../support/long.ts';

afterAll(closeChromium);

/** Each takes a page of its own; a long run plays all. */
const EVERY = 3;
const cases = everyNth(attackCases('web-render') ?? [], EVERY);

test.skipIf(cases.length === 0).each(cases.map((each) => [`${each.id}: ${each.why}`, each] as const))(
  '%s',
  async (_name, attack) => {
    const ending = await runAttack(attack);
    if (ending.state === 'skipped') test.skip(ending.reason);
    expect(ending).toEqual({ state: 'passed' });
  },
);

test('a case that is met by nothing fails', { timeout: CONFORMANCE_LIMITS.caseMs }, async (context) => {
  const given = { assistant_or_tool_text: '[a link](https://a.test)' };
  const when = { render: 'web-ui' };
  const play = (then: AttackCase['then']) => runAttack({ id: 'own', group: 'web-render', given, when, then });
  const first = await play({ rel: 'opener' });
  if (first.state === 'skipped') context.skip(first.reason);
  expect(first).toMatchObject({ state: 'failed' });
  expect(await play({ script_executed: true })).toMatchObject({ state: 'failed' });
  expect(await play({ unknown_word: true })).toMatchObject({ state: 'failed' });
});
