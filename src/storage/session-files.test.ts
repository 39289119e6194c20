import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../../tests/requirements.ts';
import { rounds } from '../../tests/support/long.ts';
import type { Event, EventBody } from '../core/events.ts';
import type { SessionStore } from '../core/storage-port.ts';
import { SessionFiles } from './session-files.ts';

let base: string;
let made = 0;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'halter-sessions-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const newFolder = (): string => {
  made += 1;
  return join(base, `folder-${made}`);
};
const event = (seq: number, body: EventBody = { type: 'user_message_added', content: `message ${seq}` }): Event => ({
  seq,
  at: 1_000 + seq,
  ...body,
});
const started = (seq: number, workspace = '/w'): Event =>
  event(seq, { type: 'session_started', version: 1, session_id: 's', workspace, model: 'ollama/qwen3' });

const open = async (store: SessionStore, id = 's') => {
  const opened = await store.open(id);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
};
const write = async (store: SessionStore, events: readonly Event[], id = 's'): Promise<void> => {
  const { log } = await open(store, id);
  for (const one of events) expect(await log.append(one)).toEqual({ ok: true, value: undefined });
  await log.close();
};
const readBack = async (store: SessionStore, id = 's') => {
  const read = await store.read(id);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
};

const listOf = async (store: SessionStore, options: Parameters<SessionStore['list']>[0] = {}) => {
  const listed = await store.list(options);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value;
};

describe('a session in its file', () => {
  it('gives back what was appended, over a close and over lines that hold any character', async () => {
    verifies('B5');
    const store = new SessionFiles({ folder: newFolder() });
    const events = [
      started(1),
      event(2, { type: 'user_message_added', content: 'a\u2028b\u2029c\n\0\ud800 ✓ 😀 \r\n' }),
    ];
    await write(store, events);
    expect(await readBack(store)).toEqual({ events, warnings: [] });
    const again = await open(store);
    expect(again.events).toEqual(events);
    await again.log.append(event(3));
    await again.log.close();
    expect((await readBack(store)).events).toEqual([...events, event(3)]);
  });

  it('is one header line and one line an event, and nobody else may read it', async () => {
    verifies('B5');
    const folder = newFolder();
    const store = new SessionFiles({ folder, now: () => 5 });
    await write(store, [started(1), event(2)]);
    const lines = readFileSync(join(folder, 's.jsonl'), 'utf8').split('\n');
    expect(lines.map((line) => line && JSON.parse(line))).toEqual([
      { type: 'halter_session', version: 1, id: 's', created_at: 5 },
      { ...started(1), message_count: 0 },
      { ...event(2), message_count: 1 },
      '',
    ]);
    const mode = spawnSync('stat', ['-c', '%a', join(folder, 's.jsonl'), folder], { encoding: 'utf8' }).stdout;
    if (process.platform === 'linux') expect(mode).toBe('600\n700\n');
  });

  it('puts appends that come together one after the other', async () => {
    verifies('B5');
    const store = new SessionFiles({ folder: newFolder() });
    const { log } = await open(store);
    const events = Array.from({ length: 50 }, (_, index) => event(index + 1));
    await Promise.all(events.map((one) => log.append(one)));
    await log.close();
    expect((await readBack(store)).events).toEqual(events);
    expect(await log.append(event(51))).toMatchObject({ ok: false, error: { reason: 'closed' } });
  });

  it('refuses ids that are no file names', async () => {
    verifies('H10');
    const store = new SessionFiles({ folder: newFolder() });
    for (const id of [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      '.hidden',
      'a\0',
      'x'.repeat(200),
      'a..b',
      'a.',
      'CON:',
      'a b',
    ]) {
      for (const outcome of [await store.open(id), await store.read(id), await store.remove(id)]) {
        expect([id, outcome]).toMatchObject([id, { ok: false, error: { error_type: 'validation_failed' } }]);
      }
    }
    expect(await store.read('none')).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
  });

  it('refuses a link, a folder and a FIFO in place of the file', async () => {
    const folder = newFolder();
    const store = new SessionFiles({ folder });
    await write(store, [started(1)]);
    symlinkSync(join(folder, 's.jsonl'), join(folder, 'link.jsonl'));
    mkdirSync(join(folder, 'dir.jsonl'));
    spawnSync('mkfifo', [join(folder, 'fifo.jsonl')]);
    for (const id of ['link', 'dir', 'fifo']) {
      expect([id, (await store.open(id)).ok, (await store.read(id)).ok]).toEqual([id, false, false]);
    }
    expect((await listOf(store)).map((summary) => summary.id)).toEqual(['s']);
  });
});

