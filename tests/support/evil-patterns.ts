/** Patterns of strangers that stop a program which goes back and forth over a text. */

/** With a text on which an engine that goes back and forth takes longer than anyone lives, or nearly. */
export const EVIL_EXPRESSIONS: readonly (readonly [pattern: string, text: string])[] = [
  ['(a+)+$', `${'a'.repeat(60)}!`],
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['^(a|a)*$', `${'a'.repeat(60)}!`],
  ['^(a|aa)+$', `${'a'.repeat(90)}!`],
  ['^(a*)*$', `${'a'.repeat(60)}!`],
  ['^((a*)*)*$', `${'a'.repeat(60)}!`],
  ['^(\\w+\\s?)*$', `${'word '.repeat(20)}!`],
  ['^([a-z]+)*[0-9]$', 'a'.repeat(60)],
  ['^(.*)*x$', 'a'.repeat(60)],
  ['^(.*?,){20}P', '1,'.repeat(60)],
  ['(x+x+)+y', 'x'.repeat(60)],
  ['^(a?){60}a{60}b$', 'a'.repeat(60)],
  ['^(?:a{0,60}){60}b$', 'a'.repeat(60)],
  ['^(?=(a+)+$)', `${'a'.repeat(60)}!`],
  ['^(?!(a+)+$)b', `${'a'.repeat(60)}!`],
  ['(?<=(a+)+)b$', `${'a'.repeat(60)}!`],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
  ['^([a-zA-Z0-9])(([-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$', 'a'.repeat(60)],
  ['^(\\d+|\\d+\\d+)+$', `${'1'.repeat(60)}x`],
  ['^(\\p{L}+)+$', `${'é'.repeat(60)}!`],
  ['^(?:(?:(?:a+)+)+)+$', `${'a'.repeat(60)}!`],
  ['^(a+){10}$', `${'a'.repeat(200)}!`],
  ['^.*.*.*.*.*.*.*.*x$', 'a'.repeat(500)],
  ['\\s+$', `${' '.repeat(5_000)}!`],
];

const A = 'a'.repeat(200);
/** Wildcards: none of them stands for the text. */
export const EVIL_GLOBS: readonly (readonly [pattern: string, text: string])[] = [
  ...[
    '*a',
    '?*a',
    '*a*',
    '**a',
    'a*',
    '*?',
    '*?*',
    '*aa*',
    '*a?',
    'a?*',
    '[ab]*',
    '*[ab]',
    '*[!b]',
    '*[^b]*',
    '*[a-c]',
  ].map((piece) => [`${piece.repeat(30)}!`, A] as const),
  ['*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b*', A],
  [`${'*'.repeat(150)}!`, A],
  [`${'*a'.repeat(99)}b`, A],
  [`*${'a*'.repeat(60)}b?`, A],
  [`${'*[a]*'.repeat(30)}[!a]`, A],
  [`${'*a'.repeat(50)}*!*${'a*'.repeat(40)}`, A],
];
