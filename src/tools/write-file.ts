/** H4. */
import { succeed } from '../core/outcome.ts';
import { type Editor, editTool } from './support/edit.ts';
import { counted } from './support/format.ts';
import { lineCount, linesOf } from './support/lines.ts';

/**
 * A model is shown lines without their endings and sends `\n`. Where the file has `\r\n` throughout, that is not a wish
 * to change every line of it.
 */
const withEndingsOf = (before: string | undefined, content: string): string => {
  const wasCrlf = before?.includes('\r\n') === true && !/(?<!\r)\n/.test(before);
  return wasCrlf && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content;
};

const editor: Editor<'write_file'> = {
  name: 'write_file',
  written: 'content',
  mayCreate: true,
  edit: (before, args) => {
    const text = withEndingsOf(before.text, String(args.content));
    const verb = before.exists ? 'Overwrote' : 'Created';
    return succeed({ text, done: `${verb} ${before.path} with ${counted(lineCount(linesOf(text)), 'line')}` });
  },
};

export const writeFile = editTool(editor, 'Create a file or overwrite it whole. To change part of one use edit_file.', {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path', 'content'],
});
