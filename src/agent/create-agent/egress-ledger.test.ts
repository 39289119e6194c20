import { expect, it } from 'vitest';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Processes } from '../../core/ports.ts';
import type { ConnectionRecord } from '../../io/network.ts';
import { asRequester } from '../../io/requester.ts';
import { createEgressFile } from '../../storage/egress-file.ts';
import { noteCommands, noteConnections } from './egress-ledger.ts';

const record: ConnectionRecord = {
  id: 1,
  at: 5,
  method: 'GET',
  scheme: 'https',
  host: 'a.test',
  port: 443,
  address: '93.184.216.34',
  proxied: false,
  reused: false,
  result: 'connected',
};

it('notes whom a connection was for, what came of it, and what went over it', () => {
  const file = createEgressFile({ folder: scratchFolder() });
  const seen: ConnectionRecord[] = [];
  const { onConnection, onTransfer } = noteConnections(file, (made) => seen.push(made));
  onConnection({ ...record, session: 's', who: 'web_fetch' });
  onConnection({
    ...record,
    id: 2,
    session: 's',
    who: 'bash',
    call: 'c',
    result: 'blocked',
    reason: 'a private address',
  });
  onConnection({ ...record, id: 3, result: 'connect_timeout', reason: 'late', host: 'x'.repeat(1_000) });
  onTransfer({ id: 1, sent: 3, received: 4 });
  const { entries } = file.read();
  expect(entries).toMatchObject([
    { who: 'web_fetch', session: 's', verdict: 'connected', sent: 3, received: 4 },
    { who: 'bash', session: 's', call: 'c', verdict: 'refused', reason: 'a private address' },
    { verdict: 'failed', reason: 'late' },
  ]);
  expect(JSON.stringify(entries[2]).length).toBeLessThan(600);
  expect(seen.length).toBe(3);
});

it('tells two runs of halter apart that count their connections alike', () => {
  const file = createEgressFile({ folder: scratchFolder() });
  const [one, two] = [noteConnections(file), noteConnections(file)];
  one.onConnection(record);
  two.onConnection(record);
  two.onTransfer({ id: 1, sent: 9, received: 9 });
  expect(file.read().entries.map((entry) => 'sent' in entry)).toEqual([false, true]);
});

it("notes commands that a model wrote, started or run, and none of halter's own", async () => {
  const file = createEgressFile({ folder: scratchFolder() });
  const made: string[] = [];
  const failed = { ok: false as const, error: { error_type: 'io_error' as const, message: '' } };
  const processes: Processes = {
    run: async ({ command }) => {
      made.push(command.join(' '));
      return failed;
    },
    open: async ({ command }) => {
      made.push(command.join(' '));
      return failed;
    },
  };
  const noted = noteCommands(processes, file, { isSandboxed: () => true, now: () => 7 });
  const rest = { timeoutMs: 1, signal: new AbortController().signal, maxOutputBytes: 1 };
  await asRequester({ session: 's', who: 'bash' }, () =>
    noted.run({ command: ['curl', 'secret'], confined: true, ...rest }),
  );
  await asRequester({ who: 'bash' }, async () =>
    noted.open?.({ command: ['serve'], confined: true, onOutput: () => {} }),
  );
  await noted.run({ command: ['git'], ...rest });
  expect(made).toEqual(['curl secret', 'serve', 'git']);
  expect(file.read().entries).toEqual([
    { type: 'command', at: 7, session: 's', who: 'bash', network: 'none' },
    { type: 'command', at: 7, who: 'bash', network: 'none' },
  ]);
});
