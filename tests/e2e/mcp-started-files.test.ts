/** What an MCP server is started from in the folder: who edits it is asked, who changed it is not started. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { detectSandbox } from '../../src/sandbox/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../src/testing/test-agent.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment, runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const STARTS = "import fs from 'node:fs';\nfs.appendFileSync(new URL('./started', import.meta.url), 'x');\n";

/** A folder with one server, allowed as it is; the server notes that it was started and ends. */
const world = async (files: Record<string, string> = {}, server?: JsonObject) => {
  const [folder, home] = [fs.realpathSync.native(scratchFolder()), scratchFolder()];
  const x = server ?? { command: process.execPath, args: ['server.mjs'] };
  putFiles(folder, { 'server.mjs': STARTS, '.mcp.json': JSON.stringify({ mcpServers: { x } }), ...files });
  expect((await runHalter(['trust'], { cwd: folder, home })).code).toBe(0);
  expect((await runHalter(['mcp', 'allow', 'x'], { cwd: folder, home })).code).toBe(0);
  return { folder, home };
};

const open = async (
  { folder, home }: { folder: string; home: string },
  options: Partial<TestAgentOptions> = {},
): Promise<{ halter: Agent; warnings: string[] }> => {
  const warnings: string[] = [];
  const opened = await openTestAgent({
    folder,
    environment: cleanEnvironment(home),
    platform: process.platform,
    sandbox: false,
    mcp: { files: true },
    onWarning: (_code, message) => warnings.push(message),
    ...options,
  });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  return { halter: opened.value, warnings };
};

const starts = (folder: string): number => {
  const file = path.join(folder, 'started');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').length : 0;
};
const verdict = async (halter: Agent, name: string, args: JsonObject): Promise<string> => {
  const answer = await halter.judge(name, args);
  return answer.kind === 'refused' ? answer.error_type : `${answer.verdict}: ${answer.because}`;
};
const ASKS = /^ask: .* is what the MCP server "x" is started from$/;

it('is asked about at every edit, whatever the rules say and however it is named', async () => {
  verifies('S43', 'S17');
  const place = await world({
    'server.mjs': "import './lib/tools.mjs';\n",
    'lib/tools.mjs': '',
    'other.txt': 'a\n',
    'data.json': '{}',
  });
  fs.symlinkSync('server.mjs', path.join(place.folder, 'link.mjs'));
  fs.symlinkSync('lib', path.join(place.folder, 'way'));
  const allow = ['write_file', 'edit_file', 'bash', 'write_file(**)', 'insert_lines', 'replace_lines'];
  for (const options of [{ allow }, { allow, mode: 'auto' as const }, { mode: 'edit' as const, allow }]) {
    const { halter } = await open(place, options as Partial<TestAgentOptions>);
    const names = ['server.mjs', './lib/../server.mjs', 'lib/tools.mjs', 'way/tools.mjs', 'link.mjs'];
    for (const name of names)
      expect([name, await verdict(halter, 'write_file', { path: name, content: '1' })]).toEqual([
        name,
        expect.stringMatching(ASKS),
      ]);
    expect(await verdict(halter, 'write_file', { path: 'other.txt', content: '1' })).toMatch(/^allow/);
    expect(await verdict(halter, 'write_file', { path: 'lib/new.txt', content: '1' })).toMatch(/^allow/);
    for (const line of [
      'echo 1 > server.mjs',
      'cp other.txt lib/tools.mjs',
      'cd lib && tee tools.mjs',
      'sed -i d ./server.mjs',
    ])
      expect([line, await verdict(halter, 'bash', { command: line })]).toEqual([line, expect.stringMatching(/^ask: /)]);
    await halter.close();
  }
  const { halter } = await open(place, { allow: ['write_file(server.mjs)'] });
  expect(await verdict(halter, 'write_file', { path: 'server.mjs', content: '1' })).toMatch(/^allow/);
});

