import { expect, it } from 'vitest';
import type { Event, EventBody } from './events.ts';
import { modelChangedText, modelForMode, ownModelOf } from './model-roles.ts';

const log = (...bodies: EventBody[]): Event[] =>
  bodies.map((body, index) => ({ ...body, seq: index + 1, at: 0 }) as Event);
const began = { type: 'session_started', model: 'own' } as EventBody;
const chose = (model: string): EventBody => ({ type: 'model_changed', model });
const forPlan: EventBody = { type: 'model_changed', model: 'planner', role: 'plan' };
const back = (model: string): EventBody => ({ type: 'model_changed', model, role: 'main' });
const mode = (name: 'plan' | 'ask'): EventBody => ({ type: 'mode_changed', mode: name });
const branched = { type: 'branch_selected', at_seq: 1, model: 'planner' } as EventBody;

it.each([
  ['nothing was begun', [], 'plan', true, undefined, undefined],
  ['began in plan mode', [began], 'plan', true, 'plan', 'own'],
  ['began in plan mode without a model for it', [began], 'plan', false, undefined, 'own'],
  ['began in another mode', [began], 'ask', true, undefined, 'own'],
  ['plans already', [began, forPlan], 'plan', true, undefined, 'own'],
  ['left plan mode', [began, mode('plan'), forPlan, mode('ask')], 'ask', true, 'own', 'own'],
  ['left plan mode and was told so', [began, forPlan, mode('ask'), back('own')], 'ask', true, undefined, 'own'],
  ['plans again', [began, forPlan, mode('ask'), back('own'), mode('plan')], 'plan', true, 'plan', 'own'],
  ['the role was taken away', [began, forPlan], 'plan', false, 'own', 'own'],
  ['chose a model before', [began, chose('mine'), mode('plan')], 'plan', true, 'plan', 'mine'],
  ['chose a model while planning', [began, mode('plan'), forPlan, chose('mine')], 'plan', true, undefined, 'mine'],
  [
    'chose one while planning, and goes on',
    [began, forPlan, chose('mine'), mode('ask')],
    'ask',
    true,
    undefined,
    'mine',
  ],
  ['was opened again while planning', [began, mode('plan'), forPlan, back('own')], 'plan', true, 'plan', 'own'],
  ['went on elsewhere while planning', [began, mode('plan'), forPlan, branched], 'plan', true, undefined, 'own'],
  ['went on elsewhere, and plans no more', [began, forPlan, branched, mode('ask')], 'ask', true, 'own', 'own'],
] as const)('a session that %s has the model for its mode', (_what, events, now, hasPlanModel, wanted, own) => {
  const known = log(...(events as readonly EventBody[]));
  expect(modelForMode(known, now, hasPlanModel)).toBe(wanted);
  expect(ownModelOf(known)).toBe(own);
});

it('is said in words', () => {
  const texts = [chose('m'), forPlan, back('m')].map((event) =>
    modelChangedText(event as Parameters<typeof modelChangedText>[0]),
  );
  expect(texts).toEqual([
    'The model is m from here on.',
    'The model is planner in plan mode.',
    'The model is m again.',
  ]);
});
