import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { Event, SessionFace, SessionUpdate } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { ToolCall } from '../core/message.ts';
import { SERVER_LIMITS } from './limits.ts';
import { LiveSession } from './live-session.ts';
import { readUpdates } from './update-stream.ts';

const started: Event = {
  seq: 1,
  at: 1,
  type: 'session_started',
  version: 1,
  session_id: 's',
  workspace: '/w',
  model: 'm',
};
const asked: Event = { seq: 2, at: 2, type: 'user_message_added', content: 'hello' };

/** `kept`: how far the log goes in the store, where that is further than this server knows. */
const scene = ({ kept }: { kept?: number } = {}) => {
  let now = 5;
  const log: Event[] = [started, asked];
  const session = new LiveSession({
    id: 's',
    events: log,
    limits: DEFAULT_LIMITS,
    tools: () => [],
    epoch: 'e',
    now: () => now,
    lastKept: async () => kept ?? log.length,
  });
  let publish: (update: SessionUpdate) => void = () => {};
  const face: SessionFace = {
    id: 's',
    send: async () => ({ ok: true }),
    subscribe(listener) {
      publish = listener;
      return () => {};
    },
    log: () => log,
    idle: async () => {},
    close: async () => {},
  };
  session.attach(face);
  const happen = (update: SessionUpdate): void => {
    if (update.seq !== undefined) log.push(update);
    publish(update);
  };
  /** What a page is sent, in short: ids, names, deltas. */
  const page = (lastId?: string) => {
    const told: string[] = [];
    const stop = readUpdates(session, lastId, {
      send(frame) {
        for (const part of new TextDecoder().decode(frame).split('\n\n').filter(Boolean)) {
          const {
            id = '',
            event,
            data = '{}',
          } = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s)));
          const { type, delta = '', seconds = '' } = JSON.parse(data) as Record<string, string | number>;
          told.push([id, event ?? type, delta, seconds].join(' ').trim());
        }
      },
      end: () => {},
    });
    return { told, stop };
  };
  /** Ids of the kept lines that an API client is sent. */
  const lines = (lastId?: string): string[] => {
    const ids: string[] = [];
    session.read(lastId, {
      send(frame) {
        for (const [, id = ''] of new TextDecoder().decode(frame).matchAll(/^id: ([\d+]+)$/gm)) ids.push(id);
      },
      end: () => {},
    });
    return ids;
  };
  /** It is opened again, and others have gone on with it meanwhile. */
  const reopen = (...meanwhile: Event[]): void => {
    session.detach();
    log.push(...meanwhile);
    session.attach(face);
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { happen, pass, page, lines, reopen, session };
};

