/** However many results come in one turn, and however long they are: no prompt is larger than the window. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { bigTool } from '../../../../tests/support/big-tool.ts';
import { everyNth } from '../../../../tests/support/long.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';

const FORMS = {
  words: 'The quick brown fox jumps over the lazy dog. ',
  short: 'x1 ',
  signs: '狐は犬を飛び越える。',
} as const;
type Form = keyof typeof FORMS;

type Row = { window: number; isTold: boolean; count: number; characters: number; form: Form; rounds: 1 | 2 };

const MESSAGES = ['Remember: the release is called heron-7.', 'much', 'and then?', 'much', 'and then?'];

/** Calls the tool so often in one turn: all at once, or in two rounds. */
const conversation = async ({ window, isTold, count, characters, form, rounds }: Row) => {
  const calls = Array.from({ length: Math.ceil(count / rounds) }, () => ({ name: 'big', arguments: {} }));
  let called = 0;
  const { provider, refused } = smallWindowServer({
    window,
    isTold,
    answer: (request) => {
      const isCall = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')).includes('much');
      if (!isCall || called % (rounds + 1) === rounds) {
        if (isCall) called += 1;
        return { text: 'done' };
      }
      called += 1;
      return { calls };
    },
  });
  const plugins = { tools: [bigTool(FORMS[form], characters)], dialects: [], commands: [], providers: {} } as never;
  const session = await openedSession(await assembled({ modelProvider: provider, mode: 'yolo', plugins }));
  for (const text of MESSAGES) await say(session, text);
  return { session, requests: provider.requests, refused: refused.length };
};

const ROWS: Row[] = [2_048, 4_096, 8_192].flatMap((window) =>
  [true, false].flatMap((isTold) =>
    [1, 2, 6, 12].flatMap((count) =>
      [300, 9_000].flatMap((characters) =>
        (Object.keys(FORMS) as Form[]).map((form, at) => ({
          window,
          isTold,
          count,
          characters,
          form,
          rounds: at % 2 ? 2 : 1,
        })),
      ),
    ),
  ),
);

it.each(everyNth(ROWS, 13))(
  'no prompt is larger than $window tokens, told $isTold: $count results of $characters characters ($form)',
  async (row) => {
    verifies('B7');
    const { session, requests, refused } = await conversation(row);
    expect(session.log().flatMap((event) => (event.type === 'model_failed' ? [event.message] : []))).toEqual([]);
    expect(session.log().filter(({ type }) => type === 'run_completed')).toHaveLength(MESSAGES.length);
    // Where nobody told the window, one prompt is refused, and none after it.
    expect(requests.filter((request) => wireSize(request) > row.window)).toHaveLength(refused);
    expect(refused).toBeLessThanOrEqual(row.isTold ? 0 : 1);
  },
);
