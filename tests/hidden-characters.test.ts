/** A character that cannot be seen has one form, whoever shows it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exportSession } from '../src/core/export-session.ts';
import { visibleLine } from '../src/core/invisible.ts';
import { shownWord } from '../src/mcp/clean-text.ts';
import { serverMessage } from '../src/providers/model-errors.ts';
import { originalText, putStandIns, shownStandIns } from '../src/terminal/app/stand-ins.ts';
import { sanitizeLine, sanitizeText } from '../src/terminal/sanitize.ts';
import { readableOutput } from '../src/tools/output-text.ts';
import { printableName } from '../src/tools/support/format.ts';
import { readable, visible } from '../web/src/parts/visible.ts';
import { verifies } from './requirements.ts';
import { isTest, listFiles } from './source-files.ts';

const STEERING = ['\u0000', '\u0007', '\u0008', '\u000b', '\u001b', '\u007f', '\u0085', '\u009b'];
const TURNING = ['\u202a', '\u202e', '\u2066', '\u2069'];
const UNSEEN = [
  ...STEERING,
  ...TURNING,
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u2028',
  '\u2060',
  '\u3164',
  '\ufeff',
  '\u{e0041}',
];
const SURFACES: Record<string, [(text: string) => string, readonly string[]]> = {
  'a prompt': [(text) => shownStandIns(putStandIns(text)), UNSEEN],
  'a transcript': [sanitizeText, UNSEEN],
  'a question': [sanitizeLine, UNSEEN],
  'a page, where a person decides': [visible, UNSEEN],
  'a page, in prose': [readable, TURNING],
  'an editor': [visibleLine, UNSEEN],
  'the command of a server': [shownWord, UNSEEN],
  'an error of a model server': [
    (text) => serverMessage(text, undefined),
    STEERING.filter((each) => !/\s|\u0085/.test(each)),
  ],
  'a table of files': [printableName, [...STEERING, '\u2028']],
  'the output of a command': [readableOutput, STEERING.filter((each) => !/[\u001b\u0085\u009b]/.test(each))],
  'an exported page': [(text) => inExport(text), UNSEEN.filter((each) => !/[\u0085\u2028\u3164]/.test(each))],
};

const inExport = (text: string): string => {
  const page = exportSession([{ seq: 1, at: 0, type: 'user_message_added', content: `[${text}]` }], 'html');
  return /\[(.*)\]<\/(?:div|p)/.exec(page)?.[1] ?? '';
};

it.each(Object.entries(SURFACES))('%s shows it by its number', (_, [shown, characters]) => {
  verifies('S1');
  const forms = characters.map((character) => shown(`a${character}b`).replaceAll('"', ''));
  expect(forms).toEqual(characters.map((each) => `a\\u{${each.codePointAt(0)?.toString(16).toUpperCase()}}b`));
});

it('gives back what stands for it in a prompt', () => {
  for (const each of UNSEEN) expect(originalText(putStandIns(`a${each}b`))).toBe(`a${each}b`);
});

it('is written out in one place', () => {
  const writing = [...listFiles('src'), ...listFiles('web/src')]
    .filter((file) => !isTest(file))
    .filter((file) => {
      const text = readFileSync(file, 'utf8');
      return text.includes('toString(16)') && /`\\\\[ux]/.test(text);
    });
  // Bytes that are no text have no number of a character; a grammar is read by an engine.
  expect(writing.sort()).toEqual([
    'src/core/byte-names.ts',
    'src/core/invisible.ts',
    'src/providers/led/grammar/pattern.ts',
  ]);
});
