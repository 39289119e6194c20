/** File tools ask before they open a file of settings in which a key stands, and open any other. */
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import { createWorkspace } from '../../io/workspace.ts';

const config = (url: string): string => `[remote "origin"]\n\turl = ${url}\n`;
const WITH = config('https://me:hunter2@host/x.git');
const repository = (text: string): Record<string, string> => ({
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/objects/x': '',
  '.git/refs/x': '',
  '.git/config': text,
});
const agentIn = (files: Record<string, string>, allow: string[] = []) => {
  const folder = scratchFolder();
  putFiles(folder, files);
  const options = { environment: { PATH: process.env['PATH'] }, platform: process.platform, sandbox: false } as const;
  return assembled({ ...options, mode: 'edit', allow, folder });
};

describe('a file of settings with a key', () => {
  it.each([
    ['read_file', { path: '.git/config' }],
    ['read_file', { path: './x/../.git/config' }],
    ['grep_search', { pattern: 'url', file_filter: '.yarnrc.yml' }],
    ['edit_file', { path: 'web/pip.conf', old_text: 'a', new_text: 'b' }],
  ] as const)('%s asks: %j', async (tool, args) => {
    verifies('S18');
    const files = { ...repository(WITH), '.yarnrc.yml': 'npmAuthToken: abc', 'web/pip.conf': 'password = abc' };
    const halter = await agentIn(files);
    expect(await halter.judge(tool, args)).toMatchObject({ verdict: 'ask', risk: 'high' });
  });

  it('is read where a rule names it', async () => {
    const halter = await agentIn(repository(WITH), ['read_file(.git/config)']);
    expect(await halter.judge('read_file', { path: '.git/config' })).toMatchObject({ verdict: 'allow' });
  });

  it('is not read by a link of another name', async () => {
    verifies('S18');
    const folder = scratchFolder();
    putFiles(folder, repository(WITH));
    symlinkSync('.git/config', path.join(folder, 'link'));
    const workspace = await createWorkspace({ root: folder });
    const read = workspace.ok && (await workspace.value.readFile('link', { maxBytes: 1_000 }));
    expect(read).toMatchObject({ ok: false, error: { reason: 'hidden_name' } });
  });

  it('without one it is a file like any', async () => {
    const halter = await agentIn({ ...repository(config('git@host:x')), '.yarnrc.yml': 'nodeLinker: pnpm' });
    for (const name of ['.git/config', '.yarnrc.yml'])
      expect(await halter.judge('read_file', { path: name }), name).toMatchObject({ verdict: 'allow' });
  });
});
