/** Refusals that contradict what is known of a window: they are weighed, and what was left out for them comes back. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelError, ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request?.messages ?? []);
const tooLong = (more: Partial<ModelError> = {}): ModelError => ({
  code: 'context_overflow',
  message: 'too long',
  ...more,
});

type Server = {
  /** What it says of its window. */
  told: number | undefined;
  real: number;
  /** Whether its refusals hold figures. */
  figures: boolean;
  /** What it says to a prompt of so many tokens instead; undefined: what it would say. */
  odd?: ((tokens: number) => ScriptedProviderTurn | undefined) | undefined;
};

const meet = async (server: Server, home = scratchFolder()) => {
  const refused: number[] = [];
  const scripted = scriptedProvider((request) => {
    const prompt_tokens = wireSize(request);
    const odd = server.odd?.(prompt_tokens);
    const answer: ScriptedProviderTurn =
      odd ??
      (prompt_tokens >= server.real
        ? { error: tooLong(server.figures ? { window_tokens: server.real, prompt_tokens } : {}) }
        : { text: textOf(request).includes('Write notes for yourself') ? 'no' : WORDS.repeat(20) });
    if (answer.error) refused.push(prompt_tokens);
    const room = Math.max(0, server.real - prompt_tokens);
    return room < 20 && !answer.error
      ? { text: '', finish: 'length', usage: { prompt_tokens, completion_tokens: room } }
      : { usage: { prompt_tokens, completion_tokens: 200 }, ...answer };
  });
  const describeIt: ModelProvider['describe'] = async (id) => ({
    ok: true,
    model: { id, ...(server.told === undefined ? {} : { context_length: server.told }) },
  });
  const agent = await assembled({
    modelProvider: { ...scripted, describe: describeIt },
    mode: 'yolo',
    environment: { HOME: home },
  });
  const session = await openedSession(agent);
  const warnings: { code: string; message: string }[] = [];
  const failed: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warnings.push(update);
    if (update.type === 'model_failed') failed.push(update.message);
  });
  const ask = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
  };
  const last = (): ModelRequest => scripted.requests.at(-1) as ModelRequest;
  const codes = (): string[] => warnings.map(({ code }) => code);
  return { session, scripted, refused, warnings, failed, ask, last, codes };
};
/** A server that takes every prompt of its window and writes as much as there is room for behind it, like llama.cpp. */
const startFull = async (window: number, told: number | undefined, sampling: { max_tokens?: number } = {}) => {
  const scripted = scriptedProvider(
    (request) => {
      const prompt_tokens = wireSize(request);
      const room = Math.min(Math.max(0, window - prompt_tokens), sampling.max_tokens ?? window);
      const isNotes = textOf(request).includes('Write notes for yourself');
      const wanted = isNotes ? 1 : 200;
      return room < 10
        ? { text: '', finish: 'length', usage: { prompt_tokens, completion_tokens: room } }
        : {
            text: isNotes ? 'no' : WORDS.repeat(20),
            finish: room < wanted ? 'length' : 'stop',
            usage: { prompt_tokens, completion_tokens: Math.min(room, wanted) },
          };
    },
    { models: [{ id: 'test-model', ...(told === undefined ? {} : { context_length: told }) }] },
  );
  const agent = await assembled({ modelProvider: scripted, mode: 'yolo', sampling });
  const session = await openedSession(agent);
  const failed: string[] = [];
  const warned: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'model_failed') failed.push(update.message);
    if (update.type === 'warning') warned.push(update.code);
  });
  return { session, scripted, failed, codes: () => warned };
};
const hasAll = (request: ModelRequest, to: number): boolean =>
  Array.from({ length: to }, (_, at) => `Question ${at}:`).every((text) => textOf(request).includes(text)) &&
  request.messages.filter(({ role }) => role === 'assistant').length === to - 1;

