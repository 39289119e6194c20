/** H5. */
import { failure, succeed } from '../core/outcome.ts';
import { STRIPPED, withoutCopiedNumbers } from './support/copied-numbers.ts';
import { type Editor, editTool, LINE_PARAMETERS } from './support/edit.ts';
import { counted } from './support/format.ts';
import { anchoredSection, coversAll } from './support/line-marks.ts';
import { contentLines, lineCount, linesOf, spliceLines } from './support/lines.ts';

const editor: Editor<'replace_lines'> = {
  name: 'replace_lines',
  written: 'new_content',
  mayCreate: false,
  knowsItsLines: ({ anchor, line_start, line_end }) =>
    anchor !== undefined && coversAll(String(anchor), { from: Number(line_start), to: Number(line_end) }),
  edit: (before, args) => {
    const lines = linesOf(before.text ?? '');
    const said = { from: Number(args.line_start), to: Number(args.line_end) };
    const count = lineCount(lines);
    if (said.from < 1) return failure('validation_failed', `line_start is ${said.from}; lines count from 1`);
    if (said.to < said.from) {
      return failure('validation_failed', `line_end (${said.to}) is before line_start (${said.from})`);
    }
    if (said.to > count && args.anchor === undefined) {
      return failure('validation_failed', `line_end is ${said.to}, but ${before.path} has ${counted(count, 'line')}`);
    }
    const place = args.anchor === undefined ? succeed(said) : anchoredSection(lines, said, String(args.anchor));
    if (!place.ok) return place;
    const { from, to } = place.value;
    const { written: added, stripped } = withoutCopiedNumbers(lines, said.from, contentLines(String(args.new_content)));
    const range = from === to ? `${from}` : `${from}–${to}`;
    const moved = from === said.from ? '' : `, which had moved from ${said.from},`;
    const now = counted(count - (to - from + 1) + added.length, 'line');
    return succeed({
      text: spliceLines(lines, from, to, added),
      done: `Replaced ${counted(to - from + 1, 'line')} (${range})${moved} of ${before.path} with ${counted(added.length, 'line')}; it now has ${now}${stripped ? STRIPPED : ''}`,
      region: { from, to: from + Math.max(0, added.length - 1) },
    });
  },
};

export const replaceLines = editTool(
  editor,
  'Replace lines line_start to line_end, as read_file numbers them, with new_content. anchor: the mark of line_start.',
  LINE_PARAMETERS,
);
