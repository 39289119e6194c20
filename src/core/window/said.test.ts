import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createSaid, type Said } from './said.ts';

const routine = (at: number): string => `Read part ${at} of the shop, and tell me what its constant is for.`;
const fact = (at: number): string =>
  `The port of the machine host-${at} is ${8_000 + at}, and nothing else listens there.`;
const long = (at: number): string => `${fact(at)} ${'It was a day like the others. '.repeat(40)}`;
const many = (count: number, of: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));

/** What stands after each of many compactions, with so many messages more each time. */
const madeRoom = (messages: readonly string[], each: number, characters: (round: number) => number): Said[] => {
  const rounds: Said[] = [];
  for (let count = each; count <= messages.length; count += each) {
    const said = createSaid(messages.slice(0, count), []);
    rounds.push(said(characters(rounds.length), rounds.at(-1)?.choice));
  }
  return rounds;
};
const text = ({ lines }: Said): string => lines.map((line) => `- ${line}`).join('\n');
/** Compactions after which a server has to read again what stood there before. */
const readAgain = (rounds: readonly Said[]): number =>
  rounds.filter((round, index) => index > 0 && !text(round).startsWith(text(rounds[index - 1] as Said))).length;

describe('what stays of what the person said, from one compaction to the next', () => {
  it.each([
    ['work of one form', routine],
    ['a fact in each', fact],
    ['a fact now and then', (at: number) => (at % 7 === 0 ? `${routine(at)} ${fact(at)}` : routine(at))],
    ['messages longer than may stand whole', (at: number) => (at % 9 === 0 ? long(at) : routine(at))],
  ])('begins as before, but for one in several compactions: %s', (_name, of) => {
    verifies('B7');
    const rounds = madeRoom(many(300, of), 6, () => 9_000);
    const full = rounds.filter(({ choice }) => choice !== undefined);
    expect(full.length).toBeGreaterThan(15);
    expect(readAgain(rounds)).toBeLessThanOrEqual(full.length / 2);
    for (const round of full) expect(text(round).length).toBeLessThanOrEqual(9_000);
    // What is kept free for the next messages is a small part of it.
    expect(text(full.at(-1) as Said).length).toBeGreaterThan(7_500);
  });

  it('marks in brackets what is not said by the person, and says what its own signs stand for', () => {
    const { lines } = createSaid(
      many(60, (at) => (at % 9 === 0 ? long(at) : routine(at))),
      [],
    )(2_000);
    expect(lines[0]).toMatch(/^\[\d+ further messages left out; "…" stands for sentences left out\]$/);
    const [none] = createSaid(many(60, long), [])(70).lines;
    expect(none).toMatch(/^\[60 messages, for which there is no room here\]$/);
    const cut = createSaid([long(1)], [])(2_000);
    expect(cut.lines[0]).toBe('["…" stands for sentences left out]');
    expect(cut.lines[1]).toMatch(/…$/);
    expect(createSaid(['One. Two …'], [])(100).lines).toEqual(['One. Two …']);
  });

  it('fills a small room, where little is read again', () => {
    for (const round of madeRoom(many(200, fact), 10, () => 2_000).slice(8))
      expect(text(round).length).toBeGreaterThan(1_750);
  });

  it('has the newest messages whole after each', () => {
    const messages = many(180, (at) => (at % 7 === 0 ? `${routine(at)} ${fact(at)}` : routine(at)));
    for (const [index, round] of madeRoom(messages, 6, () => 9_000).entries())
      expect(round.lines.slice(-6)).toEqual(messages.slice(index * 6, index * 6 + 6));
  });

  it('stands as before in a little more or less room, and is chosen anew in much more', () => {
    const rounds = madeRoom(many(300, fact), 6, (round) => 8_800 + (round % 2) * 200);
    expect(readAgain(rounds)).toBeLessThanOrEqual(rounds.length / 2);
    const said = createSaid(many(300, fact), []);
    const small = said(2_000);
    expect(text(said(5_000, small.choice)).length).toBeGreaterThan(4_500);
    expect(said(50_000, small.choice).whole).toBe(300);
    expect(text(said(1_000, small.choice)).length).toBeLessThanOrEqual(1_000);
  });

  it('takes no choice that is of another conversation', () => {
    const said = createSaid(many(10, long), []);
    expect(said(2_000, { messages: 30, characters: 1_000 })).toEqual(said(2_000));
  });
});
