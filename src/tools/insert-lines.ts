/** H6. */
import { failure, succeed } from '../core/outcome.ts';
import { type Editor, editTool, LINE_PARAMETERS } from './support/edit.ts';
import { counted } from './support/format.ts';
import { contentLines, lineCount, linesOf, spliceLines } from './support/lines.ts';

const editor: Editor = {
  name: 'insert_lines',
  mayCreate: false,
  edit: (before, args) => {
    const lines = linesOf(before.text ?? '');
    const [at, end, count] = [Number(args.line_start), Number(args.line_end), lineCount(lines)];
    if (end !== at) {
      return failure('validation_failed', `line_end (${end}) must equal line_start (${at}): one place to insert at`);
    }
    if (at < 1) return failure('validation_failed', `line_start is ${at}; lines count from 1`);
    if (at > count + 1) {
      const message = `line_start is ${at}, but ${before.path} has ${counted(count, 'line')}; ${count + 1} appends at the end`;
      return failure('validation_failed', message);
    }
    const content = contentLines(String(args.new_content));
    // Asked to insert nothing, the least there is to insert is an empty line.
    const added = content.length === 0 ? [''] : content;
    const where = at > count ? `at the end of ${before.path}` : `before line ${at} of ${before.path}`;
    return succeed({
      text: spliceLines(lines, at, at - 1, added),
      done: `Inserted ${counted(added.length, 'line')} ${where}; it now has ${counted(count + added.length, 'line')}`,
    });
  },
};

export const insertLines = editTool(
  editor,
  'Insert new_content before line_start (last line + 1 appends). line_end equals line_start.',
  LINE_PARAMETERS,
);
