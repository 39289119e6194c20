/** Each search service in its own words, on a server that speaks them. The answers are made up in the services' shapes. */
import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { jsonRoutes, webWorld } from '../../tests/support/web-world.ts';
import { createToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import type { JsonObject } from '../core/json.ts';
import { summarizeResult } from '../core/summarize.ts';
import type { SearchSettings } from '../core/web-settings.ts';
import { toolConfig } from '../io/network/web-settings.ts';
import { webSearch } from './web-search.ts';

const FOUND = [
  { title: 'Foxes & towns', url: 'https://foxes.test/a', snippet: 'They live in towns.' },
  { title: 'Fox', url: 'https://wiki.test/Fox', snippet: 'A fox is a small canine.' },
];
const using = (search: SearchSettings) => ({ search });

describe('web_search', () => {
  it('asks a SearXNG for JSON, at the address that was set', async () => {
    verifies('E1');
    const { listener, requests } = jsonRoutes({
      'GET /searx/search': () => ({
        query: 'foxes',
        number_of_results: 0,
        results: [
          {
            url: FOUND[0]!.url,
            title: 'Foxes &amp; towns',
            content: 'They  live\nin towns.',
            engine: 'mojeek',
            score: 4,
            category: 'general',
          },
          {
            url: FOUND[1]!.url,
            title: 'Fox',
            content: FOUND[1]!.snippet,
            engines: ['a', 'b'],
            parsed_url: ['https', 'wiki.test'],
          },
          { url: 'javascript:alert(1)', title: 'no', content: '' },
          { url: 'https://c.test/', title: 'Third', content: null },
        ] as JsonObject[],
        answers: [],
        suggestions: [],
        unresponsive_engines: [['brave', 'timeout']],
      }),
    });
    const { call, dialled } = await webWorld(
      listener,
      using({ backend: 'searxng', url: 'http://127.0.0.1:8888/searx' }),
    );
    const result = await call(webSearch, { query: 'foxes & towns', max_results: 2 });
    expect(JSON.parse(result.data ?? '')).toEqual(FOUND);
    expect(requests[0]?.url.searchParams.get('q')).toBe('foxes & towns');
    expect(requests[0]?.url.searchParams.get('format')).toBe('json');
    // Its address is private and the person's own word.
    expect(dialled).toMatchObject([{ address: '127.0.0.1', port: 8888 }]);
    expect(summarizeResult('web_search', result)).toBe(
      '[web_search] results: Foxes & towns – https://foxes.test/a – They live in towns. | Fox – https://wiki.test/Fox – A fox is a small canine.',
    );
  });

  it('asks Brave with its token', async () => {
    verifies('E1');
    const { listener, requests } = jsonRoutes({
      'GET /res/v1/web/search': () => ({
        type: 'search',
        query: { original: 'foxes' },
        web: {
          type: 'search',
          results: FOUND.map(({ title, url, snippet }) => ({
            title,
            url,
            description: snippet.replace('fox', '<strong>fox</strong>'),
            profile: { name: 'x' },
            language: 'en',
          })),
        },
      }),
    });
    const { call, dialled } = await webWorld(listener, using({ backend: 'brave', key: 'secret' }));
    const result = await call(webSearch, { query: 'foxes' });
    expect(JSON.parse(result.data ?? '')).toEqual(FOUND);
    expect(dialled).toMatchObject([{ host: 'api.search.brave.com', secure: true, port: 443 }]);
    expect(requests[0]?.headers['x-subscription-token']).toBe('secret');
    expect(requests[0]?.url.searchParams.get('count')).toBe('5');
  });

  it('has nothing to say where Brave found nothing', async () => {
    const { listener } = jsonRoutes({ 'GET /res/v1/web/search': () => ({ type: 'search', query: {} }) });
    const { call } = await webWorld(listener, using({ backend: 'brave', key: 'k' }));
    expect(await call(webSearch, { query: 'x' })).toMatchObject({ success: true, data: '[]' });
  });

  it('asks Tavily with its key', async () => {
    verifies('E1');
    const { listener, requests } = jsonRoutes({
      'POST /search': () => ({
        query: 'foxes',
        images: [],
        results: FOUND.map(({ title, url, snippet }) => ({
          title,
          url,
          content: snippet,
          score: 0.9,
          raw_content: null,
        })),
        response_time: 1.2,
      }),
    });
    const { call, dialled } = await webWorld(listener, using({ backend: 'tavily', key: 'tvly-x' }));
    expect(JSON.parse((await call(webSearch, { query: 'foxes', max_results: 3 })).data ?? '')).toEqual(FOUND);
    expect(dialled).toMatchObject([{ host: 'api.tavily.com', secure: true }]);
    expect(requests[0]?.headers['authorization']).toBe('Bearer tvly-x');
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ query: 'foxes', max_results: 3 });
  });

  it('reads the results that DuckDuckGo shows to readers without scripts', async () => {
    verifies('E1');
    const row = ({ title, url, snippet }: (typeof FOUND)[number], more = ''): string =>
      `<div class="result results_links web-result ${more}"><div class="links_main"><h2 class="result__title"><a class="result__a" rel="nofollow" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=abc">${title.replace('&', '&amp;')}</a></h2><a class="result__snippet" href="#">${snippet.replace('fox', '<b>fox</b>')}</a></div></div>`;
    const ad = row({ title: 'Buy', url: 'https://shop.test/', snippet: 'cheap' }, 'result--ad');
    let asked = '';
    const listener: RequestListener = (request, response) => {
      request.on('data', (piece) => {
        asked += String(piece);
      });
      request.on('end', () =>
        response.end(
          `<html><body><div id="links">${ad}${FOUND.map((found) => row(found)).join('')}</div></body></html>`,
        ),
      );
    };
    const { call, dialled } = await webWorld(listener, using({ backend: 'duckduckgo' }));
    expect(JSON.parse((await call(webSearch, { query: 'foxes' })).data ?? '')).toEqual(FOUND);
    expect(asked).toContain('q=foxes');
    expect(dialled).toMatchObject([{ host: 'html.duckduckgo.com', secure: true }]);
  });

  it('says so when DuckDuckGo asks for a person', async () => {
    const page =
      '<html><body><form id="challenge-form"><div class="anomaly-modal">Select all ducks</div></form></body></html>';
    const { call } = await webWorld((_, response) => response.end(page), using({ backend: 'duckduckgo' }));
    expect(await call(webSearch, { query: 'x' })).toMatchObject({
      error_type: 'io_error',
      metadata: { reason: 'challenged' },
    });
  });

  it.each([
    [{ backend: 'searxng', url: 'http://a.test' }, 403, {}, 'search.formats'],
    [{ backend: 'brave', key: 'k' }, 429, {}, 'limit'],
    [{ backend: 'tavily', key: 'k' }, 401, { detail: { error: 'no such key' } }, 'key is not valid'],
    [{ backend: 'tavily', key: 'k' }, 400, { detail: { error: 'query too long' } }, 'query too long'],
  ] as [SearchSettings, number, object, string][])(
    'tells what to do about a refusal: %j %i',
    async (settings, status, body, words) => {
      const { call } = await webWorld(
        (_, response) => response.writeHead(status).end(JSON.stringify(body)),
        using(settings),
      );
      const result = await call(webSearch, { query: 'x' });
      expect(result).toMatchObject({ success: false, error_type: 'io_error' });
      expect(result.error_message).toContain(words);
    },
  );

  it.each(['<html>an error page</html>', '[]', '{"results": 7}', ''])('takes %j for no answer', async (body) => {
    const { call } = await webWorld(
      (_, response) => response.end(body),
      using({ backend: 'searxng', url: 'http://a.test' }),
    );
    expect(await call(webSearch, { query: 'x' })).toMatchObject({
      error_type: 'io_error',
      metadata: { reason: 'protocol' },
    });
  });

  it('without a service says what to set, and is not offered', async () => {
    verifies('E1');
    const { call } = await webWorld((_, response) => response.end());
    const result = await call(webSearch, { query: 'x' });
    expect(result).toMatchObject({ success: false, metadata: { reason: 'not_configured' } });
    expect(result.error_message).toContain('HALTER_WEB_SEARCH_URL');
    const offered = (config: object): number => createToolRegistry([webSearch], config as never).schemas.length;
    expect(offered({})).toBe(0);
    expect(offered(toolConfig({}, { HALTER_WEB_SEARCH_URL: 'http://127.0.0.1:8888' }, false))).toBe(1);
    // A call all the same is answered by the tool itself.
    expect(createToolRegistry([webSearch], {}).get('web_search')).toBe(webSearch);
  });
});

