/** A view of a file says rightly which of its lines it shows, however little room the window has for it. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { JsonObject } from '../../../core/json.ts';
import { scriptedProvider } from '../../../testing/index.ts';

/** What a model reads of a file that it reads so many times in one message. */
const views = async (window: number, lines: number, args: JsonObject, times: number): Promise<string[]> => {
  const folder = scratchFolder();
  putFiles(folder, {
    'f.txt': Array.from({ length: lines }, (_, at) =>
      `line ${at} of handlers, which waits and tries again`.repeat(2),
    ).join('\n'),
  });
  const scripted = scriptedProvider(
    (request) => {
      const usage = { prompt_tokens: wireSize(request), completion_tokens: 20 };
      const done = request.messages.filter(({ role }) => role === 'tool').length;
      return done < times
        ? { calls: [{ name: 'read_file', arguments: { path: 'f.txt', ...args } }], usage }
        : { text: 'Read.', usage };
    },
    { models: [{ id: 'test-model', context_length: window }] },
  );
  const session = await openedSession(await assembled({ modelProvider: scripted, mode: 'yolo', folder }));
  await say(session, 'Read f.txt.');
  return session.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result.data ?? ''] : []));
};
const shownIn = (view: string): number[] => [...view.matchAll(/^(\d+): /gm)].map(([, number]) => Number(number));
/** The lines that a view says it shows. */
const saidIn = (view: string, total: number): number[] => {
  const [, curated, ranges] = /\[(\d+) lines? of \d+ \(([^)]*)\)/.exec(view) ?? [];
  const [, plain] = /\[lines ([^\]]*?) of \d+/.exec(view) ?? [];
  const said = ranges ?? plain;
  const all = said === undefined ? [[1, total]] : said.split(', ').map((range) => range.split('–').map(Number));
  const numbers = all.flatMap(([from = 0, to = from]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  if (curated !== undefined) expect(numbers).toHaveLength(Number(curated));
  return numbers;
};

const argumentsFor = (lines: number): JsonObject[] => [{}, { full: true }, { line_start: 2, line_end: lines }];

it.each(
  [4_096, 8_192].flatMap((window) =>
    [60, 95, 145].flatMap((lines) => argumentsFor(lines).map((args) => [window, lines, args] as const)),
  ),
)('in a window of %i tokens, of %i lines: %j', async (window, lines, args) => {
  verifies('B7', 'H3');
  const [view = ''] = await views(window, lines, args, 1);
  const shown = shownIn(view);
  expect(shown.length).toBeGreaterThan(10);
  expect(saidIn(view, lines)).toEqual(shown);
  expect(view).not.toContain('characters;');
});

it('shows what is left where a file is read again in the same message, until all was shown', async () => {
  verifies('B7', 'H3');
  const all = await views(8_192, 145, {}, 4);
  expect(new Set(all.flatMap(shownIn)).size).toBe(145);
});
