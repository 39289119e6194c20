/** The index that a harness makes of its workspace lies with the rest of what it keeps, and nowhere where it keeps nothing. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { putFiles, scratchFolder } from '../../tests/support/scratch.ts';
import { openIndexFolder } from '../agent/knowledge/index-folder.ts';
import { scriptedProvider } from '../testing/index.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const indexesIn = (folder: string): string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sqlite') && name.includes(`index${path.sep}`))
    .map((name) => name.split(path.sep)[0] ?? name);

type Kept = (base: string) => HarnessOptions['storage'];
const foldersIn = (base: string) => ({
  config: `${base}/c`,
  data: `${base}/d`,
  cache: `${base}/k`,
  sessions: `${base}/s`,
  undo: `${base}/u`,
});
it.each<[string, Kept, string[]]>([
  ['in memory', () => 'memory', []],
  ['by default', () => undefined, []],
  ['in folders of the program', (base) => ({ kind: 'files', folders: foldersIn(`${base}/own`) }), ['own']],
  ['in the folders of halter', () => 'files', ['home']],
])('%s', async (_name, storage, expected) => {
  const base = scratchFolder();
  putFiles(base, { 'home/x': '', 'ws/zebra.md': 'Zebras shake hands at noon.' });
  const provider = scriptedProvider([{ text: 'Hello.' }]);
  const harness = createHarness({
    model: 'm',
    provider,
    workspace: path.join(base, 'ws'),
    tools: BUILT_IN_TOOLS,
    storage: storage(base),
    search: { graphRag: 'on' },
    permissions: { yolo: true },
    io: { environment: { HOME: path.join(base, 'home'), PATH: process.env['PATH'] ?? '' }, onWarning: () => {} },
  });
  await harness.chat('Hello');
  const found = async (): Promise<string> =>
    JSON.stringify((await harness.executeTool('rag_search', { query: 'zebras shake hands', global: true })).data);
  await expect.poll(found).toContain('zebra.md');
  await harness.close();
  expect(indexesIn(base)).toEqual(expected);
});

it('is made in a folder for a while where nothing is kept, which goes at the end', async () => {
  const base = scratchFolder();
  const { folder, remove } = await openIndexFolder({ root: base, graphRag: 'on', program: base, own: undefined });
  expect([folder === base, fs.existsSync(folder)]).toEqual([false, true]);
  await remove?.();
  expect(fs.existsSync(folder)).toBe(false);
});

it.each([
  ['rag_search', { query: 'zebras shake hands', global: true }, 'zebra.md'],
  ['code_graph', { relation: 'defines', path: 'zebra.ts' }, 'shake'],
])('is made for %s alone, without a chat', async (name, args, found) => {
  const base = scratchFolder();
  putFiles(base, {
    'ws/zebra.md': 'Zebras shake hands at noon.',
    'ws/zebra.ts': 'export const shake = (): number => 1;\n',
  });
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([]),
    workspace: path.join(base, 'ws'),
    tools: BUILT_IN_TOOLS,
    search: { graphRag: 'on' },
    permissions: { yolo: true },
    io: { environment: { HOME: path.join(base, 'home'), PATH: process.env['PATH'] ?? '' }, onWarning: () => {} },
  });
  const told = async (): Promise<string> => JSON.stringify((await harness.executeTool(name, args)).data);
  // The first call waits for the index as long as a tool may take.
  await expect.poll(told).toContain(found);
  await harness.close();
});
