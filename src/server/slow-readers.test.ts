/** Readers that do not keep up: they are let go, cost little until then, and catch up with nothing lost or doubled. */
import { once } from 'node:events';
import net from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { eventsUntil } from '../../tests/support/sent-events.ts';
import { TOKEN, testServer } from '../../tests/support/test-server.ts';
import { listen } from './index.ts';
import { SERVER_LIMITS } from './limits.ts';
import { chunksOf, createStreamBudget } from './stream-budget.ts';

/**
 * Each comes as an event of its own. Together they are more than what the network and the server hold for a reader, in few
 * events: what they cost besides their length says nothing of a slow reader.
 */
const PIECE = 'word '.repeat(8_000);
const PIECES = 225;

describe('a reader that does not read', () => {
  it('is let go when it is too far behind, and is told all of it when it comes back', {
    timeout: 120_000,
  }, async () => {
    verifies('B5');
    const server = await testServer({ text: Array.from({ length: PIECES }, () => PIECE) });
    const listening = await listen(server.app, { host: '127.0.0.1', port: 0 });
    if (!listening.ok) throw new Error(listening.error.message);
    onTestFinished(() => listening.value.close());
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    const socket = net.connect(listening.value.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(
      `GET /api/sessions/${id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    const readers = async (): Promise<number> =>
      Number(/halter_event_streams (\d+)/.exec(await (await server.call('GET', '/metrics')).text())?.[1]);
    await expect.poll(readers).toBe(1);
    await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'go' });
    await expect.poll(readers).toBe(0);

    // What it got before it was let go, as far as the network had it.
    let got = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      got += text;
    });
    socket.resume();
    await once(socket, 'close');
    const last = [...got.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1];
    const again = await server.call('GET', `/api/sessions/${id}/events`, undefined, {
      ...(last === undefined ? {} : { 'last-event-id': last }),
    });
    const events = await eventsUntil(again, 'turn_end');
    const message = events.find(({ type }) => type === 'assistant_message');
    expect(message?.data['content']).toBe(PIECE.repeat(PIECES));
    expect(events.filter(({ type }) => type === 'assistant_message')).toHaveLength(1);
    expect(server.defects).toEqual([]);
  });

  it('has its connection closed where it takes nothing of what waits there', async () => {
    const listening = await listen(async () => new Response(new Blob(['x'.repeat(32 * 1024 * 1024)]).stream()), {
      host: '127.0.0.1',
      port: 0,
      timeouts: { headersMs: 1_000, requestMs: 1_000, checkMs: 100, stalledMs: 100 },
    });
    if (!listening.ok) throw new Error(listening.error.message);
    onTestFinished(() => listening.value.close());
    const socket = net.connect(listening.value.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await expect.poll(listening.value.connections).toBe(1);
    // Nothing is read before the other side has given up.
    await expect.poll(listening.value.connections).toBe(0);
  });
});

describe('what streams hold together', () => {
  it('stays below its bound, and the one furthest behind goes first', () => {
    const [each, all] = [100, 250];
    const change = fc.record({ stream: fc.nat({ max: 9 }), added: fc.nat({ max: 120 }), taken: fc.nat({ max: 120 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const budget = createStreamBudget(each, all);
        const held = new Map<number, { bytes: number; stream: ReturnType<typeof budget.enter> }>();
        for (const { stream: name, added, taken } of changes) {
          const known = held.get(name) ?? {
            bytes: 0,
            stream: budget.enter(() => {
              const gone = held.get(name);
              // Nobody else held more.
              for (const other of held.values()) expect(other.bytes).toBeLessThanOrEqual(gone?.bytes ?? 0);
              held.delete(name);
            }),
          };
          const took = Math.min(taken, known.bytes);
          known.bytes += added - took;
          held.set(name, known);
          known.stream.took(took);
          known.stream.added(added);
          const total = [...held.values()].reduce((sum, { bytes }) => sum + bytes, 0);
          expect(total).toBeLessThanOrEqual(all);
          for (const { bytes } of held.values()) expect(bytes).toBeLessThanOrEqual(each);
        }
      }),
    );
  });

  it('goes out in pieces of a bounded size, whole frames, nothing lost', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40_000 }), { maxLength: 20 }), (sizes) => {
        const frames = sizes.map((size, index) => new Uint8Array(size).fill(index));
        const chunks = chunksOf(frames);
        expect(Buffer.compare(Buffer.concat(chunks), Buffer.concat(frames))).toBe(0);
        for (const chunk of chunks) expect(chunk.byteLength).toBeLessThan(SERVER_LIMITS.chunkBytes + 40_001);
      }),
    );
  });
});
