/** Z1: the paths of the workspace's files. */

import type { ToolContext } from '../core/tool.ts';
import { ok } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { counted, grouped, UNNAMED } from './support/format.ts';
import { refuse } from './support/refuse.ts';

/** Whole paths that fit, so that the array is never cut in the middle. */
const pathsThatFit = (paths: readonly string[]): string[] => {
  let characters = 2;
  const end = paths.findIndex((path) => {
    characters += JSON.stringify(path).length + 1;
    return characters > TOOL_LIMITS.fileTreeCharacters;
  });
  return end === -1 ? [...paths] : paths.slice(0, end);
};

/** What may have to be put aside for its length has a path on each line, so that it can be read in ranges. */
const asJson = (paths: readonly string[]): string => {
  const line = JSON.stringify(paths);
  return line.length <= TOOL_LIMITS.fileTreeLineCharacters
    ? line
    : `[${paths.map((path) => JSON.stringify(path)).join(',\n')}]`;
};

const narrower = ({ offers = () => true }: ToolContext): string => {
  const tools = ['ls', 'grep_search'].filter(offers);
  return tools.length === 0 ? '' : `; use ${tools.join(' or ')} for a part`;
};

export const getFileTree = builtIn({
  name: 'get_file_tree',
  description: 'List the paths of all files in the workspace (JSON array).',
  risk: 'safe',
  effects: 'read',
  path_arguments: [],
  result_characters: TOOL_LIMITS.fileTreeCharacters,
  parameters: { type: 'object', properties: {} },
  async run(_args, context) {
    const walked = await context.workspace.walk({ maxPaths: TOOL_LIMITS.fileTreePaths, signal: context.signal });
    if (!walked.ok) return refuse(walked.error);
    const paths = pathsThatFit(walked.value.paths);
    const { unreadable = 0, unnamed = [] } = walked.value;
    const skipped = [
      ...(unreadable === 0 ? [] : [`${counted(unreadable, 'folder')} skipped: not readable`]),
      ...(unnamed.length === 0 ? [] : [`${counted(unnamed.length, 'entry', 'entries')} skipped: ${UNNAMED}`]),
    ];
    if (!walked.value.truncated && paths.length === walked.value.paths.length)
      return ok(asJson(paths), skipped.length === 0 ? undefined : { truncated: skipped.join('; ') });
    const more = walked.value.truncated ? 'more files' : counted(walked.value.paths.length - paths.length, 'more file');
    return ok(asJson(paths), {
      truncated: [`the first ${grouped(paths.length)} paths; there are ${more}${narrower(context)}`, ...skipped].join(
        '; ',
      ),
    });
  },
});
