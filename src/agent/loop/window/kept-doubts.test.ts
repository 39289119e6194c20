/** A process for each message, as `halter run -c` is: what was seen of a window in one holds in the next. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelProvider } from '../../../core/model-port.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';

/** A server that refuses without a word of the size, and ends an answer where its window ends. */
const conversation = (server: { told: number | undefined; real: number; answerTokens: number }) => {
  const home = scratchFolder();
  const folder = scratchFolder();
  const refused: number[] = [];
  const prompts: string[] = [];
  const cut: number[] = [];
  const warnings: { code: string; message: string }[] = [];
  const scripted = scriptedProvider((request) => {
    const prompt_tokens = wireSize(request);
    prompts.push(JSON.stringify(request.messages));
    if (prompt_tokens >= server.real) {
      refused.push(prompt_tokens);
      return { error: { code: 'context_overflow', message: 'prompt too long' } };
    }
    if (JSON.stringify(request.messages.at(-1)).includes('Write notes for yourself')) return { text: 'no' };
    const room = server.real - prompt_tokens;
    const wanted = server.answerTokens;
    if (room < wanted) cut.push(room);
    const completion_tokens = Math.min(room, wanted);
    const text = WORDS.repeat(Math.max(1, Math.floor(completion_tokens / 10)));
    return { text, finish: room < wanted ? 'length' : 'stop', usage: { prompt_tokens, completion_tokens } };
  });
  const describeIt: ModelProvider['describe'] = async (id) => ({
    ok: true,
    model: { id, ...(server.told === undefined ? {} : { context_length: server.told }) },
  });
  const runs = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 1) {
      const modelProvider = { ...scripted, describe: describeIt };
      const agent = await assembled({ modelProvider, mode: 'yolo', folder, environment: { HOME: home } });
      const session = await openedSession(agent, { id: 'work' });
      session.subscribe((update) => {
        if (update.type === 'warning') warnings.push(update);
      });
      await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
      expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
      await session.close();
      await agent.close();
    }
  };
  const codes = (code: string): string[] => warnings.flatMap((one) => (one.code === code ? [one.message] : []));
  return { runs, refused, prompts, cut, codes };
};

describe('a message in each process', () => {
  it('learns a window that was told too large, though every refusal could be chance', async () => {
    verifies('B7');
    const { runs, refused, prompts, codes } = conversation({ told: 32_768, real: 6_000, answerTokens: 300 });
    await runs(0, 36);
    expect(refused.length).toBeLessThanOrEqual(6);
    expect(refused.length).toBeGreaterThan(0);
    expect(codes('window_guessed')).toHaveLength(1);
    expect(prompts.at(-1)).toContain('Question 0:');
    // One refusal may be chance, and the same prompt is sent again once, in the first of these messages alone.
    expect(prompts.length - new Set(prompts).size).toBeLessThanOrEqual(1);
  });

  it('keeps a window that was learned when a larger prompt is tried in vain, and answers in full', async () => {
    verifies('B7');
    const { runs, refused, cut, codes } = conversation({ told: undefined, real: 8_192, answerTokens: 1_500 });
    await runs(0, 14);
    const before = { refused: refused.length, cut: cut.length };
    await runs(14, 44);
    expect(refused.length - before.refused).toBeLessThanOrEqual(3);
    expect(cut.length - before.cut).toBeLessThanOrEqual(3);
    expect(codes('window_guessed')).toHaveLength(1);
    for (const message of codes('context_compacted')) expect(message).not.toMatch(/became [5-9],/);
  });
});
