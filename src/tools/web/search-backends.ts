/** The search services, each in its own words: what is asked, and how its answer is read. */
import type { JsonValue } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, type ToolOutput } from '../../core/tool-result.ts';
import type { SearchBackend, SearchSettings } from '../../core/web-settings.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { cutText, oneLine } from './clean-text.ts';
import { statusFailure, type WebAnswer, type WebRequest, webRequest } from './get.ts';
import { readInThread } from './page-reader.ts';
import { decodeEntities } from './plain-text.ts';

export type SearchResult = { title: string; url: string; snippet: string };
export type SearchOutcome = { ok: true; results: SearchResult[] } | { ok: false; output: ToolOutput };

type Backend = {
  /** Where it is, unless the person says otherwise. */
  url: string;
  request(base: string, query: string, count: number, key: string): Omit<WebRequest, 'timeoutMs'>;
  read(answer: WebAnswer, context: ToolContext): Promise<SearchOutcome>;
};

const unreadable = (what: string): SearchOutcome => ({
  ok: false,
  output: fail('io_error', `The search service answered with something that is not its form: ${what}.`, {
    reason: 'protocol',
  }),
});

const textOf = (value: JsonValue | undefined): string =>
  // Some services mark the words that were found, others escape what they quote.
  typeof value === 'string' ? oneLine(decodeEntities(value.replace(/<\/?[a-z][^<>]{0,200}>/gi, ''))) : '';

const resultOf = (
  title: JsonValue | undefined,
  url: JsonValue | undefined,
  snippet: JsonValue | undefined,
): SearchResult[] => {
  const target = typeof url === 'string' ? URL.parse(url) : null;
  if (!target || !/^https?:$/.test(target.protocol)) return [];
  return [
    {
      title: cutText(textOf(title), TOOL_LIMITS.webTitleCharacters),
      url: target.href,
      snippet: cutText(textOf(snippet), TOOL_LIMITS.webSearchSnippetCharacters),
    },
  ];
};

const jsonOf = (answer: WebAnswer): JsonValue | undefined => {
  try {
    return JSON.parse(new TextDecoder().decode(answer.bytes)) as JsonValue;
  } catch {
    return undefined;
  }
};
const field = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? value[name]
    : undefined;

/** The list at `path` of a JSON answer, each entry read by `read`. */
const listAt = (
  answer: WebAnswer,
  path: readonly string[],
  read: (entry: JsonValue) => SearchResult[],
): SearchOutcome => {
  const json = jsonOf(answer);
  if (json === undefined) return unreadable('no JSON');
  let value: JsonValue | undefined = json;
  for (const name of path) value = field(value, name);
  if (value === undefined && path.length > 1 && field(json, path[0] ?? '') === undefined)
    return { ok: true, results: [] };
  return Array.isArray(value) ? { ok: true, results: value.flatMap(read) } : unreadable(`no list at ${path.join('.')}`);
};

/** `base` and a path below it, whether or not the person wrote a slash at the end. */
const below = (base: string, path: string): URL => new URL(path, base.endsWith('/') ? base : `${base}/`);

const searxng: Backend = {
  url: '',
  request(base, query) {
    const url = below(base, 'search');
    url.search = new URLSearchParams({ q: query, format: 'json' }).toString();
    return { url: url.href, headers: { accept: 'application/json' }, redirects: 2 };
  },
  async read(answer) {
    return listAt(answer, ['results'], (entry) =>
      resultOf(field(entry, 'title'), field(entry, 'url'), field(entry, 'content')),
    );
  },
};

const brave: Backend = {
  url: 'https://api.search.brave.com/res/v1/web/search',
  request(base, query, count, key) {
    const url = new URL(base);
    url.search = new URLSearchParams({ q: query, count: String(count) }).toString();
    return { url: url.href, headers: { accept: 'application/json', 'x-subscription-token': key } };
  },
  async read(answer) {
    return listAt(answer, ['web', 'results'], (entry) =>
      resultOf(field(entry, 'title'), field(entry, 'url'), field(entry, 'description')),
    );
  },
};

const tavily: Backend = {
  url: 'https://api.tavily.com/search',
  request(base, query, count, key) {
    return {
      url: base,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, max_results: count, search_depth: 'basic', include_answer: false }),
    };
  },
  async read(answer) {
    return listAt(answer, ['results'], (entry) =>
      resultOf(field(entry, 'title'), field(entry, 'url'), field(entry, 'content')),
    );
  },
};

const duckduckgo: Backend = {
  url: 'https://html.duckduckgo.com/html/',
  request(base, query) {
    return {
      url: base,
      method: 'POST',
      headers: {
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'Mozilla/5.0 (compatible; halter)',
      },
      body: new URLSearchParams({ q: query, kl: 'wt-wt' }).toString(),
    };
  },
  async read(answer, context) {
    const html = new TextDecoder().decode(answer.bytes);
    const read = await readInThread({ kind: 'results', html }, { signal: context.signal });
    if (!read.ok || !read.value.found) return unreadable('no page of results');
    const { results, challenged } = read.value.found;
    if (challenged) {
      const message = 'DuckDuckGo asks for a proof that a person is searching, so it cannot be asked from here now.';
      return { ok: false, output: fail('io_error', message, { reason: 'challenged' }) };
    }
    return { ok: true, results: results.flatMap(({ title, url, snippet }) => resultOf(title, url, snippet)) };
  },
};

const BACKENDS: Readonly<Record<SearchBackend, Backend>> = { searxng, brave, tavily, duckduckgo };

/** What the person has to do about a status, where the service's own words do not say. */
const HINTS: Readonly<Partial<Record<SearchBackend, Readonly<Record<number, string>>>>> = {
  searxng: { 403: 'its settings.yml has to list json under search.formats', 429: 'its limiter refuses programs' },
  brave: { 401: 'the key is not valid', 422: 'the key is not valid', 429: 'its limit is reached' },
  tavily: { 401: 'the key is not valid', 429: 'its limit is reached', 432: 'the limit of the plan is reached' },
};

export const search = async (
  settings: SearchSettings,
  query: string,
  count: number,
  context: ToolContext,
): Promise<SearchOutcome> => {
  const backend = BACKENDS[settings.backend];
  const base = settings.url ?? backend.url;
  if (URL.parse(base) === null) {
    const message = `The address of ${settings.backend} (${base}) is none.`;
    return { ok: false, output: fail('io_error', message, { reason: 'not_configured' }) };
  }
  const answered = await webRequest(context, {
    maxResponseBytes: TOOL_LIMITS.webSearchResponseBytes,
    ...backend.request(base, query, count, settings.key ?? ''),
    // Its own address may be on this machine; one that the person set is their word.
    personsWord: settings.url !== undefined,
    timeoutMs: LIMITS.toolTimeoutMs - TOOL_LIMITS.webSearchReserveMs,
  });
  if (!answered.ok) return { ok: false, output: answered.output };
  const { answer } = answered;
  if (answer.status !== 200) {
    const own = textOf(
      field(field(jsonOf(answer), 'detail'), 'error') ?? field(field(jsonOf(answer), 'error'), 'detail'),
    );
    return { ok: false, output: statusFailure(answer, HINTS[settings.backend]?.[answer.status] ?? own) };
  }
  const found = await backend.read(answer, context);
  return found.ok ? { ok: true, results: found.results.slice(0, count) } : found;
};
