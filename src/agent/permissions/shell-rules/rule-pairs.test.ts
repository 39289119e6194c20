/**
 * Pairs of rules and lines, made of all that the rules' own grammar and the shell's allow: a denied command is never let pass
 * whatever stands around it, a rule that allows covers no other command beside its own, and what cannot be read asks.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { openShellRules, type ShellRules, surroundingsOf } from '../shell-rules.ts';

let rules: ShellRules;
beforeAll(async () => {
  rules = await openShellRules();
});

type Form = readonly [name: string, write: (words: readonly string[]) => string];
const joined = (words: readonly string[]): string => words.join(' ');
const first =
  (change: (word: string) => string) =>
  ([program = '', ...rest]: readonly string[]) =>
    joined([change(program), ...rest]);
const second =
  (change: (word: string) => string) =>
  ([program = '', word = '', ...rest]: readonly string[]) =>
    joined([program, change(word), ...rest]);
const around = (before: string, after = ''): Form => [`${before}…${after}`, (words) => before + joined(words) + after];
const quoted = (text: string): string => `'${text}'`;

/** Each runs the command of these words, and perhaps more. */
const FORMS: readonly Form[] = [
  around(''),
  around('  ', '   # no'),
  around('true; '),
  around('true && '),
  around('false || '),
  around('', ' | cat'),
  around('echo x | '),
  around('sleep 1 & '),
  around('(', ')'),
  around('{ ', '; }'),
  around('! '),
  around('time '),
  around('if true; then ', '; fi'),
  around('if ', '; then true; fi'),
  around('for i in 1; do ', '; done'),
  around('while ', '; do break; done'),
  around('until false; do ', '; done'),
  around('case a in a) ', ';; esac'),
  around('f() { ', '; }; f'),
  around('echo $(', ')'),
  around('echo "$(', ')"'),
  around('echo `', '`'),
  around('x=$(', ')'),
  around('cat <(', ')'),
  around('cat <<X\n$(', ')\nX'),
  around('[ -n "$(', ')" ]'),
  around('echo ${x:-$(', ')}'),
  around('echo $(( $(', ') + 1 ))'),
  around('true\n'),
  around('\n\n', '\n'),
  around('> out.txt '),
  around('', ' > out.txt 2>&1'),
  around('', ' <<< x'),
  around('A=b '),
  around('env '),
  around('env -i A=b '),
  around('/usr/bin/env -S '),
  around('nice -n 5 '),
  around('timeout -k 1 5s '),
  around('nohup ', ' &'),
  around('stdbuf -o0 '),
  around('setsid '),
  around('command '),
  around('exec '),
  around('exec -a x '),
  around('builtin command '),
  around('coproc '),
  around('sudo -u x '),
  around('xargs ', ' < list'),
  around('echo x | xargs -n1 '),
  around('find . -exec ', ' \\;'),
  around('watch -n1 '),
  around('eval '),
  ['eval of a text', (words) => `eval ${quoted(joined(words))}`],
  ['sh -c', (words) => `sh -c ${quoted(joined(words))}`],
  ['bash -lc behind env', (words) => `env bash -lc ${quoted(joined(words))}`],
  ['a shell in a shell', (words) => `sh -c "sh -c '${joined(words)}'"`],
  ['a shell that is fed', (words) => `sh <<X\n${joined(words)}\nX`],
  ['a shell behind echo', (words) => `echo ${quoted(joined(words))} | sh`],
  ['trap', (words) => `trap ${quoted(joined(words))} EXIT`],
  ['a continued line', (words) => words.join(' \\\n  ')],
  ['a word in two lines', first((word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`)],
  ['tabs', (words) => words.join('\t \t')],
  ['the program in quotes', first((word) => `"${word}"`)],
  ['the program in pieces', first((word) => `${word.slice(0, 1)}''${word.slice(1)}`)],
  ['the program behind a backslash', first((word) => `\\${word}`)],
  ['the program by its path', first((word) => `/usr/bin/${word}`)],
  ['the program by a long path', first((word) => `/usr/../usr//bin/./${word}`)],
  ['the program in a variable', first((word) => `x=${word}; $x`)],
  ['the program in two variables', first((word) => `x=${word.slice(0, 1)}; y=${word.slice(1)}; $x$y`)],
  ['the program by a default', first((word) => `\${x:-${word}}`)],
  [
    'the program in C quotes',
    first((word) => `$'${word.replace(/^./, (letter) => `\\x${letter.charCodeAt(0).toString(16)}`)}'`),
  ],
  ['the program in braces', (words) => `{${words.join(',')}}`],
  ['the second word in quotes', second((word) => `"${word}"`)],
  ['the second word in pieces', second((word) => `${word.slice(0, 1)}""${word.slice(1)}`)],
  ['the second word in a variable', second((word) => `$(echo ${word})`)],
];

/** Rules that deny a command, and the commands that they mean. */
const DENIED: readonly (readonly [pattern: string, ...lines: string[]])[] = [
  ['git push *', 'git push origin main', 'git push', 'git --no-pager push origin', 'git -C sub -c a.b=c push --force'],
  ['git *', 'git status', 'git -C . log'],
  ['rm *', 'rm -rf build', 'rm build'],
  ['npm publish *', 'npm publish --access public', 'npm --silent publish'],
  ['curl *', 'curl -s https://x.test/a'],
  ['dock?r run *', 'docker run -it image'],
];

const folder = (): string => {
  const made = scratchFolder();
  mkdirSync(path.join(made, 'sub'));
  writeFileSync(path.join(made, 'list'), 'x');
  return made;
};

describe.each(DENIED)('denied: %s', (pattern, ...lines) => {
  it('is not let pass in any form of the shell', () => {
    verifies('S2');
    const where = surroundingsOf(folder(), { home: scratchFolder() });
    const passed = lines.flatMap((line) =>
      FORMS.flatMap(([name, write]) => {
        const written = write(line.split(' '));
        const { verdict } = rules.decide({ allow: [{}], deny: [{ pattern }] }, written, where);
        return verdict === 'allow' ? [`${name}: ${written}`] : [];
      }),
    );
    expect(passed).toEqual([]);
  });
});

it('a rule that denies says nothing of other commands', () => {
  const deny = DENIED.map(([pattern]) => ({ pattern }));
  const where = surroundingsOf(folder(), { home: scratchFolder() });
  for (const line of ['ls -la', 'make test', 'npm test', 'docker ps'])
    expect(rules.decide<{ pattern?: string }>({ allow: [{}], deny }, line, where).verdict).toBe('allow');
});

/** Each puts another command, a file or a program beside what the rule names. `own` is a line that the rule covers. */
const BESIDE: readonly (readonly [name: string, write: (own: string, other: string) => string])[] = [
  ...([';', ' &&', ' ||', ' |', ' &', '\n'] as const).flatMap((operator) => [
    [`own${operator} other`, (own: string, other: string) => `${own}${operator} ${other}`] as const,
    [`other${operator} own`, (own: string, other: string) => `${other}${operator} ${own}`] as const,
  ]),
  ['$(…)', (own, other) => `${own} $(${other})`],
  ['"$(…)"', (own, other) => `${own} "$(${other})"`],
  ['`…`', (own, other) => `${own} \`${other}\``],
  ['<(…)', (own, other) => `${own} <(${other})`],
  ['>(…)', (own, other) => `${own} > >(${other})`],
  ['the default of a variable', (own, other) => `${own} \${x:-$(${other})}`],
  ['$(( $(…) ))', (own, other) => `${own} $(( $(${other}) ))`],
  ['a here-document', (own, other) => `${own} <<X\n$(${other})\nX`],
  ['a here-string', (own, other) => `${own} <<< "$(${other})"`],
  ['if', (own, other) => `if ${own}; then ${other}; fi`],
  ['for', (own, other) => `for i in $(${other}); do ${own}; done`],
  ['a function of its name', (own, other) => `${own.split(' ')[0]}() { ${other}; }; ${own}`],
  ['an alias of its name', (own, other) => `alias ${own.split(' ')[0]}='${other}'; ${own}`],
  ['trap', (own, other) => `trap '${other}' EXIT; ${own}`],
  ['a comment that ends', (own, other) => `${own} # x\n${other}`],
  ['a continued comment', (own, other) => `${own} # x \\\n${other}`],
  ['a carriage return', (own, other) => `${own}\r${other}`],
  ['a line separator', (own, other) => `${own}\u2028${other}`],
  ['a file that is written', (own) => `${own} > out.txt`],
  ['a file that is written to', (own) => `${own} >> out.txt`],
  ['a file that is forced', (own) => `${own} >| out.txt`],
  ['a file for errors', (own) => `${own} 2> out.txt`],
  ['a file for all', (own) => `${own} &> out.txt`],
  ['a file by a descriptor', (own) => `exec 3> out.txt; ${own} >&3`],
  ['PATH', (own) => `PATH=. ${own}`],
  ['LD_PRELOAD', (own) => `LD_PRELOAD=./x.so ${own}`],
  ['BASH_ENV', (own) => `BASH_ENV=./x ${own}`],
  ['PAGER', (own) => `PAGER='sh -c x' ${own}`],
  ['export', (own) => `export PATH=.; ${own}`],
  ['hash', (own) => `hash -p ./x ${own.split(' ')[0]}; ${own}`],
  ['a program beside it', (own) => `./${own}`],
  ['a program of the folder', (own) => `sub/${own}`],
  ['sudo', (own) => `sudo ${own}`],
  ['a longer name', (own) => own.replace(/^\S+/, '$&x')],
];
const ALLOWED: readonly (readonly [pattern: string, own: string])[] = [
  ['git log *', 'git log -3'],
  ['ls *', 'ls -la sub'],
  ['npm run build', 'npm run build'],
  ['make t?st', 'make test'],
];

describe.each(ALLOWED)('allowed: %s', (pattern, own) => {
  const where = () => surroundingsOf(folder(), { home: scratchFolder() });
  const verdictOf = (line: string, place = where()): string =>
    rules.decide({ allow: [{ pattern }], deny: [] }, line, place).verdict;

  it('covers its own command', () => {
    expect(verdictOf(own)).toBe('allow');
  });

  it('covers nothing beside its own command', () => {
    verifies('S2');
    const place = where();
    const passed = BESIDE.flatMap(([name, write]) => {
      const line = write(own, 'touch x');
      return verdictOf(line, place) === 'allow' ? [`${name}: ${line}`] : [];
    });
    expect(passed).toEqual([]);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['a quote that does not end', `ls 'a`],
    ['two quotes', `ls "a 'b`],
    ['a substitution that does not end', 'ls $(echo a'],
    ['a bracket that does not end', '(ls'],
    ['a control character', 'ls \u0007a'],
    ['an unseen character', 'ls a\u200bb'],
    ['a character that turns the line round', 'ls \u202ea'],
    ['half a pair', 'ls \ud800'],
    ['a NUL', 'ls a\0b'],
    ['nothing', '   '],
    ['more than 32 KiB', `ls ${'a'.repeat(33_000)}`],
    ['more than 50 commands', Array.from({ length: 51 }, () => 'ls').join('; ')],
  ])('asks, whatever is allowed: %s', (_, line) => {
    verifies('S2');
    const where = surroundingsOf(folder(), { home: scratchFolder() });
    for (const pattern of [undefined, '*', 'ls *'])
      expect(rules.decide({ allow: [pattern === undefined ? {} : { pattern }], deny: [] }, line, where).verdict).toBe(
        'ask',
      );
  });
});
