/** What was said on a way through the session that was set aside is found, and what shows one way says so. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { searchSessions } from '../src/agent/session/search-sessions.ts';
import { searchSessionTool } from '../src/agent/session/search-this-session.ts';
import type { Event, EventBody } from '../src/core/events.ts';
import { exportSession } from '../src/core/export-session.ts';
import type { SessionStore } from '../src/core/storage-port.ts';
import type { ToolResult } from '../src/core/tool-result.ts';
import { STORAGE_LIMITS } from '../src/storage/limits.ts';
import { createMemoryStorage } from '../src/storage/memory-storage.ts';
import { openPostgres } from '../src/storage/postgres.ts';
import { SessionFiles } from '../src/storage/session-files.ts';
import { verifies } from './requirements.ts';
import { answered, calledTool, said } from './support/event-bodies.ts';
import { runHalter } from './support/halter-process.ts';
import { inTurn } from './support/long.ts';
import { NO_POSTGRES, usePostgres } from './support/postgres.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const started: EventBody = { type: 'session_started', version: 1, session_id: 'work', workspace: '/w', model: 'm' };
const branch = (at_seq: number): EventBody => ({ type: 'branch_selected', at_seq, model: 'm' });
const resultOf = (data: string): ToolResult => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 0 },
});
const result = (id: string, data: string): EventBody => ({
  type: 'tool_finished',
  tool_call_id: id,
  result: resultOf(data),
});

/** `heron` stands on what was set aside alone. */
const WAYS: Readonly<Record<string, readonly EventBody[]>> = {
  'an edited message': [
    said('hello'),
    answered('yes'),
    said('The bird is a heron.'),
    branch(3),
    said('The bird is a crane.'),
  ],
  'the answer to an edited message': [said('hello'), answered('A heron stands there.'), branch(1), said('hello again')],
  'a place that was returned to': [
    said('hello'),
    answered('yes'),
    said('The bird is a heron.'),
    answered('good'),
    branch(3),
  ],
  'a place within what was returned to': [
    ...[said('hello'), answered('yes'), said('one'), said('The heron is nested.'), branch(4), said('two')],
    ...[branch(3), said('three')],
  ],
  'an answer that was asked for again': [said('Which bird?'), answered('A heron.'), branch(2), answered('A crane.')],
  'the arguments of a call': [
    said('go'),
    calledTool('c1', 'ls', { path: 'heron' }),
    result('c1', 'x'),
    branch(2),
    said('on'),
  ],
  'the result of a call': [said('go'), calledTool('c1', 'ls', {}), result('c1', 'a heron'), branch(2), said('on')],
  'a result alone': [said('go'), calledTool('c1', 'ls', {}), result('c1', 'a heron'), branch(3)],
};
const logOf = (bodies: readonly EventBody[]): Event[] =>
  [started, ...bodies].map((body, index) => ({ seq: index + 1, at: index, ...body }));

const postgres = usePostgres();
const must = <T>(made: { ok: true; value: T } | { ok: false; error: { message: string } }): T => {
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
};

let databases = 0;
const ownDatabase = async (): Promise<SessionStore> => {
  databases += 1;
  const storage = must(await openPostgres({ url: await postgres().url(`aside_${databases}`) }));
  onTestFinished(() => storage.close());
  return storage.sessions;
};

type OpenStore = (many: readonly Event[]) => Promise<SessionStore>;
const STORES: readonly (readonly [name: string, open: OpenStore])[] = [
  ['in memory', async () => createMemoryStorage().sessions],
  ['in files', async () => new SessionFiles({ folder: scratchFolder() })],
  [
    'in files with an index',
    async (other) => {
      const store = new SessionFiles({ folder: scratchFolder() });
      for (let number = 0; number < STORAGE_LIMITS.sessionIndexFrom; number += 1)
        must(await store.create(`o${number}`, other));
      return store;
    },
  ],
  ...(NO_POSTGRES === undefined ? [['in PostgreSQL', async () => await ownDatabase()] as const] : []),
];
const OTHER = logOf([said('nothing of it')]);

describe.each(STORES.map(([name, open], at) => [name, open, at] as const))(
  'what was set aside is found %s',
  (_store, open, at) => {
    it.each(inTurn(Object.entries(WAYS), at, STORES.length))('%s', async (_way, bodies) => {
      verifies('U1');
      const store = await open(OTHER);
      must(await store.create('work', logOf(bodies)));
      const listed = must(await store.list({}));
      expect(await searchSessions(store, listed, ['heron'])).toMatchObject([
        { id: 'work', set_aside: true, excerpt: expect.stringContaining('heron') },
      ]);
      expect(await searchSessions(store, listed, ['pelican'])).toEqual([]);
    });
  },
);

