/** A fact that the person said stands as their own words, as long as a filler, a question for it or the model's quote of it does. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { createRetainer } from './retained.ts';

const FACTS: readonly (readonly [fact: string, word: string])[] = [
  ['Hi, I am Marika, and the deploy host is kestrel-7.example.org.', 'kestrel-7'],
  ['I always want tabs, and never touch src/c.ts please, that is owned by Bogdan.', 'Bogdan'],
  ['By the way, the budget is 4300 euros until March.', '4300'],
  ['No, the port is not 8080: the right one is 9443.', '9443'],
  ['My wife Ilse is allergic to hazelnut.', 'hazelnut'],
  ['Die Rechnung geht jeden Monat an Frau Ohlsen in Kiel.', 'Ohlsen'],
  ["C'è una cosa: la parola d'ordine del progetto è 'girasole'.", 'girasole'],
  ['部署窗口是星期二晚上十点。', '星期二'],
];
const FILLERS = [
  ...['LONG 40', 'thanks, next', 'go on', 'And what do you think of that?', 'LONG 60', 'hm 7', 'go on', 'LONG 30'],
  ...['thanks, next', 'Explain module 17 a bit more, please.', 'Explain module 22 a bit more, please.'],
];
const ASKED: readonly (readonly [name: string, of: (word: string) => string])[] = [
  ['a command', (word) => `RECALL ${word}`],
  ['a question', (word) => `What did I say about ${word}?`],
  ['a request', (word) => `Tell me again what ${word} was.`],
];
const TOLD: readonly (readonly [name: string, of: (fact: string, word: string) => string])[] = [
  ['a quote', (fact, word) => `I know about ${word}: - ${fact}`],
  ['a quote and its own words', (fact) => `You said this to me some time ago, and I have kept it in mind. ${fact}`],
  ['an answer of its own', (_fact, word) => `That ${word} matters to the release, so I would look at it tomorrow.`],
];

const logOf = (turns: readonly (readonly [said: string, answer: string])[]): Event[] =>
  turns
    .flatMap(([text, answer]): EventBody[] => [said(text), answered(answer)])
    .map((body, at) => ({ seq: at + 1, at: 0, ...body }));

const keptIn = (log: readonly Event[], saidCharacters: number): { lines: string[]; dropped: readonly string[] } => {
  const options = { trace: () => undefined, tasks: [], maxCharacters: 200, saidCharacters };
  const { text, dropped } = createRetainer(log, () => undefined)(log.length + 1, options);
  const part = /The user said, word for word:\n((?:- .*\n)*)/.exec(text)?.[1] ?? '';
  return { lines: part.split('\n').filter((line) => line !== ''), dropped };
};

const cases = ASKED.flatMap(([asking, ask]) => TOLD.map(([telling, tell]) => ({ asking, ask, telling, tell })));
describe.each(cases)('facts that were asked for by $asking and told again by $telling', ({ ask, tell }) => {
  const understood = (at: number): string => `Understood (${at}). I will keep that in mind.`;
  const before = [...FACTS.map(([fact]) => fact), ...FILLERS];
  const log = logOf([
    ...before.map((text, at) => [text, understood(at)] as const),
    ...FACTS.map(([fact, word]) => [ask(word), tell(fact, word)] as const),
    ['fine', understood(99)],
  ]);
  const all = FACTS.reduce((sum, [fact]) => sum + fact.length, 0);

  it.each([0.5, 0.7, 0.9, 1.2, 1.4, 1.7])('stand first, in %s of the room that they take', (share) => {
    verifies('B7');
    const { lines, dropped } = keptIn(log, Math.ceil(all * share) + 100);
    const isKept = ([fact]: readonly [string, string]): boolean =>
      lines.some((line) => line.replace(/\[after you said: .*\]$/u, '').includes(fact.slice(0, -1)));
    const lost = FACTS.filter((fact) => !isKept(fact));
    const brackets = lines.filter((line) => line.includes('[after you said: '));
    if (share > 1) expect(lost).toEqual([]);
    if (lost.length > 0) expect(brackets).toEqual([]);
    // A demand can be as short as a filler that is said once.
    const others = lines.filter((line) => FILLERS.some((filler) => line === `- ${filler}`) && line !== '- hm 7');
    if (lost.length > 0) expect(others).toEqual([]);
    // What is not kept is told, and that comes first.
    const told = dropped.slice(0, lost.length).map((words) => words.slice(0, 20));
    expect(told.toSorted()).toEqual(lost.map(([fact]) => fact.slice(0, 20)).toSorted());
  });
});
