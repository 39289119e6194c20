/** However many calls one turn takes: it ends with an answer, and the model knows what it has done. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { everyNth } from '../../../../tests/support/long.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelMessage } from '../../../core/message.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import { AGENT_LIMITS } from '../../limits.ts';

/** `isTold`: the server tells its window beforehand, else with the prompt that it refuses. */
type Row = { window: number; isTold: boolean; rounds: number; written: number; read: number; words: number };

const textOf = (characters: number): string =>
  'The quick brown fox jumps over the lazy dog. '.repeat(Math.ceil(characters / 45)).slice(0, characters);

const writer = (read: number) =>
  defineTool({
    name: 'work',
    description: 'Works on a file.',
    risk: 'safe',
    effects: 'none',
    parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
    run: async () => textOf(read),
  });

/** One message of a person, answered by so many rounds of calls; then another message. */
const conversation = async ({ window, isTold, rounds, written, read, words }: Row) => {
  let called = 0;
  const { provider, refused } = smallWindowServer({
    window,
    isTold,
    answer: () => {
      called += 1;
      if (called > rounds) return { text: 'done' };
      const call = { name: 'work', arguments: { path: `file-${called}.ts`, content: textOf(written) } };
      return { text: textOf(words), calls: [call] };
    },
  });
  const plugins = { tools: [writer(read)], dialects: [], commands: [], providers: {} } as never;
  const agent = await assembled({ modelProvider: provider, mode: 'yolo', plugins, maxIterations: rounds + 1 });
  const session = await openedSession(agent);
  await say(session, 'Remember: the release is called heron-7. Do all of the work.');
  await say(session, 'What is the release called?');
  return { session, requests: provider.requests, refused: refused.length };
};

const callsOf = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) => (message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : []));
const answeredOf = (messages: readonly ModelMessage[]): string[] =>
  messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));

const ROWS: Row[] = [4_096, 8_192, 16_384].flatMap((window) =>
  [true, false].flatMap((isTold) =>
    [20, 60].flatMap((rounds) =>
      [0, 600, 4_000].flatMap((written) =>
        [100, 3_000].flatMap((read) => [0, 300].map((words) => ({ window, isTold, rounds, written, read, words }))),
      ),
    ),
  ),
);

it.each(everyNth(ROWS, 19))(
  'a turn of $rounds rounds ends in $window tokens, told $isTold: $written characters written, $read read and $words said in each',
  async (row) => {
    verifies('B7');
    const { session, requests, refused } = await conversation(row);
    expect(refused).toBeLessThanOrEqual(row.isTold ? 0 : 1);
    const learned = session
      .log()
      .flatMap((event) => (event.type === 'context_compacted' ? [event.report?.window_learned] : []));
    for (const how of learned) expect(how).toBe(row.isTold ? undefined : 'shown');
    expect(session.log().flatMap((event) => (event.type === 'model_failed' ? [event.message] : []))).toEqual([]);
    expect(session.log().filter(({ type }) => type === 'run_completed')).toHaveLength(2);
    const sent = requests.filter((request) => wireSize(request) <= row.window).slice(0, row.rounds);
    for (const [index, { messages }] of sent.entries()) {
      const text = JSON.stringify(messages);
      expect(text).toContain('heron-7');
      // The newest round stands in the prompt, or what it did is told.
      if (index > 0) expect(text).toContain(`file-${index}.ts`);
      expect(answeredOf(messages)).toEqual(callsOf(messages));
    }
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('heron-7');
  },
);