describe('the stream of updates', () => {
  it('tells what was, says when it has told it, and goes on as it comes', async () => {
    const { happen, page } = scene();
    const { told } = page();
    happen({ type: 'text_delta', delta: 'Hi' });
    // Who joins in the same turn is told of it once, with what is under way.
    const { told: late } = page('2');
    await nextTurn();
    expect(late).toEqual(['progress_reset', 'text_delta Hi', 'ready']);
    expect(told).toEqual(['1 session_started', '2 user_message_added', 'progress_reset', 'ready', 'text_delta Hi']);
  });

  it('goes on behind the last fact that arrived, with what is under way put together', () => {
    const { happen, page } = scene();
    happen({ type: 'model_started', model: 'm', iteration: 1 });
    happen({ type: 'text_delta', delta: 'Hi ' });
    happen({ type: 'text_delta', delta: 'there' });
    const again = page('1').told;
    expect(again).toEqual(['2 user_message_added', 'progress_reset', 'model_started', 'text_delta Hi there', 'ready']);
    expect(page('no number').told[0]).toBe('1 session_started');
  });

  it.each([
    [{ type: 'text_delta', delta: 'Yes' }, 3],
    [{ type: 'tool_call_delta', index: 0, name: 'ls', arguments_delta: '{' }, 3],
    [undefined, 8],
  ] as const)('tells who comes later how long the model thought, until %j', (next, seconds) => {
    verifies('L8');
    const { happen, pass, page } = scene();
    const { told: first } = page('2');
    happen({ type: 'reasoning_delta', delta: 'Hm' });
    pass(3_000);
    happen(next ?? { type: 'reasoning_delta', delta: '.' });
    pass(5_000);
    const { told } = page('2');
    expect(told.find((line) => line.startsWith('reasoning_delta'))).toMatch(new RegExp(` ${seconds}$`));
    // Who was there has counted.
    expect(first.find((line) => line.startsWith('reasoning_delta'))).toBe('reasoning_delta Hm');
  });

  for (const { name, ends, last } of [
    { name: 'was deleted here', ends: true, last: 'session_removed' },
    { name: 'ends without that', ends: false, last: 'text_delta Hi' },
  ])
    it(`tells at the end, behind all that was in it, whether the session was deleted: one that ${name}`, async () => {
      verifies('L8');
      const { happen, page, session } = scene();
      const { told } = page();
      // One that is ahead of this server was not told all.
      const { told: ahead } = page('9');
      happen({ type: 'text_delta', delta: 'Hi' });
      session.end(ends);
      await nextTurn();
      expect(told.at(-1)).toBe(last);
      expect(told).toContain('text_delta Hi');
      expect(ahead).toEqual([]);
    });

  it('sends a reader that is ahead of this server nothing twice', async () => {
    const { happen, page, lines } = scene();
    // It read up to the event 3 at another server.
    const { told } = page('3');
    const read = lines('3');
    expect(told).toEqual([]);
    happen({ seq: 3, at: 3, type: 'session_renamed', title: 'read already' });
    happen({ seq: 4, at: 4, type: 'session_renamed', title: 'news' });
    expect(told).toEqual(['progress_reset', 'ready']);
    await expect.poll(() => told).toEqual(['progress_reset', 'ready', '4 session_renamed']);
    await expect.poll(() => read).toEqual(['4']);
  });

  it('sends the rest of an event to a reader that got a part of it at a server that is ahead', async () => {
    const { happen, lines } = scene();
    const call: ToolCall = { id: 'c', name: 'ls', arguments: {}, source: 'native', repairs: [] };
    happen({
      seq: 3,
      at: 3,
      type: 'assistant_message_added',
      message: { role: 'assistant', content: '', tool_calls: [call], finish: 'tool_calls' },
    });
    const [whole, part] = [lines('3'), lines('3+1')];
    // The call and its result.
    const result = {
      tool: 'ls',
      success: true,
      data: '',
      error_type: 'none' as const,
      error_message: null,
      metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 1 },
    };
    happen({ seq: 4, at: 4, type: 'tool_finished', tool_call_id: 'c', result });
    happen({ seq: 5, at: 5, type: 'session_renamed', title: 'news' });
    await expect.poll(() => whole).toEqual(['3+1', '4', '5']);
    await expect.poll(() => part).toEqual(['4', '5']);
  });

  it('sends a reader nothing twice, however long this server lags behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { happen, page, lines } = scene({ kept: 3 });
    const { told } = page('3');
    const read = lines('3');
    await vi.advanceTimersByTimeAsync(3 * SERVER_LIMITS.readerAheadMs);
    happen({ seq: 3, at: 3, type: 'session_renamed', title: 'read already' });
    happen({ seq: 4, at: 4, type: 'session_renamed', title: 'news' });
    vi.useRealTimers();
    await expect.poll(() => told).toEqual(['progress_reset', 'ready', '4 session_renamed']);
    await expect.poll(() => read).toEqual(['4']);
  });

  const renamed = (seq: number): Event => ({ seq, at: seq, type: 'session_renamed', title: `${seq}` });

  it.each(['3', '4', '5'])(
    'sends nothing twice where the session opens with more than it knew, to a reader at %s',
    async (lastId) => {
      const { page, lines, reopen } = scene();
      const { told } = page(lastId);
      const read = lines(lastId);
      reopen(renamed(3), renamed(4), renamed(5));
      await nextTurn();
      const after = ['4', '5'].filter((id) => id > lastId);
      expect(told.filter((each) => each.includes('renamed'))).toEqual(after.map((id) => `${id} session_renamed`));
      expect(read).toEqual(after);
    },
  );

  it('sends nothing twice to a reader that was ahead before the first one followed', async () => {
    const { happen, page, lines } = scene();
    const { told } = page('3');
    const read = lines('3');
    page('2');
    lines('2');
    happen(renamed(3));
    happen(renamed(4));
    await nextTurn();
    expect(told).toEqual(['progress_reset', 'ready', '4 session_renamed']);
    expect(read).toEqual(['4']);
  });

  it('sends nothing twice, and all of it, where the session opens with less than it knew', async () => {
    const { happen, page, lines, session, reopen } = scene();
    const { told } = page('2');
    const read = lines('2');
    session.detach();
    // Heard of while it was being opened.
    session.append(renamed(3));
    session.append(renamed(4));
    reopen();
    const late = page('2').told;
    const lateRead = lines('2');
    for (const seq of [3, 4, 5]) happen(renamed(seq));
    await nextTurn();
    for (const each of [told, late]) {
      const ids = each.filter((one) => one.includes('renamed'));
      expect(ids).toEqual(['3 session_renamed', '4 session_renamed', '5 session_renamed']);
    }
    for (const each of [read, lateRead]) expect(each).toEqual(['3', '4', '5']);
    expect(session.log().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('knows each event once where it was closed before it was told of the last', async () => {
    const { session, page, reopen } = scene();
    reopen(renamed(3));
    session.append(renamed(4));
    session.append(renamed(4));
    expect(session.log().map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(page().told.filter((each) => each.includes('renamed'))).toEqual(['3 session_renamed', '4 session_renamed']);
  });

  it('does not wait for ever for an id that nobody gave out', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { happen, page } = scene();
    const message = { role: 'assistant' as const, content: 'Hi.', tool_calls: [], finish: 'stop' as const };
    happen({ seq: 3, at: 3, type: 'assistant_message_added', message });
    happen({ seq: 4, at: 4, type: 'run_completed', sources: [] });
    const { told } = page('99');
    await vi.advanceTimersByTimeAsync(SERVER_LIMITS.readerAheadMs);
    expect(told[0]).toBe('progress_reset');
  });

  it('waits for an event that a crashed database lost while a run is open, and sends it nobody twice', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { happen, page, lines } = scene({ kept: 3 });
    happen({ seq: 3, at: 3, type: 'user_message_added', content: 'go' });
    const { told } = page('4');
    const read = lines('4');
    // A worker that takes over may need longer than one wait.
    await vi.advanceTimersByTimeAsync((SERVER_LIMITS.readerAheadLooks - 1) * SERVER_LIMITS.readerAheadMs);
    happen({ seq: 4, at: 4, type: 'session_renamed', title: 'read already' });
    happen({ seq: 5, at: 5, type: 'session_renamed', title: 'news' });
    vi.useRealTimers();
    await expect.poll(() => told).toEqual(['progress_reset', 'ready', '5 session_renamed']);
    await expect.poll(() => read).toEqual(['5']);
  });

  it('gives up in the end where nobody goes on with the run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { happen, page } = scene({ kept: 3 });
    happen({ seq: 3, at: 3, type: 'user_message_added', content: 'go' });
    const { told } = page('4');
    await vi.advanceTimersByTimeAsync((SERVER_LIMITS.readerAheadLooks - 1) * SERVER_LIMITS.readerAheadMs);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(SERVER_LIMITS.readerAheadMs);
    expect(told[0]).toBe('progress_reset');
  });

  it('keeps the session as long as somebody reads, and no longer', async () => {
    const { happen, page, session } = scene();
    const { told, stop } = page();
    expect(session.readers()).toBe(1);
    stop();
    expect(session.readers()).toBe(0);
    const count = told.length;
    happen({ type: 'text_delta', delta: 'unheard' });
    await nextTurn();
    expect(told).toHaveLength(count);
  });
});
