/** A short answer stands with the question that it answers, however much the model says behind it, or with nothing. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { exchangesIn } from './exchanges.ts';
import { saidTo } from './said-to.ts';

const contextOf = (answer: string, reply: string): string => {
  const log: Event[] = [said('A word about the house, please, and about what is to be done there.'), answered(answer)]
    .concat([said(reply), answered('Good.')] as EventBody[])
    .map((body, at) => ({ seq: at + 1, at: 0, ...body }));
  return saidTo(exchangesIn(log))[1] ?? '';
};

const BEHIND = [
  'It costs about 40 francs.',
  'Many people put this off for a while.',
  'You can always change it later.',
  'Some wait for the warm weeks.',
  'Nothing breaks if you leave it.',
  'My own taste would be to try it.',
  'The rest of the plan stays as it is.',
  'A friend of the house did it twice.',
  'Spring is a good time.',
  'It takes an hour.',
  'The tools are there.',
  'I can explain more.',
];
const ASKED: readonly (readonly [question: string, reply: string, word: string])[] = [
  ['Shall I order the oak shelves?', 'yes', 'oak shelves'],
  ['Shall I plan two bee hives?', '👎', 'bee hives'],
  ['The letter is written. Shall I send it to the mayor?', '👍', 'mayor'],
  ['Shall I move the wall by a metre?', 'yes, but not the door', 'wall'],
  ['Do you want gravel or slabs for the path?', 'the latter', 'slabs'],
  ['Do you want gravel or slabs for the path?', 'gravel please', 'slabs'],
  ['How many lamps may I order?', '7', 'lamps'],
  ['Soll ich die Hecke schneiden?', 'nein', 'Hecke'],
  ['Nehmen wir Kies oder Platten für den Weg?', 'das zweite', 'Platten'],
  ['Dois-je réserver la péniche ?', 'oui', 'péniche'],
  ['Veux-tu du gravier ou des dalles ?', 'le premier', 'dalles'],
  ['¿Pinto la valla de verde?', 'sí', 'valla'],
  ['Devo chiamare il fabbro?', 'no', 'fabbro'],
  ['Mam zamówić deski?', 'tak', 'deski'],
  ['Мне покрасить забор?', 'да', 'забор'],
  ['看板を青く塗りましょうか？', 'はい', '看板'],
  ['要不要给花园换一扇门？', '好', '花园'],
];
describe.each(ASKED)('%s %s', (question, reply, word) => {
  it.each([0, 3, 4, 6, 8, 12])('stands with its question, with %s sentences behind that', (count) => {
    verifies('B7');
    const context = contextOf([question, ...BEHIND.slice(0, count)].join(' '), reply);
    expect(context).toContain(word);
    expect(context).not.toContain('I can explain more');
  });
});

it.each([
  ['Good gates last. Oak lasts for thirty years. Larch is cheaper.', 'Pablo no come carne.'],
  ['Charts in plastic last for years. One night on the island. The ferry runs daily.', 'El barco no sale los lunes.'],
  ['Charts in plastic last for years. One night on the island. The ferry runs daily.', 'Forget the goat.'],
  ['Wool keeps warm when wet. Silk does not. Cotton dries slowly.', 'Mi hermana no puede venir.'],
  ['Wool keeps warm when wet. Silk does not. Cotton dries slowly.', 'Luisa não bebe vinho.'],
  ['Wool keeps warm when wet. Silk does not. Cotton dries slowly.', 'Oublie la chèvre.'],
  ['Wool keeps warm when wet. Silk does not. Cotton dries slowly.', 'Vergiss die Ziege.'],
  ['Wool keeps warm when wet. Silk does not. Cotton dries slowly.', 'Anna non mangia pesce.'],
  ['Good gates save more time than good dogs. You could take:\n1. a gate\n2. a dog', 'Forget the goat.'],
  ['Charts last for years. We could rent:\n(a) doubles\n(b) singles', 'Pablo no come carne.'],
  [`Why did the astronomer look up? Because down was taken. ${BEHIND.slice(0, 5).join(' ')}`, 'ok'],
  [`Which plums do you like? ${BEHIND.slice(0, 5).join(' ')}`, 'yes'],
])('stands with nothing where nothing was asked that it answers: %s %s', (answer, reply) => {
  verifies('B7');
  expect(contextOf(answer, reply)).toBe('');
});

it('takes a no behind a question for its answer and for no correction, however much is said in between', () => {
  verifies('B7');
  const answer = ['Shall I paint the shed of Nora?', ...BEHIND.slice(0, 6)].join(' ');
  const log = [said('Nora has the shed.'), answered(answer), said('no'), answered('Good.')].map(
    (body, at): Event => ({ seq: at + 1, at: 0, ...body }),
  );
  expect(exchangesIn(log)[1]?.isCorrection).toBe(false);
});