describe('one at a time', () => {
  it('refuses a second opener in this process, until the first closes', async () => {
    verifies('B5', 'U1');
    const folder = newFolder();
    const store = new SessionFiles({ folder });
    const first = await open(store);
    expect(await new SessionFiles({ folder }).open('s')).toMatchObject({ ok: false, error: { reason: 'in_use' } });
    expect(await store.remove('s')).toMatchObject({ ok: false, error: { reason: 'in_use' } });
    await (await open(store, 'other')).log.close();
    await first.log.close();
    const second = await open(store);
    await second.log.close();
    expect(await store.remove('s')).toMatchObject({ ok: true });
    expect(await store.read('s')).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
  });

  it('refuses it in another process as well, until that one is killed', async () => {
    verifies('B5', 'U1');
    const folder = newFolder();
    const writer = startWriter(folder, 's', 10);
    await writer.acknowledged(1);
    const store = new SessionFiles({ folder });
    expect(await store.open('s')).toMatchObject({ ok: false, error: { reason: 'in_use' } });
    expect((await store.read('s')).ok).toBe(true);
    await writer.kill();
    const { log } = await open(store);
    await log.close();
  });
});

describe('damage', () => {
  it('keeps a prefix of the events wherever the file is cut, and goes on from there', async () => {
    verifies('B5');
    const events = [
      started(1),
      event(2),
      event(3, { type: 'user_message_added', content: 'é✓😀\u2028' }),
      event(4),
      event(5),
    ];
    const original = newFolder();
    await write(new SessionFiles({ folder: original }), events);
    const bytes = readFileSync(join(original, 's.jsonl'));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (length) => {
        const folder = newFolder();
        mkdirSync(folder);
        writeFileSync(join(folder, 's.jsonl'), bytes.subarray(0, length));
        const store = new SessionFiles({ folder });
        const opened = await open(store);
        expect(opened.events).toEqual(events.slice(0, opened.events.length));
        const wholeLines = bytes.subarray(0, length).toString().split('\n').length - 2;
        expect(opened.events.length).toBeGreaterThanOrEqual(wholeLines);
        const next = event(opened.events.length + 1);
        await opened.log.append(next);
        await opened.log.close();
        // The repaired file is whole: no warning is left.
        expect(await readBack(store)).toEqual({ events: [...opened.events, next], warnings: [] });
      }),
      { numRuns: rounds(50, 750) },
    );
  });

  it('keeps what was there of a torn last line, and says where', async () => {
    verifies('B5');
    const folder = newFolder();
    const store = new SessionFiles({ folder, now: () => 77 });
    await write(store, [started(1), event(2)]);
    appendFileSync(join(folder, 's.jsonl'), '{"type":');
    expect((await readBack(store)).warnings).toEqual([expect.stringContaining('not written to its end')]);
    const opened = await open(store);
    await opened.log.close();
    expect(opened.events).toEqual([started(1), event(2)]);
    expect(opened.warnings).toEqual([expect.stringContaining('s.jsonl.torn-77')]);
    expect(readFileSync(join(folder, 's.jsonl.torn-77'), 'utf8')).toBe('{"type":');
  });

  it('leaves out damaged lines, names them by number, and leaves them in the file', async () => {
    verifies('B5');
    const folder = newFolder();
    const store = new SessionFiles({ folder });
    await write(store, [started(1), event(2), event(3), event(4), event(5)]);
    const path = join(folder, 's.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    lines[2] = 'not json';
    lines[3] = `${lines[3]?.slice(0, -1)}\0`;
    lines[4] = '[1]';
    lines.splice(5, 0, lines[1] as string);
    const damaged = Buffer.concat([Buffer.from(lines.join('\n')), Buffer.from([0xff, 0xfe, 0x0a])]);
    writeFileSync(path, damaged);
    const opened = await open(store);
    await opened.log.close();
    expect(opened.events.map(({ seq }) => seq)).toEqual([1, 5]);
    expect(opened.warnings.map((warning) => /line (\d+)/.exec(warning)?.[1])).toEqual(['3', '4', '5', '6', '8']);
    expect(readFileSync(path).equals(damaged)).toBe(true);
  });

  it('leaves a file of a newer halter as it is', async () => {
    verifies('B5', 'U1');
    const folder = newFolder();
    mkdirSync(folder);
    const text = '{"type":"halter_session","version":2,"id":"s","created_at":1}\n{"new":true}\n{"torn';
    writeFileSync(join(folder, 's.jsonl'), text);
    const store = new SessionFiles({ folder });
    const expected = { ok: false, error: { error_type: 'parse_error', reason: 'newer_version' } };
    expect(await store.open('s')).toMatchObject(expected);
    expect(await store.read('s')).toMatchObject(expected);
    expect(readFileSync(join(folder, 's.jsonl'), 'utf8')).toBe(text);
  });

  const noBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status !== 0;
  it.skipIf(noBubblewrap)('leaves the log as it was when the disk is full', async () => {
    verifies('B5', 'S7');
    const script = `
      const { SessionFiles } = await import(${JSON.stringify(modulePath)});
      const store = new SessionFiles({ folder: ${JSON.stringify(join(base, 's'))} });
      const { value: { log } } = await store.open('s');
      const add = (seq, size) => log.append({ seq, at: 1, type: 'user_message_added', content: 'x'.repeat(size) });
      const outcomes = [await add(1, 10), await add(2, 300000), await add(2, 20)];
      await log.close();
      const { value } = await store.read('s');
      console.log(JSON.stringify({ outcomes, sizes: value.events.map((e) => e.content.length), warnings: value.warnings }));`;
    const child = spawnSync(
      'bwrap',
      [
        '--ro-bind',
        '/',
        '/',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
        '--size',
        '131072',
        '--tmpfs',
        base,
        process.execPath,
        '--input-type=module',
        '-e',
        script,
      ],
      { encoding: 'utf8' },
    );
    expect(child.stderr).toBe('');
    const { outcomes, sizes, warnings } = JSON.parse(child.stdout);
    expect(outcomes[1]).toMatchObject({ ok: false, error: { error_type: 'io_error', reason: 'disk_full' } });
    expect([outcomes[0].ok, outcomes[2].ok, sizes, warnings]).toEqual([true, true, [10, 20], []]);
  });
});

