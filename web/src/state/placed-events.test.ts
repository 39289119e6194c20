import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { openPlaced } from './placed-events.ts';
import { type PlacePorts, sessionPlace } from './stream-place.ts';

const encoder = new TextEncoder();
type Reader = ReadableStreamDefaultController<Uint8Array>;

type Callback = () => Promise<void>;
type Waiting = { callback: Callback; resolve(): void; reject(error: Error): void };

/** The browser's locks, without its clock: time is the test's own. */
const fakeLocks = (): NonNullable<PlacePorts['locks']> => {
  const held = new Map<string, Waiting>();
  const lines = new Map<string, Waiting[]>();
  const grant = (name: string, one: Waiting): void => {
    held.set(name, one);
    void one.callback().then(() => {
      one.resolve();
      if (held.get(name) !== one) return;
      held.delete(name);
      const next = lines.get(name)?.shift();
      if (next) grant(name, next);
    });
  };
  const request = (name: string, { signal, steal }: LockOptions, callback: Callback): Promise<void> =>
    new Promise((resolve, reject) => {
      const one = { callback, resolve, reject };
      const before = held.get(name);
      if (steal) before?.reject(new Error('stolen'));
      if (steal || before === undefined) return grant(name, one);
      const line = lines.get(name) ?? [];
      lines.set(name, line);
      line.push(one);
      signal?.addEventListener('abort', () => {
        const at = line.indexOf(one);
        if (at < 0) return;
        line.splice(at, 1);
        reject(new Error('given up'));
      });
    });
  return { request } as NonNullable<PlacePorts['locks']>;
};

/** Tells all that was said behind the last id, then `ready`, then what comes. */
const fakeServer = () => {
  const said: string[] = [];
  const readers = new Set<Reader>();
  let most = 0;
  const frame = (at: number): string => `id: ${at + 1}\ndata: ${said[at]}\n\n`;
  return {
    say(text: string) {
      said.push(text);
      for (const reader of readers) reader.enqueue(encoder.encode(frame(said.length - 1)));
    },
    most: () => most,
    /** `hangs`: no answer ever comes, and the connection is kept. */
    send:
      (hangs: () => boolean): typeof fetch =>
      async (path, init) => {
        if (hangs()) return new Promise(() => {});
        const after = Number(String(path).split('=')[1]);
        const body = new ReadableStream<Uint8Array>({
          start(reader) {
            readers.add(reader);
            most = Math.max(most, readers.size);
            init?.signal?.addEventListener('abort', () => {
              readers.delete(reader);
              reader.error(new Error('closed'));
            });
            const text = said.map((_, at) => frame(at)).slice(after);
            reader.enqueue(encoder.encode(`${text.join('')}event: ready\ndata: {}\n\n`));
          },
        });
        return new Response(body);
      },
  };
};

const openWindow = (server: ReturnType<typeof fakeServer>, locks: PlacePorts['locks'], isFocused: boolean) => {
  const heard: string[] = [];
  let lastId = '0';
  let isFrozen = false;
  const focused = new Set<() => void>();
  const ports: PlacePorts = {
    locks,
    isFocused: () => isFocused,
    onFocus: (listener) => void focused.add(listener),
  };
  const place = sessionPlace(ports);
  const handlers = {
    begin: () => `/events?last_event_id=${lastId}`,
    onEvent({ type, data, id }: { type: string; data: string; id: string }) {
      if (type !== 'message') return;
      heard.push(data);
      lastId = id;
    },
    onEnd: () => heard.push('broken'),
  };
  const stream = openPlaced(
    server.send(() => isFrozen),
    place,
    handlers,
    ports,
  );
  return {
    heard,
    isHeld: place.isHeld,
    focus() {
      for (const listener of focused) listener();
    },
    freeze() {
      isFrozen = true;
    },
    close() {
      stream.close();
      place.leave();
    },
  };
};
type Window = ReturnType<typeof openWindow>;

const WINDOWS = 8;
const MANY_LOOKS_MS = 60_000;
/** The windows that are to hear all are those that it leaves. */
const HAPPENINGS: Readonly<Record<string, (windows: Window[]) => Window[] | Promise<Window[]>>> = {
  'nothing else happens': (windows) => windows,
  'the window in front is closed': ([front, ...others]) => {
    front?.close();
    return others;
  },
  'both windows with a place are closed': (windows) => {
    const held = windows.filter(({ isHeld }) => isHeld());
    for (const each of held) each.close();
    return windows.filter((each) => !held.includes(each));
  },
  'another window comes to the front': (windows) => {
    windows.at(-1)?.focus();
    return windows;
  },
  'one comes to the front behind the other': async (windows) => {
    for (const each of windows) {
      each.focus();
      await vi.advanceTimersByTimeAsync(1);
    }
    return windows;
  },
  'one is frozen in the middle of its look': (windows) => {
    const looks = windows.find(({ isHeld }) => !isHeld());
    looks?.freeze();
    return windows.filter((each) => each !== looks);
  },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('eight windows with a session each', () => {
  for (const [about, happen] of Object.entries(HAPPENINGS)) {
    it(`hear each event once, and leave room for requests, where ${about}`, async () => {
      verifies('L8');
      const [server, locks] = [fakeServer(), fakeLocks()];
      server.say('before');
      const windows = Array.from({ length: WINDOWS }, (_, at) => openWindow(server, locks, at === 0));
      await vi.advanceTimersByTimeAsync(MANY_LOOKS_MS);
      server.say('during');
      const left = await happen(windows);
      await vi.advanceTimersByTimeAsync(MANY_LOOKS_MS);
      server.say('after');
      await vi.advanceTimersByTimeAsync(MANY_LOOKS_MS);
      expect(left.map(({ heard }) => heard)).toEqual(left.map(() => ['before', 'during', 'after']));
      // Two stay, one looks; beside them stands the one for all sessions.
      expect(server.most()).toBeLessThanOrEqual(3);
      // The place in front is taken by the window that comes to the front next.
      expect(left.filter(({ isHeld }) => isHeld()).length).toBeGreaterThan(0);
      for (const each of windows) each.close();
    });
  }

  it('keep a stream each where the browser has no locks', async () => {
    verifies('L8');
    const server = fakeServer();
    const place = sessionPlace({ locks: undefined, isFocused: () => false, onFocus() {} });
    const heard: string[] = [];
    const onEvent = ({ data }: { data: string }): void => void heard.push(data);
    const stream = openPlaced(
      server.send(() => false),
      place,
      { begin: () => '/events?last_event_id=0', onEvent, onEnd() {} },
    );
    await vi.advanceTimersByTimeAsync(MANY_LOOKS_MS);
    server.say('one');
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual(['{}', 'one']);
    stream.close();
  });
});
