/** E1: searches the web with the service that the person set up. */

import type { ToolConfig } from '../core/ports.ts';
import { fail, NOTHING_FOUND, ok } from '../core/tool-result.ts';
import { webSettings } from '../core/web-settings.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';

const WHAT_TO_SET =
  'No search service is set up. Set HALTER_WEB_SEARCH_URL to the address of a SearXNG, or BRAVE_API_KEY or TAVILY_API_KEY, or run `halter config set web_search duckduckgo`; in a program: tools: { web: { search } }.';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){1,3}|\[::1\])$/;

const unavailable = (config: ToolConfig): string | undefined => {
  const { search: settings, searchProblem, offline } = webSettings(config);
  if (searchProblem !== undefined) return `No search service can be used: ${searchProblem}.`;
  if (settings === undefined) return WHAT_TO_SET;
  const host = settings.url === undefined ? '' : (URL.parse(settings.url)?.hostname ?? '');
  return offline && !LOOPBACK.test(host)
    ? `halter is offline (--offline), and ${settings.backend} is not on this machine.`
    : undefined;
};

export const webSearch = builtIn({
  name: 'web_search',
  description: 'Search the web. Returns a JSON array of {title, url, snippet}.',
  risk: 'medium',
  effects: 'network',
  path_arguments: [],
  // A query reaches no other place than the service that the person chose.
  sinks: [],
  reads_only: true,
  untrusted_content: true,
  dispensable: true,
  main_argument: 'query',
  parameters: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        description: 'What to search for',
        minLength: 1,
        maxLength: TOOL_LIMITS.webSearchQueryCharacters,
      },
      max_results: {
        type: 'integer',
        minimum: 1,
        maximum: TOOL_LIMITS.webSearchResultsMax,
        default: TOOL_LIMITS.webSearchResultsDefault,
      },
    },
    required: ['query'],
  },
  unavailable,
  async run(args, context) {
    const reason = unavailable(context.config);
    const { search: settings } = webSettings(context.config);
    if (reason !== undefined || settings === undefined) {
      return fail('io_error', reason ?? WHAT_TO_SET, { reason: 'not_configured' });
    }
    const query = String(args['query']).trim();
    if (query === '') return fail('validation_failed', 'The query is empty.');
    const { search } = await import('./web/search-backends.ts');
    const found = await search(settings, query, Number(args['max_results']), context);
    if (!found.ok) return found.output;
    return ok(found.results, found.results.length === 0 ? { reason: NOTHING_FOUND } : undefined);
  },
});
