import { expect, it } from 'vitest';
import { ANNOUNCED, ASKED } from '../../../../tests/support/announcements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { scriptedProvider } from '../../../testing/index.ts';

it.each([
  ['announces a step', ANNOUNCED, 2],
  ['asks the person', ASKED, 1],
] as const)('an answer that %s is asked for as often as it should be', async (_what, answers, requests) => {
  let text = '';
  const provider = scriptedProvider(({ messages }) => {
    const last = messages.at(-1);
    return { text: last?.role === 'user' && last.content === 'go' ? text : 'Done.' };
  });
  const session = await openedSession(await assembled({ modelProvider: provider }));
  for (const answer of answers) {
    const before = provider.requests.length;
    text = answer;
    await say(session);
    expect(provider.requests.length - before, answer).toBe(requests);
  }
});