it('is told apart from what counts, which comes first', async () => {
  verifies('U1');
  const store = createMemoryStorage().sessions;
  must(await store.create('work', logOf([said('An old heron.'), branch(1), said('A new heron.')])));
  const [hit] = await searchSessions(store, must(await store.list({})), ['heron']);
  expect(hit).toMatchObject({ excerpt: 'A new heron.' });
  expect(hit).not.toHaveProperty('set_aside');
});

describe('search_session of the model', () => {
  const search = async (bodies: readonly EventBody[], query: string) => {
    const log = logOf([...bodies, said('And now?')]);
    return (await searchSessionTool(() => log).run({ query }, {} as never)) as { success: boolean; data?: string };
  };
  it.each(Object.entries(WAYS))('finds %s, and says that it was set aside', async (_way, bodies) => {
    verifies('B7');
    const found = await search(bodies, 'heron');
    expect(found.success).toBe(true);
    expect(found.data?.split('\n')).toEqual([
      expect.stringContaining('set aside by the user'),
      expect.stringContaining('heron'),
    ]);
  });

  it('names what counts alone where something does', async () => {
    verifies('B7');
    const { data } = await search([said('The port is 8080.'), branch(1), said('The port is 9090.')], 'port');
    expect(data).toContain('9090');
    expect(data).not.toMatch(/8080|set aside/);
  });
});

describe('what shows one way of several says so', () => {
  const SAYS = /one way through the session; [123] messages? of other ways (?:was|were) set aside\./;
  it.each(Object.entries(WAYS))('%s, in documents', (_way, bodies) => {
    verifies('U1');
    for (const format of ['markdown', 'html'] as const) {
      const text = exportSession(logOf(bodies), format);
      expect(text).toMatch(SAYS);
      expect(text).not.toContain('heron');
    }
    for (const format of ['json', 'jsonl'] as const) expect(exportSession(logOf(bodies), format)).toContain('heron');
  });

  it('over HTTP, in the search of the page and its documents', async () => {
    verifies('U1');
    const server = await testServer({ text: 'A crane.' });
    const say = (message: string, chat_id?: string) =>
      server.json<{ chat_id: string }>('POST', '/api/chat', { message, mode: 'chat', ...(chat_id ? { chat_id } : {}) });
    const { chat_id: id } = await say('one');
    await say('The heron of two.', id);
    const { events } = await server.json<{ events: { seq: number; type: string }[] }>('GET', `/api/sessions/${id}`);
    const before = events.find(({ type }) => type === 'assistant_message')?.seq;
    await server.json('POST', `/api/sessions/${id}/commands`, { type: 'branch', at_seq: before });
    const { sessions } = await server.json<{ sessions: object[] }>('GET', '/api/sessions?q=heron');
    expect(sessions).toMatchObject([{ id, excerpt: 'The heron of two.', set_aside: true }]);
    expect(await (await server.call('GET', `/api/sessions/${id}/export`)).text()).toMatch(SAYS);
  });

  it('and nothing where there is one way', () => {
    verifies('U1');
    const plain = logOf([said('one'), answered('two')]);
    expect(exportSession(plain, 'markdown')).not.toContain('set aside');
    expect(exportSession(plain, 'html')).not.toContain('set aside');
  });

  it('over the command line: search, show and export', async () => {
    verifies('U1');
    const [home, cwd] = [scratchFolder(), scratchFolder()];
    const store = new SessionFiles({ folder: join(home, '.local/share/halter/sessions') });
    must(await store.create('work', logOf(WAYS['a place that was returned to'] ?? [])));
    const halter = (...args: string[]) => runHalter(args, { home, cwd });
    const found = await halter('sessions', 'search', 'heron', '--all');
    expect([found.code, found.out]).toEqual([0, expect.stringMatching(/user\s+\(set aside\) The bird is a heron\./)]);
    expect(found.err).toContain('/tree in it leads there');
    const { hits } = (await halter('sessions', 'search', 'heron', '--json', '--all')).json() as { hits: object[] };
    expect(hits).toMatchObject([{ set_aside: true }]);
    expect((await halter('sessions', 'show', 'work')).err).toMatch(SAYS);
    const exported = await halter('sessions', 'export', 'work', '-o', 'out.md');
    expect(exported.err).toMatch(SAYS);
    expect((await halter('sessions', 'export', 'work')).out).toMatch(SAYS);
  });
});
