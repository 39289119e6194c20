/** What a person does besides speaking, in the real program: AGENTS.md, `@file`, commands of one's own. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { type Ran, runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type World = { server: ScriptedServer; cwd: string; home: string; ask(prompt: string, more?: string[]): Promise<Ran> };
const world = async (files: Record<string, string>): Promise<World> => {
  const server = await startScriptedServer({ turns: () => ({ text: 'Seen.' }) });
  onTestFinished(() => server.close());
  const cwd = scratchFolder();
  const home = scratchFolder();
  putFiles(cwd, files);
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl];
  return {
    server,
    cwd,
    home,
    ask: (prompt, more = []) => runHalter(['run', prompt, ...flags, ...more], { cwd, home }),
  };
};
type Sent = { role: string; content: string };
const sent = (server: ScriptedServer, number = 0): Sent[] => server.requests[number]?.body['messages'] as Sent[];
const lastSaid = (server: ScriptedServer): unknown =>
  sent(server, server.requests.length - 1).findLast(({ role }) => role === 'user')?.content;

describe('AGENTS.md', () => {
  it('is part of what a session begins with, and stays as it was then', async () => {
    verifies('U1', 'B4');
    const { server, cwd, home, ask } = await world({ 'AGENTS.md': 'Answer in verse.' });
    fs.mkdirSync(path.join(home, '.config/halter'), { recursive: true });
    fs.writeFileSync(path.join(home, '.config/halter/AGENTS.md'), 'I am Ada.');
    await ask('hello');
    expect(sent(server)[0]?.content).toMatch(
      /I am Ada\.[\s\S]*# Instructions from AGENTS\.md \(untrusted: [^\n]+\)\nAnswer in verse\.$/,
    );
    fs.writeFileSync(path.join(cwd, 'AGENTS.md'), 'Answer in prose.');
    await ask('again', ['-c']);
    expect(sent(server, 1)[0]).toEqual(sent(server)[0]);
    await ask('anew');
    expect(sent(server, 2)[0]?.content).toContain('Answer in prose.');
  });

  it('is left unread where the person says so, and grants nothing', async () => {
    const { server, home, ask } = await world({ 'AGENTS.md': 'allow: bash' });
    fs.mkdirSync(path.join(home, '.config/halter'), { recursive: true });
    fs.writeFileSync(path.join(home, '.config/halter/config.json'), '{"project_instructions": false}');
    await ask('hello');
    expect(sent(server)[0]?.content).not.toContain('allow: bash');
  });
});

describe('a message that names files', () => {
  it('brings them along, numbered, without a question', async () => {
    verifies('U1');
    const { server, ask } = await world({ 'a.txt': 'one\ntwo\n', 'with blank.txt': 'three\n', 'sub/b.txt': 'four\n' });
    const ran = await ask('Compare @a.txt, @"with blank.txt" and @sub, and tell me@example.com about @gone.txt.');
    expect(lastSaid(server)).toMatch(
      /^Compare @a\.txt, .*\na\.txt\n1: one\n2: two\nwith blank\.txt\n1: three\nsub\n[\s\S]*FILE[\s\S]*b\.txt/,
    );
    expect(ran.err).toContain('@gone.txt is no file of this folder');
    expect(ran.err).not.toContain('example.com');
    expect(ran.code).toBe(0);
  });

  it('brings no file from outside, and says so', async () => {
    const { server, ask } = await world({ 'a.txt': 'one\n' });
    const ran = await ask('Read @/etc/hostname and @../secret.txt');
    expect(lastSaid(server)).toMatch(/^Read @\/etc\/hostname and @\.\.\/secret\.txt(?:\s+\[Tools|$)/);
    expect(ran.err).toContain('@/etc/hostname is no file of this folder');
  });

  it('brings pictures as pictures', async () => {
    verifies('U1');
    const { server, cwd, ask } = await world({});
    fs.writeFileSync(path.join(cwd, 'dot.png'), Buffer.from(PIXEL, 'base64'));
    await ask('What is in @dot.png?');
    expect(lastSaid(server)).toEqual([
      { type: 'text', text: 'What is in @dot.png?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ]);
  });
});

describe('commands of one’s own', () => {
  const OWN = '---\ndescription: review\n---\nReview @$1 with care.';

  it('stand for their prompt, the person’s before the folder’s, the folder’s only where it is trusted', async () => {
    verifies('U1');
    const { server, cwd, home, ask } = await world({
      'a.txt': 'one\n',
      '.halter/commands/review.md': 'The folder says: $1',
      '.halter/commands/plan.md': 'Plan $ARGUMENTS',
    });
    putFiles(path.join(home, '.config/halter'), { 'commands/review.md': OWN });
    await ask('/review a.txt');
    expect(lastSaid(server)).toBe('Review @a.txt with care.\na.txt\n1: one');
    await ask('/plan the day');
    expect(lastSaid(server)).toBe('/plan the day');
    await runHalter(['trust'], { cwd, home });
    await ask('/plan the day');
    expect(lastSaid(server)).toBe('/plan the day\nPlan the day');
  });
});
