/** Plugins in the real program: an example package of each kind, installed as a person installs it. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadPlugins } from '../../src/agent/plugins.ts';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { OPEN, type Ran, runHalter, startHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

type Settings = Record<string, string>;

const LOAD_MS = 2_000;

/** A home whose plugins folder holds the packages. No halter lies beside them: theirs is the one that runs. */
const homeWith = (packages: readonly string[], settings: Settings = {}): string => {
  const home = scratchFolder();
  const config = path.join(home, '.config/halter');
  const modules = path.join(config, 'plugins/node_modules');
  fs.mkdirSync(modules, { recursive: true });
  for (const name of packages) {
    fs.cpSync(path.join(ROOT, 'examples/plugins', name), path.join(modules, name), { recursive: true });
  }
  fs.writeFileSync(path.join(config, 'config.json'), JSON.stringify({ plugins: packages.join(', '), ...settings }));
  return home;
};
const server = async (turns: ScriptedServerOptions['turns'] & {}) => {
  const started = await startScriptedServer({ turns });
  onTestFinished(() => started.close());
  return { flags: ['--provider', 'openai', '--base-url', started.openaiUrl], requests: started.requests };
};
const callsOf = (ran: Ran) =>
  ran.json()['tool_calls'] as { name: string; result: { success: boolean; data: string } }[];

describe('a plugin', () => {
  it('adds a tool that the model is offered and calls', async () => {
    verifies('K1', 'L11');
    const { flags, requests } = await server([
      { calls: [{ name: 'roll_dice', arguments: { count: 3 } }] },
      { text: 'Rolled.' },
    ]);
    const ran = await runHalter(['run', 'roll', '--format', 'json', ...flags], {
      home: homeWith(['halter-plugin-dice']),
    });
    const [call] = callsOf(ran);
    expect(call?.result.success).toBe(true);
    expect(JSON.parse(call?.result.data ?? '[]')).toHaveLength(3);
    expect(JSON.stringify(requests[0]?.body['tools'])).toContain('roll_dice');
  });

  it('adds a dialect, in which tools are offered, calls are read and results go back', async () => {
    const { flags, requests } = await server([
      { text: 'One moment. CALL {"name": "ls", "arguments": {}} OVER' },
      { text: 'It is empty.' },
    ]);
    const home = homeWith(['halter-plugin-shout'], { dialect: 'shout' });
    const ran = await runHalter(['run', 'look', '--format', 'json', ...flags], { home });
    expect(callsOf(ran)).toMatchObject([{ name: 'ls', result: { success: true } }]);
    expect(ran.json()['answer']).toBe('It is empty.');
    const said = JSON.stringify(requests.map(({ body }) => body['messages']));
    expect(said).toContain('To call one, write: CALL');
    expect(said).toContain('ls ANSWERS');
  });

  it('adds a provider', async () => {
    const ran = await runHalter(['run', '--model', 'echo/parrot', 'hello'], { home: homeWith(['halter-plugin-echo']) });
    expect(ran).toMatchObject({ code: 0, out: 'You said: hello\n' });
  });

  it('adds a command', async () => {
    const { flags, requests } = await server([{ text: 'Done.' }]);
    await runHalter(['run', '/standup Ada', ...flags], { home: homeWith(['halter-plugin-standup']) });
    expect(JSON.stringify(requests[0]?.body['messages'])).toContain('the commits of Ada since yesterday');
  });

  it('that is broken, missing, or takes a name that is taken is named and left out, and the run goes on', async () => {
    const { flags } = await server([{ text: 'Fine.' }]);
    const home = homeWith([], { plugins: 'halter-plugin-gone' });
    putFiles(path.join(home, '.config/halter/plugins'), {
      'broken.js': 'throw new Error("no luck");',
      'empty.js': 'export const nothing = 1;',
      'slip.mjs': `export const plugin = { name: 'slip', toolz: [], [Symbol('own')]: 1 };`,
      'thief.mjs': `export const plugin = { name: 'thief', tools: [{ name: 'bash', run() {} }, { name: 'x' }],
        providers: { ollama() {} }, dialects: [{ format: { name: 'hermes' } }], commands: [{ name: 'No Good' }] };`,
    });
    const ran = await runHalter(['run', 'hello', ...flags], { home });
    expect(ran).toMatchObject({ code: 0, out: 'Fine.\n' });
    for (const words of [
      'The plugin broken.js cannot be loaded: no luck',
      'The plugin empty.js exports no `plugin` with a name',
      "The plugin slip: the field toolz is none of a plugin's. Did you mean tools?",
      'The plugin thief: the tool bash is left out, the name is taken',
      'The plugin thief: a tool is left out, make it with defineTool',
      'The plugin thief: the provider ollama is left out, the name is taken',
      'The plugin thief: the dialect hermes is left out, the name is taken',
      'The plugin thief: the command No Good is left out',
      'The plugin halter-plugin-gone is not installed',
    ]) {
      expect(ran.err).toContain(words);
    }
  });

  it('that never comes to its end is left out by its name, and those behind it are loaded', async () => {
    const folder = scratchFolder();
    putFiles(folder, {
      'a.mjs': 'await new Promise(() => {}); export const plugin = {};',
      'b.mjs': `export const plugin = { name: 'b', commands: [{ name: 'hi', description: 'x', template: 'x' }] };`,
    });
    const warned: string[] = [];
    const { commands } = await loadPlugins({
      folder,
      packages: [],
      onWarning: (_code, message) => warned.push(message),
      loadMs: LOAD_MS,
    });
    expect(warned).toEqual(['The plugin a.mjs is left out: after 2 s it still awaits something while it loads']);
    expect(commands).toMatchObject([{ name: 'hi' }]);
  });

  it.each(['run hello', 'tools list', 'tools call ls {}', 'context', 'models probe', 'serve --port 0'])(
    'that never comes to its end does not keep `halter %s` from being ended',
    async (command) => {
      const home = scratchFolder();
      putFiles(path.join(home, '.config/halter/plugins'), {
        'a.mjs': `console.error('a.mjs begins'); await new Promise((resolve) => setInterval(resolve, 2 ** 30));`,
      });
      const running = startHalter([...command.split(' '), '--model', 'openai/m'], { home, stdin: OPEN });
      await running.said('a.mjs begins');
      running.child.kill('SIGTERM');
      const ended = await running.finished;
      expect([ended.err.includes('is left out'), ended.code === 0]).toEqual([false, false]);
    },
  );

  it('is never taken from a project, whatever its settings say and whoever trusts it', async () => {
    const { flags } = await server([{ text: 'Fine.' }]);
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, {
      '.halter/config.json': '{"plugins": "./evil.js"}',
      '.halter/plugins/evil.js': `import fs from 'node:fs'; fs.writeFileSync('canary', '');`,
      'evil.js': `import fs from 'node:fs'; fs.writeFileSync('canary', '');`,
    });
    await runHalter(['trust'], { cwd, home });
    const ran = await runHalter(['run', 'hello', ...flags], { cwd, home });
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('"plugins" may not be set by a project');
    expect(fs.existsSync(path.join(cwd, 'canary'))).toBe(false);
  });
});
