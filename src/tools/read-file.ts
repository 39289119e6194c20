/** Z2, H2, H3: a text file with numbered lines; of a long one the parts that matter to the conversation. */

import type { JsonObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { FileBytes } from '../core/ports.ts';
import type { ToolContext } from '../core/tool.ts';
import { type LinesShown, ok, type ToolOutput, type ToolOutputMetadata } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { renderCurated } from './support/curated.ts';
import { type Lines, lineCount, linesOf } from './support/lines.ts';
import { withNearestPaths } from './support/nearest-path.ts';
import { refuse } from './support/refuse.ts';
import { chooseSections, renderSections } from './support/sections.ts';
import { decodeText } from './support/text-file.ts';

export const readFile = builtIn({
  name: 'read_file',
  description: 'Read a text file with line numbers. A long file comes in part: ask for a range, or for all with full.',
  risk: 'medium',
  effects: 'read',
  path_arguments: ['path'],
  main_argument: 'path',
  pure: true,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      line_start: { type: 'integer', minimum: 1 },
      line_end: { type: 'integer', minimum: 1 },
      full: { type: 'boolean', default: false },
      anchors: { type: 'boolean', default: false },
    },
    required: ['path'],
  },
  async preview(args, context) {
    const path = String(args.path);
    const found = await context.workspace.stat(path);
    if (found.ok) return undefined;
    return { summary: 'this call would fail', known: refuse(await withNearestPaths(found.error, path, context)) };
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
    const most = await charactersFor(context);
    // How large the window is is not known where a person names the file.
    const page = context.resultCharacters === undefined ? TOOL_LIMITS.readFilePageBytes : most;
    const shown = renderSections(lines, choice.value, { most, page, isMarked: args.anchors === true });
    const isLong = lineCount(lines) >= LIMITS.readFileWholeLines || shown.truncated !== undefined;
    const curated =
      isLong && isWithoutRange(args) ? await curate(read.value, lines, { context, most, page }) : undefined;
    if (curated !== undefined) return curated;
    // A model that reads nothing at all calls again.
    if (shown.data === '') return { ...ok(shown.data), for_model: '[the file is empty]' };
    return ok(shown.data, metadataOf(shown));
  },
});

const metadataOf = ({ truncated, lines_shown }: Pick<ToolOutputMetadata, 'truncated' | 'lines_shown'>) => ({
  ...(truncated === undefined ? {} : { truncated }),
  ...(lines_shown === undefined ? {} : { lines_shown }),
});

/** What is cut behind its back would show less than it says. */
const charactersFor = async ({ resultCharacters }: ToolContext): Promise<number> => {
  const most = (await resultCharacters?.()) ?? Number.POSITIVE_INFINITY;
  return Math.min(TOOL_LIMITS.readFileCharacters, most - TOOL_LIMITS.readFileNoteCharacters);
};

/** A range, or the whole where it is asked for, goes round the curator. */
const isWithoutRange = ({ line_start, line_end, full, anchors }: JsonObject): boolean =>
  line_start === undefined && line_end === undefined && full !== true && anchors !== true;

/** Undefined where there is no curator, or the file is beyond it: it comes from its beginning then. */
const curate = async (
  file: FileBytes,
  lines: Lines,
  { context, most, page }: { context: ToolContext; most: number; page: number },
): Promise<ToolOutput | undefined> => {
  if (file.bytes.length > TOOL_LIMITS.curatorBytes) return undefined;
  const { curator, signal } = context;
  if (curator === undefined) return undefined;
  const curated = await curator.curate({ path: file.path, hash: file.hash, text: lines.text }, signal);
  let told: LinesShown | undefined;
  try {
    const shown = renderCurated(lines, curated, { most, page });
    // Of a call whose time is over the model sees nothing.
    if (!signal.aborted) told = shown.lines_shown;
    return ok(shown.data, { ...metadataOf(shown), ...(curated.cached ? { cached: true } : {}) });
  } finally {
    curator.shown?.({ path: file.path, hash: file.hash }, told);
  }
};
