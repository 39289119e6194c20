/** Storage in memory keeps to the same port as files and PostgreSQL. */
import { describe, expect, it } from 'vitest';
import type { Event } from '../core/events.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { createMemoryStorage } from './memory-storage.ts';

const started = (id: string, workspace = '/w'): Event => ({
  seq: 1,
  at: 10,
  type: 'session_started',
  version: 1,
  session_id: id,
  workspace,
  model: 'm',
  limits: DEFAULT_LIMITS,
});

describe('sessions in memory', () => {
  it('are there again for as long as the storage is', async () => {
    const { sessions } = createMemoryStorage();
    const first = await sessions.open('s');
    if (!first.ok) throw new Error(first.error.message);
    await first.value.log.append(started('s'));
    expect(await sessions.open('s')).toMatchObject({ ok: false, error: { reason: 'in_use' } });
    await first.value.log.close();
    expect(await sessions.open('s')).toMatchObject({ ok: true, value: { events: [{ type: 'session_started' }] } });
    expect(await sessions.read('other')).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
  });

  it('are listed newest first with their title and count, and refuse names that are none', async () => {
    const { sessions } = createMemoryStorage();
    const message: Event = { seq: 2, at: 20, type: 'user_message_added', content: 'Hello there' };
    await sessions.create('old', [started('old')]);
    await sessions.create('new', [started('new'), message]);
    await sessions.create('far', [started('far', '/else')]);
    expect(await sessions.create('new', [])).toMatchObject({ ok: false, error: { reason: 'exists' } });
    expect(await sessions.open('../up')).toMatchObject({ ok: false });
    const listed = await sessions.list({ workspace: '/w' });
    expect(listed).toMatchObject({
      ok: true,
      value: [
        { id: 'new', title: 'Hello there', message_count: 1, updated_at: 20 },
        { id: 'old', title: '', message_count: 0 },
      ],
    });
    await sessions.remove('new');
    expect(await sessions.ids()).toEqual({ ok: true, value: ['old', 'far'] });
  });
});
