/** What was left out of the window is found in the very turn in which it is asked for, whenever room was made. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { SessionFace } from '../../../core/events.ts';
import { messageText } from '../../../core/message.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../testing/index.ts';
import type { TestAgentOptions } from '../../../testing/test-agent.ts';

const WINDOW = 4_096;
const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const FACT = 'shed 7341';
/** So many that two files in one turn are too much, and the first is not. */
const SMALL_MESSAGES = 5;
const among = (line: string): string =>
  [...Array.from({ length: 30 }, (_, at) => `${at}: ${WORDS}`), line, WORDS.repeat(20)].join('\n');

const dump = defineTool({
  name: 'dump',
  description: 'Prints a table.',
  parameters: { type: 'object', properties: {} },
  run: async () => among(`The heron sleeps in ${FACT}.`).repeat(4),
});

/** How the fact comes into the conversation: what the person says first, and what the model does at it. */
const SOURCES: Readonly<Record<string, { said: string; does(isDone: boolean): ScriptedProviderTurn }>> = {
  'what the person said': { said: among(`The heron sleeps in ${FACT}.`), does: () => ({ text: 'Yes.' }) },
  'an answer': { said: 'Where does it sleep?', does: () => ({ text: among(`The heron sleeps in ${FACT}.`) }) },
  'a file': {
    said: 'Read it.',
    does: (isDone) =>
      isDone ? { text: 'Read.' } : { calls: [{ name: 'read_file', arguments: { path: 'birds.txt', full: true } }] },
  },
  'what a call was given': {
    said: 'Write it.',
    does: (isDone) =>
      isDone
        ? { text: 'Written.' }
        : {
            calls: [
              { name: 'write_file', arguments: { path: 'w.txt', content: among(`The heron sleeps in ${FACT}.`) } },
            ],
          },
  },
  'a long result': {
    said: 'Print it.',
    does: (isDone) => (isDone ? { text: 'Printed.' } : { calls: [{ name: 'dump', arguments: {} }] }),
  },
};

const QUESTION = 'Where does the heron sleep?';
const WHENS = ['on the word of the person', 'before', 'as the message comes', 'in the middle of the turn'] as const;
type When = (typeof WHENS)[number];

/** The model reads what the last message names, then looks for the heron if it is asked for it and may. */
const opened = async (source: string, options: Partial<TestAgentOptions>) => {
  const folder = scratchFolder();
  const birds = among(`The heron sleeps in ${FACT}.`);
  putFiles(folder, { 'birds.txt': birds, 'a.txt': among('a').repeat(2), 'b.txt': among('b').repeat(2) });
  const scripted = scriptedProvider(
    (request) => {
      const usage = { prompt_tokens: wireSize(request), completion_tokens: 20 };
      const asked = request.messages.findLastIndex(({ role }) => role === 'user');
      const text = messageText(request.messages[asked]?.content ?? '');
      const done = request.messages.slice(asked).filter(({ role }) => role === 'tool').length;
      const wanted = text.match(/\b[ab]\.txt/g)?.[done];
      if (wanted) return { calls: [{ name: 'read_file', arguments: { path: wanted, full: true } }], usage };
      const isSearched = request.messages
        .slice(asked)
        .some((message) => message.role === 'tool' && message.tool_call_id.startsWith('found'));
      if (text.includes(QUESTION) && !isSearched && offersSearch(request))
        return { calls: [{ id: 'found', name: 'search_session', arguments: { query: QUESTION } }], usage };
      const first = SOURCES[source];
      if (first && text.startsWith(first.said)) return { ...first.does(done > 0), usage };
      return { text: WORDS.repeat(4), usage };
    },
    { models: [{ id: 'test-model', context_length: WINDOW }] },
  );
  const agent = await assembled({
    modelProvider: scripted,
    mode: 'yolo',
    folder,
    compaction: 'rules',
    plugins: { tools: [dump], dialects: [], providers: {}, commands: [] },
    ...options,
  });
  const session = await openedSession(agent);
  await say(session, SOURCES[source]?.said ?? '');
  return { session, scripted };
};
const offersSearch = ({ tools }: ModelRequest): boolean =>
  tools.some(({ function: { name } }) => name === 'search_session');
const compactions = (session: SessionFace): number =>
  session.log().filter(({ type }) => type === 'context_compacted').length;

const ROWS: [string, When, Partial<TestAgentOptions>][] = [
  ...WHENS.map((when): [string, When, object] => ['what the person said', when, {}]),
  ...Object.keys(SOURCES).map((source): [string, When, object] => [source, 'in the middle of the turn', {}]),
  ['a file', 'as the message comes', { mode: 'plan' }],
];

it.each(ROWS)('finds %s, where room was made %s: %j', async (source, when, options) => {
  verifies('B7');
  const { session, scripted } = await opened(source, options);
  const small = (at: number): Promise<void> => say(session, `Tell me about foxes, number ${at}. ${WORDS.repeat(4)}`);
  for (let at = 0; at < SMALL_MESSAGES; at += 1) await small(at);
  if (when === 'on the word of the person') expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
  if (when === 'before') for (let at = 3; compactions(session) === 0; at += 1) await small(at);
  const before = compactions(session);
  const sent = scripted.requests.length;
  await say(
    session,
    when === 'as the message comes'
      ? `${WORDS.repeat(180)} ${QUESTION}`
      : when === 'in the middle of the turn'
        ? `Read a.txt and b.txt. ${QUESTION}`
        : QUESTION,
  );
  if (when.endsWith('turn') || when.endsWith('comes')) expect(compactions(session)).toBeGreaterThan(before);
  const inTurn = scripted.requests.slice(sent);
  const found = session.log().findLast((event) => event.type === 'tool_finished');
  expect(found).toMatchObject({ result: { success: true, data: expect.stringContaining(FACT) } });
  expect(JSON.stringify(inTurn.at(-1)?.messages)).toContain(FACT);
  expect(session.log().filter(({ type }) => type === 'model_failed')).toEqual([]);
});

it('finds what an edit of an early message set aside, with the room that was made behind it', async () => {
  verifies('B7');
  const { session } = await opened('what the person said', {});
  const first = session.log().findLast(({ type }) => type === 'user_message_added')?.seq ?? 0;
  for (let at = 0; compactions(session) === 0; at += 1)
    await say(session, `Tell me about foxes, number ${at}. ${WORDS.repeat(4)}`);
  expect(await session.send({ type: 'branch', at_seq: first - 1 })).toEqual({ ok: true });
  await say(session, QUESTION);
  const found = session.log().findLast((event) => event.type === 'tool_finished');
  expect(found).toMatchObject({ result: { success: true, data: expect.stringContaining(FACT) } });
});
