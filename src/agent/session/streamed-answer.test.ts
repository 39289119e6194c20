/** What was on the screen of an answer stays, whatever ends the process that wrote it. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Event, EventOf } from '../../core/events.ts';
import type { ModelProvider } from '../../core/model-port.ts';
import { projectForModel } from '../../core/project.ts';
import { branches } from '../../core/session-tree.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../testing/index.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { StreamedAnswer } from './streamed-answer.ts';

type Streamed = EventOf<'answer_streamed'>;

const written = () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const events: Streamed[] = [];
  const answer = new StreamedAnswer(async (body) => events.push(body as Streamed));
  const say = (...deltas: string[]): void => {
    for (const delta of deltas) answer.follow({ type: 'text_delta', delta });
  };
  answer.follow({ type: 'model_started', model: 'm', iteration: 1 });
  return { answer, events, say };
};

describe('the text of an answer that comes', () => {
  test('is written at most every second, in its order and once', () => {
    const { events, say } = written();
    say('one ', 'two ');
    vi.advanceTimersByTime(AGENT_LIMITS.streamedTextMs - 1);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1);
    say('three');
    vi.advanceTimersByTime(10 * AGENT_LIMITS.streamedTextMs);
    expect(events).toEqual([
      { type: 'answer_streamed', text: 'one two ', begins: true },
      { type: 'answer_streamed', text: 'three' },
    ]);
  });

  test('brings the thoughts before it, which are not written alone', () => {
    const { answer, events, say } = written();
    answer.follow({ type: 'reasoning_delta', delta: 'Hm. ' });
    vi.advanceTimersByTime(AGENT_LIMITS.streamedTextMs);
    expect(events).toEqual([]);
    say('So');
    vi.advanceTimersByTime(AGENT_LIMITS.streamedTextMs);
    expect(events).toEqual([{ type: 'answer_streamed', text: 'So', reasoning: 'Hm. ', begins: true }]);
  });

  test.each<Parameters<StreamedAnswer['follow']>[0]>([
    { type: 'model_started', model: 'm', iteration: 2 },
    { seq: 9, at: 1, type: 'model_failed', code: 'cancelled', message: 'no' },
    {
      seq: 9,
      at: 1,
      type: 'assistant_message_added',
      message: { role: 'assistant', content: 'all of it', tool_calls: [], finish: 'stop' },
    },
  ])('is not written any more after $type', (update) => {
    const { answer, events, say } = written();
    say('part');
    answer.follow(update);
    vi.advanceTimersByTime(AGENT_LIMITS.streamedTextMs);
    expect(events).toEqual([]);
  });

  test('is written up to a limit', () => {
    const { events, say } = written();
    const part = 'x'.repeat(AGENT_LIMITS.streamedTextCharacters - 10);
    for (const text of [part, part, part]) {
      say(text);
      vi.advanceTimersByTime(AGENT_LIMITS.streamedTextMs);
    }
    const characters = events.reduce((sum, { text }) => sum + text.length, 0);
    expect(characters).toBe(AGENT_LIMITS.streamedTextCharacters);
  });
});

describe('a log that ends in the middle of an answer', () => {
  let home: string;
  let folder: string;
  beforeEach(() => {
    home = scratchFolder();
    folder = scratchFolder();
  });
  const started = (turns: readonly ScriptedProviderTurn[] | ModelProvider) =>
    assembled({
      folder,
      environment: { HOME: home },
      modelProvider: 'stream' in turns ? turns : scriptedProvider(turns),
      onWarning: () => {},
    });

  /** The log of a session whose process was killed while it answered. */
  const killed = async (turn: ScriptedProviderTurn): Promise<{ log: Event[]; whole: Event[] }> => {
    const gate = Promise.withResolvers<void>();
    const halter = await started([{ ...turn, endGate: gate.promise }]);
    const session = await openedSession(halter);
    const isWritten = nextEvent(session, 'answer_streamed');
    const said = say(session, 'go');
    await isWritten;
    const log = [...session.log()];
    gate.resolve();
    await said;
    const whole = [...session.log()];
    await halter.close();
    return { log, whole };
  };
  const kept = async (
    halter: Awaited<ReturnType<typeof started>>,
    id: string,
    log: readonly Event[],
  ): Promise<void> => {
    expect(await halter.sessions.create(id, log)).toMatchObject({ ok: true });
  };

  test('keeps what was shown of it, marked as broken off, in every way to go on from it', async () => {
    verifies('B5');
    const { log, whole } = await killed({ reasoning: 'Let me see.', text: 'The half of it' });
    const part = { role: 'assistant', content: 'The half of it', reasoning: 'Let me see.', tool_calls: [] };

    // A whole answer stands once, and no branch begins at the parts of it.
    const asRead = projectForModel(whole, { system: '', results: 'full', summaryCharacters: 900 });
    expect(asRead.filter(({ role }) => role === 'assistant')).toHaveLength(1);
    expect(branches(whole)).toEqual([]);

    const halter = await started([{ text: 'And the rest.' }, { text: 'Anew.' }]);
    await kept(halter, 'opened', log);
    const opened = await openedSession(halter, { id: 'opened' });
    expect(opened.log().slice(log.length)).toMatchObject([
      { type: 'run_stopped', name: 'Interrupted' },
      { type: 'assistant_message_added', message: { ...part, finish: 'disconnected' } },
    ]);
    await say(opened, 'go on');
    const messages = projectForModel(opened.log(), { system: '', results: 'full', summaryCharacters: 900 });
    expect(messages.filter(({ role }) => role !== 'system')).toMatchObject([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'The half of it' },
      { role: 'user', content: 'go on' },
      { role: 'assistant', content: 'And the rest.' },
    ]);

    await kept(halter, 'copied', log);
    const copy = await openedSession(halter, { id: 'copied', fork: true });
    expect(copy.log().findLast(({ type }) => type === 'assistant_message_added')).toMatchObject({
      message: { ...part, finish: 'disconnected' },
    });

    // Another process asks the model once more; its answer is the one.
    await kept(halter, 'taken-over', log);
    const taken = await openedSession(halter, { id: 'taken-over', goesOn: true });
    await taken.settled();
    const answers = taken.log().filter(({ type }) => type === 'assistant_message_added');
    expect(answers).toMatchObject([{ message: { content: 'Anew.', finish: 'stop' } }]);
    await halter.close();
  }, 15_000);

  test('keeps what was shown before a defect of the provider', async () => {
    verifies('B5');
    const base = scriptedProvider([]);
    const broken: ModelProvider = {
      ...base,
      stream: async (_request, emit) => {
        emit({ type: 'text_delta', delta: 'Said before it broke.' });
        throw new TypeError('a defect');
      },
    };
    const halter = await started(broken);
    const session = await openedSession(halter);
    await say(session, 'go');
    expect(session.log().findLast(({ type }) => type === 'assistant_message_added')).toMatchObject({
      message: { content: 'Said before it broke.', finish: 'disconnected' },
    });
    await halter.close();
  });
});
