/** The terminal app with nothing scripted but the model: real runtime, real tools, real files, over a real socket. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { openScreen, type Screen, tmuxMissing } from './terminal-screen.ts';

const ARMED = 'Press 1, 2, 3 or 4';
const READY = 'test-model ·';

type Stage = { screen: Screen; server: ScriptedServer; folder: string; config: string };

const start = async (
  turns: readonly ScriptedServerTurn[],
  more: string[] = [],
  from?: Pick<Stage, 'folder'>,
): Promise<Stage> => {
  const base = from ? join(from.folder, '..') : scratchFolder();
  const folder = join(base, 'work');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'README.md'), 'The word of the day is heron.\n');
  const server = await startScriptedServer({ turns, models: [{ id: 'test-model' }, { id: 'other-model' }] });
  const config = join(base, 'config');
  const environment = {
    HOME: base,
    XDG_CONFIG_HOME: config,
    XDG_DATA_HOME: join(base, 'data'),
    XDG_CACHE_HOME: join(base, 'cache'),
  };
  const model = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const screen = openScreen({ program: [MAIN, ...model, ...more], folder, environment, rows: 36, columns: 100 });
  onTestFinished(async () => {
    screen.close();
    await server.close();
  });
  const stage = { screen, server, folder, config };
  await screen.until(READY);
  return stage;
};
const say = (screen: Screen, text: string): void => {
  screen.type(text);
  screen.keys('Enter');
};

const reads = { calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] };

const missing = tmuxMissing();

describe.skipIf(missing)(`terminal app over the real runtime${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('allows a call once, shows the answer, and asks again for the next call', async () => {
    verifies('Z9', 'H12', 'Z19');
    const { screen, server } = await start([
      reads,
      { text: 'The word is **heron**.' },
      reads,
      { text: 'Still heron.' },
    ]);
    say(screen, 'What is the word?');
    await screen.until(ARMED);
    screen.keys('1');
    const answered = await screen.until('The word is heron.');
    expect(answered).toMatch(/✓ read_file README\.md/);
    expect(server.requests[1]?.text).toContain('heron');
    say(screen, 'And now?');
    await screen.until(ARMED);
    screen.keys('4');
    await screen.until('Why not?');
    screen.type('not twice');
    screen.keys('Enter');
    await screen.until('Still heron.');
    expect(server.requests[3]?.text).toContain('not twice');
  });

  it('allows for the session, and remembers in policies.json what the question named', async () => {
    verifies('Z9', 'H12');
    const { screen, config } = await start([
      reads,
      { text: 'That was the first one.' },
      reads,
      { text: 'That was the second one.' },
      { calls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'a\nb\n' } }] },
      { text: 'It is written down.' },
    ]);
    say(screen, 'first');
    await screen.until(ARMED);
    screen.keys('2');
    await screen.until('That was the first one.');
    say(screen, 'second');
    expect(await screen.until('That was the second one.')).not.toContain('Permission Request');
    say(screen, 'third');
    const asked = await screen.until(ARMED);
    expect(asked).toContain('Tool: write_file');
    expect(asked).toContain('+a');
    screen.keys('?');
    const rule = await screen.until('Remember would store');
    const stored = /Remember would store: allow write_file(\S*) in/.exec(rule.replaceAll(/\n┃ +/g, ' '));
    screen.keys('3');
    await screen.until('It is written down.');
    const policies = JSON.parse(readFileSync(join(config, 'halter', 'policies.json'), 'utf8')) as {
      rules: { tool: string; pattern?: string }[];
    };
    expect(policies.rules).toHaveLength(1);
    expect(policies.rules[0]?.tool).toBe('write_file');
    expect(policies.rules[0]?.pattern ? `(${policies.rules[0].pattern})` : '').toBe(stored?.[1] ?? 'no rule was shown');
  });

  it('says in the footer and in each question that commands run unsandboxed, also in a narrow window', async () => {
    verifies('S15', 'L11');
    const { screen } = await start([reads, { text: 'It is heron.' }], ['--no-sandbox']);
    expect((await screen.until(READY)).trimEnd().split('\n').at(-1)).toContain('unsandboxed');
    screen.resize(30, 36);
    await screen.until((text) => /\S unsandboxed\s*$/.test(text.trimEnd()));
    say(screen, 'What is the word?');
    expect((await screen.until(ARMED)).replaceAll(/\n┃ +/g, ' ')).toContain('Sandbox: unsandboxed');
  });

  it('stops a running command on Esc at once, with its child, and takes the next message', async () => {
    verifies('Z19');
    const { screen, folder } = await start([
      { calls: [{ name: 'bash', arguments: { command: 'echo started; sleep 60; touch survived' } }] },
      { text: 'Here again.' },
    ]);
    say(screen, 'run it');
    await screen.until(ARMED);
    screen.keys('1');
    await screen.until('│ started');
    const before = performance.now();
    screen.keys('Escape');
    await screen.until('Stopped.');
    // The command would have slept for a minute.
    expect(performance.now() - before).toBeLessThan(30_000);
    say(screen, 'hello');
    await screen.until('Here again.');
    expect(existsSync(join(folder, 'survived'))).toBe(false);
  });

  it('shows an earlier session again with -c and goes on in it', async () => {
    const first = await start([{ text: 'I will remember the heron.' }]);
    say(first.screen, 'remember the heron');
    await first.screen.until('I will remember the heron.');
    say(first.screen, '/exit ');
    await first.screen.ended();
    const sessions = join(first.folder, '..', 'data', 'halter', 'sessions');
    const [file] = readdirSync(sessions).filter((name) => name.endsWith('.jsonl'));
    appendFileSync(join(sessions, file ?? ''), '{"damaged\n');
    const second = await start([{ text: 'The heron.' }], ['-c'], first);
    // What was found wrong while the session was opened is said where the person looks.
    await second.screen.until(/line \d+/);
    await second.screen.until('I will remember the heron.');
    say(second.screen, 'which bird?');
    await second.screen.until('The heron.');
    expect(second.server.requests[0]?.text).toContain('remember the heron');
  });

  it('changes to another model of the server, which new sessions then begin with, and refuses one that is not there', async () => {
    const { screen, server } = await start([{ text: 'First.' }, { text: 'Second.' }]);
    say(screen, '/model nobody ');
    await screen.until(/✗ .*nobody/);
    say(screen, '/model other-model ');
    await screen.until('other-model ·');
    say(screen, 'hello');
    await screen.until('First.');
    say(screen, '/new ');
    await screen.until('A new session.');
    say(screen, 'hello');
    await screen.until('Second.');
    expect(server.requests.map(({ body }) => body['model'])).toEqual(['other-model', 'other-model']);
    expect(screen.text()).toContain('other-model ·');
  });

  it('takes keys from keybindings.json, says what is wrong in it, and lists the keys as they are', async () => {
    verifies('Z19');
    const base = scratchFolder();
    putFiles(base, { 'config/halter/keybindings.json': '{"details": "ctrl+g", "detials": "x"}' });
    const { screen } = await start([], [], { folder: join(base, 'work') });
    await screen.until((seen) => /no action "detials"\. Did you mean details\?/.test(seen.replaceAll(/\s+/g, ' ')));
    screen.keys('C-g');
    await screen.until('No call has been made yet.');
    say(screen, '/help ');
    await screen.until(/Ctrl\+G +open and close the details/);
  });

  it('says what went wrong with the model and what to do, and stays', async () => {
    const { screen, server } = await start([
      { status: 401, body: '{"error":{"message":"bad key \\u001b[31m"}}' },
      { text: 'Fine now.' },
    ]);
    say(screen, 'hello');
    await screen.until('✗');
    expect(screen.raw()).not.toContain('bad key \u001b[31m');
    expect(server.requests).toHaveLength(1);
    say(screen, 'again');
    await screen.until('Fine now.');
  });
});
