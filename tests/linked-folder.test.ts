/** A session of a machine where the folder is real belongs to the folder that is a link of that name here. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Agent } from '../src/agent/create-agent.ts';
import { runCommandLine } from '../src/cli/command-line.ts';
import { createApp } from '../src/server/index.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { fakeIo } from './support/fake-io.ts';
import { scratchFolder } from './support/scratch.ts';
import { ORIGIN, TOKEN } from './support/test-server.ts';

type There = { halter: Agent; link: string; home: string };

const asked = async ({ halter }: There, path: string, body?: unknown): Promise<string> => {
  const app = createApp({ halter, token: TOKEN, onDefect: () => {} });
  const answer = await app(
    new Request(`${ORIGIN}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { host: new URL(ORIGIN).host, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await answer.text();
  await app.close();
  return `${answer.status} ${text}`;
};

const typed = async ({ link, home }: There, ...words: string[]): Promise<string> => {
  const io = fakeIo({ env: { HOME: home }, cwd: home });
  const code = await runCommandLine([...words, '-C', link], io);
  return `${code} ${io.out()} ${io.err()}`;
};

/** What each surface answers. */
const SURFACES: [string, (there: There) => Promise<string>, string][] = [
  ['the latest session', async ({ halter }) => (await openedSession(halter, { continueLast: true })).id, 'work'],
  [
    'what its window holds',
    async ({ halter }) => JSON.stringify(await halter.context({ continueLast: true })),
    '"work"',
  ],
  ['the list of the page', (there) => asked(there, '/api/sessions'), '"id":"work"'],
  ['statistics', (there) => asked(there, '/api/statistics'), '"sessions":1'],
  [
    'a call for it',
    (there) => asked(there, '/api/tools/execute', { tool_name: 'ls', arguments: {}, session_id: 'work' }),
    '200 {',
  ],
  ['its changes, looked through', (there) => asked(there, '/api/sessions/work/changes'), '200 {"files"'],
  ['sessions list', (there) => typed(there, 'sessions', 'list'), '0 work'],
  ['sessions search', (there) => typed(there, 'sessions', 'search', 'plover'), '0 work'],
  ['sessions undo --list', (there) => typed(there, 'sessions', 'undo', '--list', 'work'), '0 '],
  ['sessions undo --list of the latest', (there) => typed(there, 'sessions', 'undo', '--list'), '0 '],
];

it.each(SURFACES)('%s knows it', async (_, look, expected) => {
  verifies('B6', 'B12');
  const [folder, home] = [scratchFolder(), scratchFolder()];
  const link = join(scratchFolder(), 'shared');
  const agent = () =>
    assembled({ folder: link, environment: { HOME: home }, modelProvider: scriptedProvider([{ text: 'Noted.' }]) });
  mkdirSync(link);
  const session = await openedSession(await agent(), { id: 'work' });
  await say(session, 'The word is plover.');
  await session.close();
  rmSync(link, { recursive: true });
  symlinkSync(folder, link);
  expect(await look({ halter: await agent(), link, home })).toContain(expected);
});