describe('the list', () => {
  it('is empty where there is nothing', async () => {
    verifies('B5');
    expect(await listOf(new SessionFiles({ folder: newFolder() }))).toEqual([]);
  });

  it('knows the first words of a message that is longer than what it reads, and finds the end behind long lines', async () => {
    verifies('B5');
    const folder = newFolder();
    const store = new SessionFiles({ folder });
    const long = `first "words" \\ ${'x'.repeat(300_000)}`;
    await write(store, [started(1), event(2, { type: 'user_message_added', content: long })]);
    appendFileSync(join(folder, 's.jsonl'), '{"torn');
    expect(await listOf(store)).toMatchObject([{ message_count: 1, updated_at: 1_002 }]);
    expect((await listOf(store))[0]?.title).toMatch(/^first "words" \\ x+…$/);
    truncateSync(join(folder, 's.jsonl'), 200_000);
    expect(await listOf(store)).toMatchObject([{ message_count: 0, updated_at: 1_001 }]);
  });

  it('leaves out what is no session', async () => {
    verifies('B5');
    const folder = newFolder();
    const store = new SessionFiles({ folder });
    await write(store, [started(1)]);
    writeFileSync(join(folder, 'junk.jsonl'), 'junk\n');
    writeFileSync(join(folder, 'empty.jsonl'), '');
    expect((await listOf(store)).map(({ id }) => id)).toEqual(['s']);
  });
});

