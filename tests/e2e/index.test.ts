/** The index and the curator through the real program: its commands, a session of a scripted model, and a killed process. */
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedRequest, type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { onlyLong } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const start = async (turns: NonNullable<ScriptedServerOptions['turns']>) => {
  const server = await startScriptedServer({ turns });
  onTestFinished(() => server.close());
  return { server, flags: ['--provider', 'openai', '--base-url', server.openaiUrl] };
};
const indexFiles = (home: string): string[] => {
  const folder = path.join(home, '.local/share/halter/index');
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.sqlite'))
    .map((name) => path.join(folder, name));
};
type Result = { success: boolean; data: string; metadata: Record<string, unknown> };
const resultsIn = (ran: { lines(): Record<string, unknown>[] }): Result[] =>
  ran
    .lines()
    .filter(({ type }) => type === 'tool_result')
    .map(({ result }) => result as Result);
/** By name, or as one of those that `use_tool` stands for. */
const offered = ({ body }: ScriptedRequest): string => JSON.stringify(body['tools']);

const setting = (home: string, key: string, value: string): void =>
  putFiles(home, { '.config/halter/config.json': JSON.stringify({ [key]: value }) });

const PROJECT = {
  'src/money.ts': 'export const roundMoney = (amount: number): number => Math.round(amount * 100) / 100;\n',
  'src/bill.ts':
    "import { roundMoney } from './money.ts';\n\nexport function totalOfBill(lines: number[]): number {\n  return roundMoney(lines.reduce((a, b) => a + b, 0));\n}\n",
  'notes.md': '# Walrus\n\nThe walrus pays on Fridays.\n',
};
const LONG = Array.from({ length: 30 }, (_none, at) =>
  [
    `export const handle${at} = (value: string): string => {`,
    ...Array.from({ length: 8 }, (_line, row) => `  const part${row} = value.slice(${row}, ${at});`),
    '  return value;',
    '};',
    '',
  ].join('\n'),
).join('\n');

describe('halter index and halter search', () => {
  it('read a folder once, then only what changed, and find what was meant', async () => {
    verifies('Z20');
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, PROJECT);
    const first = await runHalter(['index', '--json'], { cwd, home });
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.json()).toMatchObject({ exists: true, files: 3, indexed: 3, symbols: 2 });
    const found = await runHalter(['search', 'sum of a bill', '--json', '--limit', '1'], { cwd, home });
    expect(found.json()).toMatchObject({
      results: [{ path: 'src/bill.ts', line_start: 3, line_end: 5, symbol: 'totalOfBill' }],
    });
    putFiles(cwd, { 'later.md': '# Ostrich\n\nRuns.\n' });
    expect((await runHalter(['search', 'ostrich'], { cwd, home })).out).toContain('later.md:1-3');
    expect(indexFiles(home)).toHaveLength(1);
  });

  // Usually tests/conformance/indexes.test.ts kills one, in each place where an index lies.
  it.for(onlyLong(['index']))('leave a whole %s behind when the program is killed in the middle', async () => {
    verifies('Z20');
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(
      cwd,
      Object.fromEntries(
        Array.from({ length: 120 }, (_none, at) => [`f${at}.ts`, LONG.replaceAll('handle', `handle${at}x`)]),
      ),
    );
    const running = startHalter(['index'], { cwd, home });
    const written = (): boolean =>
      indexFiles(home).some((file) => fs.existsSync(`${file}-wal`) && fs.statSync(`${file}-wal`).size > 200_000);
    while (!written() && running.child.exitCode === null) await new Promise((resolve) => setImmediate(resolve));
    running.child.kill('SIGKILL');
    await running.finished;
    const [file] = indexFiles(home);
    const database = new DatabaseSync(file as string);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const { torn } = database
      .prepare('SELECT count(*) AS torn FROM files WHERE id NOT IN (SELECT file FROM chunks)')
      .get() as { torn: number };
    expect(torn).toBe(0);
    database.close();
    const again = await runHalter(['index', '--json'], { cwd, home });
    expect(again.json()).toMatchObject({ files: 120, cancelled: false, notes: [] });
  });
});

