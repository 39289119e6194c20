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

const CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
it.each([
  ['asks the person', `Do you want me to read it?\n\n${CALL}\n\nShall I run it?`, 1],
  ['asks in front of it', `Should I read it? This is the call:\n\n${CALL}\n\nIt only reads.`, 1],
  ['asks nothing', `I read it:\n\n${CALL}\n\nLet me know if you need more.`, 2],
])(
  'an answer with a call among words that %s is asked about as often as it should be',
  async (_what, text, requests) => {
    const provider = scriptedProvider(({ messages }) => {
      const last = messages.at(-1);
      return { text: last?.role === 'user' && last.content === 'go' ? text : 'Done.' };
    });
    const session = await openedSession(await assembled({ modelProvider: provider }));
    await say(session);
    expect(provider.requests).toHaveLength(requests);
  },
);
