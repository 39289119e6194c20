/** What a turn works with stays as long as it fits, in windows as small as people have. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { AGENT_LIMITS } from '../../limits.ts';

const WINDOW = 4_096;
const WORDS = 'The quick brown fox jumps over the lazy dog. ';

/** A model that reads the files that a message names, one after the other, and then answers. */
const reading = async (lines: number) => {
  const folder = scratchFolder();
  const names = Array.from({ length: 8 }, (_, n) => `f${n}.txt`);
  putFiles(folder, Object.fromEntries(names.map((name) => [name, fileText(name, lines)])));
  const asked = new Map<string, number>();
  const { provider } = smallWindowServer({
    window: WINDOW,
    isTold: true,
    answer: (request) => {
      const said = JSON.stringify(request.messages.findLast(({ role }) => role === 'user'));
      const message = /(?:Compare|Read) [^"\\]*/.exec(said)?.[0] ?? '';
      const done = asked.get(message) ?? 0;
      asked.set(message, done + 1);
      const path = message.match(/f\d\.txt/g)?.[done];
      return path === undefined
        ? { text: WORDS.repeat(4) }
        : { calls: [{ name: 'read_file', arguments: { path, full: true } }] };
    },
  });
  const session = await openedSession(await assembled({ modelProvider: provider, mode: 'yolo', folder }));
  return { session, requests: provider.requests };
};
const fileText = (name: string, lines: number): string =>
  Array.from({ length: lines }, (_, at) => `${name} line ${at}: ${WORDS}`).join('\n');
const shows = (request: ModelRequest | undefined, name: string, lines: number): boolean =>
  JSON.stringify(request?.messages).includes(`${name} line ${Math.floor(lines / 2)}:`);

it.each([
  [40, 2],
  [50, 2],
  [36, 3],
  [30, 4],
  [28, 6],
])('keeps in the middle of a turn what still fits: %i lines, %i files', async (lines, files) => {
  verifies('B7');
  const { session, requests } = await reading(lines);
  for (let at = 0; at < 5; at += 1) await say(session, `Tell me about foxes, number ${at}. ${WORDS.repeat(5)}`);
  const names = Array.from({ length: files }, (_, n) => `f${n}.txt`);
  await say(session, `Compare ${names.join(' and ')}.`);
  const last = requests.at(-1);
  const shown = names.filter((name) => shows(last, name, lines));
  const each = fileText('f0.txt', lines).length / 3.5;
  expect(shown).toContain(names.at(-1));
  // One more of them would leave less than a third free.
  if (shown.length < files)
    expect(wireSize(last as ModelRequest) + each).toBeGreaterThan(WINDOW * (1 - AGENT_LIMITS.compactionFreeShareMin));
  expect(session.log().filter(({ type }) => type === 'model_failed')).toEqual([]);
});

it.each([42, 60, 75])('has the file just read in the prompt at the next message: %i lines', async (lines) => {
  verifies('B7');
  const { session, requests } = await reading(lines);
  for (let at = 0; at < 4; at += 1) await say(session, `Tell me about foxes, number ${at}. ${WORDS.repeat(5)}`);
  await say(session, 'Read f3.txt.');
  expect(shows(requests.at(-1), 'f3.txt', lines)).toBe(true);
  await say(session, 'What does it say in its middle?');
  expect(shows(requests.at(-1), 'f3.txt', lines)).toBe(true);
});
