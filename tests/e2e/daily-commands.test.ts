/** What a person and their scripts do all day with the command line. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

/** A home whose settings name a server, and that server. */
const configured = async (turns: readonly ScriptedServerTurn[], more: object = {}) => {
  const server = await startScriptedServer({ turns, models: [{ id: 'test-model' }, { id: 'other-model' }] });
  onTestFinished(() => server.close());
  const home = scratchFolder();
  mkdirSync(join(home, '.config', 'halter'), { recursive: true });
  const settings = { base_url: server.openaiUrl, model: 'test-model', ...more };
  writeFileSync(join(home, '.config', 'halter', 'config.json'), JSON.stringify(settings));
  return { home, server };
};

describe('the server of the settings', () => {
  it('is asked whichever model is named, by every command', async () => {
    const { home, server } = await configured([{ text: 'Hello.' }]);
    const ran = await runHalter(['run', '-m', 'other-model', 'hi'], { home });
    expect(ran).toMatchObject({ code: 0, out: 'Hello.\n' });
    expect(server.requests[0]?.body).toMatchObject({ model: 'other-model' });
    const listed = await runHalter(['models', 'list', '--json'], { home });
    const { models } = listed.json() as { models: { id: string; endpoint: string }[] };
    expect(models.map(({ id }) => id)).toContain('openai/other-model');
    const checked = await runHalter(['doctor', '--json'], { home });
    const { checks } = checked.json() as { checks: { name: string; detail: string }[] };
    expect(checks.find(({ name }) => name === 'openai')?.detail).toContain(server.openaiUrl);
    // Each part of the sandbox is in force, or it is told why not.
    const sandbox = checks.find(({ name }) => name === 'sandbox')?.detail ?? '';
    if (sandbox.includes('bubblewrap:'))
      for (const part of [
        'own network',
        'changes judged before they count',
        'system calls filtered',
        'descriptors closed',
        'no user namespaces',
      ])
        expect(sandbox).toContain(part);
  });
});

it('answers about the folder in plan mode, with nobody there and only what reads', async () => {
  const cwd = scratchFolder();
  putFiles(cwd, { 'a.txt': 'one\n' });
  const { home, server } = await configured([
    { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { text: 'Looks right.' },
  ]);
  const ran = await runHalter(['run', '--plan', 'Review'], { home, cwd, stdin: 'diff --git a b\n' });
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Looks right.') });
  const body = server.requests[0]?.body as { tools: { function: { name: string } }[] };
  const names = body.tools.map((tool) => tool.function.name);
  for (const name of ['read_file', 'bash']) expect(names).toContain(name);
  for (const name of ['write_file', 'edit_file', 'write_job', 'web_fetch']) expect(names).not.toContain(name);
});

it('writes no answer that does not keep to the schema', async () => {
  const cwd = scratchFolder();
  putFiles(cwd, { 'schema.json': '{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}' });
  const { home } = await configured([{ text: '{"n": "many"' }, { text: '{"n": "many"' }, { text: '{"n": "many"' }]);
  const ran = await runHalter(['run', '--json-schema', 'schema.json', 'How many?'], { home, cwd });
  expect(ran.code).not.toBe(0);
  expect(ran.out).toBe('');
});

it('helps on one screen, and says everything where all is asked for', async () => {
  const short = await runHalter(['--help']);
  expect(short.out.split('\n').length).toBeLessThanOrEqual(24);
  expect(Math.max(...short.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  const all = await runHalter(['--help', 'all']);
  for (const word of ['sessions copy', '--max-iterations', 'policy explain', 'Exit codes'])
    expect(`${short.out}${all.out}`).toContain(word.split(' ')[0]);
  expect(all.out).toContain('--max-iterations');
  expect((await runHalter(['-V'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
