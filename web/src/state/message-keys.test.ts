import { expect, test } from 'vitest';
import { createApi } from './api.ts';

const message = (content: string) => ({ type: 'send_message', content }) as const;

test('a message without an answer is sent again under its key, and the next one has another', async () => {
  const sent: { content: string; idempotency_key: string }[] = [];
  const answers: (number | 'broken')[] = ['broken', 502, 'broken', 'broken', 200, 200, 409];
  const api = createApi(async (_path, init) => {
    sent.push(JSON.parse(String(init?.body)));
    const answer = answers[sent.length - 1];
    if (answer === 'broken') throw new TypeError('fetch failed');
    return new Response('{}', { status: Number(answer) });
  });
  // Sent twice by itself, and a third time by the person.
  expect(await api.command('s', message('go'))).toMatchObject({ ok: false, status: 502 });
  expect(await api.command('s', message('go'))).toMatchObject({ ok: false, status: 0 });
  expect(await api.command('s', message('go'))).toMatchObject({ ok: true });
  const [first, ...others] = sent.map(({ idempotency_key }) => idempotency_key);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(others).toEqual(Array.from({ length: 4 }, () => first));
  // The same words once more are another message, and what was refused was answered.
  await api.command('s', message('go'));
  await api.command('s', message('go'));
  expect(new Set(sent.map(({ idempotency_key }) => idempotency_key)).size).toBe(3);
});
