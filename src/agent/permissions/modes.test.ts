import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { JsonObject } from '../../core/json.ts';
import { MODES, type Mode } from '../../core/policy/modes.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import type { Tool } from '../../core/tool.ts';
import { detectSandbox } from '../../sandbox/index.ts';
import { scriptedProvider } from '../../testing/index.ts';
import type { TestAgentOptions } from '../../testing/test-agent.ts';

const project = (): string => {
  const folder = scratchFolder();
  const outside = scratchFolder();
  writeFileSync(path.join(outside, 'theirs.txt'), 'x');
  writeFileSync(path.join(folder, 'a.txt'), 'one\n');
  writeFileSync(path.join(folder, '.env'), 'KEY=1\n');
  mkdirSync(path.join(folder, 'src'));
  symlinkSync(path.join(folder, '.env'), path.join(folder, 'link.txt'));
  return folder;
};
const agentOf = (options: Partial<TestAgentOptions>) =>
  assembled({ environment: { PATH: process.env['PATH'] }, platform: process.platform, ...options });

const confined = (await detectSandbox()).kind !== 'none';
type Row = [tool: string, args: JsonObject, ...verdicts: Record<Mode, 'allow' | 'ask' | 'deny'>[]];
const verdicts = (plan: string, ask: string, edit: string, auto: string, yolo = 'allow') =>
  ({ plan, ask, edit, auto, yolo }) as Record<Mode, 'allow' | 'ask' | 'deny'>;
