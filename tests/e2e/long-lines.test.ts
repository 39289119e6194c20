/** A page in one line: found in the index where its words stand, and brought along as text of many lines is. */
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth, inTurn } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { serving } from '../support/serving.ts';
import { testServer } from '../support/test-server.ts';

const WORDS = 'river stone garden window letter morning captain bridge market silver winter song'.split(' ');
/** Sentences that differ, of common words. */
const filler = (sentences: number): string =>
  Array.from({ length: sentences }, (_, index) =>
    Array.from({ length: 9 }, (__, place) => WORDS[(index * 7 + place * (index % 5) + place) % WORDS.length]).join(' '),
  ).join('. ');
const KEY = 'The quaymaster Odalrik Venn keeps the brass key in the seventh drawer.';
const CHINESE = '河边的石头静静发光，早晨的市场里有很多人。';
const KEY_CHINESE = '看守人奥达里克把黄铜钥匙放在第七个抽屉里。';

const PARAGRAPHS = Array.from({ length: 9 }, () => filler(60));

const PAGES = [
  {
    what: 'English',
    page: `${filler(800)}. ${KEY} ${filler(800)}.`,
    asks: 'Where does Odalrik Venn keep the brass key?',
    holds: 'seventh drawer',
  },
  {
    what: 'Chinese',
    page: CHINESE.repeat(800) + KEY_CHINESE + CHINESE.repeat(800),
    asks: '奥达里克的黄铜钥匙在哪里？',
    holds: '第七个抽屉',
  },
  {
    what: 'paragraphs in a line each',
    page: [...PARAGRAPHS, `${filler(30)}. ${KEY}`, ...PARAGRAPHS].join('.\n\n'),
    asks: 'Where does Odalrik Venn keep the brass key?',
    holds: 'seventh drawer',
  },
] as const;

