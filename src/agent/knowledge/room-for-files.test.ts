import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import { scriptedProvider } from '../../testing/index.ts';

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
});
