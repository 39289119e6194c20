import { expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../tests/support/scratch.ts';
import type { Event, SessionFace } from '../../core/events.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { openWork } from '../../core/open-work.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../testing/index.ts';
import { BUILT_IN_TOOLS } from '../../tools/index.ts';
import { createToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { replaySession } from '../replay.ts';

const done = defineTool({
  name: 'done',
  description: 'Ends the run.',
  risk: 'safe',
  endsRun: true,
  parameters: { type: 'object' },
  run: () => 'ok',
});
const ports = { registry: createToolRegistry([...BUILT_IN_TOOLS, done]), limits: DEFAULT_LIMITS };

const call = (name: string, args: object = {}) => ({ calls: [{ name, arguments: args as Record<string, string> }] });
const steer = async (session: SessionFace, content: string): Promise<void> => {
  expect(await session.send({ type: 'steer', content })).toEqual({ ok: true });
};

type Played = { turns: (gate: Promise<void>) => ScriptedProviderTurn[]; mode?: 'ask' } & (
  | { during: (session: SessionFace) => Promise<void> }
  | { alone: true }
);
/** What is said or done while the model answers, and what the answer is. */
const PLAYED: Record<string, Played> = {
  'words while it answers in words': {
    turns: (gate) => [{ text: 'one', gate }, { text: 'two' }, { text: 'three' }],
    during: (session) => steer(session, 'and two'),
  },
  'words twice while it answers in words': {
    turns: (gate) => [{ text: 'one', gate }, { text: 'two' }, { text: 'three' }],
    during: async (session) => {
      await steer(session, 'and two');
      await steer(session, 'and three');
    },
  },
  'words while it makes a call': {
    turns: (gate) => [{ ...call('get_current_time'), gate }, { text: 'two' }, { text: 'three' }],
    during: (session) => steer(session, 'and two'),
  },
  'words while it asks whether it may': {
    turns: (gate) => [{ ...call('read_file', { path: 'a.txt' }), gate }, { text: 'two' }, { text: 'three' }],
    mode: 'ask',
    during: (session) => steer(session, 'and two'),
  },
  'a message that waits for the end': {
    turns: (gate) => [{ text: 'one', gate }, { text: 'two' }, { text: 'three' }],
    during: async (session) => void (await session.send({ type: 'send_message', content: 'and two' })),
  },
  'words that are taken back': {
    turns: (gate) => [{ text: 'one', gate }, { text: 'two' }],
    during: async (session) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      const stop = session.subscribe(
        (update) => void (update.type === 'queue_changed' && resolve(update.messages[0]?.queue_id ?? '')),
      );
      await steer(session, 'and two');
      expect(await session.send({ type: 'remove_queued', queue_id: await promise })).toEqual({ ok: true });
      stop();
    },
  },
  'words, and then a stop': {
    turns: (gate) => [{ text: 'one', gate }, { text: 'two' }],
    during: async (session) => {
      await steer(session, 'and two');
      await session.send({ type: 'cancel' });
    },
  },
  'another mode, model and name': {
    turns: (gate) => [{ ...call('get_current_time'), gate }, { text: 'two' }, { text: 'three' }],
    during: async (session) => {
      await session.send({ type: 'change_mode', mode: 'ask' });
      await session.send({ type: 'rename', title: 'x' });
      await session.send({ type: 'change_model', model: 'test-model' });
    },
  },
  'nothing, and a tool ends the run': { turns: () => [call('done'), { text: 'two' }], alone: true },
  'nothing, and one of two calls ends the run': {
    turns: () => [{ calls: [...call('get_current_time').calls, ...call('done').calls] }, { text: 'two' }],
    alone: true,
  },
};

const played = async (form: Played): Promise<readonly Event[]> => {
  const gate = Promise.withResolvers<void>();
  const folder = scratchFolder();
  putFiles(folder, { 'a.txt': 'one\n' });
  const session = await openedSession(
    await assembled({
      folder,
      modelProvider: scriptedProvider(form.turns(gate.promise)),
      mode: form.mode ?? 'yolo',
      plugins: { tools: [done] } as never,
    }),
  );
  const begun = nextEvent(session, 'user_message_added');
  const asked = nextEvent(session, 'permission_requested');
  await session.send({ type: 'send_message', content: 'hello one' });
  await begun;
  if ('during' in form) await form.during(session);
  gate.resolve();
  if (form.mode === 'ask') {
    const { tool_call_id } = await asked;
    await session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' });
  }
  await session.idle();
  await say(session, 'and then');
  return session.log();
};

test.each(Object.entries(PLAYED))('replays a run in which the person says %s', async (_name, form) => {
  verifies('B5');
  const log = await played(form);
  const report = await replaySession(log, ports);
  expect(report.difference).toBeUndefined();
  expect(report.events).toBe(log.length);
  // Nothing of it is still to be done, wherever it is taken up again.
  expect(openWork(DEFAULT_LIMITS, log).effects).toEqual([]);
});

test.each(Object.entries(PLAYED))('leaves one thing to do wherever it broke off: %s', async (_name, form) => {
  verifies('B12');
  const log = await played(form);
  for (let length = 1; length <= log.length; length += 1) {
    const due = openWork(DEFAULT_LIMITS, log.slice(0, length)).effects.map(({ type }) => type);
    const ends = due.filter((type) => ['run_completed', 'iteration_complete', 'call_model', 'stop_run'].includes(type));
    expect([log[length - 1]?.type, ends.length <= 1]).toEqual([log[length - 1]?.type, true]);
  }
});

test('says where a run goes on that would end now, and the other way round', async () => {
  verifies('B5');
  const log = await played(PLAYED['words while it answers in words'] as Played);
  const silent = log.filter((event) => !(event.type === 'user_message_added' && event.steers));
  expect((await replaySession(silent, ports)).difference).toMatchObject({
    type: 'iteration_completed',
    now: 'the run ends',
  });
  const [goesOn] = log.flatMap((event) => (event.type === 'iteration_completed' ? [event.seq] : []));
  const ended = log
    .slice(0, log.findIndex(({ seq }) => seq === goesOn) + 1)
    .map((event): Event => (event.seq === goesOn ? { ...event, type: 'run_completed', sources: [] } : event));
  expect((await replaySession(ended, ports)).difference).toMatchObject({
    type: 'run_completed',
    now: 'the run goes on',
  });
});
