/** Long conversations: what is kept when room is made, when it is made, and what a refusal of the server leads to. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { bigTool } from '../../../../tests/support/big-tool.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { Event, EventOf, SessionFace } from '../../../core/events.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import type { ModelError, ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../testing/index.ts';
import type { TestAgentOptions } from '../../../testing/test-agent.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { replaySession } from '../../replay.ts';
import { createToolRegistry } from '../run-tool/tool-registry.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages ?? []);
/** A result stands in its message twice, as it is read and with its data, and is sent once. */
const sizeOf = ({ messages, tools }: ModelRequest): number =>
  estimateTokens(
    JSON.stringify(messages, (key, value: unknown) => (key === 'result' ? undefined : value)) + JSON.stringify(tools),
  );
const isNotes = (request: ModelRequest): boolean =>
  JSON.stringify(request.messages.at(-1)).includes('Write notes for yourself');
const lastOf = <T extends Event['type']>(session: SessionFace, type: T): EventOf<T> | undefined =>
  session.log().findLast((event): event is Event & EventOf<T> => event.type === type);

type Answer = (request: ModelRequest, number: number) => ScriptedProviderTurn;

const start = async (
  answer: Answer,
  options: Partial<TestAgentOptions> & { contextTokens?: number | undefined } = {},
) => {
  const { contextTokens, ...rest } = options;
  const model = { id: 'test-model', ...('contextTokens' in options ? {} : { context_length: 8_192 }) };
  const counted: Answer = (request, number) => ({
    usage: { prompt_tokens: sizeOf(request), completion_tokens: 20 },
    ...answer(request, number),
  });
  const scripted = scriptedProvider(counted, {
    models: [contextTokens === undefined ? model : { ...model, context_length: contextTokens }],
  });
  const agent = await assembled({ modelProvider: scripted, mode: 'yolo', ...rest });
  const session = await openedSession(agent);
  return { session, scripted, agent };
};

