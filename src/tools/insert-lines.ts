/** H6. */
import { failure, succeed } from '../core/outcome.ts';
import { STRIPPED, withoutCopiedNumbers } from './support/copied-numbers.ts';
import { type Editor, editTool, LINE_PARAMETERS } from './support/edit.ts';
import { counted } from './support/format.ts';
import { anchoredSection, coversAll } from './support/line-marks.ts';
import { contentLines, lineCount, linesOf, spliceLines } from './support/lines.ts';

const editor: Editor<'insert_lines'> = {
  name: 'insert_lines',
  written: 'new_content',
  mayCreate: false,
  knowsItsLines: ({ anchor, line_start }) =>
    anchor !== undefined && coversAll(String(anchor), { from: Number(line_start), to: Number(line_start) }),
  edit: (before, args) => {
    const lines = linesOf(before.text ?? '');
    const [said, end, count] = [Number(args.line_start), Number(args.line_end), lineCount(lines)];
    if (end !== said) {
      return failure('validation_failed', `line_end (${end}) must equal line_start (${said}): one place to insert at`);
    }
    if (said < 1) return failure('validation_failed', `line_start is ${said}; lines count from 1`);
    if (said > count + 1 && args.anchor === undefined) {
      const message = `line_start is ${said}, but ${before.path} has ${counted(count, 'line')}; ${count + 1} appends at the end`;
      return failure('validation_failed', message);
    }
    const place =
      args.anchor === undefined
        ? succeed({ from: said, to: said })
        : anchoredSection(lines, { from: said, to: said }, String(args.anchor));
    if (!place.ok) return place;
    const at = place.value.from;
    const { written: content, stripped } = withoutCopiedNumbers(lines, said, contentLines(String(args.new_content)));
    // Asked to insert nothing, the least there is to insert is an empty line.
    const added = content.length === 0 ? [''] : content;
    const where =
      at > count
        ? `at the end of ${before.path}`
        : `before line ${at}${at === said ? '' : `, which had moved from ${said},`} of ${before.path}`;
    return succeed({
      text: spliceLines(lines, at, at - 1, added),
      done: `Inserted ${counted(added.length, 'line')} ${where}; it now has ${counted(count + added.length, 'line')}${stripped ? STRIPPED : ''}`,
      region: { from: at, to: at + added.length - 1 },
    });
  },
};

export const insertLines = editTool(
  editor,
  'Insert new_content before line_start (last line + 1 appends). line_end equals line_start.',
  LINE_PARAMETERS,
);
