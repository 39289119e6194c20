/** What is said while a run goes on: to the run itself or for its end, taken back, and never lost. */
import { describe, expect, it, vi } from 'vitest';
import { tmuxMissing } from './terminal-screen.ts';
import { type Stage, say, stage } from './terminal-stage.ts';

const missing = tmuxMissing();
type Sent = { messages: { role: string; content: unknown }[] };
/** Without what is said to the model alone below the first line. */
const saidIn = (server: Stage['server'], request: number): unknown[] =>
  (server.requests[request]!.body as Sent).messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => String(content).split('\n')[0]);
const LOOK = { calls: [{ name: 'ls', arguments: { path: '.' } }] };
const never = new Promise<void>(() => {});

describe.skipIf(missing)(`messages that wait${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('gives the run at its next step what is typed meanwhile, and keeps for the end what Alt+Enter sends', async () => {
    const gate = Promise.withResolvers<void>();
    const turns = [
      { ...LOOK, headersGate: gate.promise },
      { text: 'Read with the word in mind.' },
      { text: 'And the last thing.' },
    ];
    const { server, open } = await stage({ turns });
    const screen = await open();
    screen.type('look');
    screen.keys('M-Enter');
    screen.type('round');
    await screen.until(/❯ look\n {2}round/);
    screen.keys('C-u', 'BSpace');
    await screen.until(/❯ look\n(?! {2}round)/);
    say(screen, ' round');
    await screen.until('Esc stops');
    screen.type('at last');
    screen.keys('M-Enter');
    await screen.until('at the end: at last');
    say(screen, 'only the notes');
    await screen.until('next: only the notes');
    gate.resolve();
    const shown = await screen.until((text) => text.includes('And the last thing.') && !text.includes('Esc stops'));
    expect(saidIn(server, 1)).toEqual(['look round', 'only the notes']);
    expect(saidIn(server, 2)).toEqual(['look round', 'only the notes', 'at last']);
    expect(shown).toMatch(/❯ look round[\s\S]*❯ only the notes[\s\S]*Read with[\s\S]*❯ at last[\s\S]*And the last/);
    expect(shown).not.toMatch(/next: |at the end: /);
  });

  it('goes on with what was said during the last answer', async () => {
    const gate = Promise.withResolvers<void>();
    const turns = [{ text: ['It begins', ' and ends.'], gates: { 2: gate.promise } }, { text: 'And this too.' }];
    const { server, open } = await stage({ turns });
    const screen = await open();
    say(screen, 'tell me');
    await screen.until('It begins');
    say(screen, 'and the rest?');
    await screen.until('next: and the rest?');
    gate.resolve();
    const shown = await screen.until((text) => text.includes('And this too.') && !text.includes('Esc stops'));
    expect(shown).toMatch(/It begins and ends\.[\s\S]*❯ and the rest\?[\s\S]*And this too\./);
    expect(saidIn(server, 1)).toEqual(['tell me', 'and the rest?']);
  });

  it('takes the last one back with Up, to be changed or removed', async () => {
    const gate = Promise.withResolvers<void>();
    const { server, open } = await stage({ turns: [{ ...LOOK, headersGate: gate.promise }, { text: 'Done here.' }] });
    const screen = await open();
    say(screen, 'look round');
    await screen.until('Esc stops');
    say(screen, 'first word');
    await screen.until('next: first word');
    say(screen, 'secnd word');
    await screen.until('next: secnd word');
    screen.keys('Up');
    await screen.until((text) => /❯ secnd word/.test(text) && !text.includes('next: secnd'));
    screen.keys('C-u');
    say(screen, 'second word');
    await screen.until('next: second word');
    screen.keys('Up');
    await screen.until(/❯ second word/);
    screen.keys('C-u', 'Up');
    await screen.until(/❯ first word/);
    screen.keys('C-u');
    say(screen, 'third word');
    await screen.until('next: third word');
    gate.resolve();
    await screen.until('Done here.');
    expect(saidIn(server, 1)).toEqual(['look round', 'third word']);
  });

  it.each([
    { how: 'Esc', turn: { text: 'x', headersGate: never } },
    { how: 'an error of the server', turn: { status: 401, body: '{"error": {"message": "no"}}' } },
  ])('gives everything back after $how', async ({ how, turn }) => {
    const gate = Promise.withResolvers<void>();
    const gated = how === 'Esc' ? turn : { ...turn, headersGate: gate.promise };
    const { server, open } = await stage({ turns: [gated, { text: 'Never asked for.' }] });
    const screen = await open();
    say(screen, 'begin');
    await screen.until('Esc stops');
    say(screen, 'one more');
    screen.type('and the end');
    screen.keys('M-Enter');
    await screen.until('at the end: and the end');
    screen.type('half a w');
    await screen.until(/❯ half a w/);
    await vi.waitUntil(() => server.requests.length > 0, { timeout: 20_000 });
    if (how === 'Esc') screen.keys('Escape');
    else gate.resolve();
    await screen.until(/❯ one more\n\s+and the end\n\s+half a w/);
    expect(server.requests).toHaveLength(1);
    // The person knows that they stopped it.
    expect(screen.text()).not.toContain('cancelled');
  });

  it('is there again when the program was killed, with what was being written', async () => {
    const { open } = await stage({ turns: [{ text: 'x', headersGate: never }] });
    const screen = await open();
    screen.type('a first draft');
    await screen.until(/❯ a first draft/);
    // What is kept of it is seen by opening the folder once more.
    process.kill(screen.pid(), 'SIGTERM');
    await screen.ended();
    const second = await open();
    await second.until(/❯ a first draft/);
    second.keys('Enter');
    await second.until('Esc stops');
    say(second, 'one more');
    await second.until('next: one more');
    process.kill(second.pid(), 'SIGKILL');
    await second.ended();
    const third = await open('-c');
    await third.until(/❯ one more/);
    expect(third.text()).toContain('What you had not sent is in the prompt again.');
    const fourth = await open();
    expect(fourth.text()).not.toMatch(/❯ a first draft|in the prompt again/);
  });
});
