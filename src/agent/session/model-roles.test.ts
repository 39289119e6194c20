/** Models that the person named for what they are used for, in a session. */
import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { SessionFace, SessionUpdate } from '../../core/events.ts';
import type { ModelRequest } from '../../core/model-port.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const MODELS = ['usual', 'planner', 'noter', 'mine'].map((id) => ({ id, tools: true, context_length: 32_768 }));
const isNotes = (request: ModelRequest): boolean => JSON.stringify(request.messages.at(-1)).includes('Write notes');

const world = (answer: (request: ModelRequest) => ScriptedProviderTurn = () => ({ text: 'Done.' })) => {
  const provider = scriptedProvider(answer, { models: MODELS });
  const [folder, home] = [scratchFolder(), scratchFolder()];
  const start = (roles: Record<string, string>, mode?: 'plan') =>
    assembled({
      folder,
      environment: { HOME: home },
      modelProvider: provider,
      model: 'usual',
      roles,
      resumeWith: 'own',
      ...(mode ? { mode } : {}),
    });
  return { provider, start, asked: () => provider.requests.map(({ model }) => model) };
};
const change = async (session: SessionFace, mode: 'plan' | 'ask'): Promise<void> => {
  expect(await session.send({ type: 'change_mode', mode })).toEqual({ ok: true });
};

it('another model answers in plan mode, and the own one again after it', async () => {
  const { start, asked } = world();
  const session = await openedSession(await start({ plan: 'planner' }));
  await say(session);
  await change(session, 'plan');
  await say(session);
  await say(session);
  await change(session, 'ask');
  await say(session);
  expect(asked()).toEqual(['usual', 'planner', 'planner', 'usual']);
  const told = session.log().flatMap((event) => (event.type === 'model_changed' ? [[event.model, event.role]] : []));
  expect(told).toEqual([
    ['planner', 'plan'],
    ['usual', 'main'],
  ]);
});

it('a model that the person chose while they planned stays, and what they had chosen before comes back', async () => {
  const { start, asked } = world();
  const session = await openedSession(await start({ plan: 'planner' }, 'plan'));
  await say(session);
  expect(await session.send({ type: 'change_model', model: 'mine' })).toEqual({ ok: true });
  await say(session);
  await change(session, 'ask');
  await say(session);
  await change(session, 'plan');
  await say(session);
  await change(session, 'ask');
  await say(session);
  expect(asked()).toEqual(['planner', 'mine', 'mine', 'planner', 'mine']);
});

it('a session that is opened again goes on with the model of its mode, and leaves it for its own', async () => {
  const { start, asked } = world();
  const session = await openedSession(await start({ plan: 'planner' }));
  await change(session, 'plan');
  await say(session);
  await session.close();
  const again = await openedSession(await start({ plan: 'planner' }, 'plan'), { id: session.id });
  await say(again);
  await change(again, 'ask');
  await say(again);
  expect(asked()).toEqual(['planner', 'planner', 'usual']);
});

it('a model for plan mode that is not there is named with its role, and nothing else answers', async () => {
  const { start, asked } = world();
  const session = await openedSession(await start({ plan: 'ollama/not-there' }, 'plan'));
  await say(session);
  const failed = session.log().findLast(({ type }) => type === 'model_failed');
  expect(failed).toMatchObject({ message: expect.stringContaining('models.roles.plan') });
  expect(asked()).toEqual([]);
});

const compacted = async (roles: Record<string, string>, notes: (model: string) => ScriptedProviderTurn) => {
  const played = world((request) => (isNotes(request) ? notes(request.model) : { text: WORDS.repeat(40) }));
  const session = await openedSession(await played.start(roles));
  for (let at = 0; at < 6; at += 1) await say(session, `Question ${at}`);
  const told: SessionUpdate[] = [];
  session.subscribe((update) => told.push(update));
  expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
  await say(session, 'And now?');
  const warnings = told.flatMap((update) => (update.type === 'warning' ? [`${update.code}: ${update.message}`] : []));
  const [made] = session.log().flatMap((event) => (event.type === 'context_compacted' ? [event] : []));
  const asked = played.provider.requests.filter(isNotes).map(({ model }) => model);
  return { asked, warnings, made, answered: played.asked().at(-1) };
};

it.each([
  [
    'by the model for them',
    { compaction: 'noter' },
    () => ({ text: '{"goal": "question after question"}' }),
    ['noter'],
    0,
  ],
  ['by the own one where there is no role', {}, () => ({ text: '{"goal": "question after question"}' }), ['usual'], 0],
  [
    'by the own one where the other writes none',
    { compaction: 'noter' },
    (model: string) => ({ text: model === 'noter' ? 'No.' : '{"goal": "question after question"}' }),
    ['noter', 'usual'],
    1,
  ],
  [
    'by the other one, though nobody said what it notes',
    { compaction: 'noter' },
    () => ({ text: '{"goal": "Sell the kiosk"}' }),
    ['noter'],
    0,
  ],
  [
    'by the own one where the other is not there',
    { compaction: 'ollama/not-there' },
    () => ({ text: '{"goal": "question after question"}' }),
    ['usual'],
    1,
  ],
  [
    'by the model of another role',
    { compaction: 'fast', fast: 'noter' },
    () => ({ text: '{"goal": "question after question"}' }),
    ['noter'],
    0,
  ],
] as const)('notes of a full window are written %s', async (_by, roles, notes, wanted, warned) => {
  const { asked, warnings, made, answered } = await compacted({ ...roles }, notes);
  expect(asked).toEqual(wanted);
  expect(warnings.filter((text) => text.includes('models.roles.compaction'))).toHaveLength(warned);
  expect(made?.report?.notes_failed).toBeUndefined();
  expect(answered).toBe('usual');
});
