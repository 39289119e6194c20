/** Harnesses of a program that keep their conversations in one database are one guest of it. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { describePostgres, usePostgres } from '../../tests/support/postgres.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const HARNESSES = 6;
/** What one of them takes alone: one that hears and holds a number, and those for statements at the same time. */
const CONNECTIONS_MAX = 11;
const PATIENCE_MS = 10_000;

const postgres = usePostgres();
const harness = (url: string, more: Partial<HarnessOptions> = {}): Harness => {
  const made = createHarness({
    model: 'm',
    workspace: scratchFolder(),
    provider: scriptedProvider(() => ({ text: 'Hello.' })),
    storage: { kind: 'postgres', url },
    ...more,
  });
  onTestFinished(() => made.close());
  return made;
};

describePostgres('harnesses with one database', () => {
  it('share its connections, and the last one that closes ends them', async () => {
    const url = await postgres().url('shared_connections');
    const connections = async () =>
      Number(await postgres().sql("SELECT count(*) FROM pg_stat_activity WHERE datname = 'shared_connections'"));
    const one = harness(url);
    await one.chat('Go');
    const others = Array.from({ length: HARNESSES }, () => harness(url));
    await Promise.all([...others.map((other) => other.chat('Go')), one.chat('Go')]);
    expect(await connections()).toBeLessThanOrEqual(CONNECTIONS_MAX);
    await one.close();
    for (const other of others.slice(1)) await other.close();
    expect((await others[0]?.chat('Still there?'))?.answer).toBe('Hello.');
    await others[0]?.close();
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: PATIENCE_MS });
    expect((await harness(url).chat('Go')).answer).toBe('Hello.');
  });

  it("go on with each other's sessions one after the other, and not at the same time", async () => {
    const url = await postgres().url('shared_sessions');
    const same = { session: 'ours', workspace: scratchFolder() };
    const [one, other] = [harness(url, same), harness(url, same)];
    await one.chat('First');
    await expect(other.chat('Second')).rejects.toMatchObject({
      reason: 'in_use',
      message: expect.stringContaining('go on with a copy of it (fork: true)'),
    });
    await one.close();
    await expect(harness(url, { session: 'ours' }).chat('Elsewhere')).rejects.toThrow(/folder .* with `messages` of/);
    await other.chat('Second');
    expect((await other.messages()).filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      'First',
      'Second',
    ]);
  });

  it('are told of an address that is wrong each time, and go on once it is right', async () => {
    const url = await postgres().url('shared_later');
    const wrong = url.replace('shared_later', 'shared_nowhere');
    for (const _ of [1, 2]) await expect(harness(wrong).chat('Go')).rejects.toThrow('createdb');
    expect((await harness(url).chat('Go')).answer).toBe('Hello.');
  });
});
