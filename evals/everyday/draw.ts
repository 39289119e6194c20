/** Names and numbers by chance, each name once. */
import type { Random } from '../../tests/support/random.ts';
import type { Draw } from './folders.ts';

const PEOPLE = 'Mira Jonas Elif Pavel Greta Tomas Nadia Oskar Lena Hugo Carla Bruno Ines Anton Rosa Felix'.split(' ');
const SURNAMES = 'Okafor Lindqvist Moreau Tanaka Novak Castell'.split(' ');

export const drawFrom = (random: Random): Draw => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const [people, surnames] = [[...PEOPLE], [...SURNAMES]];
  const take = (names: string[]): string => names.splice(below(names.length), 1)[0] ?? 'Nobody';
  return {
    person: () => take(people),
    surname: () => take(surnames),
    number: (least, most) => least + below(most - least + 1),
    of: (...choices) => {
      const chosen = choices[below(choices.length)];
      if (chosen === undefined) throw new Error('nothing to choose from');
      return chosen;
    },
  };
};
