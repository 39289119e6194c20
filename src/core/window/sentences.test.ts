import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { sentencesOf } from './sentences.ts';

const NEXT = 'Afterwards the whole of the report goes to the office.';

describe('where a sentence ends', () => {
  it.each([
    'Der Termin bei Dr. Weber ist am 3. Mai um neun Uhr.',
    'Frau Prof. Lindner erreicht man unter Tel. 0711 55821.',
    'Es sind ca. 300 Euro bzw. Franken, z.B. Hotel und Bahn.',
    'Mr. Osei and Mrs. Adler sign for Kaya Inc. Germany together.',
    'The case is Adler vs. Osei, see Fig. 4 and No. 12 of the list.',
    'Живёт на ул. Ленина у проф. Орлова, тел. 55821.',
    'La réunion avec M. Dupont est au no. 12 de la rue.',
    'El Sr. García vive en la Av. Bolívar con la Sra. Ruiz.',
    'Version 1.2.3 of lib/a.b.ts is read at 10.30 by J. R. Adler.',
    'The U.S. Treasury wants e.g. Receipts of every month.',
  ])('not behind what is cut short: %s', (text) => {
    verifies('B7');
    // The last word may be as short as what is cut short: then the next sentence stays with it.
    expect(sentencesOf(`${text} ${NEXT}`)[0]).toContain(text);
  });

  it.each([
    [
      'The amounts are kept as integer cents. Rounding happens at the very end.',
      ['The amounts are kept as integer cents.', 'Rounding happens at the very end.'],
    ],
    [
      '"Is this what you want to be done?" The others asked for it too.',
      ['"Is this what you want to be done?"', 'The others asked for it too.'],
    ],
    [
      '最初の機能はとても速くて、みんなが毎日使っているものです。二番目の機能は整数の値だけを使うので、いつも正確です。',
      [
        '最初の機能はとても速くて、みんなが毎日使っているものです。',
        '二番目の機能は整数の値だけを使うので、いつも正確です。',
      ],
    ],
    ['风在山谷里慢慢吹。孩子们数着七条小船。', ['风在山谷里慢慢吹。', '孩子们数着七条小船。']],
    ['会場は公民館です。電話は山田さんにしてください。', ['会場は公民館です。', '電話は山田さんにしてください。']],
    ['One line without an end\nand another one', ['One line without an end', 'and another one']],
  ])('behind its sign, and at the end of a line: %s', (text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  it('leaves a short sentence with the one that it speaks of', () => {
    const [first] = sentencesOf(`The deploy key lies in vault/prod. It is read-only. ${NEXT}`);
    expect(first).toBe('The deploy key lies in vault/prod. It is read-only.');
  });
});
