import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { createEgressFile, type EgressConnection } from './egress-file.ts';

const connection = (id: number, more: Partial<EgressConnection> = {}): EgressConnection => ({
  type: 'connection',
  id,
  run: 'r',
  at: id,
  who: 'model',
  method: 'GET',
  scheme: 'https',
  host: 'a.test',
  port: 443,
  verdict: 'connected',
  ...more,
});

it('gives connections back in their order, with what went over them', () => {
  const file = createEgressFile({ folder: path.join(scratchFolder(), 'data') });
  expect(file.read()).toEqual({ entries: [], damaged: 0 });
  file.append(connection(1));
  file.append({ type: 'command', at: 2, who: 'bash', network: 'not_seen' });
  file.append(connection(3, { verdict: 'refused', reason: 'a private address' }));
  file.append({ type: 'transfer', run: 'r', id: 1, sent: 10, received: 20 });
  file.append({ type: 'transfer', run: 'other', id: 3, sent: 1, received: 1 });
  expect(file.read().entries).toEqual([
    { ...connection(1), sent: 10, received: 20 },
    { type: 'command', at: 2, who: 'bash', network: 'not_seen' },
    connection(3, { verdict: 'refused', reason: 'a private address' }),
  ]);
  expect(fs.statSync(file.path).mode & 0o777).toBe(0o600);
});

it('keeps what was written by a halter that was killed in the middle of a line', () => {
  const file = createEgressFile({ folder: scratchFolder() });
  file.append(connection(1));
  fs.appendFileSync(file.path, '{"type":"connection","id":2\n\u0000\nnull\n');
  file.append(connection(3));
  const { entries, damaged } = file.read();
  expect(entries.map((entry) => entry.at)).toEqual([1, 3]);
  expect(damaged).toBe(3);
});

it('is bounded: the oldest goes, the newest stays, two writers lose each other nothing', () => {
  const folder = scratchFolder();
  const [one, two] = [createEgressFile({ folder, maxBytes: 2_000 }), createEgressFile({ folder, maxBytes: 2_000 })];
  for (let id = 1; id <= 200; id += 1) (id % 2 ? one : two).append(connection(id));
  const sizes = fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).size);
  expect(sizes.length).toBeLessThanOrEqual(4);
  expect(Math.max(...sizes)).toBeLessThan(2_300);
  const ids = one.read().entries.map((entry) => entry.at);
  expect(ids.at(-1)).toBe(200);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => 200 - ids.length + 1 + index));
  expect(ids.length).toBeGreaterThan(30);
});

it('never ends a run: where it cannot be written that is said once', () => {
  const folder = path.join(scratchFolder(), 'a-file');
  fs.writeFileSync(folder, '');
  const said: string[] = [];
  const file = createEgressFile({ folder, onProblem: (message) => said.push(message) });
  file.append(connection(1));
  file.append(connection(2));
  expect(said.length).toBe(1);
  expect(file.read().entries).toEqual([]);
});
