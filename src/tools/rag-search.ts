/** E2: what the documents of this conversation, or all files of the workspace, say about something. */
import type { JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { SearchHit } from '../core/retrieval-port.ts';
import { withoutIndex, withoutSearch } from '../core/retrieval-settings.ts';
import { snippetOf } from '../core/snippet.ts';
import type { ToolContext } from '../core/tool.ts';
import { fail, NOTHING_FOUND, ok, type ToolOutput } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { refuse } from './support/refuse.ts';

export const ragSearch = builtIn({
  name: 'rag_search',
  description:
    'Search the files of this chat by meaning, names and words. With global: all files of the workspace. Gives paths, lines and text.',
  risk: 'safe',
  effects: 'read',
  path_arguments: [],
  main_argument: 'query',
  dispensable: true,
  unavailable: withoutSearch,
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1 },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: TOOL_LIMITS.ragSearchLimitMax,
        default: TOOL_LIMITS.ragSearchLimitDefault,
      },
      global: { type: 'boolean', default: false },
    },
    required: ['query'],
  },
  async run(args, context) {
    const { retrieval, signal } = context;
    if (retrieval === undefined) return fail('not_found', noIndex(context), { reason: 'no_index' });
    const scope = args.global === true ? undefined : (retrieval.documents?.() ?? []);
    if (scope?.length === 0) return ok(NO_DOCUMENTS + elsewhere(context), { reason: NOTHING_FOUND });
    const found = await retrieval.search(String(args.query), {
      limit: Number(args.limit ?? TOOL_LIMITS.ragSearchLimitDefault),
      signal,
      ...(scope === undefined ? {} : { paths: scope }),
    });
    if (!found.ok) return refuse(found.error);
    return answer(found.value, String(args.query), scope, elsewhere(context));
  },
  summarize: (result, args) => {
    // Where nothing was found, the sentence says where else to look.
    if (result.metadata.reason === NOTHING_FOUND) return result.data === null ? [] : [result.data];
    const hits = parsed(result.data);
    const query = String(args?.['query'] ?? '');
    return hits.map(({ path, line_start, line_end, text }) => {
      const place = `${path}:${line_start}-${line_end}`;
      return `${place} ${snippetOf(text, query, LIMITS.summaryItemCharacters - place.length - AROUND)}`;
    });
  },
});

/** The blank behind the place, and the marks of what was left out before and behind. */
const AROUND = 3;

const noIndex = ({ config }: ToolContext): string =>
  withoutIndex(config) ??
  "There is no index here. `halter index` makes one; in a program search: { graphRag: 'on' } does.";

const NO_DOCUMENTS = 'This chat has no documents yet: none was put into it, read, written or named in it.';

/** Where else could be looked, if anywhere. */
const elsewhere = ({ config }: ToolContext): string =>
  withoutIndex(config) === undefined ? ' With global: true the whole workspace is searched.' : '';

const answer = (
  hits: readonly SearchHit[],
  query: string,
  scope: readonly string[] | undefined,
  hint: string,
): ToolOutput => {
  if (hits.length === 0) {
    const where =
      scope === undefined
        ? 'in this workspace'
        : `in the ${scope.length === 1 ? 'document' : `${scope.length} documents`} of this chat`;
    return ok(`Nothing was found ${where}.${scope === undefined ? '' : hint}`, { reason: NOTHING_FOUND });
  }
  return ok(
    hits.map(
      ({ path, line_start, line_end, symbol, text }): JsonValue => ({
        path,
        line_start,
        line_end,
        ...(symbol === undefined ? {} : { symbol }),
        text: snippetOf(text, query, TOOL_LIMITS.searchSnippetCharacters),
      }),
    ),
  );
};

const parsed = (data: string | null): SearchHit[] => {
  if (data === null) return [];
  try {
    const read: unknown = JSON.parse(data);
    return Array.isArray(read) ? (read as SearchHit[]) : [];
  } catch {
    return [];
  }
};
