/** What fills the window, part by part: the rows are together what the headline says, in every state of a session. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { SessionFace } from '../../../core/events.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import { estimateTokens } from '../../../core/window/tokens.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { Agent } from '../../create-agent.ts';
import type { ContextReport } from './report.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
/** A tokenizer that makes half as much again of every text. */
const countOf = ({ messages, tools }: ModelRequest): number => {
  const texts = messages.map((message) => [message.content, message.role === 'assistant' ? message.tool_calls : []]);
  return Math.round(1.5 * estimateTokens(JSON.stringify(texts) + JSON.stringify(tools)));
};
const sum = (parts: readonly { tokens: number }[]): number => parts.reduce((all, { tokens }) => all + tokens, 0);

const start = async () => {
  const folder = scratchFolder();
  putFiles(folder, { 'a.txt': WORDS.repeat(60) });
  const scripted = scriptedProvider(
    (request) => ({
      usage: { prompt_tokens: countOf(request), completion_tokens: 12 },
      ...(request.messages.at(-1)?.role === 'user' && JSON.stringify(request.messages.at(-1)).includes('read')
        ? { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }
        : { text: WORDS.repeat(20) }),
    }),
    { models: [{ id: 'test-model', context_length: 16_384 }] },
  );
  const agent = await assembled({ folder, modelProvider: scripted, mode: 'yolo' });
  const session = await openedSession(agent);
  return { agent, session, scripted };
};
const reportOf = async (agent: Agent, session: SessionFace): Promise<ContextReport> => {
  const report = await agent.context({ events: session.log() });
  if (!report.ok) throw new Error(report.error.message);
  expect(sum(report.value.parts)).toBe(report.value.total_tokens);
  const tools = report.value.parts.find(({ label }) => label.endsWith(' tools'));
  expect(sum(report.value.tools)).toBe(tools?.tokens);
  return report.value;
};

describe('what fills the window', () => {
  it('is together what the headline says: before the first message, after answers, and after room was made', async () => {
    verifies('B7');
    const { agent, session, scripted } = await start();
    expect((await reportOf(agent, session)).counted_tokens).toBeNull();
    for (const text of ['Hello', 'read the file', 'And?', 'read it again', 'Well?', 'So?']) {
      await say(session, text);
      const report = await reportOf(agent, session);
      const last = countOf(scripted.requests.at(-1) as ModelRequest);
      expect(report.counted_tokens).toBe(last);
      // The next prompt is the last one and its answer; estimated, it is near to what is counted then.
      expect(report.total_tokens).toBeGreaterThan(last);
      expect(report.total_tokens).toBeLessThan(last * 1.15);
    }
    const before = (await reportOf(agent, session)).total_tokens;
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
    const after = await reportOf(agent, session);
    expect(after.counted_tokens).toBeNull();
    expect(after.total_tokens).toBeLessThan(before);
    expect(after.tools.map(({ name }) => name)).toContain('search_session');
    await say(session, 'Well?');
    const next = countOf(scripted.requests.at(-1) as ModelRequest);
    expect(Math.abs(next - after.total_tokens) / next).toBeLessThan(0.1);
  });
});
