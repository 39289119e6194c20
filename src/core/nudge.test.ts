import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { announcesCall } from './nudge.ts';

describe('an answer that announces a call', () => {
  it.each([
    "I'll now read the file.",
    'I’ll read `hello.txt` first.',
    'Let me check the folder:',
    'Sure! Let me look at that file.',
    'To answer this I need the contents. First, I will search for the definition of main',
    "Okay, I'm going to run the tests now...",
    'I will use the read_file tool to read hello.txt.',
    'The file is there.\n\nNext, let me open it.',
    'Ich werde jetzt die Datei hello.txt lesen.',
    'Je vais lire le fichier.',
    'Voy a leer el archivo.',
  ])('is %j', (text) => {
    expect(announcesCall(text)).toBe(true);
  });

  it.each([
    '',
    'It says hello.',
    'Let me know if you need anything else.',
    "I'll be happy to help with more.",
    "I'll explain: a list holds values.",
    'Should I read the file?',
    "If you agree, I'll write the file.",
    "Once you confirm, I'll delete it.",
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