it('is not started again after a change, by nobody and in no session, until it is allowed', async () => {
  verifies('S43');
  const place = await world({ 'server.mjs': `import './lib/tools.mjs';\n${STARTS}`, 'lib/tools.mjs': '' });
  const first = await open(place);
  const service = await first.halter.mcp.open();
  expect(starts(place.folder)).toBe(1);
  fs.appendFileSync(path.join(place.folder, 'lib/tools.mjs'), '// changed\n');
  await service?.reconnect('x');
  expect(starts(place.folder)).toBe(1);
  const [report] = first.halter.mcp.report();
  expect(report).toMatchObject({ state: 'failed', consent: expect.any(String) });
  expect(report?.detail).toContain('lib/tools.mjs');
  // Asked about as it is now, it may start; a yes to something else is none.
  expect(await service?.allow('x', 'another digest')).toMatchObject({ ok: false });
  await service?.allow('x', report?.consent ?? '');
  expect(starts(place.folder)).toBe(2);
  await first.halter.close();

  fs.appendFileSync(path.join(place.folder, 'server.mjs'), '// changed\n');
  const second = await open(place);
  await second.halter.mcp.open();
  expect(starts(place.folder)).toBe(2);
  expect(second.warnings.join('\n')).toContain('halter mcp allow x');
  await second.halter.close();
  expect((await runHalter(['mcp', 'allow', 'x'], { cwd: place.folder, home: place.home })).code).toBe(0);
  await (await open(place)).halter.mcp.open();
  expect(starts(place.folder)).toBe(3);
});

it('is asked about for a server of the own list that runs files of the folder', async () => {
  verifies('S43');
  const folder = fs.realpathSync.native(scratchFolder());
  putFiles(folder, { 'server.mjs': STARTS });
  const homes = [scratchFolder(), scratchFolder()] as const;
  const add = (home: string, file: string) => runHalter(['mcp', 'add', 'x', process.execPath, file], { home });
  // By a relative path it would run what any folder holds.
  await add(homes[0], 'server.mjs');
  const relative = await open({ folder, home: homes[0] });
  await relative.halter.mcp.open();
  expect([starts(folder), relative.warnings.join('\n')]).toEqual([0, expect.stringContaining('halter mcp allow x')]);
  expect((await runHalter(['mcp', 'allow', 'x'], { cwd: folder, home: homes[0] })).code).toBe(0);
  await (await open({ folder, home: homes[0] })).halter.mcp.open();
  expect(starts(folder)).toBe(1);
  // A whole path is that very file, until it changes.
  await add(homes[1], path.join(folder, 'server.mjs'));
  await (await open({ folder, home: homes[1] })).halter.mcp.open();
  expect(starts(folder)).toBe(2);
  fs.appendFileSync(path.join(folder, 'server.mjs'), '// changed\n');
  await (await open({ folder, home: homes[1] })).halter.mcp.open();
  expect(starts(folder)).toBe(2);
});

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

it('keeps what it was, whatever a command in the sandbox makes of it', { timeout: 60_000 }, async (context) => {
  verifies('S43', 'S38');
  if (!works) context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
  const manifest = JSON.stringify({ scripts: { mcp: 'node server.mjs' }, dependencies: {} });
  const place = await world(
    {
      'server.mjs': `import './lib/tools.mjs';\n${STARTS}`,
      'lib/tools.mjs': '',
      'package.json': manifest,
      'p.txt': '',
    },
    { command: 'npm', args: ['run', 'mcp'] },
  );
  const { halter } = await open(place, { sandbox: true, mode: 'yolo' });
  const run = async (command: string): Promise<string> => {
    const result = await halter.executeTool('bash', { command });
    return `${result.data ?? ''}${result.error_message ?? ''}`;
  };
  const read = (name: string): string => fs.readFileSync(path.join(place.folder, name), 'utf8');
  const before = ['server.mjs', 'lib/tools.mjs', 'package.json'].map(read);
  const lines = [
    'echo evil > server.mjs',
    'echo evil > new && mv new lib/tools.mjs',
    'mv lib gone && mkdir evil && echo evil > evil/tools.mjs && ln -s evil lib',
    `node -e "fs.writeFileSync('package.json', JSON.stringify({scripts:{mcp:'touch evil'}}))"`,
    'chmod u+x server.mjs && ln -sf p.txt server.mjs',
  ];
  for (const line of lines) {
    expect([line, await run(line)]).toEqual([line, expect.stringContaining('the MCP server "x" is started from it')]);
    expect([line, ['server.mjs', 'lib/tools.mjs', 'package.json'].map(read)]).toEqual([line, before]);
  }
  // Installing a package is ordinary work.
  await run(
    `node -e "fs.writeFileSync('package.json', JSON.stringify({scripts:{mcp:'node server.mjs'},dependencies:{a:'1'}}))"`,
  );
  expect(read('package.json')).toContain('"a":"1"');
});
