/** H5. */
import { failure, succeed } from '../core/outcome.ts';
import type { Tool } from '../core/tool.ts';
import { type Editor, previewEdit, runEdit } from './support/edit.ts';
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

export const replaceLines: Tool = {
  name: 'replace_lines',
  description: 'Replace lines line_start to line_end, as read_file numbers them, with new_content.',
  risk: 'high',
  effects: 'write',
  main_argument: 'path',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      line_start: { type: 'integer', minimum: 1 },
      line_end: { type: 'integer', minimum: 1 },
      new_content: { type: 'string' },
    },
    required: ['path', 'line_start', 'line_end', 'new_content'],
  },
  run: (args, context) => runEdit(editor, args, context),
  preview: (args, context) => previewEdit(editor, args, context),
};
