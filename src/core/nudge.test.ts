import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANNOUNCED, ASKED } from '../../tests/support/announcements.ts';
import { announcesCall } from './nudge.ts';

describe('an answer that announces a call', () => {
  it.each(ANNOUNCED)('is %j', (text) => {
    expect(announcesCall(text)).toBe(true);
  });

  it.each([
    '',
    'It says hello.',
    'Let me know if you need anything else.',
    "I'll be happy to help with more.",
    "I'll explain: a list holds values.",
    'Should I read the file?',
    ...ASKED,
    'I read the file. It says hello.',
    'I will not do that.',
    'I could not find the file, so let us leave it at that.',
    `${'It is a long story. '.repeat(100)}Let me check.`,
  ])('is not %j', (text) => {
    expect(announcesCall(text)).toBe(false);
  });

  it('is decided in time that grows with the text, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('I', "'", 'll', ' ', 'ich', 'now', ',', '.', '\n', 'lesen') }),
        (text) => {
          expect(typeof announcesCall(text)).toBe('boolean');
        },
      ),
    );
    expect(announcesCall(`I'll ${'now '.repeat(300)}`)).toBe(false);
  });
});
