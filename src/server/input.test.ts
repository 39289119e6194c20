import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ORIGIN, testServer } from '../../tests/support/test-server.ts';

const withPrompts = async () => {
  const server = await testServer({ text: 'x' });
  const own = join(server.home, 'config/halter/commands');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'review.md'), '---\ndescription: read a file with care\n---\nRead @$1 with care.\n');
  await mkdir(join(server.folder, '.halter/commands'), { recursive: true });
  await writeFile(join(server.folder, '.halter/commands/deploy.md'), 'Deploy it.\n');
  await writeFile(join(server.folder, 'a.txt'), 'one\ntwo\n');
  const input = (text: string) => server.json('POST', '/api/input', { text });
  return { server, input };
};

describe('what a person types besides words', () => {
  it('lists their prompts, and those of a folder only where it is trusted', async () => {
    const { server } = await withPrompts();
    expect(await server.json('GET', '/api/commands')).toEqual({
      commands: [
        { name: 'review', description: 'read a file with care', from: 'yours' },
        { name: 'init', description: 'have an AGENTS.md written for this folder', from: 'halter' },
      ],
      warnings: [expect.stringContaining('not trusted')],
    });
  });

  it('puts a prompt in the place of its name, with the files that it names', async () => {
    const { input } = await withPrompts();
    expect(await input('/review a.txt')).toMatchObject({
      command: 'review',
      content: [{ type: 'text', text: 'Read @a.txt with care.' }, { shown: '[a.txt: 2 lines]' }],
      problems: [],
    });
  });

  it('leaves other words as they are, and says what did not come along', async () => {
    const { input } = await withPrompts();
    expect(await input('/deploy now')).toEqual({ content: '/deploy now', problems: [] });
    expect(await input('mail me@host.test')).toEqual({ content: 'mail me@host.test', problems: [] });
    expect(await input('read @../secret.txt')).toMatchObject({
      content: 'read @../secret.txt',
      problems: [expect.stringContaining('@../secret.txt')],
    });
  });

  it('answers nobody without the token', async () => {
    const { server } = await withPrompts();
    const bare = (method: string, path: string) =>
      server.app(
        new Request(`${ORIGIN}${path}`, {
          method,
          headers: { host: '127.0.0.1:7411', 'content-type': 'application/json' },
          ...(method === 'POST' ? { body: '{"text":"@a.txt"}' } : {}),
        }),
      );
    expect((await bare('GET', '/api/commands')).status).toBe(401);
    expect((await bare('POST', '/api/input')).status).toBe(401);
    expect((await server.call('POST', '/api/input', { text: '' })).status).toBe(400);
  });
});
