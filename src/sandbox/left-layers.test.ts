/** What lies in the layers of a halter that was killed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { keepLeftLayers, leftLayer, markFollowed } from './left-layers.ts';
import { SANDBOX_LIMITS } from './limits.ts';

/** Of a process that has ended. */
const DEAD = spawnSync(process.execPath, ['-e', '0']).pid;
const run = (pid: number): string => `${pid}-0a1b2c3d-1111-2222-3333-444455556666`;

const layerWith = (files: Record<string, string>, pid = DEAD) => {
  const [parent, kept] = [scratchFolder(), path.join(scratchFolder(), 'kept')];
  const base = path.join(parent, run(pid), '2');
  fs.mkdirSync(path.join(base, 'u'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(base, 'u', name)), { recursive: true });
    fs.writeFileSync(path.join(base, 'u', name), text);
  }
  const find = (name = `${run(pid)}/2`): string | undefined => leftLayer(name, [parent, '/nonexistent'], kept);
  return { parent, kept, base, find };
};

describe('what a killed command had written', () => {
  it('is kept, and found again', () => {
    verifies('B5');
    const { find, kept } = layerWith({ 'a.txt': 'a', 'in/b.txt': 'b' });
    expect(find()).toBe(path.join(kept, 'interrupted-0a1b2c3d-2'));
    expect(fs.readFileSync(path.join(find() ?? '', 'in/b.txt'), 'utf8')).toBe('b');
  });

  it('is found where the next halter had put it by', () => {
    const { find, parent, kept } = layerWith({ 'a.txt': 'a' });
    keepLeftLayers(path.join(parent, run(DEAD)), kept);
    fs.rmSync(path.join(parent, run(DEAD)), { recursive: true });
    expect(fs.readFileSync(path.join(find() ?? '', 'a.txt'), 'utf8')).toBe('a');
  });

  it('is kept whole where a name in it is no UTF-8', () => {
    const { find, base } = layerWith({ 'a.txt': 'a' });
    fs.writeFileSync(Buffer.concat([Buffer.from(`${base}/u/b`), Buffer.from([0xff])]), 'b');
    const kept = find() ?? '';
    expect(fs.readdirSync(kept, { encoding: 'latin1' }).sort()).toEqual(['a.txt', 'b\xff']);
  });

  it.each<[string, (base: string) => void]>([
    ['nothing', (base) => fs.rmSync(path.join(base, 'u/a.txt'))],
    [
      'empty folders only',
      (base) => {
        fs.rmSync(path.join(base, 'u/a.txt'));
        fs.mkdirSync(path.join(base, 'u/in'));
      },
    ],
    ['more than is kept', (base) => fs.truncateSync(path.join(base, 'u/a.txt'), SANDBOX_LIMITS.leftBytes + 1)],
    ['what was brought over while it ran', markFollowed],
  ])('lies nowhere where it is %s', (_what, change) => {
    const { find, base, kept } = layerWith({ 'a.txt': 'a' });
    change(base);
    expect(find()).toBeUndefined();
    expect(fs.existsSync(kept) ? fs.readdirSync(kept) : []).toEqual([]);
  });

  it('stays where it is while its halter lives', () => {
    const { find, base } = layerWith({ 'a.txt': 'a' }, process.pid);
    expect(find()).toBeUndefined();
    expect(fs.existsSync(path.join(base, 'u/a.txt'))).toBe(true);
  });

  it.each(['../../elsewhere', `${run(DEAD)}/2/..`, `../${run(DEAD)}/2`, '', '/', `${DEAD}-x/2`])(
    'is not looked for under a name that no layer has: %j',
    (name) => {
      const { find, base } = layerWith({ 'a.txt': 'a' });
      expect(find(name)).toBeUndefined();
      expect(fs.existsSync(path.join(base, 'u/a.txt'))).toBe(true);
    },
  );
});
