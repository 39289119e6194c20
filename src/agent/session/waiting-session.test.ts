import { expect, it } from 'vitest';
import type { Command, Event, SessionFace, SessionUpdate } from '../../core/events.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { waitingSession } from './waiting-session.ts';

const GONE: ModelError = { code: 'unreachable', message: 'No model server answers.', hint: 'Start it.' };
const REFUSED: ModelError = { code: 'unauthorized', message: 'The key is wrong.' };
const say = (content: string): Command => ({ type: 'send_message', content });

/** A session that waits; `answer` says what opening it gives, and lets it be tried once more. */
const waiting = (options: { past?: Event[]; problem?: ModelError } = {}) => {
  const { past = [], problem = GONE } = options;
  const sent: Command[] = [];
  const heard: SessionUpdate[] = [];
  const asked: (string | undefined)[] = [];
  let closed = 0;
  const opened = { seq: past.length + 1, type: 'session_renamed', title: 'Opened' } as Event;
  const itself: SessionFace = {
    id: 'itself',
    send: async (command) => {
      sent.push(command);
      return { ok: true };
    },
    subscribe: () => () => {},
    log: () => [...past, opened],
    idle: async () => {},
    close: async () => {
      closed += 1;
    },
  };
  let outcome: Outcome<SessionFace, ModelError> = { ok: false, error: problem };
  let goOn = Promise.withResolvers<void>();
  const face = waitingSession({
    id: 'as it will be called',
    past,
    problem,
    open: async (model) => {
      asked.push(model);
      return outcome;
    },
    pause: () => goOn.promise,
  });
  face.subscribe((update) => heard.push(update));
  return {
    face,
    sent,
    heard,
    asked,
    closed: () => closed,
    answer: async (error?: ModelError) => {
      outcome = error ? { ok: false, error } : { ok: true, value: itself };
      const before = goOn;
      goOn = Promise.withResolvers();
      before.resolve();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    },
  };
};

it('holds what is said, and gives it to the session in its order, below the chosen mode', async () => {
  const past = [{ seq: 1, type: 'session_renamed', title: 'Before' } as Event];
  const { face, sent, heard, answer } = waiting({ past });
  expect([face.id, face.log()]).toEqual(['as it will be called', past]);
  const taken = [face.send(say('one')), face.send({ type: 'steer', content: 'two' })];
  expect(await face.send({ type: 'change_mode', mode: 'plan' })).toEqual({ ok: true });
  await answer(GONE);
  expect(sent).toEqual([]);
  await answer();
  expect(await Promise.all(taken)).toEqual([{ ok: true }, { ok: true }]);
  await face.send(say('three'));
  expect(sent).toEqual([
    { type: 'change_mode', mode: 'plan' },
    say('one'),
    { type: 'steer', content: 'two' },
    say('three'),
  ]);
  expect([face.id, face.log().length]).toEqual(['itself', 2]);
  // What stood in the log before is not told again.
  expect(heard.flatMap(({ seq }) => seq ?? [])).toEqual([2]);
});

it('says once that the model is there, where nothing waits for it', async () => {
  const { heard, answer } = waiting();
  await answer(GONE);
  await answer();
  expect(heard.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'model_there' }]);
});

it('tells another reason than before once', async () => {
  const { heard, answer } = waiting();
  const silent: ModelError = { code: 'timeout', message: 'It says nothing.' };
  for (const error of [GONE, silent, silent]) await answer(error);
  expect(heard).toMatchObject([{ type: 'warning', code: 'model_waits', message: 'It says nothing.' }]);
});

it('gives back what is held on a stop, on leaving, and where waiting would not help', async () => {
  const ends: [string, (at: ReturnType<typeof waiting>) => Promise<unknown>][] = [
    ['Not sent', ({ face }) => face.send({ type: 'cancel' })],
    ['closed', ({ face }) => face.close()],
    ['The key is wrong.', ({ answer }) => answer(REFUSED)],
  ];
  for (const [words, end] of ends) {
    const at = waiting();
    const taken = at.face.send(say('hello'));
    await end(at);
    expect(await taken).toMatchObject({ ok: false, message: expect.stringContaining(words) });
    await at.face.idle();
  }
});

it('tries again by itself only where that can help, and with each message', async () => {
  const { face, asked, answer, sent } = waiting({ problem: REFUSED });
  await answer();
  expect(asked).toEqual([]);
  expect(await face.send(say('hello'))).toEqual({ ok: true });
  expect(sent).toEqual([say('hello')]);
});

it('begins with another model that is named, and stays as it is where that is not there', async () => {
  const { face, asked, answer, sent } = waiting({ problem: REFUSED });
  expect(await face.send({ type: 'change_model', model: 'other' })).toMatchObject({ ok: false });
  await answer();
  expect(await face.send({ type: 'change_model', model: 'other' })).toEqual({ ok: true });
  expect(asked).toEqual(['other', 'other']);
  await face.send(say('hello'));
  expect(sent).toEqual([say('hello')]);
});

it.each<Command>([{ type: 'compact' }, { type: 'undo' }, { type: 'regenerate' }, { type: 'rename', title: 'A' }])(
  'refuses $type with the reason',
  async (command) => {
    const { face } = waiting();
    expect(await face.send(command)).toEqual({
      ok: false,
      message: 'This can be done when the model is there. No model server answers. Start it.',
    });
  },
);

it('closes a session that was being opened when the person left', async () => {
  const { face, answer, closed } = waiting({ problem: REFUSED });
  await answer();
  const taken = face.send(say('hello'));
  await face.close();
  await answer();
  expect([await taken, closed()]).toMatchObject([{ ok: false }, 1]);
  expect(await face.send(say('more'))).toMatchObject({ ok: false });
});
