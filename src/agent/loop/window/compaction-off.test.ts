/** Compaction that is off: what a full window means is said in words that are true then. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import type { Event, EventOf, SessionFace } from '../../../core/events.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const sizeOf = (request: ModelRequest): number =>
  estimateTokens(JSON.stringify(request.messages) + JSON.stringify(request.tools));
const lastOf = <T extends Event['type']>(session: SessionFace, type: T): EventOf<T> | undefined =>
  session.log().findLast((event): event is Event & EventOf<T> => event.type === type);

const start = async (answer: (request: ModelRequest) => ScriptedProviderTurn, context_length: number | undefined) => {
  const scripted = scriptedProvider(
    (request) => ({ usage: { prompt_tokens: sizeOf(request), completion_tokens: 20 }, ...answer(request) }),
    { models: [{ id: 'test-model', ...(context_length === undefined ? {} : { context_length }) }] },
  );
  const session = await openedSession(await assembled({ modelProvider: scripted, compaction: 'off' }));
  const told: { code: string; message: string }[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') told.push({ code: update.code, message: update.message });
  });
  return { session, told };
};

describe('a full window, where nothing is left out by itself', () => {
  it('is told beforehand and at the end, with what to do', async () => {
    verifies('B7');
    const { session, told } = await start(() => ({ text: WORDS.repeat(30) }), 8_192);
    for (let at = 0; at < 24 && lastOf(session, 'model_failed') === undefined; at += 1) {
      await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    }
    expect(told.map(({ code }) => code)).toEqual(['window_nearly_full']);
    expect(told[0]?.message).toMatch(/nearly full: about [\d,]+ of 8,192 tokens, and compaction is off\. \/compact/);
    const failed = lastOf(session, 'model_failed');
    expect(failed?.message).toMatch(/The prompt is about [\d,]+ tokens, and the window of test-model holds 8,192\./);
    expect(failed?.hint).toMatch(
      /Compaction is off, so nothing older was left out\. Make room by \/compact \(halter run -c --compact\)/,
    );
    // What the words say is what helps.
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    await say(session, 'And now?');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  });

  it('is no false promise where a server cuts in silence, or an answer', async () => {
    const cuts = await start(
      (request) => ({ text: 'ok', usage: { prompt_tokens: Math.min(2_048, sizeOf(request)), completion_tokens: 2 } }),
      undefined,
    );
    for (let at = 0; at < 12; at += 1) await say(cuts.session, `Question ${at}: ${WORDS.repeat(20)}`);
    const said = cuts.told.map(({ message }) => message).join('\n');
    expect(said).toMatch(/read only 2,048 tokens[\s\S]*Compaction is off, so it goes on cutting: \/compact/);
    expect(said).not.toContain('left out instead');
    const error = { code: 'context_overflow', message: 'too long', window_tokens: 8_192 } as const;
    const breaks = await start(() => ({ text: 'The answer begins', error }), undefined);
    await say(breaks.session, 'Go on');
    expect(breaks.told.at(-1)?.message).toMatch(/the answer was cut\. Compaction is off: \/compact/);
  });
});