describe('a refusal far below a window that was told', () => {
  it.each([
    ['without figures', {}],
    ['with a window that is larger than what it refuses', { window_tokens: 32_768 }],
  ])('costs nothing of the conversation where it is one alone (%s)', async (_how, figures) => {
    verifies('B7');
    const server: Server = { told: 32_768, real: 32_768, figures: true };
    const { session, ask, last, refused, failed } = await meet(server);
    await ask(0, 13);
    server.odd = () => {
      server.odd = undefined;
      return { error: tooLong(figures) };
    };
    await ask(13, 14);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toBeGreaterThan(5_000);
    expect(failed).toEqual([]);
    expect(hasAll(last(), 14)).toBe(true);
    expect(session.log().some(({ type }) => type === 'context_compacted')).toBe(false);
    await ask(14, 16);
    expect(hasAll(last(), 16)).toBe(true);
  });

  it('that comes again for the same prompt takes half, keeps the newest, and all comes back at the next message', async () => {
    verifies('B7');
    const server: Server = { told: 32_768, real: 32_768, figures: true };
    const { ask, last, refused, failed, codes } = await meet(server);
    await ask(0, 13);
    let times = 0;
    server.odd = () => {
      times += 1;
      return times <= 2 ? { error: tooLong() } : undefined;
    };
    await ask(13, 14);
    expect(failed).toEqual([]);
    const [first = 0] = refused;
    expect(wireSize(last())).toBeLessThan(first * 0.9);
    expect(wireSize(last())).toBeGreaterThan(first * 0.3);
    for (const at of [0, 5, 12, 13]) expect(textOf(last())).toContain(`Question ${at}:`);
    await ask(14, 15);
    expect(hasAll(last(), 15)).toBe(true);
    expect(codes().filter((code) => code === 'window_guessed')).toEqual([]);
  });

  it('is not known to the next session', async () => {
    const home = scratchFolder();
    const server: Server = { told: 32_768, real: 32_768, figures: true };
    const first = await meet(server, home);
    await first.ask(0, 6);
    server.odd = () => {
      server.odd = undefined;
      return { error: tooLong() };
    };
    await first.ask(6, 7);
    await first.session.close();
    const second = await meet(server, home);
    await second.ask(0, 24);
    expect(hasAll(second.last(), 24)).toBe(true);
  });

  it('is believed where it stays, and the session answers every message; what was left out comes back with a larger window', async () => {
    verifies('B7');
    const server: Server = { told: 32_768, real: 5_000, figures: false };
    const { ask, last, refused, failed } = await meet(server);
    await ask(0, 30);
    expect(failed).toEqual([]);
    expect(refused.length).toBeLessThanOrEqual(8);
    expect(hasAll(last(), 30)).toBe(false);
    server.real = 32_768;
    await ask(30, 70);
    expect(refused.length).toBeLessThanOrEqual(8);
    expect(hasAll(last(), 70)).toBe(true);
  });
});

describe('a server that runs with another window than before', () => {
  it('a smaller one is learned from the figures of one refusal, though more was read before; a larger one is asked for', async () => {
    verifies('B7');
    const server: Server = { told: 32_768, real: 32_768, figures: true };
    const { ask, last, refused, failed } = await meet(server);
    await ask(0, 16);
    server.told = server.real = 4_096;
    await ask(16, 30);
    expect(failed).toEqual([]);
    expect(refused).toHaveLength(1);
    expect(wireSize(last())).toBeLessThan(4_096);
    server.told = server.real = 32_768;
    await ask(30, 42);
    expect(refused).toHaveLength(1);
    expect(hasAll(last(), 42)).toBe(true);
  });

  it('a message that was refused as too large for it goes out where it is larger by now', async () => {
    verifies('B7');
    const server: Server = { told: 4_096, real: 4_096, figures: true };
    const { session, failed } = await meet(server);
    await say(session, WORDS.repeat(800));
    expect(failed).toHaveLength(1);
    server.told = server.real = 32_768;
    await say(session, WORDS.repeat(800));
    expect(failed).toHaveLength(1);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  });
});

describe('a window that is much smaller than the one that was told', () => {
  it.each([2_048, 3_000, 4_096])(
    'of %i tokens: the first message is answered with suitable instructions',
    async (real) => {
      verifies('B7');
      const { ask, scripted, failed, refused } = await meet({ told: 32_768, real, figures: true });
      await ask(0, 12);
      expect(failed).toEqual([]);
      expect(refused.length).toBeLessThanOrEqual(2);
      const known = scripted.requests.findIndex((request) => wireSize(request) >= real);
      for (const request of scripted.requests.slice(known)) {
        const size = wireSize(request);
        if (size < real) expect(size).toBeLessThanOrEqual(real - 100);
      }
    },
  );
});

describe('an answer that had no room', () => {
  it.each([
    ['told', 8_192],
    ['told too large', 65_536],
    ['hidden', undefined],
  ])('is asked for again with room (window %s), and nothing is sent twice unchanged', async (_how, told) => {
    verifies('B7');
    const { session, scripted, failed, codes } = await startFull(8_192, told);
    for (let at = 0; at < 36; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    expect(failed).toEqual([]);
    expect(codes()).not.toContain('empty_reply');
    const prompts = scripted.requests.map((request) => textOf(request));
    expect(new Set(prompts).size).toBe(prompts.length);
    expect(textOf(scripted.requests.at(-1))).toContain('Question 0:');
  });

  it('says so where nothing can be dropped', async () => {
    const { session, scripted, failed } = await startFull(0, undefined);
    await say(session, WORDS.repeat(600));
    expect(failed.join()).toMatch(/no room for an answer/);
    expect(scripted.requests.length).toBeLessThanOrEqual(2);
  });

  it('is not asked for again where the person limits answers', async () => {
    const { session, scripted, failed } = await startFull(65_536, 65_536, { max_tokens: 4 });
    await say(session, 'Hello');
    expect(failed).toHaveLength(1);
    expect(scripted.requests).toHaveLength(1);
  });
});
