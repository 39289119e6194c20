import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import { callTool, createTestContext } from '../../../tests/support/tool-context.ts';
import type { Event } from '../../core/events.ts';
import type { Curator } from '../../core/retrieval-port.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { readFile } from '../../tools/read-file.ts';
import { withRoom } from './room-for-files.ts';

const LINE = 'export const nothing = (value: number): number => value + 1;';
/** A file of so many lines of about 60 characters. */
const file = (lines: number): string =>
  `${Array.from({ length: lines }, (_, at) => `${LINE} // ${at + 1}`).join('\n')}\n`;
const read = { calls: [{ name: 'read_file', arguments: { path: 'long.ts' } }] };

const results = async (lines: number, contextTokens: number, reads: number): Promise<string[]> => {
  const folder = scratchFolder();
  putFiles(folder, { 'long.ts': file(lines) });
  const turns = [...Array.from({ length: reads }, () => read), { text: 'done' }];
  const models = [{ id: 'test-model', context_length: contextTokens }];
  const agent = await assembled({ folder, modelProvider: scriptedProvider(turns, { models }), mode: 'yolo' });
  const session = await openedSession(agent);
  await say(session, 'What is in long.ts?');
  return session.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result.data ?? ''] : []));
};
const numbers = (data: string): number[] => [...data.matchAll(/^(\d+): /gm)].map(([, number]) => Number(number));

describe('a long file', () => {
  it('is shown whole where the window has room for it', async () => {
    verifies('H3');
    const [small] = await results(105, 16_384, 1);
    expect(numbers(small ?? '')).toHaveLength(105);
    expect(small).not.toContain('left out');
    const [large] = await results(500, 131_072, 1);
    expect(numbers(large ?? '')).toHaveLength(500);
  });

  it('says in its first line how much is shown, and shows the rest when it is read again', async () => {
    verifies('H3');
    const [first = '', second = ''] = await results(400, 32_768, 2);
    expect(first.split('\n')[0]).toMatch(/^\[\d+ lines of 400 \(.*reading the file again.*line_start/);
    const shown = new Set(numbers(first));
    expect(shown.size).toBeLessThan(400);
    const rest = numbers(second);
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.filter((number) => shown.has(number))).toEqual([]);
    expect(new Set([...shown, ...rest]).size).toBe(400);
  });

  it('costs no more late in a long session than early', async () => {
    const resolved: string[] = [];
    const finished = (seq: number): Event[] => {
      const tool_call_id = `c${seq}`;
      const call = {
        id: tool_call_id,
        name: 'read_file',
        arguments: { path: 'long.ts' },
        source: 'native',
        repairs: [],
      };
      const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 0 };
      const result = { success: true, data: 'x', error_message: null, error_type: 'none', metadata };
      const message = { role: 'assistant', content: '', tool_calls: [call], finish: 'tool_calls' };
      return [
        { type: 'user_message_added', content: 'go' },
        { type: 'assistant_message_added', message },
        { type: 'tool_finished', tool_call_id, result },
      ].map((body, at) => ({ ...body, seq: seq + at, at: 0 }) as Event);
    };
    const room = (turns: number) => ({
      events: () => Array.from({ length: turns }, (_, at) => finished(at * 3 + 1)).flat(),
      resolve: (path: string) => {
        resolved.push(path);
        return { ok: true, value: path } as const;
      },
      freeCharacters: () => 40_000,
    });
    const curator: Curator = { curate: () => Promise.reject(new Error('it is shown whole')) };
    const looks = async (turns: number): Promise<number> => {
      resolved.length = 0;
      const shown = { path: 'long.ts', text: file(20) } as Parameters<Curator['curate']>[0];
      await withRoom(curator, { of: {}, ...room(turns) }).curate(shown, new AbortController().signal);
      return resolved.length;
    };
    expect(await looks(300)).toBe(await looks(2));
  });
});

describe('readings of one file in one round', () => {
  /** What a curator is asked for waits until it is answered. */
  const begun = () => {
    const answers: ((isRead: boolean) => void)[] = [];
    const curator: Curator = {
      curate: () =>
        new Promise((resolve, reject) => {
          answers.push((isRead) =>
            isRead
              ? resolve({ sections: [{ line_start: 1, line_end: 5 }], outline: [], by: 'deterministic', cached: false })
              : reject(new Error('aborted')),
          );
        }),
    };
    const shown = { path: 'long.ts', hash: 'h', text: file(2_000) };
    const room = { events: () => [], resolve: (path: string) => ({ ok: true, value: path }) as const };
    const curated = withRoom(curator, { of: {}, ...room, freeCharacters: () => 4_000 });
    const read = async (signal: AbortSignal): Promise<string> => {
      const { sections } = await curated.curate(shown, signal);
      curated.shown?.(shown, { total: 2_000, ranges: sections.map((one) => [one.line_start, one.line_end]) });
      return sections.map((one) => `${one.line_start}-`).join();
    };
    return { answers, read };
  };
  const reason = (read: Promise<string>): Promise<string> => read.catch(() => 'given up');
  const never = new AbortController().signal;

  it('wait no longer than their own time, and let the others keep their order', async () => {
    verifies('H3');
    const { answers, read } = begun();
    const time = new AbortController();
    const first = read(never);
    const second = reason(read(time.signal));
    const third = read(never);
    await expect.poll(() => answers.length).toBe(1);
    time.abort();
    expect(await second).toBe('given up');
    expect(answers).toHaveLength(1);
    answers[0]?.(true);
    expect(await first).toBe('1-');
    expect(await third).toBe('6-');
  });

  it('count only where they were read', async () => {
    verifies('H3');
    const { answers, read } = begun();
    const first = reason(read(never));
    const second = read(never);
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.(false);
    expect(await first).toBe('given up');
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.(true);
    expect(await second).toBe('1-');
  });
});

describe('a reading that ends', () => {
  it.each([
    ['in its time', false],
    ['after its time', true],
  ])('%s tells what the model was shown of it', async (_, isLate) => {
    verifies('H3');
    const folder = scratchFolder();
    putFiles(folder, { 'long.ts': file(2_000) });
    const context = await createTestContext({ root: folder });
    const call = new AbortController();
    const told: unknown[] = [];
    const curator: Curator = {
      async curate() {
        if (isLate) call.abort();
        return { sections: [{ line_start: 1, line_end: 5 }], outline: [], by: 'deterministic', cached: false };
      },
      shown: (_file, lines) => told.push(lines),
    };
    await callTool(readFile, { path: 'long.ts' }, { ...context, curator }, call.signal);
    context.close();
    await expect.poll(() => told).toEqual([isLate ? undefined : { total: 2_000, ranges: [[1, 5]] }]);
  });
});
