import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { programFile } from '../../scripts/built-programs.ts';
import { verifies } from '../requirements.ts';
import { everyNth, onlyLong } from '../support/long.ts';
import { openScreen, type Screen, type ScreenOptions, tmuxMissing } from './terminal-screen.ts';

const open: Screen[] = [];
const start = (options: ScreenOptions): Screen => {
  const screen = openScreen(options);
  open.push(screen);
  return screen;
};
const READY = 'qwen2.5:7b ·';
const ARMED = 'Press 1, 2, 3 or 4';
/** The same while a message stands in the prompt: letters go to it. */
const ARMED_OVER_MESSAGE = '1, 2, 3 or 4 answers';
const ask = async (screen: Screen, tool: string, args: Record<string, string>): Promise<void> => {
  await screen.until(READY);
  screen.type(`ask ${JSON.stringify({ tool, args })}`);
  screen.keys('Enter');
};
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

afterEach(() => {
  for (const screen of open.splice(0)) screen.close();
});

const missing = tmuxMissing();

describe('terminal app without a terminal', () => {
  it('says so in a sentence and what to use instead', () => {
    const program = programFile(new URL('./terminal-program.ts', import.meta.url));
    const ran = spawnSync(process.execPath, [program, 'tour'], { encoding: 'utf8', input: '' });
    expect(ran.stderr).toContain('The terminal app needs a terminal to read keys from, and the input is none.');
    expect(ran.stderr).toContain('halter run');
    expect(ran.stdout).toBe('left with 2\n');
  });
});

