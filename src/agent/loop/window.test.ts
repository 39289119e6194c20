import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { SessionUpdate } from '../../core/events.ts';
import type { ModelMessage } from '../../core/message.ts';
import type { ModelInfo, ModelProvider, ModelRequest } from '../../core/model-port.ts';
import { messageTokens } from '../../core/window/tokens.ts';
import { toolsTokens } from '../../core/window.ts';
import { scriptedProvider } from '../../testing/index.ts';

type Turns = Parameters<typeof scriptedProvider>[0];
const WORDS = 'The quick brown fox jumps over the lazy dog. ';

const start = async (turns: Turns, more: { models?: readonly ModelInfo[]; provider?: Partial<ModelProvider> } = {}) => {
  const folder = scratchFolder();
  putFiles(folder, Object.fromEntries([1, 2, 3].map((n) => [`f${n}.txt`, `${n} ${WORDS.repeat(40)}\n`.repeat(3)])));
  const scripted = scriptedProvider(turns, more.models ? { models: more.models } : {});
  const halter = await assembled({ folder, modelProvider: { ...scripted, ...more.provider }, mode: 'yolo' });
  const session = await openedSession(halter);
  const updates: SessionUpdate[] = [];
  session.subscribe((update) => updates.push(update));
  const warnings = (): string[] => updates.flatMap((update) => (update.type === 'warning' ? [update.code] : []));
  return { session, scripted, warnings };
};
/** This script's own count is none of a server. */
const usage = { prompt_tokens: 0, completion_tokens: 1 };
const reads = (number: number) => ({ usage, calls: [{ name: 'read_file', arguments: { path: `f${number}.txt` } }] });

describe('the command compact', () => {
  it('drops old results, and the conversation goes on', async () => {
    verifies('B7');
    const { session, scripted, warnings } = await start(
      [reads(1), { text: 'one' }, reads(2), { text: 'two' }, reads(3), { text: 'three' }, { text: 'four' }],
      { models: [{ id: 'test-model', context_length: 65_536 }] },
    );
    for (const number of [1, 2, 3]) await say(session, `read ${number}`);
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    await say(session, 'and now?');
    const [before, after] = scripted.requests.slice(-2).map(({ messages }) => JSON.stringify(messages));
    expect(after?.length).toBeLessThan((before?.length ?? 0) * 0.8);
    expect(after).toContain('was dropped to save room');
    expect(after).toContain('3 The quick');
    expect(warnings()).toEqual(['context_compacted']);
  });

  it('says so where there is nothing to drop, and waits for the end of a run', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const { session } = await start(() => {
      reached.resolve();
      return { text: 'one', gate: gate.promise };
    });
    expect(await session.send({ type: 'compact' })).toMatchObject({ ok: false });
    await session.send({ type: 'send_message', content: 'hello' });
    await reached.promise;
    const asked = await session.send({ type: 'compact' });
    gate.resolve();
    await session.idle();
    expect(asked).toMatchObject({ ok: false, message: expect.stringContaining('run is going on') });
  });
});

describe('a window that is nearly full', () => {
  it('is said once, not at every message, and trying to make room ends', async () => {
    verifies('B7');
    const { session, warnings } = await start(() => ({
      text: 'ok',
      usage: { prompt_tokens: 0, completion_tokens: 1 },
    }));
    await say(session, WORDS.repeat(560));
    await say(session, 'more?');
    expect(warnings().filter((code) => code === 'window_nearly_full')).toHaveLength(1);
  });

  it('is that of the model in use, asked for after a change, and again before a message is refused', async () => {
    const asked: string[] = [];
    const models = [
      { id: 'test-model', context_length: 65_536 },
      { id: 'small', context_length: 4_096 },
    ];
    const describe: ModelProvider['describe'] = async (id) => {
      asked.push(id);
      return { ok: true, model: models.find((model) => model.id === id) as ModelInfo };
    };
    const { session, scripted } = await start(() => ({ text: 'ok' }), { models, provider: { describe } });
    await session.send({ type: 'change_model', model: 'small' });
    await say(session, WORDS.repeat(1_000));
    await say(session, WORDS.repeat(1_000));
    expect(scripted.requests).toHaveLength(0);
    expect(session.log().filter((event) => event.type === 'model_failed')).toHaveLength(2);
    expect(asked).toEqual(['test-model', 'small', 'small', 'small']);
  });
});

