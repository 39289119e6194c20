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
    holds: async () => true,
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

const QUESTIONS: readonly NewServerQuestion[] = [
  FORM,
  { kind: 'url', server: 's', message: 'Open it?', url: 'https://example.org/' },
  { kind: 'sampling', server: 's', message: 'Answer', prompt: 'say it', max_tokens: 9 },
  { kind: 'sampling_answer', server: 's', message: 'Send?', answer: 'words', model: 'm' },
];
/** What a program may give in place of an answer, whatever the question. */
const NO_ANSWERS: readonly (readonly [string, () => unknown])[] = [
  ['throws', () => raise(new Error('broken'))],
  ['throws nothing', () => raise(undefined)],
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['gives nothing', () => undefined],
  ['gives null', () => null],
  ['gives true', () => true],
  ['gives the word alone', () => 'accept'],
  ['gives a list', () => ['accept']],
  ['gives no action', () => ({ content: { name: 'Ada' } })],
  ['gives an unknown action', () => ({ action: 'yes', content: { name: 'Ada' } })],
  ['gives an action in capitals', () => ({ action: 'ACCEPT', content: { name: 'Ada' } })],
  ['gives a list as content', () => ({ action: 'accept', content: ['Ada'] })],
  ['gives text as content', () => ({ action: 'accept', content: 'Ada' })],
  ['gives a function in the content', () => ({ action: 'accept', content: { name: 'Ada', text: () => 'x' } })],
  ['gives content that holds itself', () => ({ action: 'accept', content: holdingItself() })],
  [
    'gives a field that throws',
    () => ({
      get action() {
        return raise(new Error('broken'));
      },
    }),
  ],
];
const raise = (thrown: unknown): never => {
  throw thrown;
};
const holdingItself = (): object => {
  const content: Record<string, unknown> = { name: 'Ada' };
  content['self'] = content;
  return content;
};

describe.each(QUESTIONS)('a $kind question to a program that', (question) => {
  const saying = async (ask: () => unknown, signal = never) => {
    const warnings: string[] = [];
    const router = createQuestionRouter({
      ask: ask as never,
      onWarning: (_code, message) => void warnings.push(message),
    });
    return { answer: await router.ask(question, undefined, signal), warnings };
  };
  const content = question.kind === 'form' ? { name: 'Ada' } : { text: 'other words' };

  it.each([
    ['accepts', { action: 'accept', content }],
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
  ])('%s is heard', async (_what, given) => {
    expect(await saying(async () => given)).toEqual({ answer: given, warnings: [] });
  });

  it.each(NO_ANSWERS)('%s has not said yes, and is told so', async (_what, ask) => {
    const { answer, warnings } = await saying(ask);
    expect(answer).toEqual({ action: 'decline' });
    expect(warnings).toEqual([expect.stringMatching(/^The question of the MCP server "s" was declined: ./)]);
  });

  it('never answers is waited for no longer than the call', async () => {
    const call = new AbortController();
    const asked = saying(() => {
      call.abort();
      return new Promise(() => {});
    }, call.signal);
    expect(await asked).toEqual({ answer: { action: 'cancel' }, warnings: [] });
  });
});

it.each([
  [FORM, { name: 3 }],
  [FORM, {}],
  [QUESTIONS[2], { text: 5 }],
  [QUESTIONS[3], { text: ['other words'] }],
])('%j is not accepted with %j', async (question, content) => {
  const router = createQuestionRouter({ ask: () => ({ action: 'accept', content }) as never });
  expect(await router.ask(question as NewServerQuestion, undefined, never)).toEqual({ action: 'decline' });
});
