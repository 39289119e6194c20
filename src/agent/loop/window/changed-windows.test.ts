/** A session that goes on in a smaller window, and in a larger one again: nothing that was said is lost by that. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { SessionFace } from '../../../core/events.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { TestAgentOptions } from '../../../testing/test-agent.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages ?? []);
const isNotes = (request: ModelRequest): boolean => textOf(request).includes('Write notes for yourself');

/** One folder and home; each run of it is another halter with its own window. */
const project = () => {
  const folder = scratchFolder();
  const home = scratchFolder();
  putFiles(folder, Object.fromEntries([0, 1, 2, 3].map((n) => [`f${n}.txt`, `${n} ${WORDS.repeat(2)}\n`.repeat(60)])));
  return async (window: number, messages: readonly string[], options: Partial<TestAgentOptions> = {}) => {
    const scripted = scriptedProvider(
      (request) => {
        const usage = { prompt_tokens: wireSize(request), completion_tokens: 20 };
        if (isNotes(request)) return { text: 'no', usage };
        const file = /read (f\d\.txt)$/.exec(JSON.stringify(request.messages.at(-1)).replace(/"\}$/, ''))?.[1];
        if (file && request.messages.at(-1)?.role === 'user')
          return { calls: [{ name: 'read_file', arguments: { path: file } }], usage };
        return { text: 'It is about a fox.', usage };
      },
      { models: [{ id: 'test-model', context_length: window }] },
    );
    const warnings: string[] = [];
    const agent = await assembled({
      modelProvider: scripted,
      mode: 'yolo',
      folder,
      environment: { HOME: home },
      onWarning: (warning) => warnings.push(String((warning as { message?: string }).message ?? warning)),
      ...options,
    });
    const session = await openedSession(agent, { continueLast: true });
    const hints: (string | undefined)[] = [];
    session.subscribe((update) => {
      if (update.type === 'model_failed') hints.push(update.hint);
      if (update.type === 'warning') warnings.push(update.message);
    });
    for (const message of messages) await say(session, message);
    await session.close();
    return { session, scripted, hints, warnings, prompt: textOf(scripted.requests.at(-1)) };
  };
};
const typesOf = (session: SessionFace): string[] => session.log().map(({ type }) => type);
const TOLD = ['The release is called heron-7.', 'read f0.txt', 'read f1.txt', 'read f2.txt'];

describe('a smaller window for a while', () => {
  it('leaves nothing out for a prompt that cannot be sent', async () => {
    verifies('B7');
    const run = project();
    await run(16_384, TOLD);
    const small = await run(900, ['What is it called?']);
    expect(typesOf(small.session)).not.toContain('context_compacted');
    expect(small.session.log().at(-1)).toMatchObject({ type: 'run_stopped', name: 'context_overflow' });
    expect(small.scripted.requests).toHaveLength(0);
    const again = await run(16_384, ['What is it called?']);
    expect(again.prompt).toContain('heron-7');
    expect(again.prompt).toContain('2 The quick');
  });

  it('leaves out what it must, and all of it comes back where the window is large again', async () => {
    verifies('B7');
    const run = project();
    await run(16_384, TOLD);
    const small = await run(4_096, ['What is it called?', 'And who said so?']);
    expect(typesOf(small.session)).toContain('context_compacted');
    for (const request of small.scripted.requests) expect(wireSize(request)).toBeLessThan(4_096);
    expect(small.prompt).not.toContain('2 The quick');
    const again = await run(16_384, ['Are you sure?', 'Really?']);
    for (const part of ['heron-7', '0 The quick', '2 The quick', 'And who said so?'])
      expect(again.prompt).toContain(part);
    expect(again.warnings.filter((text) => text.includes('came back'))).toHaveLength(1);
    expect(again.session.log().filter(({ type }) => type === 'context_compacted')).toHaveLength(
      small.session.log().filter(({ type }) => type === 'context_compacted').length + 1,
    );
  });
});

describe('a window that is much smaller than the one a session began in', () => {
  it('gets the instructions and tools that a new session would have there, and says so', async () => {
    verifies('B4', 'B7');
    const run = project();
    const large = await run(16_384, TOLD);
    const small = await run(2_048, ['What is it called?', 'read f3.txt', 'Thanks.']);
    const anew = await project()(2_048, ['Hello']);
    expect(small.hints).toEqual([]);
    const [request] = small.scripted.requests;
    expect(request?.messages[0]).toEqual(anew.scripted.requests[0]?.messages[0]);
    expect(request?.tools.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(anew.scripted.requests[0]?.tools.map((tool) => tool.function.name) ?? []),
    );
    expect(small.warnings.filter((text) => text.includes('shorter instructions'))).toHaveLength(1);
    expect(small.prompt).not.toMatch(/before: {2}and|\[\d+ further messages[^\]]*\]\\n[^-]/);
    for (const one of small.scripted.requests) expect(wireSize(one)).toBeLessThan(2_048);
    // Said once for each change, and not in every process.
    const next = await run(2_048, ['Go on.']);
    expect(next.warnings.filter((text) => text.includes('shorter instructions'))).toEqual([]);
    const again = await run(16_384, ['And now?']);
    expect(again.scripted.requests[0]?.messages[0]).toEqual(large.scripted.requests[0]?.messages[0]);
    expect(again.prompt).toContain('heron-7');
    expect(again.prompt).toContain('0 The quick');
  });

  it('is suited by a model that the person changes to within the session', async () => {
    const scripted = scriptedProvider(
      (request) => ({ text: 'Yes.', usage: { prompt_tokens: wireSize(request), completion_tokens: 5 } }),
      {
        models: [
          { id: 'test-model', context_length: 32_768 },
          { id: 'small-model', context_length: 2_048 },
        ],
      },
    );
    const session = await openedSession(await assembled({ modelProvider: scripted }));
    for (let at = 0; at < 8; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(20)}`);
    expect(await session.send({ type: 'change_model', model: 'small-model' })).toMatchObject({ ok: true });
    await say(session, 'Still there?');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    expect(wireSize(scripted.requests.at(-1) as ModelRequest)).toBeLessThan(2_048);
    expect(await session.send({ type: 'change_model', model: 'test-model' })).toMatchObject({ ok: true });
    await say(session, 'And now?');
    expect(textOf(scripted.requests.at(-1))).toContain('Question 0: The quick');
    expect(scripted.requests.at(-1)?.messages[0]).toEqual(scripted.requests[0]?.messages[0]);
  });
});
