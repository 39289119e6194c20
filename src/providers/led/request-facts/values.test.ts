import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { parseGbnf, sampleGbnf } from '../../../../tests/support/gbnf-sampler.ts';
import { copyGrammar } from './copy-grammar.ts';
import { findDates, writeDate } from './dates.ts';
import {
  findNamedFolders,
  findNumberLists,
  findNumbers,
  findObject,
  findPaths,
  findQuoted,
  findWords,
  withoutValues,
} from './values.ts';

const numbers = (text: string): number[] => findNumbers(text).map((mention) => mention.value);
const paths = (text: string): string[] => findPaths(text).map((span) => span.text);

describe('numbers of a request', () => {
  it.each<[string, number[]]>([
    ['a base of 10 and a height of 2.5', [10, 2.5]],
    ['$1,250.75 and 3 million', [1250.75, 3_000_000]],
    ['twenty-five people and two dozen eggs', [25, 24]],
    ['from -5 to +3', [-5, 3]],
    ['the 2019-2020 season', [2019, 2020]],
    ['cash flows [200,300,400]', [200, 300, 400]],
    ['A(3,4)', [3, 4]],
    ['$1.2M and 10k', [1_200_000, 10_000]],
    ['100 m of rope', [100]],
    ['x^2', []],
    ['version v2', []],
  ])('reads "%s"', (text, expected) => {
    expect(numbers(text)).toEqual(expected);
  });

  it('knows what is a percentage', () => {
    expect(findNumbers('5% or 6 percent of 70').map((mention) => mention.percent)).toEqual([true, true, false]);
  });

  it('reads lists as one', () => {
    const text = 'between A(3,4) and B(1,2), or [5, 6, 7]';
    expect(findNumberLists(text, findNumbers(text)).map((list) => list.map((mention) => mention.value))).toEqual([
      [3, 4],
      [1, 2],
      [5, 6, 7],
    ]);
  });

  it('finds every number where it stands', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const mention of findNumbers(text)) {
          expect(Number.isFinite(mention.value)).toBe(true);
          expect(mention.start).toBeGreaterThanOrEqual(0);
          expect(mention.end).toBeGreaterThan(mention.start);
          expect(mention.end).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});

describe('other values of a request', () => {
  it('finds file names, and no addresses, ends of sentences or fractions', () => {
    expect(paths('Compare src/main.ts with notes.txt, then ./a/b.md and .gitignore.')).toEqual([
      'src/main.ts',
      'notes.txt',
      './a/b.md',
      '.gitignore',
    ]);
    expect(paths('Mail me at a.b@example.org on 1/2 and/or call Mr. Smith. Bye.')).toEqual([]);
  });

  it('finds folders and files that are named in words', () => {
    expect(findNamedFolders('List the src folder and the directory called docs').map((span) => span.text)).toEqual([
      'docs',
      'src',
    ]);
    expect(findNamedFolders('What is in this folder, in the current directory?')).toEqual([]);
  });

  it('finds quoted text, with an apostrophe inside', () => {
    expect(findQuoted(`say "a b" and 'it's here' and \`c\``).map((span) => span.text)).toEqual([
      'a b',
      "it's here",
      'c',
    ]);
    expect(findQuoted("the dog's and the cat's bowl")).toEqual([]);
  });

  it('takes the values out, so that a file name says only that a file is meant', () => {
    expect(withoutValues('Show me todo.md').replace(/\s+/g, ' ').trim()).toBe('Show me file');
    // A path within quotes is taken out once, and nothing behind it.
    expect(withoutValues('Read "notes.txt" and list it')).toBe('Read " file " and list it');
    expect(withoutValues('Look in "the a.txt of old" for names')).toBe('Look in " " for names');
  });

  it('reads dates and writes them as asked', () => {
    const [first, second, third] = findDates('from July 10, 2022 to 20th July 2022 or 2023 April 4th');
    expect(first && writeDate(first, '')).toBe('2022-07-10');
    expect(second && writeDate(second, 'format MM/DD/YYYY')).toBe('07/20/2022');
    expect(third && writeDate(third, 'in DD-MM-YYYY')).toBe('04-04-2023');
  });

  it('reads an object in the request', () => {
    expect(findObject("scores {'math': 90, 'art': 75} please")).toEqual({ math: 90, art: 75 });
    expect(findObject('{broken')).toBeUndefined();
  });
});

describe('copying under a grammar', () => {
  const draw = (seed: number) => {
    let state = seed >>> 0;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  };
  const copies = (text: string, seed: number, options = {}): string[] => {
    const copy = copyGrammar(text, options);
    if (copy === undefined) return [];
    const rules = parseGbnf(
      [
        `root ::= "\\"" ${copy.start} "\\""`,
        ...Object.entries(copy.rules).map(([name, body]) => `${name} ::= ${body}`),
      ].join('\n'),
    );
    const random = draw(seed);
    return Array.from({ length: 12 }, () => JSON.parse(sampleGbnf(rules, random)) as string);
  };

  it('gives nothing that does not stand in the request', () => {
    verifies('B1');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer(), fc.boolean(), (text, seed, short) => {
        for (const copied of copies(text, seed, { short })) expect(text).toContain(copied);
      }),
    );
  });

  it('neither begins nor ends with a word of grammar, and cuts no name', () => {
    const found = copies('What is the ranking of Manchester United in Premier League?', 4, { short: true });
    for (const copied of found)
      expect(['ranking', 'ranking of Manchester United', 'Manchester United', 'Premier League']).toContain(copied);
  });

  const every = (text: string, options = {}): string[] => copyGrammar(text, { short: true, ...options })?.texts ?? [];

  it('ends before the person themselves', () => {
    const found = every('Fetch me from 12 Mill Lane, Ely, and I will pay, since I’m late');
    expect(found).toContain('12 Mill Lane, Ely');
    expect(found.filter((copied) => /\bI\b/.test(copied))).toEqual([]);
  });

  it('leaves out a word of the argument’s own name, also where it is an abbreviation', () => {
    const found = every('List the orders of ID K4471 and of ZIP 90210', { own: new Set(['id', 'zip']) });
    expect(found).toContain('K4471');
    expect(found.filter((copied) => /\b(?:ID|ZIP)\b/.test(copied))).toEqual([]);
  });

  it('cuts no place that is told with its country, where one is asked for', () => {
    const request = 'How warm is it in Alta, Norway today?';
    expect(every(request)).toContain('Norway');
    const found = every(request, { placed: true });
    expect(found).toContain('Alta, Norway');
    expect(found).not.toContain('Norway');
    expect(found).not.toContain('Alta');
  });

  it('leaves alone what another argument has used', () => {
    const text = 'from Sydney to Melbourne';
    for (const copied of copies(text, 2, { used: [{ text: 'Sydney', start: 5, end: 11 }] }))
      expect(copied).toBe('Melbourne');
  });

  it('finds what stands at the end of a long request as well as at its beginning', () => {
    const text = `Tell Ann ${'one more thing, '.repeat(400)}and also tell Bartholomew`;
    for (const name of ['Ann', 'Bartholomew']) {
      expect(Object.values(copyGrammar(text)?.rules ?? {}).filter((rule) => rule.includes(`"${name}"`))).not.toEqual(
        [],
      );
    }
  });

  it('keeps words where they are', () => {
    expect(findWords('(see "notes.txt", f(x) and U.S. rules.)').map((word) => word.text)).toEqual([
      'see',
      'notes.txt',
      'f(x)',
      'and',
      'U.S',
      'rules',
    ]);
  });
});
