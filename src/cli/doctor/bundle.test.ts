import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import type { Event, EventBody } from '../../core/events.ts';
import type { SessionStore } from '../../core/storage-port.ts';
import { createBundle, redact } from './bundle.ts';

const event = (seq: number, body: EventBody): Event => ({ seq, at: 1, ...body });
const EVENTS: Event[] = [
  event(1, { type: 'user_message_added', content: 'my secret question' }),
  event(2, {
    type: 'tool_finished',
    tool_call_id: 'c',
    result: {
      success: false,
      data: 'secret output',
      error_message: 'secret message',
      error_type: 'not_found',
      metadata: { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 },
    },
  }),
  event(3, { type: 'run_stopped', reason: 'limit', code: 504, name: 'ToolLoopLimitReached', message: 'secret' }),
];
const summary = {
  id: 'secret-id',
  title: 'secret',
  workspace: '/secret',
  model: 'm',
  created_at: 1,
  updated_at: 1,
  message_count: 1,
};
const sessions = {
  list: async () => ({ ok: true, value: [summary] }),
  read: async () => ({ ok: true, value: { events: EVENTS, warnings: ['x'] } }),
} as unknown as SessionStore;

describe('the bundle for a report', () => {
  it('tells what happened by names and numbers, and nothing that is the person’s own', async () => {
    verifies('U1');
    const io = fakeIo({
      env: { HOME: '/home/secret', HTTPS_PROXY: 'http://secret:secret@proxy', MY_SECRET: 'secret', LANG: 'C' },
    });
    const bundle = await createBundle({
      version: '1.2.3',
      checks: [{ name: 'data', state: 'ok', detail: '/home/secret/.local at http://me:secret@host/v1?key=secret' }],
      config: { base_url: 'http://secret@host/v1', append_system_prompt: 'secret', seed: 7 },
      sessions,
      io,
    });
    expect(JSON.stringify(bundle)).not.toContain('secret');
    expect(bundle).toMatchObject({
      halter: '1.2.3',
      checks: [{ detail: '~/.local at http://host/v1' }],
      config: { base_url: 'http://host/v1', append_system_prompt: '(set)', seed: 7 },
      environment: ['HTTPS_PROXY', 'LANG'],
      sessions: [
        {
          events: { user_message_added: 1, tool_finished: 1, run_stopped: 1 },
          failures: ['not_found', 'ToolLoopLimitReached'],
          damaged_lines: 1,
        },
      ],
    });
  });

  it('leaves no user name, password or query in an address', () => {
    const word = fc.stringMatching(/^[a-z0-9]{6,12}$/);
    fc.assert(
      fc.property(word, word, word, (user, password, query) => {
        const text = redact(`see https://${user}:${password}@example.com/path?key=${query} and on`, undefined);
        expect(text).toBe('see https://example.com/path and on');
      }),
    );
  });
});