describe('a session with graph RAG on', () => {
  it('takes in what is read, and searches the documents of the chat or the whole workspace', async () => {
    verifies('Z20', 'E2', 'Z2');
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, PROJECT);
    setting(home, 'graph_rag', 'on');
    const { server, flags } = await start([
      { calls: [{ name: 'rag_search', arguments: { query: 'walrus' } }] },
      { calls: [{ name: 'read_file', arguments: { path: 'src/bill.ts' } }] },
      { calls: [{ name: 'rag_search', arguments: { query: 'walrus bill' } }] },
      { calls: [{ name: 'rag_search', arguments: { query: 'when does the walrus pay', global: true, limit: 1 } }] },
      { calls: [{ name: 'code_graph', arguments: { relation: 'called_by', symbol: 'roundMoney' } }] },
      { text: 'Done.' },
    ]);
    const ran = await runHalter(['run', 'Who pays?', '--allow', 'read_file', '--format', 'stream-json', ...flags], {
      cwd,
      home,
    });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(offered(server.requests[0] as ScriptedRequest)).toMatch(/rag_search.*code_graph/);
    const [none, , own, all, callers] = resultsIn(ran);
    expect(none?.data).toContain('This chat has no documents yet');
    const places = (JSON.parse(own?.data ?? '') as { path: string }[]).map((hit) => hit.path);
    expect([...new Set(places)]).toEqual(['src/bill.ts']);
    expect(JSON.parse(all?.data ?? '')).toMatchObject([{ path: 'notes.md', text: expect.stringContaining('Fridays') }]);
    expect(JSON.parse(callers?.data ?? '')).toMatchObject([
      { name: 'totalOfBill', path: 'src/bill.ts', certainty: 'certain' },
    ]);
  });

  it('shows nothing of a file that a rule keeps from being read', async () => {
    verifies('E2');
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, PROJECT);
    await runHalter(['index'], { cwd, home });
    const call = (...flags: string[]) =>
      runHalter(['tools', 'call', 'rag_search', '{"query":"walrus","global":true}', ...flags], { cwd, home });
    expect((await call()).out).toContain('Fridays');
    expect((await call('--deny', 'read_file(notes.md)')).out).not.toContain('Fridays');
  });

  it('is not there where no index was made: its tools are not offered and say what to do', async () => {
    verifies('E2');
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, PROJECT);
    const { server, flags } = await start([{ text: 'Hello.' }]);
    await runHalter(['run', 'Hi', ...flags], { cwd, home });
    expect(offered(server.requests[0] as ScriptedRequest)).not.toContain('rag_search');
    const called = await runHalter(['tools', 'call', 'rag_search', '{"query":"walrus"}'], { cwd, home });
    expect(called.json()).toMatchObject({
      success: false,
      error_type: 'not_found',
      error_message: expect.stringContaining('halter index'),
    });
    expect(indexFiles(home)).toEqual([]);
  });
});

describe('read_file of a long file in a conversation', () => {
  const world = () => {
    const cwd = scratchFolder();
    const home = scratchFolder();
    putFiles(cwd, { 'src/handlers.ts': LONG });
    return { cwd, home };
  };
  const read = (more: Record<string, unknown> = {}) => ({
    calls: [{ name: 'read_file', arguments: { path: 'src/handlers.ts', ...more } }],
  });

  it('shows the part that was asked about, then the rest, and is gone round by a range or full', async () => {
    verifies('H2', 'H3');
    const { cwd, home } = world();
    const { flags } = await start([
      read(),
      read(),
      read({ line_start: 1, line_end: 3 }),
      read({ full: true }),
      { text: 'Done.' },
    ]);
    const ran = await runHalter(
      ['run', 'What does handle17 return?', '--allow', 'read_file', '--format', 'stream-json', ...flags],
      { cwd, home },
    );
    const [first, second, range, full] = resultsIn(ran);
    expect(first?.data).toMatch(/^\d+: export const handle17 = /m);
    expect(first?.data).toMatch(/lines 1–\d+ left out: handle0 1–11/);
    expect(first?.data.split('\n').length).toBeLessThan(120);
    expect(first?.metadata).not.toHaveProperty('cached');
    // Nothing that was shown comes twice.
    expect(second?.data).toMatch(/^1: export const handle0 /m);
    expect(second?.data).not.toMatch(/^\d+: export const handle17 /m);
    expect(range?.data).toMatch(/^1: .*\n2: .*\n3: /);
    expect(full?.data).toMatch(/^1: export const handle0 /);
    expect(full?.data).not.toContain('left out');
  });

  it('asks the model which part, where that is switched on and words do not decide', async () => {
    verifies('H3');
    const { cwd, home } = world();
    setting(home, 'curator', 'model');
    const judged: ScriptedRequest[] = [];
    let turn = 0;
    const { flags } = await start((request) => {
      if (JSON.stringify(request.body['messages']).includes('You choose which parts')) {
        judged.push(request);
        return { text: '{"sections":[{"line_start":25,"line_end":35,"reason":"here"}]}' };
      }
      turn += 1;
      return turn <= 2 ? read() : { text: 'Done.' };
    });
    const ran = await runHalter(
      ['run', 'Tell me what matters', '--allow', 'read_file', '--format', 'stream-json', ...flags],
      { cwd, home },
    );
    const [first, second] = resultsIn(ran);
    expect(first?.data).toMatch(/^25: export const handle2 = /m);
    expect(first?.data).not.toMatch(/^36: /m);
    expect(second?.data).toMatch(/^1: export const handle0 /m);
    expect(second?.data).not.toMatch(/^25: /m);
    // The choice for this message is made once.
    expect(judged).toHaveLength(1);
    const told = ran.lines().filter(({ type }) => type === 'curation');
    expect(told.map(({ state }) => state)).toEqual(['started', 'finished']);
    expect(judged[0]?.body).not.toHaveProperty('tools');
    expect(JSON.stringify(judged[0]?.body['response_format'])).toContain('line_start');
  });
});
