/** Two requests to one chat: what becomes of each, for every state of the first, with and without streams, and for all that ends it. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { sentEvents } from '../../../tests/support/sent-events.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import type { ScriptedProviderTurn } from '../../testing/index.ts';

type State = 'waits for a permission' | 'is running' | 'is over';
type Row = { chat: string; state: State; firstStreams: boolean; secondStreams: boolean };
type Ended = { status: number; exit_reason?: string; answer?: string; code?: string };

/** What would have to be asked is denied at once where nothing streams. */
const PAIRS: readonly (readonly [State, boolean])[] = [
  ['waits for a permission', true],
  ['is running', true],
  ['is running', false],
  ['is over', true],
  ['is over', false],
];
const ROWS: readonly Row[] = PAIRS.flatMap(([state, firstStreams]) =>
  [true, false].map((secondStreams) => ({
    chat: `${state.replaceAll(' ', '_')}-${firstStreams}-${secondStreams}`,
    state,
    firstStreams,
    secondStreams,
  })),
);

const lastWords = (request: ModelRequest): string =>
  String(request.messages.findLast(({ role }) => role === 'user')?.content);

const begin = async () => {
  const gates = new Map(ROWS.map(({ chat }) => [chat, Promise.withResolvers<void>()]));
  const asked = new Set<string>();
  const speak = (request: ModelRequest): ScriptedProviderTurn => {
    const words = lastWords(request);
    if (words.includes('Second ')) return { text: 'Second answer.' };
    if (request.messages.at(-1)?.role === 'tool') return { text: 'First answer.' };
    const chat = ROWS.find((row) => words.includes(`First ${row.chat}.`))?.chat ?? '';
    asked.add(chat);
    if (chat.startsWith('waits')) {
      return { calls: [{ name: 'write_file', arguments: { path: `${chat}.txt`, content: 'x' } }] };
    }
    return { text: 'First answer.', ...(chat.startsWith('is_running') ? { gate: gates.get(chat)?.promise } : {}) };
  };
  const server = await testServer(speak);

  const say = async (chat_id: string, request_id: string, message: string, stream: boolean) => {
    const question = Promise.withResolvers<string>();
    const response = Promise.resolve(
      server.call('POST', '/api/chat', { message, mode: 'agent', chat_id, request_id, stream }),
    );
    const leaving = new AbortController();
    const read = async (): Promise<Ended> => {
      const answered = await response;
      const { status } = answered;
      if (!stream) {
        const body = (await answered.json()) as Omit<Ended, 'status'> & { error?: { code: string } };
        return { ...body, status, ...(body.error ? { code: body.error.code } : {}) };
      }
      const body = answered.body?.pipeThrough(new TransformStream(), { signal: leaving.signal });
      try {
        for await (const { type, data } of sentEvents(new Response(body))) {
          if (type === 'permission_request') question.resolve(String(data['tool_call_id']));
          if (type === 'chat_reply' || type === 'error') return { ...data, status };
        }
      } catch (error) {
        if (!leaving.signal.aborted) throw error;
      }
      return { status, code: 'no last word' };
    };
    return { ended: read(), question: question.promise, leave: () => leaving.abort() };
  };
  /** Both are sent; the first is in its state, and the second was taken. */
  const sayBoth = async (row: Row) => {
    const { chat, state } = row;
    const first = await say(chat, `${chat}-1`, `First ${chat}.`, row.firstStreams);
    if (state === 'is over') await first.ended;
    if (state === 'is running') await expect.poll(() => asked.has(chat)).toBe(true);
    const callId = state === 'waits for a permission' ? await first.question : '';
    const second = await say(chat, `${chat}-2`, `Second ${chat}.`, row.secondStreams);
    const view = await server.call('GET', `/api/sessions/${chat}`);
    await view.text();
    return { first, second, callId };
  };
  const cancel = async (id: string): Promise<number> => (await server.call('POST', `/api/chat/${id}/cancel`)).status;
  /** Lets the first come to its end in the ordinary way. */
  const goOn = async (row: Row, callId: string): Promise<void> => {
    gates.get(row.chat)?.resolve();
    if (row.state !== 'waits for a permission') return;
    const allowed = { tool_call_id: callId, decision: 'allow_once' };
    const taken = await server.call('POST', `/api/chat/${row.chat}-1/permission`, allowed);
    expect(taken.status, `the question of ${row.chat} is open`).toBe(200);
  };
  const each = (work: (row: Row) => Promise<void>, rows = ROWS) => Promise.all(rows.map(work));
  return { server, sayBoth, cancel, goOn, each };
};

