import { describe, expect, it } from 'vitest';
import type { SessionUpdate } from '../../../src/core/events.ts';
import { MODES } from '../../../src/core/policy/modes.ts';
import { createSessionStore, type StreamHandlers } from './session-store.ts';

const started: SessionUpdate = {
  seq: 1,
  at: 0,
  type: 'session_started',
  version: 1,
  session_id: 's',
  workspace: '/w',
  model: 'm',
};
const asked: SessionUpdate = { seq: 2, at: 0, type: 'user_message_added', content: 'hello' };
const delta = (text: string): SessionUpdate => ({ type: 'text_delta', delta: text });

const scene = () => {
  let handlers: StreamHandlers | undefined;
  const tasks: (() => void)[] = [];
  const store = createSessionStore({
    open(given) {
      handlers = given;
      return () => {};
    },
    now: () => 0,
    schedule(task) {
      tasks.push(task);
      return () => {};
    },
    draw: (task) => task(),
  });
  let draws = 0;
  store.subscribe(() => {
    draws += 1;
  });
  return {
    store,
    stream: handlers as StreamHandlers,
    frame() {
      for (const task of tasks.splice(0)) task();
    },
    draws: () => draws,
    texts: () => store.snapshot().view.items.map((item) => ('text' in item ? item.text : item.kind)),
  };
};

describe('the store of a session', () => {
  it('draws nothing of a session that is still being told, then all of it at once', () => {
    const { stream, frame, draws, texts } = scene();
    stream.update(started);
    stream.update(asked);
    frame();
    expect(draws()).toBe(0);
    stream.ready();
    frame();
    expect(draws()).toBe(1);
    expect(texts()).toEqual(['user']);
  });

  it('shows what a session that is not open would run with, until a fact names another', () => {
    const { stream, frame, store } = scene();
    const shown = (): string => {
      frame();
      return `${store.snapshot().view.mode} ${store.snapshot().view.model}`;
    };
    stream.update(started);
    stream.restart();
    stream.opensWith({ mode: 'auto' });
    stream.ready();
    expect(shown()).toBe('auto m');
    stream.opensWith({ model: 'n' });
    expect(shown()).toBe('auto n');
    stream.update(asked);
    expect(shown()).toBe('auto n');
    stream.update({ seq: 3, at: 0, type: 'mode_changed', mode: 'plan' });
    expect(shown()).toBe('plan n');
    stream.update({ seq: 4, at: 0, type: 'model_changed', model: 'o' });
    expect(shown()).toBe('plan o');
    stream.opensWith({ mode: 'auto' });
    stream.restart();
    stream.ready();
    expect(shown()).toBe('plan o');
  });

  it('tells that less will be asked than before, and only that', () => {
    for (const before of MODES) {
      for (const now of MODES) {
        const { stream, frame, store } = scene();
        stream.update(started);
        stream.update({ seq: 2, at: 0, type: 'mode_changed', mode: before });
        stream.opensWith({ mode: now });
        stream.ready();
        frame();
        const loosened = MODES.indexOf(now) > MODES.indexOf(before) ? before : undefined;
        expect(store.snapshot().view).toMatchObject({ mode: now });
        expect([before, now, store.snapshot().view.loosenedFrom]).toEqual([before, now, loosened]);
        stream.update({ seq: 3, at: 0, type: 'mode_changed', mode: now });
        frame();
        expect(store.snapshot().view.loosenedFrom).toBeUndefined();
      }
    }
  });

  it('draws many updates of one frame once', () => {
    const { stream, frame, draws, texts } = scene();
    for (const update of [started, asked]) stream.update(update);
    stream.ready();
    for (const letter of 'streamed') stream.update(delta(letter));
    frame();
    expect(draws()).toBe(1);
    expect(texts()).toEqual(['user', 'streamed']);
  });

  it('shows nothing twice when a connection was taken up again', () => {
    const { stream, frame, store, texts } = scene();
    for (const update of [started, asked]) stream.update(update);
    stream.ready();
    stream.update(delta('half'));
    frame();
    stream.lost(false);
    frame();
    expect(store.snapshot().connection).toBe('lost');
    expect(texts()).toEqual(['user', 'half']);
    // What the server sends then: facts after the last one, and what is under way, put together.
    stream.restart();
    stream.update(delta('half of it'));
    stream.ready();
    frame();
    expect(store.snapshot().connection).toBe('live');
    expect(texts()).toEqual(['user', 'half of it']);
  });
});
