/** A session goes on with the model that it was with, whatever flag names its server, and says so where that is gone. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';

const start = async (...models: string[]): Promise<ScriptedServer> => {
  const server = await startScriptedServer({
    turns: () => ({ text: 'well' }),
    models: models.map((id) => ({ id })),
    strictModels: true,
  });
  onTestFinished(() => server.close());
  return server;
};

/** A session `kept` that was with `second` of a server whose first model is another. */
const world = async () => {
  const server = await start('first', 'second');
  const [home, cwd] = [scratchFolder(), scratchFolder()];
  const at = (one: ScriptedServer): string[] => ['--provider', 'openai', '--base-url', one.openaiUrl];
  const run = (...args: string[]) => runHalter(['run', 'hello', ...args], { home, cwd });
  expect((await run('--session', 'kept', '-m', 'second', ...at(server))).code).toBe(0);
  return { server, home, cwd, at, run };
};
const lastModel = (server: ScriptedServer): unknown => server.requests.at(-1)?.body['model'];

const WAYS = [['-c'], ['--session', 'kept'], ['-c', '--fork'], ['--session', 'kept', '--fork']];
const FORMATS = ['text', 'json', 'stream-json'];

describe('a session of another model than the first of its server', () => {
  // Of each way one format, each format in one way at least.
  const inFormats = WAYS.flatMap((way) => FORMATS.map((format) => [way.join(' '), format, way] as const));
  it.each(everyNth(inFormats, 4))('goes on with it: run %s --format %s', async (_words, format, way) => {
    verifies('B11', 'L6');
    const { server, run, at } = await world();
    const ran = await run(...way, '--format', format, ...at(server));
    expect({ code: ran.code, model: lastModel(server), err: ran.err.includes('not there') }).toEqual({
      code: 0,
      model: 'second',
      err: false,
    });
  });

  it.each(WAYS.map((way) => [way.join(' '), way] as const))('says where it is gone: run %s', async (_words, way) => {
    verifies('B11', 'L6');
    const { run, at } = await world();
    const other = await start('third');
    const ran = await run(...way, ...at(other));
    expect({ code: ran.code, model: lastModel(other) }).toEqual({ code: 0, model: 'third' });
    expect(ran.err).toContain('was with the model second, which is not there now. It goes on with third.');
  });

  it('is with the one that a flag names', async () => {
    const { server, run, at } = await world();
    expect((await run('-c', '-m', 'first', ...at(server))).code).toBe(0);
    expect(lastModel(server)).toBe('first');
  });

  it.skipIf(process.platform === 'win32').each(everyNth(WAYS, 3).map((way) => [way.join(' '), way] as const))(
    'goes on with it in the app: %s',
    async (_words, way) => {
      verifies('L6');
      const { server, home, cwd, at } = await world();
      const app = openApp([...way, ...at(server)], { folder: cwd, home });
      onTestFinished(async () => {
        app.close();
        await app.ended;
      });
      await app.until('second ·');
      app.forget();
      app.type('again\r');
      await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(2);
      expect(lastModel(server)).toBe('second');
    },
  );
});