const isOpen = ({ state }: Row): boolean => state !== 'is over';

it('a second request waits its turn, and a question of the first stays open and can be answered', async () => {
  verifies('E13');
  const { sayBoth, goOn, each, server } = await begin();
  await each(async (row) => {
    const { first, second, callId } = await sayBoth(row);
    await goOn(row, callId);
    const ends = [await first.ended, await second.ended];
    expect(ends, row.chat).toMatchObject([
      { status: 200, exit_reason: 'answered', answer: expect.stringContaining('First answer.') },
      { status: 200, exit_reason: 'answered', answer: 'Second answer.' },
    ]);
    const view = await server.json<{ events: { type: string }[] }>('GET', `/api/sessions/${row.chat}`);
    const order = view.events.map(({ type }) => type).filter((type) => type === 'user_message' || type === 'turn_end');
    expect(order, row.chat).toEqual(['user_message', 'turn_end', 'user_message', 'turn_end']);
  });
});

it('a second request that waits is cancelled at once, and the first goes on', async () => {
  verifies('E11');
  const { sayBoth, goOn, cancel, each, server } = await begin();
  await each(async (row) => {
    const { first, second, callId } = await sayBoth(row);
    await expect.poll(() => cancel(`${row.chat}-2`)).toBe(200);
    expect(await second.ended, row.chat).toMatchObject({ status: 200, exit_reason: 'interrupted', answer: '' });
    await goOn(row, callId);
    expect(await first.ended, row.chat).toMatchObject({ exit_reason: 'answered' });
    const view = await server.json<{ events: { type: string; content?: string }[] }>(
      'GET',
      `/api/sessions/${row.chat}`,
    );
    expect(view.events.filter(({ type }) => type === 'user_message')).toHaveLength(1);
  }, ROWS.filter(isOpen));
});

it('the first is cancelled, and the second gets its turn', async () => {
  verifies('E11');
  const { sayBoth, cancel, each } = await begin();
  await each(async (row) => {
    const { first, second } = await sayBoth(row);
    expect(await cancel(`${row.chat}-1`), row.chat).toBe(isOpen(row) ? 200 : 404);
    expect(await first.ended, row.chat).toMatchObject({ exit_reason: isOpen(row) ? 'interrupted' : 'answered' });
    expect(await second.ended, row.chat).toMatchObject({ exit_reason: 'answered', answer: 'Second answer.' });
  });
});

it('the reader of the first leaves: what it asked is denied, and the second gets its turn', async () => {
  verifies('E13');
  const { sayBoth, goOn, each } = await begin();
  const rows = ROWS.filter((row) => isOpen(row) && row.firstStreams);
  await each(async (row) => {
    const { first, second } = await sayBoth(row);
    first.leave();
    await first.ended;
    if (row.state === 'is running') await goOn(row, '');
    expect(await second.ended, row.chat).toMatchObject({ exit_reason: 'answered', answer: 'Second answer.' });
  }, rows);
});

it('an id that is in use is refused with what to do, and both go on', async () => {
  const { sayBoth, goOn, each, server } = await begin();
  await each(async (row) => {
    const { first, second, callId } = await sayBoth(row);
    const request_id = `${row.chat}-1`;
    const again = await server.call('POST', '/api/chat', { message: 'Again', chat_id: row.chat, request_id });
    expect(again.status).toBe(409);
    expect(await again.text()).toContain(`POST /api/chat/${request_id}/cancel`);
    await goOn(row, callId);
    expect(await first.ended, row.chat).toMatchObject({ exit_reason: 'answered' });
    expect(await second.ended, row.chat).toMatchObject({ exit_reason: 'answered' });
  }, ROWS.filter(isOpen));
});

it('both end when the chat is removed', async () => {
  const { sayBoth, each, server } = await begin();
  await each(async (row) => {
    const { first, second } = await sayBoth(row);
    expect((await server.call('DELETE', `/api/sessions/${row.chat}`)).status, row.chat).toBeLessThan(300);
    expect(await first.ended, row.chat).toMatchObject({ exit_reason: 'interrupted' });
    const last = await second.ended;
    expect(last.code ?? last.exit_reason, row.chat).toBe('not_found');
  }, ROWS.filter(isOpen));
});
