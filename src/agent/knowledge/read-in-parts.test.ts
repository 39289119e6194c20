/** A file that has no room at once comes in parts, each of which says so first, however few its lines are. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import { smallWindowServer } from '../../../tests/support/small-window-server.ts';

const linesOf = (count: number, line: (at: number) => string, end = '\n'): string =>
  Array.from({ length: count }, (_, at) => line(at)).join(end) + end;
const PROSE = 'Some words of prose are here to be read. ';

const FILES: Readonly<Record<string, string>> = {
  'minified.js': linesOf(6, (at) => `function f${at}(){${`call(${at});`.repeat(400)}}`),
  'paragraphs.md': linesOf(24, (at) => `Paragraph ${at}. ${PROSE.repeat(12)}`),
  'windows.md': linesOf(24, (at) => `Paragraph ${at}. ${PROSE.repeat(12)}`, '\r\n'),
  'pages.txt': linesOf(3, (at) => `Page ${at}. ${PROSE.repeat(110)}`),
  'chinese.txt': linesOf(30, (at) => `第${at}段：${'我们决定把发布日期改为星期二。'.repeat(12)}`),
  'rows.csv': linesOf(60, (at) => `${at},${'0.123456,'.repeat(25)}`),
};

/** A model that reads the file so often and then answers. */
const readings = async (path: string, window: number, times: number, atOnce = 1): Promise<string[]> => {
  const folder = scratchFolder();
  putFiles(folder, FILES);
  let asked = 0;
  const { provider } = smallWindowServer({
    window,
    isTold: true,
    answer: () => {
      asked += 1;
      return asked === 1 || asked > times + 1
        ? { text: 'All right.' }
        : { calls: Array.from({ length: atOnce }, () => ({ name: 'read_file', arguments: { path } })) };
    },
  });
  const session = await openedSession(await assembled({ modelProvider: provider, mode: 'yolo', folder }));
  await say(session, 'Hello.');
  await say(session, `Go through ${path}.`);
  return session.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result.data ?? ''] : []));
};
const numbersIn = (data: string): number[] => [...data.matchAll(/^(\d+): /gm)].map(([, number]) => Number(number));

/** Said where a part is shown. */
const REST = 'the rest by reading the file again';

it.each(Object.keys(FILES).flatMap((path) => [8_192, 16_384].map((window) => [path, window] as const)))(
  'shows %s in a window of %i tokens part by part',
  async (path, window) => {
    verifies('H2');
    const [first = '', second = ''] = await readings(path, window, 2);
    const total = FILES[path]?.trimEnd().split('\n').length ?? 0;
    const shown = numbersIn(first);
    if (shown.length === total) return expect(first).not.toContain(REST);
    expect(first).toMatch(new RegExp(`^\\[${shown.length} lines? of ${total} \\(.*the rest by reading the file again`));
    expect(numbersIn(second).filter((number) => shown.includes(number))).toEqual([]);
    expect(numbersIn(second).length).toBeGreaterThan(0);
  },
);

it.each(Object.keys(FILES).flatMap((path) => [4_096, 8_192, 16_384].map((window) => [path, window] as const)))(
  'shows %s in a window of %i tokens part by part where it is read twice in one round',
  async (path, window) => {
    verifies('H2');
    const [first = '', second = ''] = await readings(path, window, 1, 2);
    const total = FILES[path]?.trimEnd().split('\n').length ?? 0;
    const shown = numbersIn(first);
    if (shown.length === total) return expect(first).not.toContain(REST);
    expect(numbersIn(second).filter((number) => shown.includes(number))).toEqual([]);
    expect(numbersIn(second).length).toBeGreaterThan(0);
  },
);
