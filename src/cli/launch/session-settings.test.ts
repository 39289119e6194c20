/** The folder of a launch holds a token: it goes with the launch, and where that was killed, with the next one. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import { LAUNCHED_CLIENTS } from './clients.ts';
import { writeSessionFile } from './session-settings.ts';

const GATEWAY = { url: 'http://127.0.0.1:7411', token: 't', model: 'default', contextTokens: 8_192 };

it.each(Object.entries(LAUNCHED_CLIENTS).filter(([, { settings }]) => settings !== undefined))(
  'a launch of %s tidies up after launches that were killed, and touches nothing else',
  async (_name, client) => {
    verifies('B2');
    const parent = scratchFolder();
    vi.stubEnv('TMPDIR', parent);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
    const left = `halter-launch-${ended}-aB3dE9/settings.json`;
    const others = [`halter-launch-${process.pid}-aB3dE9/a`, 'halter-launch-notes/a', `halter-launch-${ended}-x/a`];
    putFiles(parent, Object.fromEntries([left, ...others].map((file) => [file, '{}'])));
    const written = await writeSessionFile(client, GATEWAY, { env: { HOME: parent } });
    if (!written.ok) throw new Error(written.error.message);
    const isThere = (file: string): boolean => fs.existsSync(path.join(parent, file));
    expect([left, ...others].map(isThere)).toEqual([false, true, true, true]);
    expect(fs.existsSync(written.value.path)).toBe(true);
    await written.value.remove();
    expect(fs.existsSync(path.dirname(written.value.path))).toBe(false);
  },
);
