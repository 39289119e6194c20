/** What a person does all day with the terminal app, in the real program. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectSandbox } from '../../src/sandbox/index.ts';
import { putFiles } from '../support/scratch.ts';
import { tmuxMissing } from './terminal-screen.ts';
import { answered, say, stage } from './terminal-stage.ts';

const missing = tmuxMissing();
/** Only what runs in a layer is known before it counts. */
const unlayered = process.platform !== 'linux' || (await detectSandbox()).kind !== 'bubblewrap';
const lastUserText = (body: unknown): unknown =>
  (body as { messages: { role: string; content: unknown }[] }).messages.findLast(({ role }) => role === 'user')
    ?.content;

describe.skipIf(missing)(`terminal app, day by day${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('sends what was typed and what was pasted as it is', async () => {
    const text = '🎉 नमस्ते שָׁלוֹם ไทย cafe\u0301 👩‍👩‍👧 می\u200cخواهم';
    const { server, open } = await stage({ turns: [{ text: 'Seen: 👩‍👩‍👧 and cafe\u0301.' }, { text: 'Once more.' }] });
    const screen = await open();
    say(screen, text);
    expect(await screen.until('Seen:')).not.toContain('\\u{');
    expect(lastUserText(server.requests[0]?.body)).toBe(text);
    screen.type(`\u001b[200~${text}\u001b[201~`);
    screen.keys('Enter');
    await screen.until('Once more.');
    expect(lastUserText(server.requests[1]?.body)).toBe(text);
  });

  it('changes the mode by Shift+Tab and says it in the footer and in every question', async () => {
    const reads = { calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] };
    const { open } = await stage({ turns: [reads, { text: 'It is heron.' }, reads, { text: 'Still heron.' }] });
    const screen = await open();
    const footer = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
    await screen.until((text) => footer(text).startsWith('ask '));
    say(screen, 'What is the word?');
    await screen.until((text) => text.includes('Permission Request') && text.includes('mode ask'));
    screen.keys('Escape');
    await screen.until('Stopped.');
    screen.keys('BTab');
    await screen.until((text) => footer(text).startsWith('edit '));
    say(screen, 'Again.');
    expect(await screen.until('It is heron.')).not.toMatch(/Permission Request[\s\S]*It is heron/);
    for (const mode of ['auto', 'plan', 'ask', 'edit']) {
      screen.keys('BTab');
      await screen.until((text) => footer(text).startsWith(`${mode} `));
    }
    // The next session begins in the mode that halter was started in, and the footer says so.
    say(screen, '/new');
    await screen.until((text) => text.includes('A new session') && footer(text).startsWith('ask '));
    await screen.until('Mode ask again: edit ended with the session before.');
  });

  it.each([
    [[], 'plan', 'plan'],
    [['--mode', 'auto'], 'ask', 'ask'],
    [['--mode', 'auto'], 'plan', 'plan'],
    [['--mode', 'auto'], 'auto', 'auto'],
    [['--mode', 'plan'], 'auto', 'plan'],
    [['--yolo'], 'edit', 'edit'],
    [[], 'yolo', 'ask'],
  ])('begins a session that asks no less, started with %j and in %s: %s', async (args, mode, next) => {
    const { open } = await stage({ turns: [] });
    const screen = await open(...args);
    const footer = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';
    say(screen, `/mode ${mode}`);
    await screen.until((text) => footer(text).startsWith(`${mode} `));
    say(screen, '/new');
    const shown = await screen.until((text) => text.includes('A new session') && footer(text).startsWith(`${next} `));
    expect(shown).not.toContain('An earlier session');
    if (next !== mode) await screen.until(`${mode} ended with the session before.`);
  });

  it('says the mode and the way out where a write is refused because of it', async () => {
    const writes = { calls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'x\n' } }] };
    const { open } = await stage({
      turns: [{ text: 'Hello.' }, writes, { text: 'I could not.' }],
      columns: 40,
      rows: 20,
    });
    const screen = await open();
    say(screen, 'hello');
    await screen.until('Hello.');
    for (const mode of ['edit', 'auto', 'plan']) {
      screen.keys('BTab');
      await screen.until((text) => text.trimEnd().split('\n').at(-1)?.startsWith(mode) === true);
    }
    say(screen, 'Write it.');
    const shown = await screen.until('I could not.');
    expect(shown.replace(/\s+/g, ' ')).toContain('plan mode is read-only and write_file is not (Shift+Tab, /mode ask');
  });

  it('says below a long conversation that it is a copy, and how to go back', async () => {
    const long = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n\n');
    const { open } = await stage({ turns: [{ text: `${long}\n\nThe end.` }], columns: 100, rows: 30 });
    const screen = await open();
    say(screen, 'hello');
    await screen.until(answered('The end.'));
    say(screen, '/fork');
    const told = /The end\..*A copy of session \S+, which stays as it is; \/sessions \S+ goes back\./;
    const shown = await screen.until((text) => told.test(text.replace(/\s+/g, ' ')));
    expect(shown).toMatch(/goes back\.\n\n❯/);
    expect(screen.history()).toMatch(/❯ \/fork\n\n❯ hello\n/);
  });

  it('says at the start how to go on where somebody was here before', async () => {
    const { open } = await stage({ turns: [{ text: 'The first answer.' }], columns: 40, rows: 20 });
    const first = await open();
    expect(first.text()).not.toContain('Last time here');
    say(first, 'fix the sum');
    await first.until(answered('The first answer.'));
    first.keys('C-d');
    await first.ended();
    const second = await open();
    const told = await second.until('Last time here: "fix the sum".');
    expect(told.replace(/\s+/g, ' ')).toContain('/sessions goes on with it or an earlier one. ❯');
    say(second, '/sessions');
    await second.until('Choose a session');
    second.keys('Enter');
    await second.until('The first answer.');
    second.keys('C-d');
    await second.ended();
    const third = await open('-c');
    await third.until('The first answer.');
    expect(third.text()).not.toContain('Last time here');
  });

  it('begins in the mode of the flag', async () => {
    const { open } = await stage({ turns: [] });
    const screen = await open('--plan');
    expect(screen.text().trimEnd().split('\n').at(-1)).toMatch(/^plan /);
  });

  it('keeps no session that nothing was said in, and goes on with the one before', async () => {
    const { home, open } = await stage({ turns: [{ text: 'The first answer.' }] });
    const kept = () => readdirSync(join(home, 'data', 'halter', 'sessions')).filter((name) => name.endsWith('.jsonl'));
    const first = await open();
    say(first, 'hello');
    await first.until('The first answer.');
    first.keys('C-d');
    await first.ended();
    expect(kept()).toHaveLength(1);
    const second = await open();
    second.keys('C-d');
    await second.ended();
    expect(kept()).toHaveLength(1);
    const third = await open('-c');
    await third.until('The first answer.');
  });

  it('draws a stopped answer once, and in the same order after -c', async () => {
    const { open } = await stage({
      turns: [{ text: ['Partial words here', ' and on', ' and on'], hangAfterWrites: 4 }],
    });
    const screen = await open();
    say(screen, 'tell me');
    await screen.until('Partial words here');
    screen.keys('Escape');
    await screen.until('Stopped.');
    expect(screen.history().split('Partial words here')).toHaveLength(2);
    screen.keys('C-d');
    await screen.ended();
    const again = await open('-c');
    const shown = await again.until('Stopped.');
    expect(shown.indexOf('Partial words here')).toBeGreaterThan(shown.indexOf('tell me'));
    expect(shown.indexOf('Stopped.')).toBeGreaterThan(shown.indexOf('Partial words here'));
    expect(again.history().split('Partial words here')).toHaveLength(2);
  });

  it('leaves no empty rows behind where the window gets narrower', async () => {
    const answer = {
      text: 'A line that is longer than a narrow window is wide, which is why it stands here. '.repeat(3),
    };
    const { open } = await stage({ turns: [answer, { text: 'The end.' }], columns: 140 });
    const screen = await open();
    say(screen, 'one');
    await screen.until('stands here. A line');
    say(screen, 'two');
    await screen.until('The end.');
    screen.resize(60, 36);
    await screen.until((text) => /❯ Ask about this folder\S*[\s\S]*ask /.test(text) && !/(?:\n *){3}❯/.test(text));
  });

  it('says how to go on, keeps what was typed for the next session, and finds it by Ctrl+R', async () => {
    const { open } = await stage({ turns: [{ text: 'The first answer.' }, { text: 'The second answer.' }] });
    const first = await open();
    expect(first.text()).toContain('Ask about this folder');
    say(first, 'a question about herons');
    await first.until('The first answer.');
    first.keys('C-d');
    await first.ended();
    expect(first.text()).toMatch(/halter --session [0-9a-f-]{36}/);
    const second = await open();
    second.keys('C-r');
    await second.until('Search what you typed');
    second.type('heron');
    await second.until(/→ a question about herons/);
    second.keys('Enter');
    await second.until(/❯ a question about herons/);
    second.keys('C-u', 'Up');
    await second.until(/❯ a question about herons/);
  });

  it('filters the models, and goes on with the chosen one', async () => {
    const { open } = await stage({ turns: [] });
    const screen = await open();
    say(screen, '/model');
    await screen.until('Choose a model');
    screen.type('other');
    await screen.until((text) => text.includes('other-model') && !/(?:→| {2})\s*test-model\s*in use/.test(text));
    screen.keys('Enter');
    await screen.until((text) => text.trimEnd().split('\n').at(-1)?.includes('other-model') === true);
  });

  it('makes room on /compact, sends what was typed meanwhile after it, and stops it by Esc', async () => {
    const words = 'The quick brown fox jumps over the lazy dog. '.repeat(35);
    const notes = '{"goal": "say the numbers"}';
    const gate = Promise.withResolvers<void>();
    const never = new Promise<void>(() => {});
    const turns = [
      ...['one', 'two', 'three', 'four', 'five'].map((word) => ({ text: `${words} END-${word}` })),
      { text: notes, headersGate: never },
      { text: 'After the stop.' },
      { text: notes, headersGate: gate.promise },
      { text: 'After the room was made.' },
    ];
    const { open } = await stage({ turns });
    const screen = await open();
    for (const word of ['one', 'two', 'three', 'four', 'five']) {
      say(screen, `Say ${word}`);
      await screen.until((text) => text.includes(`END-${word}`) && !text.includes('Esc stops'));
    }
    say(screen, '/compact the foxes');
    await screen.until((text) => text.includes('Notes are written') && text.includes('Esc stops'));
    screen.keys('Escape');
    await screen.until((text) => text.includes('no room was made') && !text.includes('Esc stops'));
    say(screen, 'Still there?');
    await screen.until((text) => text.includes('After the stop.') && !text.includes('Esc stops'));
    say(screen, '/compact');
    await screen.until('Notes are written');
    say(screen, 'And now?');
    await screen.until('next: And now?');
    gate.resolve();
    const last = await screen.until((text) => text.includes('After the room was made.') && !text.includes('Esc stops'));
    expect(last).toMatch(/Room was made in the window[\s\S]*After the room was made\./);
  });

  it('does not leave by two Ctrl+C with something typed between', async () => {
    const { open } = await stage({ turns: [] });
    const screen = await open();
    screen.keys('C-c');
    await screen.until('Press Ctrl+C again to leave');
    screen.type('not yet');
    await screen.until((text) => text.includes('❯ not yet') && !text.includes('Press Ctrl+C again'));
    screen.keys('C-c');
    await screen.until('❯ Ask about this folder');
  });

  it('shows a small change whole in a small window', async () => {
    const edit = { path: 'README.md', old_text: 'heron', new_text: 'crane' };
    const { folder, open } = await stage({
      turns: [{ calls: [{ name: 'edit_file', arguments: edit }] }, { text: 'Done.' }],
      columns: 40,
      rows: 20,
    });
    const around = (word: string): string => Array.from({ length: 5 }, (_, index) => `${word} ${index}\n`).join('');
    putFiles(folder, { 'README.md': `${around('before')}heron\n${around('after')}` });
    const screen = await open();
    say(screen, 'change it');
    const shown = await screen.until('Press 1, 2, 3 or 4.');
    for (const line of ['-heron', '+crane']) expect(shown).toContain(line);
    expect(shown).not.toContain('more line');
  });

  it("writes the message in the person's own editor", async () => {
    const { home, environment, open } = await stage({ turns: [{ text: 'Read.' }] });
    const editor = join(home, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nprintf "from the editor: %s" "$(cat "$1")" > "$1"\n', { mode: 0o755 });
    environment['EDITOR'] = editor;
    const screen = await open();
    screen.type('draft');
    await screen.until('❯ draft');
    screen.keys('C-g');
    await screen.until('❯ from the editor: draft');
  });

  it('goes back to before a message', async () => {
    const { open } = await stage({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
    const screen = await open();
    say(screen, 'first message');
    await screen.until('One.');
    say(screen, 'second message');
    await screen.until(answered('Two.'));
    say(screen, '/rewind');
    await screen.until('Go back to before this message');
    screen.keys('Enter');
    await screen.until('What goes back?');
    screen.keys('Enter');
    await screen.until(/❯ second message\s+ask/);
  });

  it.skipIf(unlayered)(
    'takes back by /rewind what commands wrote, changed and removed, and nothing of git',
    async () => {
      const line = [
        'sed -i s/heron/crane/ README.md',
        'rm -r old',
        'mkdir -p new/deep',
        'echo made > new/deep/made.txt',
        'echo noise > build.log',
        'git add -A',
        'false',
      ].join('; ');
      const { folder, open } = await stage({
        turns: [{ calls: [{ name: 'bash', arguments: { command: line } }] }, { text: 'Changed.' }],
      });
      putFiles(folder, { 'old/a.txt': 'one\n', 'old/b.txt': 'two\n', '.gitignore': '*.log\n' });
      execFileSync('git', ['init', '-q'], { cwd: folder });
      const readme = readFileSync(join(folder, 'README.md'), 'utf8');
      const screen = await open('--yolo');
      say(screen, 'change it');
      await screen.until(answered('Changed.'));
      expect(existsSync(join(folder, 'old'))).toBe(false);
      expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('crane');
      say(screen, '/rewind');
      await screen.until('Go back to before this message');
      screen.keys('Enter');
      await screen.until('What goes back?');
      // Where files changed, both go back: it is the choice that Enter takes.
      screen.keys('Enter');
      const gone = await screen.until(/❯ change it\s+yolo/);
      // All of it is told once more in a sentence, as after /undo.
      expect(gone).toMatch(/1 change of [\s\S]+ were taken back\./);
      expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe(readme);
      expect(readFileSync(join(folder, 'old/a.txt'), 'utf8')).toBe('one\n');
      expect(readFileSync(join(folder, 'old/b.txt'), 'utf8')).toBe('two\n');
      expect(existsSync(join(folder, 'new'))).toBe(false);
      // What an ignore file names is no work of anybody, and what git was told stays told.
      expect(existsSync(join(folder, 'build.log'))).toBe(true);
      expect(execFileSync('git', ['ls-files'], { cwd: folder, encoding: 'utf8' })).toContain('new/deep/made.txt');
    },
  );

  it('keeps the change and the end of the output in sight', async () => {
    const calls: { name: string; arguments: Record<string, string> }[] = [
      { name: 'edit_file', arguments: { path: 'README.md', old_text: 'heron', new_text: 'crane' } },
      { name: 'bash', arguments: { command: 'for n in 1 2 3 4 5 6 7 8 9; do echo "line $n"; done' } },
    ];
    const { open } = await stage({ turns: [...calls.map((call) => ({ calls: [call] })), { text: 'All done.' }] });
    const screen = await open('--yolo');
    say(screen, 'go');
    const done = await screen.until('All done.');
    expect(done).toContain('-The word of the day is heron.');
    expect(done).toContain('+The word of the day is crane.');
    expect(done).toContain('line 9');
    expect(done).not.toContain('│ line 2');
  });
});
