/** What the slash commands, the pictures and the screen-reader mode of the terminal app do, in the real program. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pngBytes } from '../support/web-world.ts';
import { tmuxMissing } from './terminal-screen.ts';
import { answered, say, stage } from './terminal-stage.ts';

const missing = tmuxMissing();
const footer = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

describe.skipIf(missing)(`commands of the terminal app${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('colours code and the diff that stays, and nothing with NO_COLOR', async () => {
    const code = 'Like so:\n\n```ts\nconst answer = 42; // done\n```\n';
    const edit = { name: 'edit_file', arguments: { path: 'a.ts', old_text: 'const a', new_text: 'let b' } };
    const turns = () => [{ calls: [edit] }, { text: code }];
    for (const plain of [false, true]) {
      const { folder, environment, open } = await stage({ turns: turns() });
      writeFileSync(join(folder, 'a.ts'), 'const a = 1;\n');
      if (plain) environment['NO_COLOR'] = '1';
      const screen = await open('--yolo');
      say(screen, 'go');
      await screen.until('// done');
      const raw = screen.raw();
      expect(raw.includes('\u001b[35mconst\u001b[39m')).toBe(!plain);
      expect(raw.includes('\u001b[2m// done\u001b[22m')).toBe(!plain);
      expect(raw.includes('\u001b[48;5;22m+\u001b[35mlet\u001b[39m b')).toBe(!plain);
      expect(raw.includes('\u001b[48;5;52m-\u001b[35mconst\u001b[39m a')).toBe(!plain);
      expect(/\u001b\[(?:3|4)[0-8]/.test(raw)).toBe(!plain);
    }
  });

  it('keeps a theme and a status line for the next start', async () => {
    const { home, open } = await stage({ turns: [] });
    const screen = await open();
    say(screen, '/theme plain');
    say(screen, '/status-line context,model');
    await screen.until((text) => /^ask · [\d.]+k? of 8\.2k context · test-model · /.test(footer(text)));
    say(screen, '/status-line modle');
    await screen.until('Did you mean model?');
    screen.keys('C-d');
    await screen.ended();
    const kept = JSON.parse(readFileSync(join(home, 'config', 'halter', 'config.json'), 'utf8'));
    expect(kept).toMatchObject({ theme: 'plain', status_line: 'context,model' });
    const again = await open();
    expect(footer(again.text())).toMatch(/^ask · [\d.]+k? of 8\.2k context · test-model · /);
    expect(again.raw()).not.toMatch(/\u001b\[3[0-8]m/);
  });

  it('lets the model think or not from the next message on', async () => {
    const { server, open } = await stage({ turns: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
    const screen = await open();
    for (const [word, answer] of [
      ['on', 'One.'],
      ['off', 'Two.'],
      ['default', 'Three.'],
    ] as const) {
      say(screen, `/think ${word}`);
      await screen.until(`Thinking: ${word}`);
      say(screen, 'and now?');
      await screen.until((text) => text.includes(answer) && !text.includes('Esc stops'));
    }
    const thinking = server.requests.map(
      ({ body }) => JSON.stringify(body).match(/"enable_thinking":(true|false)/)?.[1],
    );
    expect(thinking).toEqual(['true', 'false', undefined]);
  });

  it('goes to another branch of the session and shows what was said there', async () => {
    const { server, open } = await stage({
      turns: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }],
    });
    const screen = await open();
    say(screen, 'first');
    await screen.until('One.');
    say(screen, 'second');
    await screen.until(answered('Two.'));
    say(screen, '/rewind');
    await screen.until('Go back to before this message');
    screen.keys('Enter');
    await screen.until('What goes back?');
    screen.keys('Enter');
    await screen.until(/❯ second\s+ask/);
    screen.keys('C-u');
    say(screen, 'another second');
    await screen.until(answered('Three.'));
    say(screen, '/tree');
    await screen.until(/first\s[\s\S]* {2}second[\s\S]*→ {3}another second\s+this way/);
    screen.keys('Up', 'Enter');
    await screen.until(/❯ second[\s\S]*Two\.[\s\S]*Another branch of this session/);
    say(screen, 'and on');
    await screen.until('Four.');
    const said = (server.requests.at(-1)!.body as { messages: { role: string; content: string }[] }).messages;
    expect(said.map(({ content }) => content.split('\n')[0]).slice(1)).toEqual([
      'first',
      'One.',
      'second',
      'Two.',
      'and on',
    ]);
  });

  it('lists what runs in the background, and stops it', async () => {
    const call = { name: 'bash', arguments: { command: 'sleep 600', background: true } };
    const { open } = await stage({ turns: [{ calls: [call] }, { text: 'It runs.' }] });
    const screen = await open('--yolo');
    say(screen, '/jobs');
    await screen.until('Nothing runs in the background.');
    say(screen, 'go');
    await screen.until((text) => text.includes('It runs.') && !text.includes('Esc stops'));
    say(screen, '/jobs');
    await screen.until(/job_1 {2}running {2}sleep 600/);
    say(screen, '/jobs stop job_1');
    await screen.until('job_1 was stopped.');
    say(screen, '/jobs');
    await screen.until(/job_1 {2}ended/);
  });

  it('lists the rules that hold, and takes back one of the session', async () => {
    const reads = { calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] };
    const { open } = await stage({ turns: [reads, { text: 'Read once.' }, reads, { text: 'Read twice.' }] });
    const screen = await open('--deny', 'bash(rm *)');
    say(screen, '/permissions');
    await screen.until(/deny {2}bash\(rm \*\) {2}\(command line\)/);
    say(screen, 'go');
    await screen.until('Press 1');
    screen.type('2');
    await screen.until((text) => text.includes('Read once.') && !text.includes('Esc stops'));
    say(screen, '/permissions');
    const listed = await screen.until('(this session)');
    const [, rule = ''] = /allow {2}(\S+) {2}\(this session\)/.exec(listed) ?? [];
    say(screen, `/permissions forget ${rule}`);
    await screen.until('holds no longer');
    say(screen, 'again');
    await screen.until('Press 1');
    screen.keys('Escape');
    await screen.until('Stopped.');
    say(screen, '/permissions forget ls');
    await screen.until('No rule ls of this session');
  });

  it('completes what a command takes: models, modes, sessions', async () => {
    const { open } = await stage({ turns: [{ text: 'The answer.' }] });
    const first = await open();
    say(first, 'a question');
    await first.until('The answer.');
    first.keys('C-d');
    await first.ended();
    const screen = await open();
    screen.type('/model oth');
    await screen.until(/→ other-model/);
    screen.keys('Enter');
    await screen.until((text) => footer(text).includes('other-model'));
    screen.type('/mode pl');
    await screen.until(/→ plan/);
    screen.keys('Tab');
    await screen.until(/❯ \/mode plan$/m);
    screen.keys('C-u');
    screen.type('/sessions ');
    screen.keys('Tab');
    await screen.until(/❯ \/sessions [0-9a-f-]{36}|a question,/);
  });

  it('attaches a picture that is dropped on the terminal, and says where the model does not see', async () => {
    const blind = await stage({ turns: [{ text: 'I see none.' }] });
    const unseen = join(blind.home, 'a.png');
    writeFileSync(unseen, pngBytes(3, 2));
    const other = await blind.open();
    other.type(`\u001b[200~${unseen}\u001b[201~`);
    await other.until(/test-model does not see pictures\. Its path[\s\S]*❯ \S*a\.png/);
    other.keys('C-u');
    writeFileSync(join(blind.folder, 'b.png'), pngBytes(3, 2));
    say(other, 'what is in @b.png ?');
    await other.until(/test-model does not see pictures; it gets the words alone[\s\S]*I see none\./);
    const { server, home, folder, open } = await stage({ turns: [{ text: 'A picture.' }], sees: true });
    const bytes = pngBytes(3, 2);
    const file = join(home, 'my picture.png');
    writeFileSync(file, bytes);
    const screen = await open();
    const drop = (text: string): void => screen.type(`\u001b[200~${text}\u001b[201~`);
    drop(file.replaceAll(' ', '\\ '));
    await screen.until('[picture 1: my picture.png]');
    say(screen, 'what is it?');
    await screen.until('A picture.');
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain(Buffer.from(bytes).toString('base64'));
    drop(join(folder, 'no-such.png'));
    await screen.until(/❯ \S*no-such\.png/);
    screen.keys('C-u');
    writeFileSync(join(home, 'text.png'), 'no picture');
    drop(join(home, 'text.png'));
    await screen.until(/text\.png is no PNG[\s\S]*❯ \S*text\.png/);
  });

  it('writes every line once for a screen reader, and draws over none', async () => {
    const reads = { calls: [{ name: 'read_file', arguments: { path: 'README.md' } }] };
    const { open } = await stage({ turns: [reads, { text: '**It** is heron.\n\n```ts\nconst a = 1;\n```\n' }] });
    const screen = await open('--screen-reader');
    screen.type('What is the wort');
    screen.keys('BSpace');
    screen.type('d?');
    screen.keys('Enter');
    await screen.until(/Permission Request[\s\S]*Press 1, 2, 3 or 4/);
    screen.type('1');
    const shown = await screen.until(/It is heron\.[\s\S]*> $|It is heron\.[\s\S]*>\s*$/);
    expect(shown).toMatch(/> What is the word\?/);
    expect(shown).toMatch(/Waiting for the model\.[\s\S]*done: read_file README\.md/);
    // No movement up or to a column, no erasing, no colour: only what the terminal is told at its start and end.
    const spoken = screen.raw().slice(screen.raw().indexOf('halter'));
    expect(spoken).not.toMatch(/\u001b\[\d*[ABCDGHJKmf]/);
    expect(spoken.split('is heron.')).toHaveLength(2);
    for (const line of shown.split('\n')) {
      expect(line).not.toContain(' , ');
      expect(line.trim()).not.toMatch(/ {2}/);
    }
  });

  it('writes plain lines by itself where the cursor cannot move, and says so', async () => {
    const { environment, open } = await stage({ turns: [] });
    environment['TERM'] = 'dumb';
    const screen = await open();
    const shown = await screen.until(/TERM=dumb/);
    expect(shown).toMatch(/Attention: This terminal \(TERM=dumb\) cannot move its cursor/);
    expect(shown.split('TERM=dumb')).toHaveLength(2);
  });
});
