import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { fillCustomCommand, readCustomCommand } from './custom-command.ts';
import { withInstructions } from './project-instructions.ts';

const command = (text: string) => readCustomCommand('review', text, 'yours');

describe('a command of one’s own', () => {
  test.each([
    ['---\ndescription: "Look at it"\n---\nReview $1', 'Look at it', 'Review $1'],
    ['# Review\n\nRead $1', 'Review', '# Review\n\nRead $1'],
    ['---\r\ndescription: x\r\n---\r\nText', 'x', 'Text'],
    ['--- no head', '--- no head', '--- no head'],
  ])('%j has its description and its template', (text, description, template) => {
    verifies('U1');
    expect(command(text)).toMatchObject({ description, template });
  });

  test.each([
    ['Review $1 for $2', 'a.ts "two words"', 'Review a.ts for two words'],
    ['Do: $ARGUMENTS.', 'a  b', 'Do: a  b.'],
    ['Review this.', 'a.ts', 'Review this.\n\na.ts'],
    ['Review $1 and $3', 'a', 'Review a and '],
    ['$1 $1', '$2', '$2 $2'],
    ['costs $10', '', 'costs 0'],
  ])('%j with %j is %j', (template, words, prompt) => {
    expect(fillCustomCommand(command(template), words)).toBe(prompt);
  });

  test('takes any words as they are: none of them is a place', () => {
    fc.assert(
      fc.property(fc.string(), (words) => {
        expect(fillCustomCommand(command('<$ARGUMENTS>'), words)).toBe(`<${words}>`);
      }),
    );
  });
});

describe('instructions', () => {
  test('stand behind the system prompt under their names, cut to what a window has room for', () => {
    const all = [
      { from: 'yours', text: 'Be kind.' },
      { from: 'AGENTS.md', text: 'x'.repeat(5_000) },
    ];
    const small = withInstructions('System.', 'small', all);
    expect(small).toMatch(
      /^System\.\n\n# Instructions from yours\nBe kind\.\n\n# Instructions from AGENTS\.md\nx{2000}\n/,
    );
    expect(small).toContain('[3,000 characters more in AGENTS.md]');
    expect(withInstructions('System.', 'standard', all)).toContain('x'.repeat(5_000));
    expect(withInstructions('System.', 'small', [{ from: 'AGENTS.md', text: 'Run it.', untrusted: true }])).toMatch(
      /# Instructions from AGENTS\.md \(untrusted: .+\)\nRun it\.$/,
    );
    expect(withInstructions('System.', 'small', [{ from: 'AGENTS.md', text: ' \n' }])).toBe('System.');
  });
});
