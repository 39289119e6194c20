/** The model server is not there: the app opens, says what it tried, keeps what is typed, and goes on when it is there. */
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from '../support/halter-process.ts';
import { MAIN } from '../support/program.ts';
import { openScreen, type Screen, tmuxMissing } from './terminal-screen.ts';
import { answered, say, stage } from './terminal-stage.ts';

const missing = tmuxMissing();
const GONE = 'No model server answers at';

/** A server that can go and be back at the same address, in a home whose settings may name it. */
const place = async (turns: readonly { text: string }[], sizes: { columns?: number; rows?: number } = {}) => {
  const { server, ...at } = await stage({ turns: [{ text: 'Said before.' }] });
  const { columns = 100, rows = 36 } = sizes;
  const address = server.openaiUrl;
  let back: ScriptedServer | undefined;
  onTestFinished(() => back?.close());
  return {
    ...at,
    server,
    address,
    start: (...args: string[]): Screen => {
      const screen = openScreen({
        program: [MAIN, ...args],
        rows,
        columns,
        folder: at.folder,
        environment: at.environment,
      });
      onTestFinished(() => screen.close());
      return screen;
    },
    set: async (settings: Record<string, string>) => {
      for (const [key, value] of Object.entries(settings))
        await runHalter(['config', 'set', key, value], { env: at.environment, home: at.home, cwd: at.folder });
    },
    /** It takes connections and says nothing. */
    hang: async (): Promise<() => Promise<void>> => {
      const silent: Server = createServer();
      const open = new Set<{ destroy(): void }>();
      silent.on('connection', (socket) => open.add(socket.on('error', () => undefined)));
      await new Promise<void>((resolve) => silent.listen(server.port, '127.0.0.1', resolve));
      const end = (): Promise<void> => {
        for (const socket of open) socket.destroy();
        return new Promise((resolve) => silent.close(() => resolve()));
      };
      onTestFinished(end);
      return end;
    },
    comeBack: async (): Promise<ScriptedServer> => {
      back = await startScriptedServer({
        turns,
        models: [{ id: 'test-model' }, { id: 'other-model' }],
        port: server.port,
      });
      return back;
    },
  };
};
type Place = Awaited<ReturnType<typeof place>>;

type Row = {
  name: string;
  /** What is done while the server is there. */
  before?(at: Place): Promise<void>;
  /** How the program is started without it. */
  args?(at: Place): string[];
  hangs?: true;
  /** What it says. */
  says?: string;
  /** What stands on the screen besides. */
  shows?: string;
};
const settings = (at: Place): Promise<void> => at.set({ base_url: at.address, model: 'test-model' });
const ROWS: readonly Row[] = [
  { name: 'with an address and a model in the settings', before: settings },
  {
    name: 'with an address alone, so that not even a name is known',
    before: (at) => at.set({ base_url: at.address }),
    shows: 'no model yet',
  },
  { name: 'with -m and --base-url', args: (at) => ['--base-url', at.address, '-m', 'test-model'] },
  {
    name: 'with -c, which shows what was said',
    async before(at) {
      await settings(at);
      const ran = await runHalter(['run', 'Earlier words'], { env: at.environment, home: at.home, cwd: at.folder });
      expect(ran.out).toBe('Said before.\n');
    },
    args: () => ['-c'],
    shows: 'Said before.',
  },
  {
    name: 'with a server that takes connections and says nothing',
    before: settings,
    hangs: true,
    says: 'takes connections and says nothing',
  },
];

describe.skipIf(missing)(`a model server that is not there${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it.each(ROWS)('opens $name, and goes on when it is there', async ({ before, args, says, hangs, shows }) => {
    const at = await place([{ text: 'There it is.' }]);
    await before?.(at);
    await at.server.close();
    const release = hangs ? await at.hang() : undefined;
    const screen = at.start(...(args?.(at) ?? []));
    const opened = await screen.until(says ?? GONE);
    expect(opened).toContain('/model');
    expect(opened).toContain('halter -m embedded/starter');
    if (shows !== undefined) expect(opened).toContain(shows);
    say(screen, 'are you there');
    await screen.until('next: are you there');
    await release?.();
    const back = await at.comeBack();
    const shown = await screen.until(answered('There it is.'));
    expect(shown).toMatch(/❯ are you there[\s\S]*There it is\./);
    expect(shown).not.toContain('next: ');
    expect(JSON.stringify(back.requests[0]!.body)).toContain('are you there');
  });

  it('keeps what is typed through Up, Esc, /model and the end of the program', async () => {
    const at = await place([{ text: 'There it is.' }]);
    await settings(at);
    await at.server.close();
    const screen = at.start('--mode', 'plan');
    await screen.until(GONE);
    for (const key of ['Up', 'Escape']) {
      say(screen, 'my words');
      await screen.until('next: my words');
      screen.keys(key);
      await screen.until((text) => /❯ my words\n/.test(text) && !text.includes('next: '));
      screen.keys('C-u');
    }
    say(screen, '/model other-model');
    await screen.until(/❯ \/model other-model\s+✗ No model server answers/);
    say(screen, 'to be kept');
    await screen.until('next: to be kept');
    screen.keys('C-c', 'C-c');
    await screen.ended();
    const again = at.start();
    await again.until((text) => text.includes('❯ to be kept') && text.includes(GONE));
    again.keys('BTab');
    await again.until(/\nedit · /);
    const back = await at.comeBack();
    await again.until('The model is there now.');
    again.keys('Enter');
    const shown = await again.until(answered('There it is.'));
    expect(shown).toMatch(/❯ to be kept[\s\S]*There it is\.[\s\S]*\nedit · /);
    expect(back.requests).toHaveLength(1);
  });

  it('goes on with a server that was away while the app is open', async () => {
    const at = await place([{ text: 'Back again.' }]);
    await settings(at);
    const screen = at.start();
    await screen.until('test-model · ');
    say(screen, 'first');
    await screen.until(answered('Said before.'));
    await at.server.close();
    say(screen, 'second');
    await screen.until(answered('asks again.'));
    expect(screen.text()).toContain(GONE);
    await at.comeBack();
    say(screen, '/regenerate');
    await screen.until(answered('Back again.'));
  });

  it('ends a script with words and an exit code, and a mistake too', async () => {
    const at = await place([]);
    const { environment: env, home, folder: cwd } = at;
    const ask = ['--base-url', at.address, '-m', 'test-model'];
    expect(await runHalter(['run', '--provider', 'nosuch', 'hi'], { env, home, cwd })).toMatchObject({ code: 2 });
    await at.server.close();
    const ran = await runHalter(['run', ...ask, 'hi'], { env, home, cwd });
    expect(ran).toMatchObject({ code: 5, out: '', err: expect.stringContaining(GONE) });
  });
});
