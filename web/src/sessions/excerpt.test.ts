import { describe, expect, it } from 'vitest';
import { excerptPieces } from './excerpt.ts';

const textOf = (excerpt: string, query: string): string =>
  excerptPieces(excerpt, query)
    .map(({ text, isHit }) => (isHit ? `[${text}]` : text))
    .join('');

describe('where words were said', () => {
  it.each([
    ['the bread is ready', 'bread', 'the [bread] is ready'],
    ['Bread and more BREAD', 'bread', '[Bread] and more [BREAD]'],
    ['flour and water', 'water flour', '[flour] and [water]'],
    ['what is C++ (really)?', 'c++ (', 'what is [C++] [(]really)?'],
    ['…one two three four five six seven eight the bread is ready…', 'bread', '…six seven eight the [bread] is ready…'],
    [`…${'x'.repeat(60)}bread`, 'bread', `…${'x'.repeat(24)}[bread]`],
    [
      '## The **plan** - bake `bread` - see [the list](https://a.example)',
      'bread',
      'The plan - bake `[bread]` - see the list',
    ],
    ['| name | price | |---|---| | bread | 3 |', 'bread', '| name | price | | [bread] | 3 |'],
    ['write **bold** so', '**', 'write [**]bold[**] so'],
    ['{"command":"echo two > two.txt"}', 'two.txt', '{"command":"echo two > [two.txt]"}'],
    ['cat a | grep b - 5 * 3 + 2 # why', 'grep', 'cat a | [grep] b - 5 * 3 + 2 # why'],
    ['def __init__(self): `date` ~~x~~', 'date', 'def __init__(self): `[date]` ~~x~~'],
    ['rm src/**/*.ts tests/**/*.ts', 'tests', 'rm src/**/*.ts [tests]/**/*.ts'],
    ['a = 2**3 and b = 4**5', 'b', 'a = 2**3 and [b] = 4**5'],
    ['call f[0](a) now', 'now', 'call f[0](a) [now]'],
    ['a*b and snake_case stay', 'snake_case', 'a*b and [snake_case] stay'],
    ['no such word', 'bread', 'no such word'],
    ['no query', ' ', 'no query'],
  ])('%j, looked for %j', (excerpt, query, shown) => {
    expect(textOf(excerpt, query)).toBe(shown);
  });

  it('splits no character of two halves', () => {
    const pieces = excerptPieces(`a${'😀'.repeat(40)}bread`, 'bread');
    expect(pieces.every(({ text }) => text.isWellFormed())).toBe(true);
  });
});
