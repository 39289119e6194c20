/** H5. */
import { failure, succeed } from '../core/outcome.ts';
import { type Editor, editTool, LINE_PARAMETERS } from './support/edit.ts';
import { counted } from './support/format.ts';
import { contentLines, lineCount, linesOf, spliceLines } from './support/lines.ts';

const editor: Editor = {
  name: 'replace_lines',
  mayCreate: false,
  edit: (before, args) => {
    const lines = linesOf(before.text ?? '');
    const [from, to, count] = [Number(args.line_start), Number(args.line_end), lineCount(lines)];
    if (from < 1) return failure('validation_failed', `line_start is ${from}; lines count from 1`);
    if (to < from) return failure('validation_failed', `line_end (${to}) is before line_start (${from})`);
    if (to > count) {
      return failure('validation_failed', `line_end is ${to}, but ${before.path} has ${counted(count, 'line')}`);
    }
    const added = contentLines(String(args.new_content));
    const range = from === to ? `${from}` : `${from}–${to}`;
    const now = counted(count - (to - from + 1) + added.length, 'line');
    return succeed({
      text: spliceLines(lines, from, to, added),
      done: `Replaced ${counted(to - from + 1, 'line')} (${range}) of ${before.path} with ${counted(added.length, 'line')}; it now has ${now}`,
    });
  },
};

export const replaceLines = editTool(
  editor,
  'Replace lines line_start to line_end, as read_file numbers them, with new_content.',
  LINE_PARAMETERS,
);
