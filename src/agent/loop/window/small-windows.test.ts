/** Windows as small as they come, and what is larger than any of them: the session goes on, or says what to do. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { TestAgentOptions } from '../../../testing/test-agent.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';

/** A model that reads a file at every message, and a server with this window, which it tells or not. */
const reader = async (window: number, isTold: boolean, options: Partial<TestAgentOptions> = {}) => {
  const folder = scratchFolder();
  putFiles(folder, Object.fromEntries([0, 1, 2, 3].map((n) => [`f${n}.txt`, `${n} ${WORDS.repeat(2)}\n`.repeat(40)])));
  const { provider, refused } = smallWindowServer({
    window,
    isTold,
    answer: (request, number) => {
      const last = request.messages.at(-1);
      if (JSON.stringify(last).includes('Write notes for yourself')) return { text: '{"goal": "read"}' };
      return last?.role === 'user'
        ? { calls: [{ name: 'read_file', arguments: { path: `f${number % 4}.txt` } }] }
        : { text: 'It is about a fox.' };
    },
  });
  const agent = await assembled({ modelProvider: provider, mode: 'yolo', folder, ...options });
  const session = await openedSession(agent);
  const failed: { message: string; hint?: string | undefined }[] = [];
  session.subscribe((update) => {
    if (update.type === 'model_failed') failed.push(update);
  });
  return { session, requests: provider.requests, failed, refused };
};

describe.each([
  [2_048, true],
  [4_096, true],
  [4_096, false],
  [8_192, false],
] as const)('a window of %i tokens, told: %s', (window, isTold) => {
  it('answers every one of twenty messages', async () => {
    verifies('B7');
    const { session, failed, refused } = await reader(window, isTold);
    for (let at = 0; at < 20; at += 1) await say(session, `Question ${at}: what is in the next file?`);
    expect(failed).toEqual([]);
    expect(session.log().filter(({ type }) => type === 'run_completed')).toHaveLength(20);
    expect(refused.length).toBeLessThanOrEqual(isTold ? 0 : 2);
  });
});

it.each([
  ['a little more', 1.08],
  ['a fifth more', 1.2],
])('reads files in an old session of 2,048 tokens whose server counts %s than is estimated', async (_how, factor) => {
  verifies('B7');
  const folder = scratchFolder();
  putFiles(folder, Object.fromEntries([0, 1, 2, 3].map((n) => [`f${n}.js`, `${n} ${WORDS.repeat(2)}\n`.repeat(40)])));
  const counted = (request: ModelRequest): number => Math.round(wireSize(request) * factor);
  const scripted = scriptedProvider(
    (request) => {
      const usage = { prompt_tokens: counted(request), completion_tokens: 150 };
      const last = request.messages.at(-1);
      const file = /read (f\d\.js)/.exec(JSON.stringify(last))?.[1];
      return last?.role === 'user' && file
        ? { calls: [{ name: 'read_file', arguments: { path: file } }], usage }
        : { text: WORDS.repeat(12), usage };
    },
    { models: [{ id: 'test-model', context_length: 2_048 }] },
  );
  const session = await openedSession(await assembled({ modelProvider: scripted, mode: 'yolo', folder }));
  for (let at = 0; at < 20; at += 1) {
    await say(session, at % 2 ? `read f${at % 4}.js` : `Question ${at}: tell me something about the project.`);
  }
  expect(session.log().flatMap((event) => (event.type === 'model_failed' ? [event.message] : []))).toEqual([]);
  for (const request of scripted.requests) expect(counted(request)).toBeLessThan(2_048);
});

describe('what no compaction helps against', () => {
  it.each([
    ['told', true],
    ['hidden', false],
  ])(
    'instructions and tools that are larger than the window (%s): it says so, and what to do',
    async (_how, isTold) => {
      const instructions = WORDS.repeat(500);
      const { session, failed } = await reader(2_048, isTold, { systemPrompt: instructions });
      await say(session, 'Hello');
      expect(failed).toHaveLength(1);
      expect(failed[0]?.hint).toMatch(/fewer tools .*--tools.*larger window/);
    },
  );

  it.each([
    ['told', true],
    ['hidden', false],
  ])(
    'a first message that is larger than the window (%s): it says so, and the next one is answered',
    async (_how, isTold) => {
      const { session, failed } = await reader(4_096, isTold);
      await say(session, WORDS.repeat(800));
      expect(failed[0]?.hint).toMatch(/in parts, or keep it in a file/);
      await say(session, 'What is in the next file?');
      expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    },
  );
});
