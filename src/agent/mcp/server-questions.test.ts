import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { copyEvents, formProblem } from '../../core/copy-events.ts';
import type { Event, EventBody } from '../../core/events.ts';
import { type NewServerQuestion, openQuestions } from '../../core/server-question.ts';
import { initialState } from '../../core/state.ts';
import { MCP_LIMITS } from '../../mcp/limits.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import { createQuestionRouter } from './server-questions.ts';

const FORM: NewServerQuestion = {
  kind: 'form',
  server: 's',
  message: 'Who?',
  fields: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const never = new AbortController().signal;

/** As much of a session as the questions see. */
const fakeInside = (id: string, past: readonly EventBody[] = []) => {
  const events: Event[] = [];
  const run = new AbortController();
  const dispatch = async (body: EventBody): Promise<boolean> => {
    events.push({ seq: events.length + 1, at: 0, ...body });
    return true;
  };
  for (const body of past) void dispatch(body);
  const limits = { toolCallsPerIteration: 1, iterations: 1, repairs: 1, toolTimeoutMs: 1, summaryCharacters: 1 };
  const inside = {
    id,
    openedAt: 0,
    state: () => ({ ...initialState(limits as never), phase: 'tools' }),
    log: () => events,
    path: () => events,
    dispatch,
    progress: () => {},
    signal: () => run.signal,
  } as SessionHandle;
  return { inside, events, run };
};
const opened = (id = 'one', past: readonly EventBody[] = []) => {
  const router = createQuestionRouter({ inSessions: true });
  const questions = router.session();
  const { inside, events, run } = fakeInside(id, past);
  questions.begin(inside);
  const asked = () => openQuestions(events)[0]?.question_id ?? '';
  return { router, questions, events, run, asked };
};

describe('questions of servers', () => {
  it('wait in the session whose call they came up in, until somebody answers what fits', async () => {
    verifies('B10');
    const { router, questions, events, asked } = opened();
    const answer = router.ask(FORM, { session: 'one', call: 'c1' }, never);
    expect(events).toMatchObject([{ type: 'server_asked', question: { tool_call_id: 'c1', kind: 'form' } }]);
    const command = { type: 'answer_server', question_id: asked(), action: 'accept' } as const;
    expect(questions.answer({ ...command, content: {} })).toMatchObject({ ok: false });
    expect(questions.answer({ ...command, question_id: 'another' })).toMatchObject({ ok: false });
    expect(questions.answer({ ...command, content: { name: 'Ada' } })).toEqual({ ok: true });
    expect(await answer).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(JSON.stringify(events.at(-1))).not.toContain('Ada');
    // One answer is all that counts.
    expect(questions.answer({ ...command, content: { name: 'Eve' } })).toMatchObject({ ok: false });
  });

  it('are declined where nobody is, and where too many are open', async () => {
    const { router, questions } = opened();
    expect(await router.ask(FORM, { session: 'another' }, never)).toEqual({ action: 'decline' });
    expect(await router.ask(FORM, {}, never)).toEqual({ action: 'decline' });
    const open = Array.from({ length: MCP_LIMITS.mcpQuestions }, () => router.ask(FORM, { session: 'one' }, never));
    expect(await router.ask(FORM, { session: 'one' }, never)).toEqual({ action: 'decline' });
    questions.close();
    expect(new Set((await Promise.all(open)).map(({ action }) => action))).toEqual(new Set(['cancel']));
    expect(await router.ask(FORM, undefined, never)).toEqual({ action: 'decline' });
  });

  it('end with the run, with the server, and with halter', async () => {
    const { router, events, run } = opened();
    const ofRun = router.ask(FORM, { session: 'one' }, never);
    run.abort();
    expect(await ofRun).toEqual({ action: 'cancel' });
    expect(events.at(-1)).toMatchObject({ type: 'server_answered', action: 'cancel' });
    const other = opened();
    const taken = new AbortController();
    const ofServer = other.router.ask(FORM, { session: 'one' }, taken.signal);
    taken.abort();
    expect(await ofServer).toEqual({ action: 'cancel' });
    const question = { ...FORM, question_id: 'left' } as const;
    const { events: later } = opened('one', [{ type: 'server_asked', question }]);
    expect(openQuestions(later)).toEqual([]);
  });

  it('are answered by a program at once, whose mistakes are no yes', async () => {
    const saying = (ask: NonNullable<Parameters<typeof createQuestionRouter>[0]['ask']>) =>
      createQuestionRouter({ ask }).ask(FORM, undefined, never);
    expect(await saying(() => ({ action: 'accept', content: { name: 'Ada' } }))).toMatchObject({ action: 'accept' });
    expect(await saying(() => ({ action: 'accept', content: { name: 3 } }))).toEqual({ action: 'decline' });
    expect(
      await saying(() => {
        throw new Error('broken');
      }),
    ).toEqual({ action: 'decline' });
  });

  it('of a session that comes from somewhere else are put to nobody', () => {
    verifies('B10');
    const question = { ...FORM, question_id: 'q', kind: 'url', url: 'https://evil.test/' } as never;
    const events = [
      { type: 'session_started', version: 1, session_id: 'x', workspace: '/', model: 'm' },
      { type: 'server_asked', question },
    ].map((body, index) => ({ seq: index + 1, at: 0, ...body }) as Event);
    expect(copyEvents(events, { id: 'y', workspace: '/', keepHead: false }).map(({ type }) => type)).toEqual([
      'session_started',
    ]);
    expect(formProblem(events[1])).toBeUndefined();
    expect(formProblem({ seq: 1, at: 0, type: 'server_asked', question: { kind: 'form' } })).toBeTruthy();
  });
});
