/** What a refusal to take a change back offers can be done, and what cannot is not offered. */
import { chmod, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Event, EventOf } from '../../core/events.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Outcome } from '../../core/outcome.ts';
import { hashOf } from '../../io/workspace/read.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { createUndoFiles } from '../../storage/undo-files.ts';
import { type OnChange, type UndoPorts, undoLast } from '../undo.ts';
import { undoMessage } from './since.ts';

type Change = Pick<EventOf<'change_recorded'>, 'before' | 'after' | 'kept'> & Partial<EventOf<'change_recorded'>>;
type State = { name: string; changes: readonly Change[]; now: string; isKept?: boolean; grows?: true };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hash = (text: string): string => hashOf(bytes(text));
const CHANGED: Change = { before: hash('one'), after: hash('two'), kept: true };
const STATES: readonly State[] = [
  { name: 'changed since', changes: [CHANGED], now: 'mine' },
  { name: 'changed since, and the old content is not kept', changes: [{ ...CHANGED, kept: false }], now: 'mine' },
  { name: 'as it was left, and the old content is not kept', changes: [{ ...CHANGED, kept: false }], now: 'two' },
  { name: 'as it was left, and the old content is lost', changes: [CHANGED], now: 'two', isKept: false },
  { name: 'created and changed since', changes: [{ ...CHANGED, before: null }], now: 'mine' },
  { name: 'changed since, and too large by now', changes: [CHANGED], now: 'mine', grows: true },
  {
    name: 'of a command, changed since',
    changes: [{ ...CHANGED, mode_before: 0o644, mode_after: 0o600 }],
    now: 'mine',
  },
  {
    name: 'of other permissions',
    changes: [{ before: hash('one'), after: hash('one'), kept: true, mode_before: 0o755, mode_after: 0o700 }],
    now: 'one',
  },
  {
    name: 'two files of one call, the old content of one of them not kept',
    changes: [
      { ...CHANGED, kept: false },
      { ...CHANGED, path: 'b.txt' },
    ],
    now: 'mine',
  },
];

const WAYS = { 'one step': undoLast, 'all of a message': (ports: UndoPorts) => undoMessage(ports) } as const;
const CHOICES = ['keep', 'force', 'beside'] as const;

const refusedIn = async ({ changes, now, isKept = true, grows }: State) => {
  const folder = scratchFolder();
  const files = createUndoFiles({ folder: scratchFolder() });
  if (isKept) await files.keep(hash('one'), bytes('one'));
  for (const { path = 'a.txt' } of changes) {
    await writeFile(join(folder, path), now);
    await chmod(join(folder, path), 0o644);
    if (grows) await truncate(join(folder, path), LIMITS.readFileBytes + 1);
  }
  const workspace = await createWorkspace({ root: folder });
  if (!workspace.ok) throw new Error(workspace.error.message);
  const events = [
    { type: 'user_message_added', content: 'do it' },
    ...changes.map((change) => ({ type: 'change_recorded', tool_call_id: 'c1', path: 'a.txt', ...change })),
    {
      type: 'tool_finished',
      tool_call_id: 'c1',
      result: { success: true, data: '', metadata: {} },
    },
  ].map((event, index) => ({ seq: index + 1, at: 0, ...event })) as Event[];
  const ports: UndoPorts = {
    workspace: workspace.value,
    files,
    log: () => events,
    dispatch: async (body) => events.push({ seq: events.length + 1, at: 0, ...body } as Event) > 0,
    holds: async () => true,
  };
  return ports;
};
const wordsOf = (outcome: Outcome<unknown>): string => (outcome.ok ? '' : outcome.error.message);

describe.each(Object.entries(WAYS))('%s', (_way, undo) => {
  it.each(STATES)('offers what can be done with a file $name', async (state) => {
    verifies('B6');
    const words = wordsOf(await undo(await refusedIn(state)));
    expect(words).toMatch(/\bkeep\b/);
    expect(words).not.toMatch(/\.\.|\. ;|\.;/);
    for (const choice of CHOICES) {
      const done = await undoLast(await refusedIn(state), choice as OnChange);
      const isOffered = new RegExp(`\\b${choice}\\b(?= \\(| puts| leaves| counts| to| writes)`).test(words);
      if (isOffered) expect(done, choice).toMatchObject({ ok: true });
      else if (choice === 'force') expect(done, choice).toMatchObject({ ok: false });
    }
  });
});
