/** Z2, H2: a text file with numbered lines. */
import { LIMITS } from '../core/limits.ts';
import type { Tool } from '../core/tool.ts';
import { ok } from '../core/tool-result.ts';
import { linesOf } from './support/lines.ts';
import { withNearestPaths } from './support/nearest-path.ts';
import { refuse } from './support/refuse.ts';
import { chooseSections, renderSections } from './support/sections.ts';
import { decodeText } from './support/text-file.ts';

export const readFile: Tool = {
  name: 'read_file',
  description: 'Read a text file with line numbers. A long file comes in part: ask for a range, or for all with full.',
  risk: 'medium',
  effects: 'read',
  main_argument: 'path',
  pure: true,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      line_start: { type: 'integer', minimum: 1 },
      line_end: { type: 'integer', minimum: 1 },
      full: { type: 'boolean', default: false },
    },
    required: ['path'],
  },
  async run(args, context) {
    const path = String(args.path);
    const { signal, workspace } = context;
    const read = await workspace.readFile(path, { maxBytes: LIMITS.readFileBytes, signal });
    if (!read.ok) return refuse(await withNearestPaths(read.error, path, context));
    const decoded = decodeText(read.value.bytes, read.value.path);
    if (!decoded.ok) return refuse(decoded.error);
    const lines = linesOf(decoded.value.text);
    const choice = chooseSections(lines, args);
    if (!choice.ok) return refuse(choice.error);
    workspace.markSeen(path, read.value.hash);
    const { data, truncated } = renderSections(lines, choice.value);
    return ok(data, truncated === undefined ? undefined : { truncated });
  },
};