const ROWS: Row[] = [
  ['ls', { path: '.' }, verdicts('allow', 'allow', 'allow', 'allow')],
  ['read_file', { path: 'a.txt' }, verdicts('allow', 'ask', 'allow', 'allow')],
  ['read_file', { path: './src/../a.txt' }, verdicts('allow', 'ask', 'allow', 'allow')],
  ['read_file', { path: '.env' }, verdicts('ask', 'ask', 'ask', 'ask')],
  ['grep_search', { pattern: 'x' }, verdicts('allow', 'ask', 'allow', 'allow')],
  ['write_file', { path: 'new.txt', content: 'x' }, verdicts('deny', 'ask', 'allow', 'allow')],
  ['edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' }, verdicts('deny', 'ask', 'allow', 'allow')],
  ['write_file', { path: '.env', content: 'x' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['write_file', { path: '.npmrc', content: 'x' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['write_file', { path: '.vscode/tasks.json', content: 'x' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['web_fetch', { url: 'https://example.com/' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['bash', { command: 'npm test' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'cat .env' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['bash', { command: 'echo x > .npmrc' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['bash', { command: 'cat a.txt' }, verdicts('allow', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'git status' }, verdicts('allow', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'git diff | head -20' }, verdicts('allow', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'ls; wc -l a.txt' }, verdicts('allow', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'cat a.txt > b.txt' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'git status && touch b.txt' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'sed -i s/one/two/ a.txt' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'find . -name a.txt -delete' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'git branch new' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'git diff --output=b.txt' }, verdicts('deny', 'ask', 'ask', confined ? 'allow' : 'ask')],
  ['bash', { command: 'cat link.txt' }, verdicts('deny', 'ask', 'ask', 'ask')],
  ['bash', { command: 'npm test; rm -rf build' }, verdicts('deny', 'deny', 'deny', 'deny', 'deny')],
];

describe.each(MODES)('mode %s', (mode) => {
  it.each([
    ['with a rule about something else', ['bash(rm *)'], ROWS],
    // That rule changes nothing of what it does not name.
    ['without a rule', [], ROWS.filter(([, args]) => !String(args['command']).includes('rm '))],
  ] as const)('%s', async (_name, deny, rows) => {
    // A judged call is not made, so one agent judges them all.
    const halter = await agentOf({ folder: project(), mode, deny });
    const wrong = [];
    for (const [tool, args, expected] of rows) {
      const judged = await halter.judge(tool, args);
      const verdict = judged.kind === 'refused' ? judged.message : judged.verdict;
      if (verdict !== expected?.[mode]) wrong.push([tool, args, verdict, expected?.[mode]]);
    }
    expect(wrong).toEqual([]);
  });
});

it.each(['cat ../theirs.txt', 'ls /', 'cat ~/.netrc', 'cat $(ls)', 'xargs cat'])(
  'refuses %s in plan mode',
  async (command) => {
    const halter = await agentOf({ folder: project(), mode: 'plan' });
    expect(await halter.judge('bash', { command })).toMatchObject({ verdict: 'deny' });
  },
);

it('asks for a command in auto mode where there is no sandbox, or where it reaches the network', async () => {
  for (const options of [{ sandbox: false }, { allowNetwork: true }]) {
    const halter = await agentOf({ folder: project(), mode: 'auto', ...options });
    expect(await halter.judge('bash', { command: 'npm test' })).toMatchObject({ verdict: 'ask' });
  }
});

it('asks in auto mode for a file in a folder that was opened besides', async () => {
  const other = scratchFolder();
  writeFileSync(path.join(other, 'b.txt'), 'x');
  const halter = await agentOf({ folder: project(), addDirs: [other], mode: 'auto' });
  for (const [tool, args] of [
    ['read_file', {}],
    ['write_file', { content: 'y' }],
  ] as const)
    expect(await halter.judge(tool, { path: path.join(other, 'b.txt'), ...args })).toMatchObject({ verdict: 'ask' });
});

it('counts from its change on, also for the calls of a message that are still to be asked about', async () => {
  const edit = (path: string) => ({ name: 'edit_file', arguments: { path, old_text: 'one', new_text: 'two' } });
  const calls = [edit('a.txt'), edit('b.txt'), edit('c.txt'), { name: 'read_file', arguments: { path: '.env' } }];
  const provider = scriptedProvider([{ calls }, { text: 'done' }], { models: [{ id: 'm' }] });
  const folder = project();
  for (const name of ['b.txt', 'c.txt']) writeFileSync(path.join(folder, name), 'one\n');
  const halter = await agentOf({ folder, modelProvider: provider, model: 'm', onAsk: 'wait' });
  const session = await openedSession(halter);
  const first = nextEvent(session, 'permission_requested');
  await session.send({ type: 'send_message', content: 'go' });
  const { tool_call_id } = await first;
  const second = nextEvent(session, 'permission_requested');
  await session.send({ type: 'change_mode', mode: 'edit' });
  await session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' });
  // The other edits passed; the secret is asked about in every mode.
  expect((await second).because).toBe('".env" may hold secrets');
  await session.send({ type: 'cancel' });
  await session.idle();
});

describe('the grant to read in the folder', () => {
  it('is what a reading call offers, and lets every further one pass but secrets', async () => {
    const calls: { name: string; arguments: JsonObject }[] = [
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'grep_search', arguments: { pattern: 'one' } },
      { name: 'read_file', arguments: { path: '.env' } },
    ];
    const provider = scriptedProvider([...calls.map((call) => ({ calls: [call] })), { text: 'done' }], {
      models: [{ id: 'm' }],
    });
    const halter = await agentOf({ folder: project(), modelProvider: provider, model: 'm', onAsk: 'wait' });
    const session = await openedSession(halter);
    const asked = nextEvent(session, 'permission_requested');
    await session.send({ type: 'send_message', content: 'go' });
    const { rule, tool_call_id } = await asked;
    expect(rule).toEqual({ tool: 'folder:read' });
    const second = nextEvent(session, 'permission_requested');
    await session.send({ type: 'resolve_permission', tool_call_id, decision: 'session' });
    // The search passed; the secret is asked about.
    expect((await second).because).toBe('".env" may hold secrets');
    expect((await second).rule).not.toEqual({ tool: 'folder:read' });
    await session.send({ type: 'cancel' });
    await session.idle();
  });

  it('covers commands that only read, and no others', async () => {
    const halter = await agentOf({ folder: project(), allow: ['folder:read'], sandbox: false });
    const verdictOf = async (command: string) => {
      const judged = await halter.judge('bash', { command });
      return judged.kind === 'refused' ? judged.message : judged.verdict;
    };
    for (const line of ['ls -la', 'cat a.txt', 'git status', 'git log --oneline -3 | head -n 2', 'wc -l src/b.ts'])
      expect([line, await verdictOf(line)]).toEqual([line, 'allow']);
    for (const line of [
      'cat .env',
      'cat *',
      'cat /etc/passwd',
      'cat ../x',
      'cat link.txt',
      'ls > out.txt',
      'find . -delete',
      'git push',
      'grep -r KEY .',
      'npm test',
      'cat a.txt; touch b',
    ])
      expect([line, await verdictOf(line)]).toEqual([line, 'ask']);
  });

  it('is no yes to the whole folder where a single call was allowed', async () => {
    const search = { name: 'grep_search', arguments: { pattern: 'one' } };
    const read = { name: 'read_file', arguments: { path: 'a.txt' } };
    const provider = scriptedProvider([{ calls: [search] }, { calls: [read] }, { text: 'done' }], {
      models: [{ id: 'm' }],
    });
    const halter = await agentOf({ folder: project(), modelProvider: provider, model: 'm', onAsk: 'wait' });
    const session = await openedSession(halter);
    const first = nextEvent(session, 'permission_requested');
    await session.send({ type: 'send_message', content: 'go' });
    const { tool_call_id } = await first;
    const second = nextEvent(session, 'permission_requested');
    await session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' });
    expect((await second).rule).toEqual({ tool: 'folder:read' });
    await session.send({ type: 'cancel' });
    await session.idle();
  });

  it('denies every reading tool where it is denied', async () => {
    const halter = await agentOf({ folder: project(), deny: ['folder:read'], mode: 'yolo' });
    expect(await halter.judge('read_file', { path: 'a.txt' })).toMatchObject({ verdict: 'deny' });
  });

  const starting = (name: string, more: Partial<Tool>): Tool => ({
    ...defineTool({
      name,
      description: 'Does something',
      risk: 'high',
      effects: 'process',
      main_argument: 'text',
      parameters: { type: 'object', properties: { text: { type: 'string' }, into: { type: 'string' } } },
      run: () => 'done',
    }),
    ...more,
  });
  const TOOLS = [
    starting('shell', { in_sandbox: true }),
    starting('outside', {}),
    starting('start', { in_sandbox: false }),
    starting('type_into', { in_sandbox: true, typed_into: 'into' }),
    starting('build', { in_sandbox: true, main_argument: undefined }),
  ];
  const plugins = { tools: TOOLS, dialects: [], providers: {}, commands: [] };
  const RUN_LINES = ['bash', 'shell'];

  it.each([...RUN_LINES, 'outside', 'start', 'type_into', 'build', 'write_job'])(
    'covers a reading line of %s only where the tool runs that line',
    async (name) => {
      const args = { bash: { command: 'cat a.txt' }, write_job: { job_id: 'job_1', text: 'cat a.txt\n' } }[name] ?? {
        text: 'cat a.txt',
      };
      const options = { folder: project(), sandbox: false, plugins };
      const allowed = await agentOf({ ...options, allow: ['folder:read'] });
      const isCovered = RUN_LINES.includes(name);
      expect(await allowed.judge(name, args)).toMatchObject({ verdict: isCovered ? 'allow' : 'ask' });
      const asked = await (await agentOf(options)).judge(name, args);
      const offered = asked.kind === 'evaluated' ? [asked.rule, ...asked.suggestions] : [];
      expect(offered.some(({ tool }) => tool === 'folder:read')).toBe(isCovered);
      // What it denied it denies.
      const denied = await agentOf({ ...options, deny: ['folder:read'], allow: [name] });
      expect(await denied.judge(name, args)).toMatchObject({ verdict: name === 'build' ? 'allow' : 'deny' });
    },
  );
});

describe('a mode in a session', () => {
  const reading = () =>
    scriptedProvider([{ calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'done' }], {
      models: [{ id: 'm' }],
    });

  it('holds from its change on, and not for the next life of the session', async () => {
    const options = { folder: project(), model: 'm', onAsk: 'fail' as const };
    const first = await agentOf({ ...options, modelProvider: reading() });
    const session = await openedSession(first);
    expect(await session.send({ type: 'change_mode', mode: 'edit' })).toEqual({ ok: true });
    await say(session);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    await session.close();
    const again = await openedSession(first, { id: session.id });
    expect(again.log().findLast(({ type }) => type === 'mode_changed')).toMatchObject({ mode: 'ask' });
    await again.close();
  });

  it('is refused where there is none of the name', async () => {
    const halter = await agentOf({ folder: project(), modelProvider: reading(), model: 'm' });
    const session = await openedSession(halter);
    const sent = await session.send({ type: 'change_mode', mode: 'YOLO' as Mode });
    expect(sent).toMatchObject({ ok: false });
  });
});

/** One call of each tool of which some can pass in plan mode, and some of the others. */
const PASSING: readonly (readonly [string, JsonObject])[] = [
  ['read_file', { path: 'a.txt' }],
  ['ls', { path: '.' }],
  ['grep_search', { pattern: 'one' }],
  ['get_file_tree', {}],
  ['list_tasks', {}],
  ['bash', { command: 'cat a.txt' }],
];
const REFUSED: readonly (readonly [string, JsonObject])[] = [
  ['write_file', { path: 'b.txt', content: 'x' }],
  ['edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' }],
  ['add_task', { content: 'x' }],
  ['web_fetch', { url: 'https://example.com/' }],
  // What the words do is for the program to say into which they are typed, and for the tool that takes them.
  ['write_job', { job_id: 'job_1', text: 'ls\n' }],
  ['deploy', { target: 'ls' }],
];
const DEPLOY = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  risk: 'high',
  effects: 'process',
  main_argument: 'target',
  parameters: { type: 'object', properties: { target: { type: 'string' } } },
  run: () => 'done',
});

const NO_PARTS = { dialects: [], providers: {}, commands: [] };

describe('what plan mode offers is what can pass in it', () => {
  const RULES: [string, Partial<TestAgentOptions>][] = [
    ['no rule', {}],
    ['a rule that denies', { deny: ['bash(rm *)', 'write_job(rm *)', 'deploy(prod)'] }],
    ['the grant to read', { allow: ['folder:read'] }],
    ['rules for all of it', { allow: ['bash', 'write_job', 'deploy', 'write_file', 'web_fetch'] }],
  ];
  it.each(RULES)('with %s', async (_name, rules) => {
    verifies('H4');
    const plugins = { ...NO_PARTS, tools: [DEPLOY] };
    const options: Partial<TestAgentOptions> = { folder: project(), mode: 'plan', plugins, ...rules };
    const offered = (await agentOf({ ...options, fixedMode: true })).tools.map(({ name }) => name);
    const halter = await agentOf(options);
    for (const [calls, isOffered] of [
      [PASSING, true],
      [REFUSED, false],
    ] as const)
      for (const [tool, args] of calls) {
        const judged = await halter.judge(tool, args);
        const verdict = judged.kind === 'refused' ? judged.message : judged.verdict;
        expect([tool, offered.includes(tool), verdict === 'deny']).toEqual([tool, isOffered, !isOffered]);
      }
    const other = await halter.judge('bash', { command: 'touch b.txt' });
    expect(other).toMatchObject({ verdict: 'deny', because: expect.stringContaining('only commands that only read') });
  });
});

it('offers all tools in plan mode where the mode can change', async () => {
  const names = (await agentOf({ folder: project(), mode: 'plan' })).tools.map(({ name }) => name);
  expect(names).toContain('write_file');
});

describe('a call whose result is known beforehand', () => {
  const outcome = async (call: { name: string; arguments: JsonObject }, options: Partial<TestAgentOptions> = {}) => {
    const provider = scriptedProvider([{ calls: [call] }, { text: 'done' }], { models: [{ id: 'm' }] });
    const halter = await agentOf({ folder: project(), modelProvider: provider, model: 'm', onAsk: 'fail', ...options });
    const session = await openedSession(halter);
    await say(session);
    return session.log();
  };

  it.each([
    ['read_file', { path: 'missing.txt' }, 'not_found'],
    ['edit_file', { path: 'a.txt', old_text: 'three', new_text: 'x' }, 'validation_failed'],
    ['edit_file', { path: 'missing.txt', old_text: 'one', new_text: 'x' }, 'not_found'],
    ['write_file', { path: 'a.txt', content: 'one\n' }, 'none'],
  ] as const)('is never asked about: %s %j', async (name, args, error_type) => {
    const log = await outcome({ name, arguments: args });
    expect(log.some(({ type }) => type === 'permission_requested')).toBe(false);
    expect(log.find(({ type }) => type === 'tool_finished')).toMatchObject({ result: { error_type } });
    expect(log.at(-1)).toMatchObject({ type: 'run_completed' });
  });

  it('is asked about where it would do something', async () => {
    const log = await outcome({ name: 'edit_file', arguments: { path: 'a.txt', old_text: 'one', new_text: 'two' } });
    expect(log.some(({ type }) => type === 'permission_requested')).toBe(true);
  });

  it('says what an edit did that nobody was asked about', async () => {
    const edit = { name: 'edit_file', arguments: { path: 'a.txt', old_text: 'one', new_text: 'two' } };
    const log = await outcome(edit, { mode: 'edit' });
    const started = log.find(({ type }) => type === 'tool_started');
    expect(started).toMatchObject({ preview: { diff: expect.stringContaining('+two') } });
  });
});

describe('a command in auto mode that names what lies outside', () => {
  const OUTSIDE = [
    'cat ~/notes.txt',
    'cat "$HOME/notes.txt"',
    'cat $' + '{HOME}/notes.txt',
    'cat /etc/passwd',
    'cat < /etc/passwd',
    'x=/etc/passwd; cat $x',
    'ls ..',
    'ls ~',
    'cd && cat notes.txt',
    'cd ..; cat x',
    'cat ../*/x',
    'cat /et?/passwd',
    'find / -name x',
    'git -C ~/other log',
    'head -n1 --lines=3 /etc/hosts',
    'python3 -c "print(open(\'/etc/passwd\').read())"',
    "sh -c 'cat /etc/passwd'",
    "bash <<'E'\ncat ~/notes.txt\nE",
    'cat link/notes.txt',
    'tar cf x.tar ~/other',
    '~/other/run.sh',
    'cat ~root/x',
    'cat $HOME/$X',
    'cp ~/notes.txt .',
  ];
  const INSIDE = [
    'cat a.txt',
    'ls ./src/../src',
    'cd src && ls .',
    '/usr/bin/env python3 x.py',
    'ls src > /dev/null 2>&1',
    'ls /usr/lib',
    '~/.cargo/bin/cargo build',
    '. "$HOME/.nvm/nvm.sh"; npm test',
    'export PATH="$HOME/.local/bin:$PATH"; make',
    'go test ./...',
    'grep -rn "/etc/passwd" src',
    'sed -n "/etc/p" a.txt',
    'echo "see /etc/passwd and .."',
    'git commit -m "fix /etc/passwd"',
    'git log main..dev',
    'node cli.js --route /api/users',
    'curl http://localhost/etc/passwd',
    "cat > src/b.ts <<'E'\nimport x from '..';\nE",
  ];
  const scene = () => {
    const home = scratchFolder();
    const folder = path.join(home, 'work');
    for (const made of ['work/src', 'other', '.cargo/bin', '.nvm', '.local/bin'])
      mkdirSync(path.join(home, made), { recursive: true });
    for (const file of ['notes.txt', 'other/run.sh']) writeFileSync(path.join(home, file), 'x');
    symlinkSync('..', path.join(folder, 'link'));
    return { folder, environment: { PATH: process.env['PATH'], HOME: home } };
  };
  const judged = async (options: Partial<TestAgentOptions>, lines: readonly string[]) => {
    const halter = await agentOf({ ...scene(), ...options });
    const found: string[] = [];
    for (const command of lines) {
      const answer = await halter.judge('bash', { command });
      found.push(`${answer.kind === 'refused' ? answer.message : answer.verdict} ${command}`);
    }
    return found;
  };

  it.runIf(confined)('asks, and does not for the rest', async () => {
    expect(await judged({ mode: 'auto' }, OUTSIDE)).toEqual(OUTSIDE.map((line) => `ask ${line}`));
    expect(await judged({ mode: 'auto' }, INSIDE)).toEqual(INSIDE.map((line) => `allow ${line}`));
  });

  it.runIf(confined)('passes where a rule allows it, and in yolo', async () => {
    const lines = ['cat ~/notes.txt', 'cat /etc/passwd'];
    const passed = lines.map((line) => `allow ${line}`);
    expect(await judged({ mode: 'auto', allow: ['bash'] }, lines)).toEqual(passed);
    expect(await judged({ mode: 'ask', allow: ['bash'] }, lines)).toEqual(passed);
    expect(await judged({ mode: 'auto', allow: lines.map((line) => `bash(=${line})`) }, lines)).toEqual(passed);
    expect(await judged({ mode: 'yolo' }, lines)).toEqual(passed);
  });
});