describe('which service is used', () => {
  const searchOf = (...given: Parameters<typeof toolConfig>) =>
    toolConfig(...given)['web'] as { search?: object; searchProblem?: string };
  it('is the one that was chosen, else the SearXNG that is set, else the one there is a key for', () => {
    expect(searchOf({}, { HALTER_WEB_SEARCH_URL: 'http://s/', TAVILY_API_KEY: 't' }, false).search).toEqual({
      backend: 'searxng',
      url: 'http://s/',
    });
    expect(searchOf({}, { TAVILY_API_KEY: 't' }, false).search).toEqual({ backend: 'tavily', key: 't' });
    expect(searchOf({}, { TAVILY_API_KEY: 't', BRAVE_API_KEY: 'b' }, false).search).toEqual({
      backend: 'brave',
      key: 'b',
    });
    expect(searchOf({ search: 'duckduckgo' }, { TAVILY_API_KEY: 't' }, false).search).toEqual({
      backend: 'duckduckgo',
    });
    expect(
      searchOf({ search: 'brave' }, { HALTER_WEB_SEARCH_URL: 'http://s/', BRAVE_API_KEY: 'b' }, false).search,
    ).toEqual({ backend: 'brave', key: 'b' });
    expect(searchOf({}, {}, false).search).toBeUndefined();
  });

  it('says what is missing of a chosen one', () => {
    expect(searchOf({ search: 'brave' }, {}, false).searchProblem).toContain('BRAVE_SEARCH_API_KEY');
    expect(searchOf({ search: 'searxng' }, {}, false).searchProblem).toContain('HALTER_WEB_SEARCH_URL');
    expect(webSearch.unavailable?.(toolConfig({ search: 'brave' }, {}, false))).toContain('BRAVE');
  });

  it('offline is one on this machine', () => {
    const reason = (url: string) => webSearch.unavailable?.(toolConfig({}, { HALTER_WEB_SEARCH_URL: url }, true));
    expect(reason('http://search.test/')).toContain('offline');
    expect(reason('http://127.0.0.1:8888/')).toBeUndefined();
  });
});
