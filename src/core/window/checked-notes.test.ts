import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { checkedNotes } from './checked-notes.ts';
import { notesLines } from './notes.ts';

const SAID = [
  'We agreed with Ada Osei on CHF 1,250.50 by 3 May 2027, see docs/price-list.md and https://shop.example/a?b=1.',
  'The limit in src/m3.js is LIMIT_3 = 4096; Kemal (kemal@shop.example) owns it. Der Preis bleibt bei 12’000 Franken.',
];

const SOURCES = { read: SAID, said: SAID };

describe('notes of a model', () => {
  it.each([
    'the price is CHF 1250.50',
    'the price is CHF 1,250.50, due on 3 May 2027',
    'Ada Osei decided it',
    'Limit_3 in src/m3.js is 4,096',
    'mail goes to kemal@shop.example',
    'the list is docs/price-list.md',
    'it is described at https://shop.example/a?b=1.',
    'es bleibt bei 12000 Franken',
    'nothing is rounded before the end',
  ])('stay where all that they name was said: %s', (note) => {
    verifies('B7');
    expect(checkedNotes({ facts: [note] }, SOURCES)?.facts).toEqual([note]);
  });

  it.each([
    ['said in one message', 'agreed with Ada Osei on CHF 1,250.50', true],
    ['with other endings', 'the limits in src/m3.js belong to Kemal', true],
    ['in German', 'der Preis bleibt bei 12000 Franken', true],
    ['who and what of two messages', 'Kemal agreed on CHF 1,250.50', false],
    ['a number and a file of two messages', 'src/m3.js is due on 3 May 2027', false],
    ['nobody said anything of it', 'tabs are used for indentation everywhere', false],
    ['one true name, and all else invented', 'Kemal will rewrite everything with another framework', false],
  ])('say that something was decided only where one message does: %s', (_case, note, isDecided) => {
    verifies('B7');
    const checked = checkedNotes({ decisions: [note] }, SOURCES);
    expect(checked).toMatchObject(isDecided ? { decisions: [note], facts: [] } : { decisions: [], facts: [note] });
  });

  it('stand apart from what the user said, as what may be wrong', () => {
    verifies('B7');
    expect(notesLines({ decisions: ['the port is 1'] })[0]).toMatch(/^Your own notes, which may be wrong/);
    expect(notesLines({})).toEqual([]);
  });

  it.each([
    'the price is CHF 1300.50',
    'due on 4 June 2027',
    'due on 2027-05-09',
    'Ada decided it with Bernard',
    'the limit is in src/m4.js',
    'the limit is in config.yaml',
    'mail goes to ada@shop.example',
    'it is described at https://other.example/a',
    'es bleibt bei 15’000 Franken',
    'the key is RX-55821',
  ])('are dropped where they name what was never said: %s', (note) => {
    verifies('B7');
    for (const part of ['decisions', 'facts', 'open'] as const)
      expect(checkedNotes({ [part]: [note, 'it is agreed'] }, SOURCES)?.[part]).toEqual(['it is agreed']);
    expect(checkedNotes({ goal: note }, SOURCES)).toBeUndefined();
  });
});
