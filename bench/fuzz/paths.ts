/**
 * Random paths through a folder full of links, read and written: what the port to files reaches must be what the system
 * says lies inside. Then the same folder while another process swaps a link between the inside and the outside.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workspace } from '../../src/core/ports.ts';
import { createWorkspace } from '../../src/io/workspace.ts';
import { type FuzzPart, generator } from './part.ts';

const SEGMENTS = [
  '..',
  '.',
  '',
  'a',
  'b',
  'link',
  'out',
  'up',
  'loop',
  'self',
  'none',
  '~',
  'a.txt',
  'ü',
  ' ',
  '...',
  'A',
  'a ',
  '..a',
];
const OUTSIDE = 'OUTSIDE';
const SWAPPER = fileURLToPath(new URL('../../conformance/attacks/swap-links.ts', import.meta.url));
const maxBytes = 1_000;

const lay = (scratch: string): string => {
  const root = path.join(scratch, 'ws');
  const files = {
    'ws/a/b/a.txt': '1',
    'ws/a/a.txt': '1',
    'ws/a.txt': '2',
    'ws/ü/ ': '3',
    'out/a.txt': OUTSIDE,
    'out/a/a.txt': OUTSIDE,
    'a.txt': OUTSIDE,
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(scratch, name)), { recursive: true });
    fs.writeFileSync(path.join(scratch, name), text);
  }
  const links = {
    'ws/link': 'a/b',
    'ws/a/out': '../../out',
    'ws/a/up': '..',
    'ws/loop': 'loop',
    'ws/a/self': root,
    'ws/a/b/out': scratch,
  };
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(scratch, name));
  return root;
};

/** Undefined where it leads outside, by its words or by links, or nowhere. */
const oracle = (root: string, name: string): string | undefined => {
  const normal = path.normalize(name);
  if (name === '' || path.isAbsolute(name) || normal === '..' || normal.startsWith('../') || /^~(?:\/|$)/.test(name))
    return undefined;
  try {
    const real = fs.realpathSync(path.join(root, name));
    return real === root || real.startsWith(`${root}/`) ? real : undefined;
  } catch {
    return undefined;
  }
};

const comparePaths = async (workspace: Workspace, count: number, random: () => number): Promise<string[]> => {
  const wrong: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = 1 + Math.floor(random() * 7);
    const name = Array.from({ length }, () => SEGMENTS[Math.floor(random() * SEGMENTS.length)]).join('/');
    const real = oracle(workspace.root, name);
    const isFile = real !== undefined && fs.statSync(real).isFile();
    const read = await workspace.readFile(name, { maxBytes });
    const stat = await workspace.stat(name);
    const leaks = read.ok && Buffer.from(read.value.bytes).toString().includes(OUTSIDE);
    if (stat.ok !== (real !== undefined) || read.ok !== isFile || leaks)
      wrong.push(`${JSON.stringify(name)}: read ${read.ok}, the system says ${real}`);
  }
  return wrong;
};

type Swapped = { operations: number; reads: number; leaks: number };
const whileSwapping = async (workspace: Workspace, scratch: string, count: number): Promise<Swapped> => {
  const link = path.join(workspace.root, 'swapped');
  const swapper = spawn(process.execPath, [SWAPPER, link, 'a', '../out', 'a'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
  const before = fs.readFileSync(path.join(scratch, 'out/a.txt'), 'utf8');
  const swapped: Swapped = { operations: 0, reads: 0, leaks: 0 };
  for (; swapped.operations < count; swapped.operations += 1) {
    if (swapped.operations % 10 === 9) {
      await workspace.writeFile('swapped/w.txt', Buffer.from('inside'));
      if (fs.existsSync(path.join(scratch, 'out/w.txt'))) swapped.leaks += 1;
      continue;
    }
    const read = await workspace.readFile(swapped.operations % 2 ? 'swapped/a.txt' : 'swapped/b/a.txt', { maxBytes });
    if (!read.ok) continue;
    swapped.reads += 1;
    if (Buffer.from(read.value.bytes).toString().includes(OUTSIDE)) swapped.leaks += 1;
  }
  swapper.stdin.end();
  await new Promise((resolve) => swapper.once('exit', resolve));
  if (fs.readFileSync(path.join(scratch, 'out/a.txt'), 'utf8') !== before) swapped.leaks += 1;
  return swapped;
};

export const pathsFuzz: FuzzPart = {
  count: 100_000,
  async run({ count, seed }) {
    const scratch = fs.realpathSync(
      fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'halter-fuzz-')),
    );
    try {
      const opened = await createWorkspace({ root: lay(scratch) });
      if (!opened.ok) throw new Error(opened.error.message);
      const wrong = await comparePaths(opened.value, count, generator(seed));
      const { leaks, operations, reads } = await whileSwapping(opened.value, scratch, count);
      return {
        held: wrong.length === 0 && leaks === 0 && reads > 0,
        lines: [
          ...wrong.slice(0, 20),
          `${count} random paths: ${wrong.length} differ from what the system says`,
          `${operations} reads and writes while a link is swapped: ${reads} reads got through, ${leaks} reached outside`,
        ],
      };
    } finally {
      fs.rmSync(scratch, { recursive: true, force: true });
    }
  },
};
