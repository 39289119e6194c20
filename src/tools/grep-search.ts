/** H8: searches the workspace's files with ripgrep. */
import { LIMITS } from '../core/limits.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';

export const grepSearchTool = builtIn({
  name: 'grep_search',
  description: 'Search the text of files, ignoring case. * stands for any characters, all else for itself.',
  risk: 'medium',
  effects: 'read',
  path_arguments: ['file_filter'],
  session_scope: true,
  main_argument: 'pattern',
  parameters: {
    type: 'object',
    properties: {
      pattern: {
        type: 'string',
        description: 'Text to find in a line, such as fn*init',
        minLength: 1,
        maxLength: TOOL_LIMITS.grepPatternCharacters,
      },
      file_filter: {
        type: 'string',
        description: 'Only files like *.ts or src/**/*.md',
        maxLength: LIMITS.pathCharacters,
      },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: TOOL_LIMITS.grepResultsMax,
        default: TOOL_LIMITS.grepResultsDefault,
      },
      include_hidden: { type: 'boolean', default: false },
      ignore_gitignore: { type: 'boolean', description: 'Also search ignored files', default: false },
    },
    required: ['pattern'],
  },
  // A program that offers the tool loads the search with the first call.
  run: async (args, context) => (await import('./grep-search/search-files.ts')).searchFiles(args, context),
});