describe.skipIf(missing)(`terminal app${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('streams an answer, shows calls as one line, opens a failure and keeps the task list in sight', async () => {
    verifies('Z18', 'Z19', 'H7', 'Z9');
    const screen = start({ script: 'tour', rows: 40 });
    await screen.until(READY);
    screen.type('What files are here?');
    screen.keys('Enter');
    const asked = await screen.until(ARMED);
    expect(asked).toMatch(/✓ ls \. +12 ms · 20 B/);
    expect(asked).toContain('✗ read_file missing.ts');
    expect(asked).toContain('  missing.ts does not exist. Files nearby: a.ts, b.ts.');
    expect(asked).toContain('Permission Request');
    expect(asked).toContain('Tool: write_file');
    expect(asked).toContain('Risk: HIGH');
    expect(asked).toContain('Write notes.md, 2 lines added, 1 removed.');
    expect(asked).toContain('+another line');
    expect(asked).toContain('[1] Allow Once  [2] Session  [3] Remember  [4] Deny');
    screen.keys('?');
    const all = await screen.until('allow write_file in this folder');
    expect(all).toContain('Sandbox: sandboxed');
    screen.keys('1');
    const done = await screen.until('That is all.');
    expect(done).toContain('✓ write_file notes.md  +2 -1 ·');
    expect(done).not.toContain('Permission Request');
    expect(done).toMatch(/Tasks 1 of 2 done\n {2}✓ Look at the folder\n {2}▸ Write the notes/);
    expect(done).toMatch(/file {4}lines\n/);
    expect(done).toContain('3.2k of 8.2k context (39 %)');
  });

  // What each of them allows has rows beside the prompt and the policy.
  const ALLOWING = [
    ['1', 'Allow Once', 'It was allowed.'],
    ['2', 'Session', 'It was allowed.'],
    ['3', 'Remember', 'It was allowed.'],
  ] as const;
  for (const [key, decision, outcome] of everyNth(ALLOWING, 3)) {
    it(`takes ${decision} by its key`, async () => {
      verifies('Z9', 'H12');
      const screen = start({ script: 'permission' });
      await ask(screen, 'read_file', { path: 'README.md' });
      const asked = await screen.until(ARMED);
      expect(asked).toContain('Arguments: {"path": "README.md"}');
      screen.keys(key);
      await screen.until(outcome);
    });
  }

  it('takes Deny with a reason', async () => {
    verifies('Z9', 'H12');
    const screen = start({ script: 'permission' });
    await ask(screen, 'bash', { command: 'rm -rf build' });
    await screen.until(ARMED);
    screen.keys('4');
    await screen.until('Why not?');
    screen.type('keep the build');
    await screen.until('keep the build');
    screen.keys('Enter');
    const denied = await screen.until('It was denied.');
    expect(denied).toMatch(/⊘ bash rm -rf build +denied\n {2}keep the build/);
  });

  it('takes no key pressed before the question could be read, and Enter decides nothing', async () => {
    verifies('Z9');
    const screen = start({ script: 'permission' });
    await screen.until(READY);
    screen.type(`ask ${JSON.stringify({ tool: 'bash', args: { command: 'rm -rf x' } })}`);
    screen.keys('Enter', '1', '1', 'Enter', '1', '2', '3');
    await screen.until(ARMED_OVER_MESSAGE);
    // Letters go to the message, and the wait begins again: the line about the keys is gone, and written once more.
    const written = (): number => screen.raw().split(ARMED_OVER_MESSAGE).length;
    const before = written();
    screen.keys('Enter', 'x', 'Space');
    expect(await screen.until((text) => text.includes(ARMED_OVER_MESSAGE) && written() > before)).not.toContain(
      'It was',
    );
    screen.keys('1');
    await screen.until('It was allowed.');
  });

  it('stops at once on Esc, in a stream, in a tool and at a question', async () => {
    verifies('Z19');
    const stream = start({ script: 'forever' });
    await stream.until(READY);
    stream.type('go');
    stream.keys('Enter');
    await stream.until('word12');
    stream.keys('Escape');
    await stream.until('Stopped.');

    const tool = start({ script: 'running' });
    await tool.until(READY);
    tool.type('go');
    tool.keys('Enter');
    const running = await tool.until('output 8');
    expect(running).toContain('Running bash');
    expect(running).not.toContain('output 3');
    tool.keys('Escape');
    expect(await tool.until('Stopped.')).toContain('Cancelled.');

    const question = start({ script: 'permission' });
    await ask(question, 'bash', { command: 'ls' });
    await question.until(ARMED);
    question.keys('Escape');
    expect(await question.until('Stopped.')).not.toContain('It was allowed');
  });

  it('queues what is typed while a run goes on, and gives it back after a stop', async () => {
    const screen = start({ script: 'forever' });
    await screen.until(READY);
    screen.type('go');
    screen.keys('Enter');
    await screen.until('word3');
    screen.type('then this');
    screen.keys('Enter');
    await screen.until('next: then this');
    screen.keys('Escape');
    await screen.until((text) => /❯ then this/.test(text) && text.includes('Stopped.'));
  });

  it('writes every line of a long answer to the scrollback exactly once, also when the window is resized', async () => {
    const screen = start({ script: 'long', rows: 20 });
    await screen.until(READY);
    screen.type('long');
    screen.keys('Enter');
    await screen.until('line 101 of the long answer, with');
    screen.resize(40, 18);
    await screen.until(/line 201 of the long answer, with/);
    screen.resize(100, 24);
    await screen.until((text) => text.includes('line 300 ') && !text.includes('Esc stops'));
    const lines = screen.history().split('\n');
    const words = lines.join(' ').replaceAll(/\s+/g, ' ');
    const answer = Array.from({ length: 300 }, (_, index) => `line ${index + 1} of the long answer, with bold words`);
    // Whole, in order, and nothing between: neither a lost word nor a line that stands twice.
    expect(words).toContain(`long ${answer.join(' ')} `);
    expect(lines.filter((line) => line.includes('of 8.2k'))).toHaveLength(1);
    expect(screen.raw()).not.toContain('\u001b[3J');
  });

  // Once in some hundred times a resize falls between two halves of one frame, which no program can notice: hence retry.
  // Usually each pair of widths is played on a terminal of ours (src/terminal/screen-resize.test.ts).
  it.each(onlyLong([READY]))(
    'loses and doubles no word however often the window changes while it streams',
    {
      retry: 2,
    },
    async () => {
      verifies('Z19');
      const screen = start({ script: 'steady' });
      await screen.until(READY);
      screen.type('go');
      screen.keys('Enter');
      const sizes = [
        [40, 12],
        [90, 30],
        [55, 14],
        [120, 20],
        [41, 28],
        [77, 13],
        [50, 24],
        [99, 16],
        [46, 18],
        [80, 24],
      ] as const;
      for (const [index, [columns, rows]] of sizes.entries()) {
        await screen.until(`line ${(index + 1) * 30} of the long answer, with`);
        screen.resize(columns, rows);
      }
      await screen.until((text) => text.includes('line 400 of') && !text.includes('Esc stops'));
      const words = screen.history().replaceAll(/\s+/g, ' ');
      const answer = Array.from({ length: 400 }, (_, index) => `line ${index + 1} of the long answer, with bold words`);
      const wrong = answer.filter((line) => words.split(`${line} `).length !== 2);
      const places = wrong.map((line) => words.slice(Math.max(0, words.indexOf(line.slice(0, 9)) - 100)).slice(0, 300));
      expect({ wrong, places }).toEqual({ wrong: [], places: [] });
      expect(words).toContain(`go ${answer.join(' ')} `);
      expect(words.split('of 8.2k')).toHaveLength(2);
    },
  );

  it('answers the commands, suggests the nearest for an unknown one and completes names', async () => {
    verifies('Z17');
    const screen = start({ script: 'tour', rows: 40 });
    await screen.until(READY);
    screen.type('/hepl');
    screen.keys('Enter');
    await screen.until('Did you mean /help?');
    screen.type('/h');
    await screen.until('keys and commands');
    screen.keys('Enter');
    await screen.until('stop at once');
    screen.type('/tools ');
    screen.keys('Enter');
    await screen.until(/medium read_file/);
    screen.type('/context ');
    screen.keys('Enter');
    await screen.until(/4 tools .*about/);
    screen.type('look at @src/b');
    await screen.until(/\n {2}→? *src\/b\.ts/);
    screen.keys('Tab');
    await screen.until('look at @src/b.ts');
    screen.keys('C-c');
    await screen.until((text) => !text.includes('look at @src/b.ts'));
    screen.type('/model ');
    screen.keys('Enter');
    await screen.until('Choose a model');
    screen.keys('Down', 'Enter');
    await screen.until('llama3.1:8b ·');
    screen.type('/new ');
    screen.keys('Enter');
    await screen.until('A new session.');
    screen.type('/context files');
    screen.keys('Enter');
    await screen.until('src/a.ts');
    await screen.until(ARMED);
    screen.keys('Escape');
    await screen.until('Stopped.');
    screen.type('/exit ');
    screen.keys('Enter');
    await screen.until('left with 0');
  });

  it('opens and closes the details of calls and leaves no trace of them', async () => {
    const screen = start({ script: 'permission' });
    await ask(screen, 'read_file', { path: 'README.md' });
    await screen.until(ARMED);
    screen.keys('1');
    await screen.until('It was allowed.');
    screen.keys('C-o');
    const opened = await screen.until('Ctrl+O closes');
    expect(opened).toContain('"path": "README.md"');
    expect(opened).toContain('result of read_file');
    screen.keys('C-o');
    await screen.until((text) => !text.includes('Ctrl+O closes'));
    expect(screen.history()).not.toContain('"path": "README.md"');
  });

  it('says in words what it waits for', async () => {
    const loading = start({ script: 'slow' });
    await loading.until(READY);
    loading.type('go');
    loading.keys('Enter');
    await loading.until(/Loading the model █+░+ 42 %/);
    const prefill = start({ script: 'prefill' });
    await prefill.until(READY);
    prefill.type('go');
    prefill.keys('Enter');
    await prefill.until(/Reading the prompt █+░+ 512 of 2,048 · .* left/);
  });

  it('fits forty columns, with wide characters, and shows all four choices', async () => {
    const screen = start({ script: 'permission', columns: 40, rows: 24 });
    await ask(screen, 'read_file', { path: 'données/naïve-日本語.txt' });
    const asked = await screen.until(/Press 1/);
    expect(asked).toContain('[1] Allow Once  [2] Session');
    expect(asked).toContain('[3] Remember  [4] Deny');
    expect(asked.replaceAll(/\n┃ +/g, '')).toContain('données/naïve-日本語.txt');
    for (const line of asked.split('\n')) expect([...line].length).toBeLessThanOrEqual(40);
  });

  it('allows nothing that was not on the screen whole', async () => {
    verifies('Z9');
    const screen = start({ script: 'permission', rows: 16 });
    const command = Array.from({ length: 40 }, (_, index) => `echo ${index}`).join('\n');
    await ask(screen, 'bash', { command: `${command}${'\n'.repeat(400)}rm -rf ~` });
    let before = await screen.until('Space reads on');
    expect(before).not.toContain('rm -rf ~');
    screen.keys('1');
    while (!before.includes(ARMED_OVER_MESSAGE) && !before.includes(ARMED)) {
      screen.keys('NPage');
      const last = before;
      before = await screen.until((text) => text !== last);
    }
    expect(before).not.toContain('It was allowed.');
    expect(before).toContain('399 empty lines');
    expect(before).toContain('rm -rf ~');
    screen.keys('1');
    await screen.until('It was allowed.');
  });

  it('prints a long question whole into the scrollback where that is asked for', async () => {
    const screen = start({ script: 'permission', rows: 16 });
    const command = Array.from({ length: 60 }, (_, index) => `echo ${index}`).join('\n');
    await ask(screen, 'bash', { command });
    await screen.until('Space reads on');
    screen.keys('e');
    await screen.until(ARMED);
    const history = screen.history();
    for (let index = 0; index < 60; index += 1)
      expect(history).toContain(`echo ${index}\\n`.slice(0, index === 59 ? -2 : undefined));
    screen.keys('4');
    await screen.until('Why not?');
    screen.keys('Enter');
    await screen.until('It was denied.');
  });

  it('draws without colour where NO_COLOR says so', async () => {
    const screen = start({ script: 'tour', rows: 40, environment: { NO_COLOR: '1' } });
    await screen.until(READY);
    screen.type('go');
    screen.keys('Enter');
    await screen.until(ARMED);
    expect(screen.raw()).not.toMatch(/\u001b\[[0-9;]*(?:3[0-7]|9[0-7]|4[0-7])m/);
  });

  it('gives the terminal back on a signal and on a crash', async () => {
    for (const [script, end] of [
      ['forever', (screen: Screen) => void process.kill(screen.pid(), 'SIGTERM')],
      ['crash', () => {}],
    ] as const) {
      const screen = start({ script });
      await screen.until(READY);
      screen.type('go');
      screen.keys('Enter');
      if (script === 'forever') await screen.until('word3');
      end(screen);
      await screen.until(script === 'crash' ? 'a bug in the program' : 'left with 130');
      // What is written last may come a moment after what is seen.
      await expect.poll(() => lastOf(screen.raw(), '\u001b[?2004l', '\u001b[?2004h')).toBe('\u001b[?2004l');
      await expect.poll(() => lastOf(screen.raw(), '\u001b[?25h', '\u001b[?25l')).toBe('\u001b[?25h');
      await expect.poll(() => lastOf(screen.raw(), '\u001b[<u', '\u001b[>7u')).toBe('\u001b[<u');
    }
  });

  it('writes several lines, remembers what was sent and clears with Ctrl+C before it leaves', async () => {
    const screen = start({ script: 'long' });
    await screen.until(READY);
    screen.type('first line');
    screen.keys('C-j');
    screen.type('second line');
    await screen.until(/❯ first line\n {2}second line/);
    screen.keys('C-c');
    await screen.until((text) => !text.includes('second line'));
    screen.keys('Up');
    await screen.until(/❯ first line\n {2}second line/);
    screen.keys('C-c');
    await screen.until((text) => !text.includes('second line'));
    screen.type('go');
    screen.keys('Enter');
    await screen.until('line 100 ');
    screen.keys('Up');
    await screen.until(/❯ go\n/);
    screen.keys('C-c', 'C-c');
    await screen.until('Press Ctrl+C again to leave');
    screen.keys('C-c');
    await screen.until('left with 0');
  });

  it('shows an old session, however it was tampered with, as harmless text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'halter-past-'));
    const evil = 'old \u001b]0;REPLAY\u0007 and \u202e text';
    const past = [
      { type: 'user_message_added', content: evil },
      {
        type: 'assistant_message_added',
        message: { role: 'assistant', content: evil, tool_calls: [], finish: 'stop' },
      },
      { type: 'run_completed', sources: [] },
    ];
    writeFileSync(join(folder, 'past.json'), JSON.stringify(past));
    const screen = start({ script: 'tour', arguments: [join(folder, 'past.json')] });
    await screen.until((text) => text.split('old \\u{1B}]0;REPLAY').length === 3);
    screen.keys('Up');
    // What is recalled is shown in the same form.
    await screen.until((text) => text.split('old \\u{1B}]0;REPLAY\\u{7} and \\u{202E} text').length === 4);
    expect(screen.raw()).not.toContain('\u001b]0;');
    expect(screen.raw()).not.toContain(bytesOf('\u202e'));
    rmSync(folder, { recursive: true });
  });

  it('goes on after Ctrl+Z where no shell is there to wake it', async () => {
    const screen = start({ script: 'tour' });
    await screen.until(READY);
    screen.keys('C-z');
    await screen.until((text) => !text.includes(READY));
    await screen.until(READY);
    screen.type('/help ');
    screen.keys('Enter');
    await screen.until('stop at once');
  });

  it('lets nothing of a hostile text reach the terminal as a command', async () => {
    verifies('Z19');
    const attacks = JSON.parse(
      readFileSync(new URL('./terminal-attacks/terminal-escape.json', import.meta.url), 'utf8'),
    ) as {
      given: { text: string | string[] };
      then: { raw_output_must_not_contain: string[]; screen_must_contain?: string[] };
    }[];
    const screen = start({ script: 'hostile', rows: 60, columns: 120 });
    await screen.until(READY);
    for (const [index, attack] of attacks.entries()) {
      const before = screen.raw().length;
      const text = Array.isArray(attack.given.text) ? attack.given.text.join('') : attack.given.text;
      const mark = `end-of-${index}`;
      screen.type(
        JSON.stringify(`${text}${mark}`).replaceAll(
          /[\u007f-\uffff]/g,
          (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
      );
      screen.keys('Enter');
      await screen.until((now) => now.split(mark).length > 4);
      const raw = screen.raw().slice(before);
      for (const forbidden of attack.then.raw_output_must_not_contain) expect(raw).not.toContain(bytesOf(forbidden));
      for (const wanted of attack.then.screen_must_contain ?? []) expect(screen.text()).toContain(wanted);
    }
  });
});

const lastOf = (text: string, one: string, other: string): string =>
  text.lastIndexOf(one) > text.lastIndexOf(other) ? one : other;