it('tells the person how many calls were left out, and the model what they did', async () => {
  const { session, requests } = await conversation({
    window: 8_192,
    isTold: true,
    rounds: 60,
    written: 4_000,
    read: 100,
    words: 0,
  });
  const answered = session.log().findIndex(({ type }) => type === 'run_completed');
  const made = session
    .log()
    .slice(0, answered)
    .filter((event) => event.type === 'context_compacted');
  const calls = made.map(({ report }) => report?.calls ?? 0);
  expect(calls).toEqual(calls.toSorted((one, other) => one - other));
  expect(calls.at(-1)).toBeGreaterThan(40);
  const person = requests[60]?.messages.findLast(({ role }) => role === 'user');
  expect(person?.content).toMatch(
    /do not do it again:\n- \d+ earlier steps?\n- work \{"path":"file-\d+\.ts".*it succeeded/,
  );
});

it('tells each of a few calls that wrote much, where there is room for their lines', async () => {
  const { requests } = await conversation({
    window: 8_192,
    isTold: true,
    rounds: 8,
    written: 4_000,
    read: 100,
    words: 0,
  });
  const text = String(requests[8]?.messages.findLast(({ role }) => role === 'user')?.content);
  const told = Array.from({ length: 8 }, (_, index) => `file-${index + 1}.ts`).filter((file) => text.includes(file));
  const whole = callsOf(requests[8]?.messages ?? []);
  expect(told.length + whole.length).toBe(8);
});

/** Of the window, what may stand after room was made. */
const STANDS_MOST = 1 - AGENT_LIMITS.compactionFreeShareMin;
/** A file that was read and then changed stays whole as long as it fits. */
const ROUNDS_WHOLE = 2;
const LONG_ROWS = [4_096, 8_192, 16_384].flatMap((window) =>
  [
    { written: 0, read: 600, words: 0 },
    { written: 0, read: 1_500, words: 0 },
    { written: 0, read: 2_200, words: 0 },
    { written: 0, read: 3_000, words: 0 },
    { written: 600, read: 3_000, words: 100 },
    { written: 2_000, read: 300, words: 100 },
  ].map((row) => ({ window, isTold: true, rounds: 60, ...row })),
);

it.each(LONG_ROWS)(
  'frees a third where a turn of 60 rounds needs room in $window tokens: $written characters written, $read read',
  async (row) => {
    verifies('B7');
    const { session } = await conversation(row);
    const log = session.log();
    const answered = log.findIndex(({ type }) => type === 'run_completed');
    const full: [number, number | undefined][] = [];
    let rounds = 0;
    for (const event of log.slice(0, answered)) {
      if (event.type === 'assistant_message_added') rounds += 1;
      if (event.type !== 'context_compacted' || rounds <= ROUNDS_WHOLE) continue;
      const after = event.report?.after_tokens ?? Number.POSITIVE_INFINITY;
      if (after > row.window * STANDS_MOST) full.push([rounds, after]);
    }
    expect(full).toEqual([]);
  },
);

it.each([
  [4_096, 12, 1_800],
  [4_096, 24, 1_800],
  [4_096, 12, 1_500],
  [4_096, 12, 2_500],
  [8_192, 30, 3_000],
  [8_192, 30, 6_000],
])(
  'keeps what the person said in a long turn, whose results can be read again: %i tokens, %i facts, %i read',
  async (window, count, read) => {
    verifies('B7');
    const facts = Array.from(
      { length: count },
      (_, at) => `The limit of part ${at} is ${1_000 + at * 37}, please keep it in mind.`,
    );
    let called = 0;
    const { provider } = smallWindowServer({
      window,
      isTold: true,
      answer: ({ messages }) => {
        const said = messages.findLast(({ role }) => role === 'user');
        if (!JSON.stringify(said).includes('Do all of the work') || called >= 20) return { text: 'All right.' };
        called += 1;
        return { calls: [{ name: 'work', arguments: { path: `file-${called}.ts` } }] };
      },
    });
    const plugins = { tools: [writer(read)], dialects: [], commands: [], providers: {} } as never;
    const session = await openedSession(
      await assembled({ modelProvider: provider, mode: 'yolo', plugins, maxIterations: 21 }),
    );
    for (const fact of facts) await say(session, fact);
    await say(session, 'Do all of the work.');
    expect(session.log().some(({ type }) => type === 'context_compacted')).toBe(true);
    const missing = provider.requests.slice(count).map(({ messages }) => {
      const text = JSON.stringify(messages);
      return facts.filter((_, at) => !text.includes(String(1_000 + at * 37))).length;
    });
    expect(missing.filter((number) => number > 0)).toEqual([]);
  },
);
