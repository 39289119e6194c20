/** How long a model thought stands in the log, so that a page says the same of it whenever it is loaded. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../../../tests/support/assembled.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../../testing/index.ts';
import { HeardAnswer } from './heard-answer.ts';

/** Each step comes a second after the one before. */
const heard = (...steps: readonly ((answer: HeardAnswer) => void)[]): number | undefined => {
  let now = 0;
  const session = { signal: () => new AbortController().signal, progress: () => {} };
  const options = { registry: { schemas: [] }, clock: { now: () => 0, monotonic: () => now } };
  const answer = new HeardAnswer(session as never, options as never, 'm');
  for (const step of steps) {
    now += 1_000;
    step(answer);
  }
  now += 1_000;
  return answer.end({ isCut: false, isFinished: true }).thoughtSeconds;
};
const think = (answer: HeardAnswer): void => answer.addThought('Hm. ');
const speak = (answer: HeardAnswer): void => answer.addText('Yes. ', true);
const calls = (answer: HeardAnswer): void => answer.endThoughts();

describe('the time of thoughts', () => {
  it.each([
    ['until the first word', [think, think, speak, speak], 2],
    ['until the first call', [think, calls, calls], 1],
    ['until the end where nothing else came', [think, think], 2],
    ['not the words before them', [speak, think, think, speak], 2],
    ['nothing where there were none', [speak, calls, speak], undefined],
  ] as const)('is counted %s', (_, steps, seconds) => {
    verifies('L8');
    expect(heard(...steps)).toBe(seconds);
  });

  const CALL = { name: 'get_current_time', arguments: {} };
  it.each<[string, ScriptedProviderTurn, boolean]>([
    ['an answer', { reasoning: 'Hm.', text: 'Yes.' }, true],
    ['a call', { reasoning: 'Hm.', calls: [CALL] }, true],
    ['an answer that broke off', { reasoning: 'Hm.', text: 'Yes', error: { code: 'protocol', message: 'x' } }, true],
    ['an answer without thoughts', { text: 'Yes.' }, false],
  ])('stands in the log beside %s', async (_, turn, isTold) => {
    verifies('L8');
    const provider = scriptedProvider([turn, { text: 'It is late.' }]);
    const session = await openedSession(await assembled({ modelProvider: provider }));
    const said = nextEvent(session, 'assistant_message_added');
    await say(session);
    expect((await said).thought_seconds).toEqual(isTold ? expect.any(Number) : undefined);
  });
});
