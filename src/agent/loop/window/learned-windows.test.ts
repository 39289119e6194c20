/** What a server's answers showed of a window: how long it holds, and how it grows again. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { everyNth, onlyLong } from '../../../../tests/support/long.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const sizeOf = (request: ModelRequest): number =>
  estimateTokens(JSON.stringify(request.messages) + JSON.stringify(request.tools));

type Server = { told: number | undefined; real: number; how: 'refuses' | 'cuts' };

/** One home; each run of it is another halter that meets the server as it is then. */
const meetings = () => {
  const environment = { HOME: scratchFolder() };
  return async ({ told, real, how }: Server, messages: number, options: { contextLength?: number } = {}) => {
    const scripted = scriptedProvider(
      (request) => {
        const size = sizeOf(request);
        if (how === 'refuses' && size > real)
          return { error: { code: 'context_overflow', message: 'too long', window_tokens: real, prompt_tokens: size } };
        // A server that cuts keeps the beginning and a part of the end.
        const read = size > real ? Math.floor(real * 0.75) : size;
        return { text: WORDS.repeat(20), usage: { prompt_tokens: read, completion_tokens: 20 } };
      },
      { models: [{ id: 'test-model', ...(told === undefined ? {} : { context_length: told }) }] },
    );
    const agent = await assembled({ modelProvider: scripted, mode: 'yolo', environment, ...options });
    const session = await openedSession(agent);
    for (let at = 0; at < messages; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    const report = await agent.context({ id: session.id });
    await session.close();
    return {
      over: scripted.requests.filter((request) => sizeOf(request) > real).length,
      largest: Math.max(...scripted.requests.map(sizeOf)),
      shown: report.ok ? report.value.context_length : undefined,
    };
  };
};

describe('a window that was learned', () => {
  const SERVERS: [string, Server][] = [
    ['a refusal', { told: 32_768, real: 6_000, how: 'refuses' }],
    ['a refusal, of a server that tells none', { told: undefined, real: 6_000, how: 'refuses' }],
    ['a cut', { told: 32_768, real: 6_000, how: 'cuts' }],
    ['a cut, of a server that tells none', { told: undefined, real: 6_000, how: 'cuts' }],
  ];
  // One of each way, and one of each that tells and tells not.
  it.each([...SERVERS.filter((_, index) => index % 3 === 0), ...onlyLong(SERVERS.slice(1, 3))])(
    'from %s holds in the next process, and is the one that is shown',
    async (_how, server) => {
      verifies('B7');
      const meet = meetings();
      const first = await meet(server, 24);
      expect(first.over).toBeGreaterThan(0);
      expect(first.shown).toBeLessThanOrEqual(server.real);
      expect(first.shown).toBeGreaterThanOrEqual(server.real * 0.7);
      const second = await meet(server, 14);
      expect(second.over).toBe(0);
      expect(second.shown).toBe(first.shown);
    },
  );

  const GROWN = [
    ['a refusal', 'refuses', undefined],
    ['a cut', 'cuts', undefined],
    ['a cut of a server that tells more', 'cuts', 32_768],
  ] as const;
  it.each(everyNth(GROWN, 2))(
    'from %s grows again where the server has a larger one by now',
    async (_how, how, told) => {
      verifies('B7');
      const meet = meetings();
      const before = await meet({ told, real: 6_000, how }, 24);
      expect(before.shown).toBeLessThanOrEqual(6_000);
      const after = await meet({ told, real: 16_384, how }, 120);
      expect(after.over).toBeLessThanOrEqual(2);
      expect(after.largest).toBeGreaterThan(9_000);
      expect(after.shown ?? Number.POSITIVE_INFINITY).toBeGreaterThan(9_000);
    },
  );

  it('does not hold where the server tells another one now, or the person gives one', async () => {
    verifies('B7');
    const meet = meetings();
    await meet({ told: 32_768, real: 6_000, how: 'refuses' }, 14);
    expect((await meet({ told: 16_384, real: 16_384, how: 'refuses' }, 1)).shown).toBe(16_384);
    await meet({ told: 32_768, real: 6_000, how: 'refuses' }, 14);
    const given = await meet({ told: 32_768, real: 32_768, how: 'refuses' }, 1, { contextLength: 32_768 });
    expect(given.shown).toBe(32_768);
    expect((await meet({ told: 32_768, real: 32_768, how: 'refuses' }, 1)).shown).toBe(32_768);
  });

  it('is not left too small by a cut: what was read whole before still fits', async () => {
    const cut = await meetings()({ told: undefined, real: 6_000, how: 'cuts' }, 24);
    expect(cut.shown).toBeGreaterThan(6_000 * 0.75);
  });
});
