import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { createTrustFile } from './trust-file.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'halter-trust-'));
  for (const name of ['p', 'p-evil', 'p/sub']) mkdirSync(join(base, name));
  symlinkSync(join(base, 'p'), join(base, 'link'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const isTrusted = async (name: string) =>
  (await createTrustFile({ folder: join(base, 'config') }).isTrusted(join(base, name))).trusted;

describe('a trusted folder', () => {
  it('is that very folder, by its real path', async () => {
    verifies('U1');
    const file = createTrustFile({ folder: join(base, 'config') });
    expect(await isTrusted('p')).toBe(false);
    expect(await file.trust(join(base, 'link'))).toEqual({ ok: true, value: undefined });
    await file.trust(join(base, 'p'));
    expect([await isTrusted('p'), await isTrusted('link')]).toEqual([true, true]);
    expect([await isTrusted('p-evil'), await isTrusted('p/sub'), await isTrusted('.')]).toEqual([false, false, false]);
    await file.distrust(join(base, 'p'));
    expect(await isTrusted('p')).toBe(false);
    expect(await file.trust(join(base, 'none'))).toMatchObject({ ok: false });
  });

  it('is trusted as it was: a change of what it brings asks again', async () => {
    verifies('U1', 'S21');
    const file = createTrustFile({ folder: join(base, 'config') });
    mkdirSync(join(base, 'p/.halter/commands'), { recursive: true });
    writeFileSync(join(base, 'p/.halter/config.json'), '{}');
    await file.trust(join(base, 'p'));
    mkdirSync(join(base, 'p/src'));
    writeFileSync(join(base, 'p/src/a.ts'), 'x');
    expect(await isTrusted('p')).toBe(true);
    for (const [name, text] of [
      ['config.json', '{"model":"x"}'],
      ['commands/new.md', 'run this'],
    ] as const) {
      writeFileSync(join(base, 'p/.halter', name), text);
      expect(await file.isTrusted(join(base, 'p'))).toMatchObject({
        trusted: false,
        warning: expect.stringContaining('changed'),
      });
      await file.trust(join(base, 'p'));
      expect(await isTrusted('p')).toBe(true);
    }
    symlinkSync('/dev/zero', join(base, 'p/.halter/endless'));
    expect(await isTrusted('p')).toBe(false);
    await file.trust(join(base, 'p'));
    expect(await isTrusted('p')).toBe(false);
  });

  it('is none where the file cannot be believed', async () => {
    verifies('U1');
    const file = createTrustFile({ folder: join(base, 'config') });
    await file.trust(join(base, 'p'));
    const folders = [{ path: join(base, 'p'), created_at: 1 }];
    for (const text of [
      '',
      '[]',
      JSON.stringify({ version: 2, folders }),
      JSON.stringify({ version: 1, folders: [7] }),
    ]) {
      writeFileSync(file.path, text);
      expect(await file.isTrusted(join(base, 'p'))).toMatchObject({ trusted: false, warning: expect.any(String) });
      expect(await file.trust(join(base, 'p'))).toMatchObject({ ok: false, error: { reason: 'damaged' } });
    }
  });
});
