/** A conversation longer than its window is the same on every surface: a session of the program, the library, HTTP. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelRequest } from '../src/core/model-port.ts';
import { estimateTokens } from '../src/core/window/tokens.ts';
import { createHarness } from '../src/harness/create-harness.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { inTurn } from './support/long.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const WINDOW = 8_192;
const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const FILES = Object.fromEntries(
  [0, 1, 2, 3].map((n) => [`f${n}.txt`, `${`${n} ${WORDS}\n`.repeat(90)}there are nine foxes\n`]),
);
const textOf = ({ messages }: ModelRequest): string => JSON.stringify(messages);
const sizeOf = (request: ModelRequest): number => estimateTokens(textOf(request) + JSON.stringify(request.tools));
const isNotes = (request: ModelRequest): boolean => textOf(request).includes('Write notes for yourself');

/** A model that reads the file that a message names, behind a server that refuses what is larger than its window. */
const answerTo = (request: ModelRequest): ScriptedProviderTurn => {
  const prompt_tokens = sizeOf(request);
  if (prompt_tokens > WINDOW)
    return { error: { code: 'context_overflow', message: 'too long', window_tokens: WINDOW, prompt_tokens } };
  const usage = { prompt_tokens, completion_tokens: 20 };
  if (isNotes(request)) return { text: '{"goal": "read the foxes", "facts": ["there are nine foxes"]}', usage };
  const last = request.messages.at(-1);
  const [path] = /f\d\.txt/.exec(last?.role === 'user' ? JSON.stringify(last.content) : '') ?? [];
  return path ? { calls: [{ name: 'read_file', arguments: { path } }], usage } : { text: WORDS.repeat(6), usage };
};

type Surface = { say(text: string): Promise<unknown>; requests: readonly ModelRequest[] };
type Open = (told: number | undefined) => Promise<Surface>;
const modelsOf = (id: string, told: number | undefined) => [{ id, ...(told ? { context_length: told } : {}) }];

const SURFACES: readonly (readonly [name: string, open: Open])[] = [
  [
    'a session',
    async (told) => {
      const folder = scratchFolder();
      putFiles(folder, FILES);
      const scripted = scriptedProvider(answerTo, { models: modelsOf('test-model', told) });
      const session = await openedSession(await assembled({ modelProvider: scripted, mode: 'yolo', folder }));
      return { say: (text) => say(session, text), requests: scripted.requests };
    },
  ],
  [
    'the library',
    async (told) => {
      const workspace = scratchFolder();
      putFiles(workspace, FILES);
      const provider = scriptedProvider(answerTo, { models: modelsOf('scripted', told) });
      const tools = BUILT_IN_TOOLS.filter(({ name }) => name === 'read_file');
      const harness = createHarness({ model: 'scripted', provider, workspace, tools, permissions: { mode: 'yolo' } });
      onTestFinished(() => harness.close());
      return { say: async (text) => harness.chat(text), requests: provider.requests };
    },
  ],
  [
    'HTTP',
    async (told) => {
      const server = await testServer(async (request) => answerTo(request), {
        models: modelsOf('m', told),
        mode: 'yolo',
      });
      putFiles(server.folder, FILES);
      const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
      const ask = async (message: string): Promise<void> => {
        const response = await server.call('POST', '/api/chat', { chat_id: id, message });
        expect(response.status).toBe(200);
      };
      return { say: ask, requests: server.provider.requests };
    },
  ],
];
const offersSearch = ({ tools }: ModelRequest): boolean =>
  tools.some(({ function: { name } }) => name === 'search_session');

const WINDOWS: readonly (readonly [kind: string, told: number | undefined])[] = [
  ['told', WINDOW],
  ['hidden', undefined],
  ['told wrong', 8 * WINDOW],
];
/** Usually each kind of window on one surface, in turn. */
const ROWS = SURFACES.map(([name, open], index) => [name, open, inTurn(WINDOWS, index, SURFACES.length)] as const);

describe.each(ROWS)('a conversation longer than its window, in %s', (_name, open, windows) => {
  it.each(windows)('goes on, and nothing important is forgotten (window %s)', async (kind, told) => {
    verifies('B7');
    const { say: ask, requests } = await open(told);
    await ask('Remember: the release is called heron-7, and it goes out on Friday.');
    for (let at = 0; at < 10; at += 1) {
      await ask(`Read f${at % 4}.txt, for the ${at}th time.`);
      // The file that was just read is there, whole, when it is answered about.
      expect(textOf(requests.filter((one) => !isNotes(one)).at(-1) as ModelRequest)).toContain(`90: ${at % 4} The`);
    }
    const sent = requests.filter((request) => !isNotes(request));
    expect(textOf(sent.at(-1) as ModelRequest)).toContain('heron-7, and it goes out on Friday.');
    expect(requests.filter((request) => sizeOf(request) > WINDOW).length).toBeLessThanOrEqual(kind === 'told' ? 0 : 2);
    expect(requests.some(isNotes)).toBe(true);
    expect(textOf(sent.at(-1) as ModelRequest)).toContain('there are nine foxes');
    // What was left out can be looked up, from then on alone.
    const isShorter = sent.map((request) => textOf(request).includes('to save room'));
    expect(sent.map(offersSearch)).toEqual(isShorter);
    expect(isShorter.at(-1)).toBe(true);
  });
});
