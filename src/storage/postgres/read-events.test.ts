import { describe, expect, test } from 'vitest';
import { type Outcome, succeed } from '../../core/outcome.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { Database, Rows } from './database.ts';
import { createEventReader } from './read-events.ts';

const SESSION = { id: 's', number: '1' };
const PART = STORAGE_LIMITS.databaseReadEvents;
const BODY = { at: 1, type: 'session_renamed', title: 'A title' };

/** Answers as the table does, and notes what is asked and where what it gave is looked at. */
const tableOf = (bodies: readonly string[]) => {
  const noted: string[] = [];
  const query = async ({ values = [] }: { values?: readonly unknown[] }): Promise<Outcome<Rows<object>>> => {
    const after = Number(values[1]);
    noted.push(`asked for what follows ${after}`);
    const rows = bodies.slice(after, after + PART).map((body, index, part) => ({
      seq: String(after + index + 1),
      next: index + 1 < part.length ? String(after + index + 2) : null,
      get body() {
        if (index === 0) noted.push(`looked at ${after + 1}`);
        return body;
      },
    }));
    return succeed({ rows, repeated: false });
  };
  return { noted, read: createEventReader({ query } as unknown as Database) };
};
const bodiesTo = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => JSON.stringify({ seq: index + 1, ...BODY }));

describe('reading a session from the table', () => {
  test('asks for the next part before it looks at the one it has', async () => {
    const { noted, read } = tableOf(bodiesTo(PART + 1));
    const all = await read(SESSION);
    expect(all.ok && all.value.events.length).toBe(PART + 1);
    expect(noted).toEqual([
      'asked for what follows 0',
      `asked for what follows ${PART}`,
      'looked at 1',
      `looked at ${PART + 1}`,
    ]);
  });

  for (const count of [0, 1, PART - 1, PART, PART + 1, 2 * PART]) {
    test(`reads each of ${count} once, in order, and names the damaged one`, async () => {
      const bodies = bodiesTo(count);
      const damaged = count - 1;
      if (count > 0) bodies[damaged] = JSON.stringify({ seq: count, ...BODY, title: 7 });
      const all = await tableOf(bodies).read(SESSION);
      if (!all.ok) throw new Error(all.error.message);
      expect(all.value.events.map(({ seq }) => seq)).toEqual(
        Array.from({ length: Math.max(0, damaged) }, (_, i) => i + 1),
      );
      expect(all.value.lastSeq).toBe(count);
      expect(all.value.warnings).toHaveLength(count > 0 ? 1 : 0);
    });
  }
});
