/** Replaces a text by another, wherever it stands. */

import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { TOOL_LIMITS } from './limits.ts';
import { STRIPPED, textWithoutNumbers } from './support/copied-numbers.ts';
import { type Before, type Edited, type Editor, editTool } from './support/edit.ts';
import { createFlatText, findAll, replaceFlat } from './support/flat-text.ts';
import { counted } from './support/format.ts';
import { lineAt, linesOf } from './support/lines.ts';
import { nearestRegion, regionsText } from './support/nearest-region.ts';

const PLACES_NAMED = 5;

const severalTimes = (before: Before, oldText: string, offsets: readonly number[]): Outcome<never> => {
  const lines = linesOf(before.text ?? '');
  const flat = createFlatText(before.text ?? '');
  const places = offsets.map((offset) => lineAt(lines, flat.toOriginal(offset)));
  const named = places.slice(0, PLACES_NAMED).join(', ') + (places.length > PLACES_NAMED ? ' …' : '');
  const many = offsets.length < TOOL_LIMITS.editPlacesCounted ? offsets.length : `at least ${offsets.length}`;
  const height = oldText.split('\n').length;
  const regions = regionsText(
    lines,
    places.slice(0, 2).map((line) => ({ from: line, to: line + height - 1 })),
  );
  return failure(
    'validation_failed',
    `old_text is in ${before.path} ${many} times (lines ${named}). Add lines round it until it is there once, or set replace_all.\n${regions}`,
  );
};

const edit = (before: Before, oldText: string, newText: string, replaceAll: boolean): Outcome<Edited> => {
  const text = before.text ?? '';
  if (oldText === '') return failure('validation_failed', 'old_text is empty; use insert_lines or write_file');
  const flat = createFlatText(text);
  const wanted = oldText.replaceAll('\r\n', '\n');
  const replacement = newText.replaceAll('\r\n', '\n');
  if (wanted === replacement) return failure('validation_failed', 'old_text and new_text are the same');
  const offsets = findAll(flat.text, wanted, replaceAll);
  if (offsets.length === 0) {
    const plain = textWithoutNumbers(wanted);
    if (plain !== undefined && plain !== '' && findAll(flat.text, plain, false).length > 0) {
      const done = edit(before, plain, textWithoutNumbers(replacement) ?? replacement, replaceAll);
      return done.ok ? succeed({ ...done.value, done: `${done.value.done}${STRIPPED}` }) : done;
    }
    return failure('validation_failed', `old_text is not in ${before.path}. ${nearestRegion(linesOf(text), wanted)}`);
  }
  if (offsets.length > 1 && !replaceAll) return severalTimes(before, wanted, offsets);
  const lines = linesOf(text);
  const first = lineAt(lines, flat.toOriginal(offsets[0] as number));
  return succeed({
    text: replaceFlat(flat, offsets, wanted, replacement),
    done: `Replaced ${counted(offsets.length, 'place')} in ${before.path} (${offsets.length > 1 ? 'first at ' : ''}line ${first})`,
    region: { from: first, to: first + Math.max(0, replacement.replace(/\n$/, '').split('\n').length - 1) },
  });
};

const editor: Editor<'edit_file'> = {
  name: 'edit_file',
  written: 'new_text',
  mayCreate: false,
  edit: (before, args) => edit(before, String(args.old_text), String(args.new_text), args.replace_all === true),
};

export const editFile = editTool(editor, 'Replace old_text, which must be in the file exactly once, with new_text.', {
  type: 'object',
  properties: {
    path: { type: 'string' },
    old_text: { type: 'string' },
    new_text: { type: 'string' },
    replace_all: { type: 'boolean', default: false },
  },
  required: ['path', 'old_text', 'new_text'],
});