describe('what the person said', () => {
  it('stands word for word in the prompt after many turns, with what they denied and why', async () => {
    verifies('B7');
    const { session, scripted } = await start((request) =>
      isNotes(request) ? { text: 'no' } : { text: WORDS.repeat(20) },
    );
    await say(session, 'Remember: the release is called heron-7, and it goes out on Friday.');
    for (let at = 0; at < 40; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    expect(lastOf(session, 'context_compacted')?.summary).toContain('heron-7, and it goes out on Friday.');
    expect(textOf(scripted.requests.at(-1))).toContain('heron-7');
    expect(lastOf(session, 'run_completed')).toBeDefined();
    for (const request of scripted.requests) expect(sizeOf(request)).toBeLessThan(8_192);
  });

  it('leaves a third of the window free each time, so that room is not made at almost every message', async () => {
    const { session } = await start((request) => (isNotes(request) ? { text: 'no' } : { text: WORDS.repeat(20) }));
    for (let at = 0; at < 30; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    const made = session.log().filter((event) => event.type === 'context_compacted');
    expect(made.length).toBeGreaterThan(0);
    for (const event of made) expect(event.report?.after_tokens).toBeLessThan((8_192 * 2) / 3);
    expect(made.length).toBeLessThan(10);
  });
});

describe('notes', () => {
  const conversation = async (notes: string, options: Partial<TestAgentOptions> = {}) => {
    const started = await start(
      (request) => (isNotes(request) ? { text: notes } : { text: WORDS.repeat(30) }),
      options,
    );
    for (let at = 0; at < 24; at += 1) await say(started.session, `Question ${at}: ${WORDS.repeat(6)}`);
    return started;
  };

  it('are asked for on the prompt that was read, and stand where the dropped turns were', async () => {
    verifies('B7');
    const { session, scripted } = await conversation(
      'Here they are: {"goal": "jump over the dog", "decisions": ["use port 7", "use port 8222", "the quick fox is question 7"], "facts": ["Bert said so to Ada"]}',
    );
    const at = scripted.requests.findIndex(isNotes);
    expect(at).toBeGreaterThan(0);
    const [before, asked] = [scripted.requests[at - 1], scripted.requests[at]];
    // Everything but the question had been sent before, with its answer behind it.
    expect(asked?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    expect(asked?.messages.length).toBe((before?.messages.length ?? 0) + 2);
    expect(asked?.tools).toEqual(before?.tools);
    expect(asked?.sampling.max_tokens).toBeLessThanOrEqual(400);
    const kept = lastOf(session, 'context_compacted')?.notes;
    expect(kept).toMatchObject({ goal: '', decisions: [], facts: [], open: [] });
    expect(kept?.said).toContainEqual(expect.stringMatching(/^Question 7: The quick brown fox/));
    expect(textOf(scripted.requests.at(-1))).toContain('Question 7: The quick brown fox');
    expect(textOf(scripted.requests.at(-1))).not.toContain('Ada');
  });

  it.each(['I would rather not.', '{"goal": 7}', '{"facts": "none"', '{}'])(
    'that are of no use (%s) leave what the rules keep',
    async (notes) => {
      const { session } = await conversation(notes);
      const event = lastOf(session, 'context_compacted');
      expect(event?.notes).toBeUndefined();
      expect(event?.summary).toContain('The user said, word for word:');
    },
  );

  it('are not asked for where rules alone are wanted, and off makes no room at all', async () => {
    const rules = await conversation('{"goal": "x"}', { compaction: 'rules' });
    expect(rules.scripted.requests.some(isNotes)).toBe(false);
    expect(lastOf(rules.session, 'context_compacted')).toBeDefined();
    const off = await conversation('{"goal": "x"}', { compaction: 'off' });
    expect(lastOf(off.session, 'context_compacted')).toBeUndefined();
    expect(lastOf(off.session, 'run_stopped')).toMatchObject({ name: 'context_overflow' });
  });

  it('are told what matters to the person who asks for room', async () => {
    const { session, scripted } = await start(
      (request) => (isNotes(request) ? { text: '{"facts": ["port 81"]}' } : { text: WORDS.repeat(40) }),
      { contextTokens: 32_768 },
    );
    for (let at = 0; at < 6; at += 1) await say(session, `Question ${at}`);
    expect(await session.send({ type: 'compact', focus: 'the ports' })).toEqual({ ok: true });
    expect(textOf(scripted.requests.find(isNotes))).toContain('What matters most: the ports');
  });
});

const tooLong = (more: Partial<ModelError> = {}): ModelError => ({
  code: 'context_overflow',
  message: 'too long',
  ...more,
});

describe('the tool that finds what was left out', () => {
  it.each([
    ['before a prompt is sent', 8_192, Number.POSITIVE_INFINITY],
    ['after a prompt was refused', undefined, 5_000],
  ])('joins the first prompt from which something was left out, %s', async (_when, contextTokens, most) => {
    verifies('B7');
    const { session, scripted } = await start(
      (request) => (sizeOf(request) > most ? { error: tooLong({ window_tokens: most }) } : { text: WORDS.repeat(20) }),
      { contextTokens, compaction: 'rules' },
    );
    for (let at = 0; at < 30; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    const shorter = scripted.requests.map((request) => textOf(request).includes('to save room'));
    const offers = scripted.requests.map(({ tools }) =>
      tools.some(({ function: { name } }) => name === 'search_session'),
    );
    expect(shorter).toContain(true);
    expect(offers).toEqual(shorter);
  });
});

describe('a window that nobody tells', () => {
  it('is learned from a refusal, in the middle of a turn, and the prompt is sent again', async () => {
    verifies('B7');
    const folder = scratchFolder();
    putFiles(folder, Object.fromEntries([1, 2, 3, 4].map((n) => [`f${n}.txt`, `${n} ${WORDS.repeat(150)}\n`])));
    const window = 3_000;
    let reads = 0;
    const { session, scripted } = await start(
      (request) => {
        const prompt_tokens = sizeOf(request);
        if (prompt_tokens > window) return { error: tooLong({ window_tokens: window, prompt_tokens }) };
        reads += 1;
        return reads <= 4 ? { calls: [{ name: 'read_file', arguments: { path: `f${reads}.txt` } }] } : { text: 'done' };
      },
      { folder, contextTokens: undefined },
    );
    await say(session, 'Read all four.');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    const refused = scripted.requests.filter((request) => sizeOf(request) > window);
    expect(refused).toHaveLength(1);
    // The file just read is in the prompt that was sent again.
    expect(textOf(scripted.requests.at(-1))).toContain('4 The quick');
  });

  it('of which only "too long" is said is tried by halves, at most four times', async () => {
    const { session, scripted } = await start(
      (request) => (sizeOf(request) > 5_000 ? { error: tooLong() } : { text: WORDS.repeat(20) }),
      { contextTokens: undefined },
    );
    for (let at = 0; at < 30; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(4)}`);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    expect(scripted.requests.filter((request) => sizeOf(request) > 5_000).length).toBeLessThanOrEqual(2);

    const never = await start(() => ({ error: tooLong() }), { contextTokens: undefined });
    for (let at = 0; at < 3; at += 1) await say(never.session, `Question ${at}`);
    expect(never.session.log().at(-1)).toMatchObject({ type: 'run_stopped', name: 'context_overflow' });
    expect(never.scripted.requests.length).toBeLessThanOrEqual(3 * 5);
  });

  it('is known to the next session with that model and server', async () => {
    const home = scratchFolder();
    const limit = 4_000;
    const answer: Answer = (request) =>
      sizeOf(request) > limit
        ? { error: tooLong({ window_tokens: limit, prompt_tokens: sizeOf(request) }) }
        : { text: WORDS.repeat(30) };
    const options = { environment: { HOME: home }, contextTokens: undefined };
    const first = await start(answer, options);
    for (let at = 0; at < 12; at += 1) await say(first.session, `Question ${at}`);
    expect(first.scripted.requests.filter((request) => sizeOf(request) > limit)).toHaveLength(1);
    await first.session.close();
    const second = await start(answer, options);
    for (let at = 0; at < 12; at += 1) await say(second.session, `Question ${at}`);
    expect(second.scripted.requests.filter((request) => sizeOf(request) > limit)).toHaveLength(0);
  });
});

describe('a server that cuts the prompt and says nothing', () => {
  const cutting = (window: number, exact: boolean): Answer => {
    let at = 0;
    return (request) => {
      at += 1;
      // Whole messages are dropped by some servers, so their counts are never the same.
      const most = exact ? window : window - 40 - ((at * 97) % 200);
      const usage = { prompt_tokens: Math.min(sizeOf(request), most), completion_tokens: 20 };
      return isNotes(request) ? { text: 'no', usage } : { text: WORDS.repeat(20), usage };
    };
  };
  it.each([
    ['at a round number', 8_192, true, 2],
    ['at any number', 7_000, true, 4],
    ['by whole messages', 8_192, false, 4],
  ])('%s: what it read is its window from then on, said once', async (_how, window, exact, cutAtMost) => {
    verifies('B7');
    const home = scratchFolder();
    const options = { environment: { HOME: home }, contextTokens: undefined };
    const { session, scripted } = await start(cutting(window, exact), options);
    const warnings: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'warning' && update.code === 'prompt_truncated') warnings.push(update.message);
    });
    await say(session, 'Remember: the release is called heron-7.');
    for (let turn = 0; turn < 40; turn += 1) await say(session, `Question ${turn}: ${WORDS.repeat(6)}`);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/--context-length N .*any server/);
    expect(scripted.requests.filter((request) => sizeOf(request) > window).length).toBeLessThanOrEqual(cutAtMost);
    expect(textOf(scripted.requests.at(-1))).toContain('heron-7');
    await session.close();
    const next = await start(cutting(window, exact), options);
    for (let turn = 0; turn < 30; turn += 1) await say(next.session, `Question ${turn}: ${WORDS.repeat(6)}`);
    expect(next.scripted.requests.filter((request) => sizeOf(request) > window)).toHaveLength(0);
  });

  it('is not suspected where the count grows with the prompt, however far the estimate is off', async () => {
    const { session } = await start((request) => ({
      text: '狐は犬を飛び越える。'.repeat(60),
      usage: { prompt_tokens: Math.round(sizeOf(request) * 0.42), completion_tokens: 20 },
    }));
    const codes: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'warning') codes.push(update.code);
    });
    for (let turn = 0; turn < 8; turn += 1) await say(session, `質問 ${turn}: ${'素早い茶色の狐。'.repeat(60)}`);
    expect(codes).not.toContain('prompt_truncated');
  });

  it('is not suspected where it counts only what is new', async () => {
    let before = 0;
    const { session } = await start(
      (request) => {
        const size = sizeOf(request);
        const usage = { prompt_tokens: size - before, completion_tokens: 20 };
        before = size;
        return { text: WORDS.repeat(20), usage };
      },
      { contextTokens: 32_768 },
    );
    for (let turn = 0; turn < 12; turn += 1) await say(session, `Question ${turn}: ${WORDS.repeat(6)}`);
    expect(lastOf(session, 'context_compacted')).toBeUndefined();
  });
});

it('an error that names no cause, on a long prompt, is told with its size', async () => {
  let fails = false;
  const { session } = await start(
    () => (fails ? { error: { code: 'server_error', message: 'It answered 500.' } } : { text: WORDS.repeat(90) }),
    { contextTokens: 32_768 },
  );
  for (let turn = 0; turn < 4; turn += 1) await say(session, `Question ${turn}`);
  fails = true;
  await say(session, 'And now?');
  expect(lastOf(session, 'model_failed')?.hint).toMatch(
    /about [\d,]+ tokens, which may be too long for it: .*--compact/,
  );
});

describe('a refusal that comes in an odd way', () => {
  const fill = async (session: SessionFace, times = 14): Promise<void> => {
    for (let at = 0; at < times; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(4)}`);
  };

  it('after words were said: they stay as an answer that was cut, and the next message finds room', async () => {
    verifies('B7');
    const { session } = await start(
      (request) =>
        sizeOf(request) > 3_000
          ? { text: 'As far as I came', error: tooLong({ message: 'Context size has been exceeded.' }) }
          : { text: WORDS.repeat(20) },
      { contextTokens: undefined },
    );
    await fill(session);
    const cut = session
      .log()
      .filter((event) => event.type === 'assistant_message_added' && event.message.content === 'As far as I came');
    expect(cut).toHaveLength(1);
    expect(cut[0]).toMatchObject({ message: { finish: 'length' } });
    expect(lastOf(session, 'run_stopped')).toBeUndefined();
    expect(lastOf(session, 'context_compacted')).toBeDefined();
  });

  it('in the middle of a call: nothing was said, so the prompt is sent again with room', async () => {
    const { session } = await start(
      (request) =>
        sizeOf(request) > 3_000
          ? { parts: [{ type: 'tool_call_delta', index: 0, name: 'ls', arguments_delta: '{' }], error: tooLong() }
          : { text: WORDS.repeat(20) },
      { contextTokens: undefined },
    );
    await fill(session);
    expect(lastOf(session, 'run_stopped')).toBeUndefined();
    expect(lastOf(session, 'context_compacted')).toBeDefined();
  });

  it.each([
    ['of a window in which larger prompts were answered', 600],
    ['of a window that is larger than what it refuses', 100_000],
  ])('with a figure %s: halves are tried', async (_case, window_tokens) => {
    const { session, scripted } = await start(
      (request) => (sizeOf(request) > 3_000 ? { error: tooLong({ window_tokens }) } : { text: WORDS.repeat(20) }),
      { contextTokens: undefined },
    );
    await fill(session, 30);
    expect(lastOf(session, 'run_stopped')).toBeUndefined();
    expect(lastOf(session, 'context_compacted')).toBeDefined();
    expect(scripted.requests.filter((request) => sizeOf(request) > 3_000).length).toBeLessThan(15);
  });

  it('is forgotten where a larger prompt is answered, in the next session too', async () => {
    const home = scratchFolder();
    const options = { environment: { HOME: home }, contextTokens: undefined };
    let limit = 3_000;
    const answer: Answer = (request) =>
      sizeOf(request) > limit
        ? { error: tooLong({ window_tokens: limit, prompt_tokens: sizeOf(request) }) }
        : { text: WORDS.repeat(30) };
    const first = await start(answer, options);
    await fill(first.session);
    expect(lastOf(first.session, 'context_compacted')).toBeDefined();
    await first.session.close();
    // The server runs with a larger window from here on.
    limit = 30_000;
    const second = await start(answer, options);
    await say(second.session, `Read this: ${WORDS.repeat(600)}`);
    expect(second.session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    await second.session.close();
    const third = await start(answer, options);
    await fill(third.session, 20);
    expect(lastOf(third.session, 'context_compacted')).toBeUndefined();
  });

  it('names what is too large, and what can be done about it', async () => {
    const refusing: Answer = (request) =>
      sizeOf(request) > 2_600
        ? { error: tooLong({ window_tokens: 2_600, prompt_tokens: sizeOf(request) }) }
        : { text: 'ok' };
    const { session, scripted } = await start(refusing, { contextTokens: undefined });
    const hints: (string | undefined)[] = [];
    session.subscribe((update) => {
      if (update.type === 'model_failed') hints.push(update.hint);
    });
    await say(session, WORDS.repeat(600));
    expect(hints.at(-1)).toMatch(/in parts, or keep it in a file/);
    expect(scripted.requests.length).toBeLessThanOrEqual(5);
    await say(session, 'Hello');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  });
});

describe('when room is made', () => {
  it('one result that is larger than the window is cut, and the session goes on', async () => {
    verifies('B7');
    const calls = Array.from({ length: 6 }, () => ({ name: 'big', arguments: {} }));
    const { session, scripted } = await start((_request, number) => (number === 0 ? { calls } : { text: 'done' }), {
      plugins: { tools: [bigTool('x1 ', 9_000)], dialects: [], commands: [], providers: {} } as never,
      contextTokens: 8_192,
    });
    await say(session, 'much');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    await say(session, 'and then?');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    for (const request of scripted.requests) expect(sizeOf(request)).toBeLessThan(8_192);
  });

  it('it is not between an edit and its answer', async () => {
    const folder = scratchFolder();
    putFiles(folder, { 'a.txt': `old\n${WORDS.repeat(30)}\n` });
    let step = 0;
    const { session } = await start(
      (request) => {
        if (isNotes(request)) return { text: 'no' };
        step += 1;
        if (step % 3 === 1) return { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };
        const [before, after] = step % 6 === 2 ? ['old', 'new'] : ['new', 'old'];
        return step % 3 === 2
          ? { calls: [{ name: 'edit_file', arguments: { path: 'a.txt', old_text: before, new_text: after } }] }
          : { text: WORDS.repeat(10) };
      },
      { folder },
    );
    for (let at = 0; at < 25; at += 1) await say(session, `Turn it round ${at}`);
    const log = session.log();
    const names = new Map(
      log.flatMap((event) =>
        event.type === 'assistant_message_added' ? event.message.tool_calls.map(({ id, name }) => [id, name]) : [],
      ) as [string, string][],
    );
    expect(log.some(({ type }) => type === 'context_compacted')).toBe(true);
    for (const [index, event] of log.entries()) {
      if (event.type !== 'context_compacted') continue;
      const last = log
        .slice(0, index)
        .findLast(({ type }) => type === 'tool_finished' || type === 'user_message_added');
      expect(last?.type === 'tool_finished' ? names.get(last.tool_call_id) : '').not.toBe('edit_file');
    }
  });
});

describe('what was left out', () => {
  it('can be looked up by the model, from the first compaction on', async () => {
    verifies('B7');
    let asked = false;
    const { session, scripted } = await start((request) => {
      if (isNotes(request)) return { text: 'no' };
      const offered = request.tools.some((tool) => tool.function.name === 'search_session');
      if (offered && !asked) {
        asked = true;
        return { calls: [{ name: 'search_session', arguments: { query: 'zebra' } }] };
      }
      return { text: `${request.messages.length === 2 ? 'The zebra is in the shed. ' : ''}${WORDS.repeat(25)}` };
    });
    for (let at = 0; at < 20; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(5)}`);
    const offers = scripted.requests.map(({ tools }) => tools.some((tool) => tool.function.name === 'search_session'));
    expect(offers[0]).toBe(false);
    expect(offers.at(-1)).toBe(true);
    const found = session.log().find((event) => event.type === 'tool_finished');
    expect(found).toMatchObject({ result: { success: true, data: expect.stringContaining('zebra is in the shed') } });
  });

  it('is no difference to a replay', async () => {
    verifies('B5');
    const folder = scratchFolder();
    putFiles(
      folder,
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`f${n}.txt`, `${n} ${WORDS.repeat(2)}\n`.repeat(40)])),
    );
    let reads = 0;
    const { session } = await start(
      (request) => {
        if (isNotes(request)) return { text: '{"goal": "read"}' };
        reads += 1;
        const isRead = reads % 2 === 1;
        return isRead
          ? { calls: [{ name: 'read_file', arguments: { path: `f${(((reads - 1) / 2) % 6) + 1}.txt` } }] }
          : { text: 'read' };
      },
      { folder },
    );
    for (let at = 0; at < 24; at += 1) await say(session, `Read ${at}`);
    const made = session.log().filter((event) => event.type === 'context_compacted');
    // Those that drop results in their places, and those that leave out turns.
    expect(made.some(({ kept_from_seq }) => kept_from_seq === 0)).toBe(true);
    expect(made.some(({ kept_from_seq }) => kept_from_seq > 0)).toBe(true);
    const ports = { registry: createToolRegistry(BUILT_IN_TOOLS), limits: DEFAULT_LIMITS };
    expect(await replaySession(session.log(), ports)).not.toHaveProperty('difference');
  });
});