const modulePath = programFile(new URL('./session-files.ts', import.meta.url));

/** A real process that appends events without end and says of each when it was acknowledged. */
const startWriter = (folder: string, id: string, characters: number) => {
  const script = `
    const { SessionFiles } = await import(${JSON.stringify(modulePath)});
    const opened = await new SessionFiles({ folder: ${JSON.stringify(folder)} }).open(${JSON.stringify(id)});
    if (!opened.ok) throw new Error(opened.error.message);
    let seq = opened.value.events.at(-1)?.seq ?? 0;
    for (;;) {
      seq += 1;
      const content = String(seq).repeat(${characters}).slice(0, ${characters});
      const done = await opened.value.log.append({ seq, at: 1, type: 'user_message_added', content });
      if (done.ok) process.stdout.write(seq + '\\n');
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = 0;
  let wake = (): void => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = Number(line);
    wake();
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    last: () => last,
    acknowledged: async (count: number): Promise<void> => {
      while (last < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    kill: async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};

/** So many kills, or fewer on a machine so busy that they would take longer than this; HALTER_KILLS asks for a number. */
const KILLS = Number(process.env['HALTER_KILLS'] ?? rounds(12, 40));
const KILL_TIME_MS = process.env['HALTER_KILLS'] === undefined ? 10_000 : Number.POSITIVE_INFINITY;
const FEWEST_KILLS = 8;
const killUntil = (): ((round: number) => boolean) => {
  const end = performance.now() + KILL_TIME_MS;
  return (round) => round < FEWEST_KILLS || (round < KILLS && performance.now() < end);
};

it('loses nothing that was acknowledged when its process is killed', { timeout: 600_000 }, async () => {
  verifies('B5');
  const folder = newFolder();
  const store = new SessionFiles({ folder });
  const lines = 64 * 1024;
  const goesOn = killUntil();
  let known = 0;
  let torn = 0;
  for (let round = 0; goesOn(round); round += 1) {
    const writer = startWriter(folder, 's', lines);
    // Killed in the middle of its work, at another point every time.
    await writer.acknowledged(known + 1 + (round % 4));
    if (round % 2 === 1) await new Promise((next) => setImmediate(next));
    await writer.kill();
    const { events, warnings } = await readBack(store);
    torn += warnings.length;
    expect(warnings.length).toBeLessThanOrEqual(1);
    expect(events.length).toBeGreaterThanOrEqual(writer.last());
    expect(events.every(({ seq }, index) => seq === index + 1)).toBe(true);
    known = events.length;
  }
  const kept = readdirSync(folder).filter((name) => name.includes('.torn-')).length;
  expect(kept).toBeLessThanOrEqual(torn);
});

it('removes with a session what the engine keeps of prompts, which holds words of it', async () => {
  const [folder, promptStates] = [newFolder(), newFolder()];
  const store = new SessionFiles({ folder, promptStates });
  await write(store, [started(1)]);
  mkdirSync(join(promptStates, 'model'), { recursive: true });
  writeFileSync(join(promptStates, 'model', 'a.state'), 'words');
  expect(await store.remove('none')).toMatchObject({ ok: false });
  expect(readdirSync(promptStates)).toEqual(['model']);
  expect(await store.remove('s')).toEqual({ ok: true, value: undefined });
  expect(existsSync(promptStates)).toBe(false);
});