describe("the server's own tokenizer", () => {
  it('decides where the estimate alone would refuse, and is not asked while there is room', async () => {
    verifies('B7');
    const models = [{ id: 'test-model', context_length: 4_096 }];
    const counted: number[] = [];
    const countTokens: ModelProvider['countTokens'] = async ({ messages }) => {
      counted.push(messages.length);
      return 2_000;
    };
    const { session, scripted } = await start(() => ({ text: 'ok', usage }), { models, provider: { countTokens } });
    await say(session, 'hello');
    expect(counted).toEqual([]);
    // About twice the window by the estimate; this model's tokenizer knows better.
    await say(session, WORDS.repeat(800));
    expect(counted).toEqual([4]);
    expect(scripted.requests).toHaveLength(2);
  });

  it.each([
    ['too high', 0.75, 1.6],
    ['too low', 1.3, 0.7],
  ])('counts a prompt that is planned, of which the estimate is %s', async (_how, ofWords, ofAnswers) => {
    verifies('B7');
    const window = 4_096;
    const isAnswer = ({ role }: ModelMessage): boolean => role === 'assistant';
    const tokensOf = ({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number =>
      messages.reduce(
        (sum, one) => sum + Math.round(messageTokens(one) * (isAnswer(one) ? ofAnswers : ofWords)),
        toolsTokens(tools),
      );
    const countTokens: ModelProvider['countTokens'] = async (request) => tokensOf(request);
    const { session, scripted } = await start(
      (request) => ({ text: WORDS.repeat(24), usage: { prompt_tokens: tokensOf(request), completion_tokens: 200 } }),
      { models: [{ id: 'test-model', context_length: window }], provider: { countTokens } },
    );
    const facts = Array.from({ length: 40 }, (_, at) => `Machine ${at * 7} stands in hall ${at * 13}.`);
    const sizes: number[] = [];
    for (const fact of facts) {
      const before = session.log().length;
      await say(session, `${fact} ${WORDS.repeat(6)}`);
      const isMade = session
        .log()
        .slice(before)
        .some(({ type }) => type === 'context_compacted');
      if (isMade) sizes.push(tokensOf(scripted.requests.at(-1) as ModelRequest));
    }
    expect(sizes.length).toBeGreaterThan(1);
    // A third stays free, and of the rest little.
    for (const size of sizes) expect(size).toBeLessThan(window * 0.67);
    expect(sizes.at(-1)).toBeGreaterThan(window * 0.56);
  });

  it('refuses what does not fit, by its own count', async () => {
    const models = [{ id: 'test-model', context_length: 4_096 }];
    const countTokens: ModelProvider['countTokens'] = async () => 4_000;
    const { session, scripted } = await start(() => ({ text: 'ok', usage }), { models, provider: { countTokens } });
    await say(session, WORDS.repeat(250));
    expect(scripted.requests).toHaveLength(0);
    expect(session.log().at(-2)).toMatchObject({ type: 'model_failed', code: 'context_overflow' });
  });
});

describe('an engine that decodes calls by itself', () => {
  const bad = { calls: [{ name: 'read_file', arguments: { file: 'f1.txt' } }] };

  it('is asked as soon as arguments were sent back', async () => {
    verifies('B1', 'K4');
    const tools: string[] = [];
    const decodeToolCall: ModelProvider['decodeToolCall'] = async ({ tool }) => {
      tools.push(tool.function.name);
      return {
        ok: true,
        call: { name: tool.function.name, arguments: { path: 'f1.txt' }, source: 'constrained', repairs: [] },
      };
    };
    const { session, scripted } = await start([bad, { text: 'done' }], { provider: { decodeToolCall } });
    await say(session, 'read');
    expect(tools).toEqual(['read_file']);
    expect(scripted.requests).toHaveLength(2);
    const calls = session
      .log()
      .flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []));
    expect(calls[1]).toMatchObject({ source: 'constrained', arguments: { path: 'f1.txt' } });
    expect(calls[1]?.repairs.map(({ kind }) => kind)).toEqual(['constrained']);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed', sources: ['read_file'] });
  });

  it('is not believed where its arguments do not fit either', async () => {
    const decodeToolCall: ModelProvider['decodeToolCall'] = async () => ({
      ok: true,
      call: { name: 'read_file', arguments: {}, source: 'constrained', repairs: [] },
    });
    const { session, scripted } = await start([bad, { text: 'I give up.' }], { provider: { decodeToolCall } });
    await say(session, 'read');
    expect(scripted.requests).toHaveLength(2);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed', sources: [] });
  });
});
