/** Work from the web in several steps with nobody there to ask: what a flag allows, and what is still asked. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { testServer } from '../support/test-server.ts';

/** A SearXNG and the pages that it finds. */
const startWeb = async (found = 'Tall.') => {
  const queries: string[] = [];
  const fetched: string[] = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', base());
    if (url.pathname === '/search') {
      const query = url.searchParams.get('q') ?? '';
      queries.push(query);
      const results = [{ title: `About ${query}`, url: `${base()}/towers/${queries.length}`, content: found }];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
    } else {
      fetched.push(url.pathname);
      response.setHeader('content-type', 'text/html').end('<h1>A tower</h1><p>It is 300 m tall.</p>');
    }
  });
  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { base: base(), queries, fetched };
};
const startModel = async (turns: ScriptedServerOptions['turns'] & {}) => {
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  return ['--provider', 'openai', '--base-url', `${server.url}/v1`, '-m', 'test-model'];
};

const QUERIES = ['height of the first tower', 'height of the second tower'];
/** Words that ask for no tool by its name. */
const QUESTION = 'Which of the two towers is taller?';
const nativeSearch = (query = '') => ({ calls: [{ name: 'web_search', arguments: { query } }] });
const textSearch = (query = '') => ({ text: JSON.stringify({ tool: 'web_search', args: { query } }) });
const FORMS = [
  { preset: undefined, search: nativeSearch },
  { preset: 'edison', search: textSearch },
];

it.each(FORMS)('--allow web_search allows the second search (preset $preset)', async ({ preset, search }) => {
  verifies('E1');
  const web = await startWeb();
  const reach = await startModel([search(QUERIES[0]), search(QUERIES[1]), { text: 'The first.' }]);
  const flags = [...reach, ...(preset ? ['--preset', preset] : []), '--allow', 'web_search', '--format', 'json'];
  const ran = await runHalter(['run', QUESTION, ...flags], { env: { HALTER_WEB_SEARCH_URL: web.base } });
  expect(ran.code, ran.err).toBe(0);
  expect(ran.json()).toMatchObject({ answer: 'The first.', tools_used: ['web_search'], sources: ['web_search'] });
  expect(web.queries).toEqual(QUERIES);
});

it.each(FORMS)('over HTTP the second search is allowed as well (preset $preset)', async ({ preset, search }) => {
  const web = await startWeb();
  const server = await testServer(
    (_request, number) => [search(QUERIES[0]), search(QUERIES[1])][number] ?? { text: 'The first.' },
    { preset, allow: ['web_search'], web: { search: 'searxng', searchUrl: web.base } },
  );
  const reply = await server.json('POST', '/api/chat', { message: QUESTION, mode: 'agent' });
  expect(reply).toMatchObject({ tools_used: ['web_search'], permission_requests: [] });
  expect(web.queries).toEqual(QUERIES);
});

it.each([undefined, 'edison'])('with tools off nothing is sent to a search service (preset %s)', async (preset) => {
  verifies('E13');
  const web = await startWeb();
  const server = await testServer(
    { text: 'I cannot search now.' },
    { preset, allow: ['web_search'], web: { search: 'searxng', searchUrl: web.base } },
  );
  const said = { message: 'Search the web for the height of the tower', mode: 'agent', tools_allowed: false };
  expect(await server.json('POST', '/api/chat', said)).toMatchObject({
    answer: 'I cannot search now.',
    tools_used: [],
  });
  expect(web.queries).toEqual([]);
});

it.each([
  ['web_fetch', (base: string) => ({ url: `${base}/towers/1` })],
  ['bash', () => ({ command: 'echo towers' })],
  ['write_file', () => ({ path: 'towers-1.md', content: 'Tall.' })],
])(
  'what a page of results led to is asked about, and the rule that is named lets it pass: %s',
  async (name, argsOf) => {
    const web = await startWeb('towers-1.md');
    const env = { HALTER_WEB_SEARCH_URL: web.base };
    const ask = async (...rules: string[]) => {
      const reach = await startModel([
        nativeSearch(QUERIES[0]),
        { calls: [{ name, arguments: argsOf(web.base) }] },
        { text: 'Done.' },
      ]);
      const flags = ['--allow-private', '127.0.0.1', '--no-sandbox', '--format', 'json'];
      return runHalter(['run', QUESTION, ...reach, ...flags, ...rules.flatMap((rule) => ['--allow', rule])], { env });
    };
    // A rule for the whole tool does not cover what only the page of results says.
    const asked = await ask('web_search', name);
    expect(asked.code).toBe(3);
    expect(web.fetched).toEqual([]);
    const [, rule = ''] = /--allow '([^']+)'/.exec(asked.err) ?? [];
    expect(rule).toContain(`${name}(`);
    expect(asked.json()['permission_request']).toMatchObject({ rule });
    const allowed = await ask('web_search', rule);
    expect(allowed.code, allowed.err).toBe(0);
    expect(allowed.json()['tool_calls']).toMatchObject([{}, { name, result: { success: true } }]);
  },
);

it.each(['named', 'every'])('with a rule for the %s page, the page is read and nobody is asked', async (which) => {
  const web = await startWeb();
  const reach = await startModel([
    nativeSearch(QUERIES[0]),
    { calls: [{ name: 'web_fetch', arguments: { url: `${web.base}/towers/1` } }] },
    nativeSearch(QUERIES[1]),
    { text: '300 m.' },
  ]);
  // The grant for work from the web with nobody there: searches, and pages of whatever address.
  const rule = which === 'every' ? 'web_fetch(http://*/**)' : `web_fetch(${web.base}/**)`;
  const flags = [...reach, '--allow-private', '127.0.0.1', '--allow', 'web_search', '--allow', rule];
  const ran = await runHalter(['run', QUESTION, ...flags, '--format', 'json'], {
    env: { HALTER_WEB_SEARCH_URL: web.base },
  });
  expect(ran.code, ran.err).toBe(0);
  expect(web.fetched).toEqual(['/towers/1']);
  expect(web.queries).toEqual(QUERIES);
});
