import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { putFiles } from '../../tests/support/scratch.ts';
import type { Agent } from '../agent/create-agent.ts';
import type { JsonObject } from '../core/json.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { TestAgentOptions } from '../testing/test-agent.ts';
import { detectSandbox } from './index.ts';
import { outsideViews, unseenIn } from './outside-view.ts';

/** The sandbox shows no command the outside's /tmp and /dev/shm, whoever allowed it, and has a view of its own of the home folder. */
const HIDDEN = ['/tmp', '/var/tmp', '/dev', '/run', homedir()];
const isPlace = (folder: string): boolean => {
  if (HIDDEN.some((hidden) => `${folder}/`.startsWith(`${hidden}/`))) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
/** Beside the sources where that will do. */
const HERE = [path.resolve(import.meta.dirname, '../../node_modules'), '/srv', '/mnt'].find(isPlace);
const works = HERE !== undefined && (await detectSandbox()).kind === 'bubblewrap';

/** A folder with a link that leads out of it, beside the folder that it leads to. */
const places = () => {
  const top = realpathSync(mkdtempSync(path.join(HERE ?? tmpdir(), '.halter-test-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [folder, theirs] = [path.join(top, 'project'), path.join(top, 'theirs')];
  putFiles(theirs, { 'n.txt': 'THEIRS\n' });
  putFiles(folder, {
    // A repository of its own: of a larger one that it is a part of, all is shown.
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/objects': null,
    '.git/refs': null,
    'list.txt': 'data/set/n.txt\n',
    'read.py': 'print(open("data/set/n.txt").read())\n',
    'read.rb': 'puts File.read("set/n.txt")\n',
    'package.json': JSON.stringify({ scripts: { test: 'cat data/set/n.txt' } }),
    Makefile: 'all:\n\t@cat data/set/n.txt\n',
    'conf/n.txt': 'OWN\n',
  });
  mkdirSync(path.join(folder, 'data'));
  symlinkSync(theirs, path.join(folder, 'data/set'));
  return { top, folder, theirs };
};
const agentOf = (folder: string, more: Partial<TestAgentOptions> = {}) =>
  assembled({
    folder,
    mode: 'auto',
    environment: { PATH: process.env['PATH'] },
    platform: process.platform,
    ...more,
  });
/** What a line prints, and what is said of it. */
const saying =
  (agent: Agent, more: Parameters<Agent['executeTool']>[2] = {}) =>
  async (command: string) => {
    const { data, error_message } = await agent.executeTool('bash', { command }, more);
    return `${data}\n${error_message}`;
  };

/** No word of these names a file outside, nor the link as what it is. */
const LINES = [
  'cat $(<list.txt)',
  'cat `<list.txt`',
  'cat "$(< list.txt)"',
  'for f in $(<list.txt); do cat $f; done',
  'x=$(<list.txt); cat $x',
  "bash -c 'cat $(<list.txt)'",
  "sh -c 'cd data; cat set/n.txt'",
  'env -C data cat set/n.txt',
  'timeout 5 env --chdir=data cat set/n.txt',
  'builtin cd data; cat set/n.txt',
  'unshare --wd=data cat set/n.txt',
  'git diff --no-index data conf',
  'python3 read.py',
  'npm test',
  'make',
];

const SLOW = { timeout: 60_000 };

it.runIf(works)('what mode auto lets pass reads nothing outside of the folder, whatever names it', SLOW, async () => {
  verifies('S12', 'S13');
  const { folder, theirs } = places();
  const run = saying(await agentOf(folder));
  const answers: Record<string, string> = {};
  for (const line of LINES) answers[line] = await run(line);
  expect(LINES.filter((line) => answers[line]?.includes('THEIRS'))).toEqual([]);
  const told = `data/set/n.txt leads to ${theirs}/n.txt, outside of this folder`;
  expect(answers['npm test']).toContain(told);
  expect(answers['npm test']).toContain(`--allow-read ${theirs}/n.txt`);
  expect(await run('make | head')).toContain(told);
});

it.runIf(works)('so does what a model has it run, in the background too', SLOW, async () => {
  verifies('S12');
  const { folder } = places();
  const call = (name: string, args: JsonObject) => ({ calls: [{ name, arguments: args }] });
  const provider = scriptedProvider([
    call('bash', { command: 'make' }),
    call('bash', { command: 'make; echo made', background: true }),
    call('read_job', { job_id: 'job_1', wait_ms: 10_000 }),
    { text: 'Done.' },
  ]);
  const session = await openedSession(await agentOf(folder, { modelProvider: provider }));
  await say(session, 'Make it.');
  await session.close();
  const told = JSON.stringify(provider.requests.at(-1)?.messages);
  expect(told).toContain('No such file');
  expect(told).not.toContain('THEIRS');
});

it.runIf(works)('who is asked, and who says so beforehand, sees what lies outside', SLOW, async () => {
  verifies('S12');
  const { folder, theirs } = places();
  const yes = { ask: async () => ({ decision: 'allow_once' }) };
  const asked = saying(await agentOf(folder), yes);
  const [ruled, all, added] = [{ allow: ['bash(make *)'] }, { mode: 'yolo' }, { allowRead: [theirs] }] as const;
  const seen = {
    named: await asked('cat data/set/n.txt'),
    typed: await saying(await agentOf(folder), { ...yes, reader: 'person' })('make'),
    ruled: await saying(await agentOf(folder, ruled))('make'),
    all: await saying(await agentOf(folder, all))('make'),
    added: await saying(await agentOf(folder, added))('make'),
  };
  for (const [who, text] of Object.entries(seen)) expect([who, text]).toEqual([who, expect.stringContaining('THEIRS')]);
});

it.runIf(HERE !== undefined)('leaves programs, the home folder, the project and what is added to be seen', () => {
  const { top, folder, theirs } = places();
  const view = (more: Partial<Parameters<typeof outsideViews>[0]> = {}) =>
    outsideViews({ home: '/root', isHomeViewed: true, environment: {}, roots: [folder], ...more });
  const first = `/${HERE?.split('/')[1]}`;
  const shownIn = (views: ReturnType<typeof view>) => views.find((each) => each.folder === first)?.shown;
  const names = view().map((each) => each.folder);
  for (const seen of ['/usr', '/bin', '/etc', '/proc', '/dev', '/tmp', '/opt', '/var', '/root'])
    expect(names).not.toContain(seen);
  expect(view({ roots: [first] }).map((each) => each.folder)).not.toContain(first);
  expect(view({ roots: ['/'] })).toEqual([]);
  expect(shownIn(view())).toContain(folder);
  expect(shownIn(view())).not.toContain(theirs);
  expect(shownIn(view({ reads: [theirs] }))).toContain(theirs);
  putFiles(top, { 'tool/bin/x': 'X', 'lib/y.py': 'Y' });
  const environment = { PATH: `${top}/tool/bin`, PYTHONPATH: `${top}/lib` };
  expect(shownIn(view({ environment }))).toEqual(expect.arrayContaining([`${top}/tool`, `${top}/lib`]));
  expect(shownIn(view({ home: theirs, isHomeViewed: false }))).toContain(theirs);
});

it('names of what an output says is missing only links of the folder', () => {
  const { folder, theirs } = places();
  const views = [{ folder: theirs, shown: [] }];
  const told = (output: string) => unseenIn(output, { views, roots: [folder], folder });
  const found = { name: 'data/set/n.txt', file: `${theirs}/n.txt` };
  expect(told('cat: data/set/n.txt: No such file or directory')).toEqual([found]);
  expect(told("FileNotFoundError: [Errno 2] No such file or directory: 'data/set/n.txt'")).toEqual([found]);
  const whole = `${folder}/data/set/n.txt`;
  expect(told(`Error: ENOENT: no such file or directory, open '${whole}'`)).toEqual([{ ...found, name: whole }]);
  for (const other of [
    'data/set/n.txt was read',
    `cat: ${theirs}/n.txt: No such file or directory`,
    'cat: data/set/m.txt: No such file or directory',
    'cat: conf/n.txt: No such file or directory',
  ])
    expect(told(other)).toEqual([]);
});
