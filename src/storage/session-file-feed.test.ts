import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { Event } from '../core/events.ts';
import { createSessionFileFeed } from './session-file-feed.ts';
import { SessionFiles } from './session-files.ts';

const said = (seq: number): Event => ({ seq, at: seq, type: 'user_message_added', content: `message ${seq}` });

const followed = async (after: number) => {
  const folder = scratchFolder();
  const sessions = new SessionFiles({ folder });
  const opened = await sessions.open('one');
  if (!opened.ok) throw new Error(opened.error.message);
  const { log } = opened.value;
  const seen: number[] = [];
  let isRemoved = false;
  for (let seq = 1; seq <= 3; seq += 1) await log.append(said(seq));
  const stop = createSessionFileFeed(folder, sessions).follow('one', after, {
    onEvents: (events) => seen.push(...events.map(({ seq }) => seq)),
    onRemoved: () => {
      isRemoved = true;
    },
  });
  onTestFinished(stop);
  return { folder, log, seen, stop, isRemoved: () => isRemoved };
};

it('tells each event that another program writes once, in order', async () => {
  verifies('B5', 'L8');
  const { log, seen } = await followed(2);
  await vi.waitFor(() => expect(seen).toEqual([3]), { timeout: 10_000 });
  await log.append(said(4));
  await log.append(said(5));
  await vi.waitFor(() => expect(seen).toEqual([3, 4, 5]), { timeout: 10_000 });
  await log.close();
});

it('tells that a session was removed', async () => {
  verifies('B5', 'L8');
  const { folder, log, seen, isRemoved } = await followed(3);
  await log.append(said(4));
  await vi.waitFor(() => expect(seen).toEqual([4]), { timeout: 10_000 });
  await log.close();
  expect(isRemoved()).toBe(false);
  rmSync(join(folder, 'one.jsonl'));
  await vi.waitFor(() => expect(isRemoved()).toBe(true), { timeout: 10_000 });
});