const indexed = async (page: string) => {
  const [cwd, home] = [scratchFolder(), scratchFolder()];
  putFiles(cwd, { 'page.txt': page, 'other.md': '# Towers\nA tower is tall.\n' });
  expect((await runHalter(['index'], { cwd, home })).code).toBe(0);
  return { cwd, home };
};
const modelOf = async (turns: readonly ScriptedServerTurn[]) => {
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  return { server, reach: ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'] };
};

/** Usually each page is looked for in one way. */
const pagesOf = (way: number) => inTurn(PAGES, way, 3);

it.each(pagesOf(0))(
  'its middle is found by a search on the command line, and read by the model ($what)',
  async (row) => {
    verifies('E2');
    const { cwd, home } = await indexed(row.page);
    const asked = { query: row.asks, global: true };
    const called = await runHalter(['tools', 'call', 'rag_search', JSON.stringify(asked)], { cwd, home });
    expect(called.json()['data']).toContain(row.holds);
    for (const flags of [[], ['--preset', 'zoo-keeper']]) {
      const search =
        flags.length === 0
          ? { calls: [{ name: 'rag_search', arguments: asked }] }
          : { text: JSON.stringify({ name: 'rag_search', arguments: asked }) };
      const { server, reach } = await modelOf([search, { text: 'It is there.' }]);
      const ran = await runHalter(['run', row.asks, ...reach, ...flags], { cwd, home });
      expect(ran.code, ran.err).toBe(0);
      expect(server.requests[1]?.text).toContain(row.holds);
    }
  },
);

it.each(pagesOf(1))(
  'a summary of 200 characters a hit shows what was asked for, not how the hit begins ($what)',
  async (row) => {
    verifies('E7');
    const { cwd, home } = await indexed(row.page);
    const search = { text: JSON.stringify({ tool: 'rag_search', args: { query: row.asks, global: true } }) };
    const cli = await modelOf([search, { text: 'It is there.' }]);
    const ran = await runHalter(['run', 'go', ...cli.reach, '--preset', 'edison'], { cwd, home });
    expect(ran.code, ran.err).toBe(0);
    const http = await modelOf([search, { text: 'It is there.' }]);
    const { call } = await serving([...http.reach, '--preset', 'edison'], { cwd, home });
    const response = await call('POST', '/api/chat', { message: 'go', mode: 'agent' });
    const reply = (await response.json()) as { tool_events: { summary: string }[] };
    const summary = reply.tool_events[0]?.summary ?? '';
    expect(summary).toContain(row.holds);
    for (const item of summary.replace('[rag_search] results: ', '').split(' | '))
      expect(item.length).toBeLessThanOrEqual(200);
    for (const { requests } of [cli.server, http.server]) expect(requests[1]?.text).toContain(row.holds);
  },
);

it.each(pagesOf(2))('what is looked up before a message over HTTP holds it ($what)', async (row) => {
  verifies('E10');
  const { cwd, home } = await indexed(row.page);
  for (const flags of everyNth([['--preset', 'edison'], []], 2)) {
    const { server, reach } = await modelOf([{ text: 'It is there.' }]);
    const { call } = await serving([...reach, ...flags], { cwd, home });
    const search = { tool_name: 'rag_search', arguments: { query: row.asks, global: true } };
    expect(await (await call('POST', '/api/tools/execute', search)).text()).toContain(row.holds);
    expect((await call('POST', '/api/chat', { message: row.asks, mode: 'agent' })).status).toBe(200);
    expect(server.requests[0]?.text).toContain(row.holds);
  }
});

it('several places of one line are found beside each other', async () => {
  const page = `${filler(400)}. ${KEY} ${filler(400)}. Odalrik Venn lost the brass key in May. ${filler(400)}.`;
  const { cwd, home } = await indexed(page);
  const asked = JSON.stringify({ query: 'Odalrik Venn brass key', global: true });
  const { data } = (await runHalter(['tools', 'call', 'rag_search', asked], { cwd, home })).json();
  expect(data).toMatch(/seventh drawer/);
  expect(data).toMatch(/lost the brass key in May/);
});

it.each([[[]], [['--preset', 'local-harness']]])(
  'comes along with a message, and is read by a call, beyond its first 2,000 characters (%j)',
  async (flags) => {
    verifies('U1');
    const cwd = scratchFolder();
    const page = `${filler(60)}. ${KEY} ${filler(800)}.`;
    expect(page.indexOf(KEY)).toBeGreaterThan(3_000);
    putFiles(cwd, { 'page.txt': page });
    const { server, reach } = await modelOf([
      { text: 'It is there.' },
      { calls: [{ name: 'read_file', arguments: { path: 'page.txt' } }] },
      { text: 'It is there.' },
    ]);
    const ran = await runHalter(['run', 'Where is the key? @page.txt', ...reach, ...flags], { cwd });
    expect(ran.code, ran.err).toBe(0);
    expect(server.requests[0]?.text).toContain('seventh drawer');
    expect(server.requests[0]?.text).toMatch(/\[line truncated: [\d,]+ of [\d,]+ characters\]/);
    const again = await runHalter(['run', 'Where?', ...reach, ...flags, '--allow', 'read_file'], { cwd });
    expect(again.code, again.err).toBe(0);
    expect(server.requests[2]?.text).toContain('seventh drawer');
  },
);

it.each([undefined, 'local-harness'])('is read by a call over HTTP as well (preset %s)', async (preset) => {
  const page = `${filler(60)}. ${KEY} ${filler(20)}.`;
  const turns = [{ calls: [{ name: 'read_file', arguments: { path: 'page.txt' } }] }, { text: 'It is there.' }];
  const server = await testServer(turns, { preset, allow: ['read_file'] });
  putFiles(server.folder, { 'page.txt': page, 'made.js': `var a=[${'1,'.repeat(9_000)}];` });
  await server.json('POST', '/api/chat', { message: 'Where is the key?', mode: 'agent' });
  expect(JSON.stringify(server.provider.requests[1]?.messages)).toContain('seventh drawer');
  const read = await server.json<{ result: string }>('POST', '/api/tools/execute', {
    tool_name: 'read_file',
    arguments: { path: path.join('.', 'made.js') },
  });
  expect(read.result).toContain('[line truncated: 2,000 of 18,009 characters]');
});
