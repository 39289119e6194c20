/** What people who come from other programs type first: the hint names a command, and that command is one. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { parseArguments } from './arguments.ts';
import { UsageError } from './io.ts';

const here = import.meta.dirname;
const said = (argv: readonly string[]): string => {
  try {
    parseArguments(argv, here);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return '';
};
/** The words of a command as a shell reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, text, word]) => text?.replace(/\\(.)/g, '$1') ?? word ?? '');

const ROWS: readonly [typed: readonly string[], command: string][] = [
  [['fix the bug'], 'halter run "fix the bug"'],
  [['fix', 'the', 'bug'], 'halter run "fix the bug"'],
  [['what is in ./src?'], 'halter run "what is in ./src?"'],
  [['say "hi" for $5'], 'halter run "say \\"hi\\" for \\$5"'],
  [['-p', 'hi'], 'halter run "hi"'],
  [['-p'], 'halter run "your question"'],
  [['--print', 'hi there'], 'halter run "hi there"'],
  [['--prompt', 'hi'], 'halter run "hi"'],
  [['run', '-p', 'hi'], 'halter run "hi"'],
  [['exec', 'fix it'], 'halter run "fix it"'],
  [['ask', 'why'], 'halter run "why"'],
  [['--resume'], 'halter -c'],
  [['-r'], 'halter -c'],
  [['run', '--resume', 'go on'], 'halter -c'],
  [['resume'], 'halter -c'],
  [['continue'], 'halter -c'],
  [['chat'], 'halter'],
  [['code'], 'halter'],
  [['pull', 'qwen3'], 'halter models pull NAME'],
  [['list'], 'halter models list'],
  [['ps'], 'halter models list'],
  [['rm', 'qwen3'], 'halter models rm NAME'],
  [['stop', 'qwen3'], 'halter models unload NAME'],
  [['history'], 'halter sessions list'],
  [['export', 'x'], 'halter sessions export ID'],
  [['import', 'x.jsonl'], 'halter sessions import FILE'],
  [[`fix\n${'x '.repeat(400)}`], 'halter run "your question"'],
  [['web'], 'halter serve --open'],
  [['settings'], 'halter config get'],
  [['--dangerously-skip-permissions'], 'halter --yolo'],
  [['--full-auto', 'fix it'], 'halter --mode auto'],
  [['run', 'x', '--output-format', 'json'], 'halter run --format FORMAT'],
  [['run', '-q', 'x'], 'halter run --quiet'],
  [['--max-turns', '3'], 'halter --max-iterations N'],
  [['--cd', '/x'], 'halter -C DIR'],
];

describe('a habit from another program', () => {
  it.each(ROWS)('%j leads to %s', (typed, command) => {
    verifies('B11', 'U1');
    expect(said(typed)).toContain(`\`${command}\``);
  });

  it.each([...new Set(ROWS.map(([, command]) => command))])('%s is a command that there is', (command) => {
    const filled = { NAME: 'x', ID: 'x', FORMAT: 'json', N: '3', DIR: '.' };
    const words = wordsOf(command)
      .slice(1)
      .map((word) => (filled as Record<string, string>)[word] ?? word);
    const problem = said(words.join(' ') === 'run --quiet' ? [...words, 'x'] : words);
    expect(problem).toBe('');
  });

  it.each([
    [['tols', 'call', 'read_file', '{}'], 'tools'],
    [['sesions', 'show', 'abc', 'def'], 'sessions'],
    [['confg', 'set', 'a', 'b'], 'config'],
    [['modls', 'list', 'all'], 'models'],
    [['rnu', 'fix', 'the', 'bug'], 'run'],
    [['srve', '8080', 'now'], 'serve'],
    [['tols', 'call'], 'tools'],
  ])('a slip of the keys is none, however many words follow: %j', (typed, meant) => {
    verifies('B11');
    expect(said(typed)).toContain(`Did you mean ${meant}?`);
    expect(said(typed)).not.toContain('For one answer');
  });

  it.each([
    'add a test for it',
    'explain this code please',
    'what is in here',
    'how does it work',
    'make it faster',
    'tell me of it',
    'show me the tools',
    'please run the tests',
    'can you help me',
    'use the other one',
    'fix the bug',
    'write a test now',
    'why is it so',
    'where are the tests',
    'find the file that',
    'remove the old one',
    'read the file again',
    'test the page now',
    'review my last change',
    'refactor the whole file',
    'summarise',
    'summarise it',
    'hello',
    'why?',
    'Résumé',
    'zusammenfassen!',
    '要約して',
    "what's new",
  ])('a question is one: %s', (question) => {
    expect(said(question.split(' '))).toContain(`\`halter run "${question}"\``);
  });

  it.each([[['serve', '-p', '80']], [['rnu', 'x']], [['nothing-here']], [['src2']], [['docs/x']]])(
    '%j is none',
    (typed) => {
      expect(said(typed)).not.toContain('halter run');
    },
  );
});
