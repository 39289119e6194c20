import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { scriptedProvider } from '../testing/index.ts';

test('a program that names its tools has what was left out of the window searched as well', async () => {
  verifies('B7');
  const long = 'and so on, '.repeat(200);
  const provider = scriptedProvider([
    { text: `One: ${long}` },
    { text: `Two: ${long}` },
    { text: 'Three.' },
    { text: 'Four.' },
  ]);
  const names = (request: ModelRequest | undefined) => request?.tools.map(({ function: { name } }) => name);
  const agent = await assembled({ modelProvider: provider, tools: ['ls'], compaction: 'rules' });
  const session = await openedSession(agent);
  for (const number of [1, 2, 3]) await say(session, `Message ${number}`);
  expect(names(provider.requests.at(-1))).toEqual(['ls']);
  await session.send({ type: 'compact' });
  await session.idle();
  await say(session, 'And now?');
  expect(names(provider.requests.at(-1))).toEqual(['ls', 'search_session']);
});
