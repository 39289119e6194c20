/** An index beside an open session: it takes in what the session touches, and never runs hot. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { SessionUpdate } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { IndexReport } from '../core/retrieval-port.ts';
import { KeptIndex } from './keep-indexed.ts';
import type { RetrievalService } from './open-retrieval.ts';

const REPORT: IndexReport = {
  files: 1,
  indexed: 1,
  removed: 0,
  unchanged: 0,
  skipped: [],
  truncated: false,
  cancelled: false,
  seconds: 0,
  notes: [],
  warnings: [],
};

/** A service that takes so long for each look, and remembers what it was asked to look at. */
const world = (lookMs: number, outcome: Outcome<IndexReport> = succeed(REPORT)) => {
  const looks: (readonly string[] | 'everything')[] = [];
  const problems: string[] = [];
  const service = {
    index: (options?: { paths?: readonly string[] }) => {
      looks.push(options?.paths ?? 'everything');
      return new Promise<Outcome<IndexReport>>((resolve) => setTimeout(resolve, lookMs, outcome));
    },
    knows: async () => true,
    folders: async () => [],
  } as Partial<RetrievalService> as RetrievalService;
  const kept = new KeptIndex(service, scratchFolder(), (message) => problems.push(message));
  let calls = 0;
  const readFile = (path: string): void => {
    calls += 1;
    const id = `call_${calls}`;
    const message = { tool_calls: [{ id, name: 'read_file', arguments: { path } }] };
    kept.hear({ type: 'assistant_message_added', message } as unknown as SessionUpdate);
    kept.hear({ type: 'tool_finished', tool_call_id: id, result: { success: true } } as unknown as SessionUpdate);
  };
  return { kept, looks, problems, readFile };
};

describe('a kept index', () => {
  afterEach(() => void vi.useRealTimers());

  it('looks at everything once, and then at what the session read, gathered', async () => {
    verifies('Z2', 'Z20');
    vi.useFakeTimers();
    const { looks, readFile } = world(10);
    await vi.advanceTimersByTimeAsync(20);
    readFile('a.ts');
    readFile('./b.ts');
    readFile('a.ts');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toEqual(['everything', ['a.ts', 'b.ts']]);
  });

  it('rests the longer the longer a look takes, however often a file changes', async () => {
    verifies('Z20');
    vi.useFakeTimers();
    const { looks, readFile } = world(500);
    for (let at = 0; at < 100; at += 1) {
      readFile('log.md');
      await vi.advanceTimersByTimeAsync(200);
    }
    // Twenty seconds; a look and its rest are two and a half.
    expect(looks.length).toBeGreaterThan(5);
    expect(looks.length).toBeLessThanOrEqual(9);
  });

  it('says once what goes wrong, and takes in at its end what was read last', async () => {
    vi.useFakeTimers();
    const { kept, looks, problems, readFile } = world(10, failure('io_error', 'no room'));
    await vi.advanceTimersByTimeAsync(20);
    readFile('a.ts');
    const closing = kept.close();
    await vi.advanceTimersByTimeAsync(100);
    await closing;
    expect(looks.at(-1)).toEqual(['a.ts']);
    expect(problems).toEqual(['no room']);
    readFile('b.ts');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(looks).toHaveLength(2);
  });
});
