/** Every command besides `run`, as a process. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path, { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { MODES, modeReason } from '../../src/core/policy/modes.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const call = (name: string, args: unknown, ...flags: string[]) => {
  const folder = scratchFolder();
  putFiles(folder, { 'a.txt': 'one\ntwo\n' });
  return runHalter(['tools', 'call', name, typeof args === 'string' ? args : JSON.stringify(args), ...flags], {
    cwd: folder,
  });
};

describe('halter tools', () => {
  it('lists the tools with schemas and risk, for people and for programs', async () => {
    verifies('Z7', 'B11');
    const ran = await runHalter(['tools', 'list', '--json']);
    const { tools } = ran.json() as {
      tools: { name: string; risk: string; description: string; parameters: object }[];
    };
    const risks = Object.fromEntries(tools.map(({ name, risk }) => [name, risk]));
    expect(risks).toMatchObject({
      ls: 'safe',
      grep_search: 'medium',
      read_file: 'medium',
      write_file: 'high',
      bash: 'high',
    });
    for (const tool of tools) {
      const keys = Object.keys(tool).filter((key) => key !== 'unavailable');
      expect(keys.sort()).toEqual(['description', 'name', 'parameters', 'risk']);
    }
    const shown = await runHalter(['tools', 'list']);
    expect(shown.out).toMatch(/^ls +safe /m);
  });

  const CALLS = [
    ['a safe tool', 'ls', { path: '.' }, [], 0, 'none'],
    ['a tool that was allowed', 'read_file', { path: 'a.txt' }, ['--allow', 'read_file'], 0, 'none'],
    ['a tool that would have to ask', 'read_file', { path: 'a.txt' }, [], 3, 'permission_denied'],
    [
      'a tool that was denied',
      'read_file',
      { path: 'a.txt' },
      ['--deny', 'read_file', '--yolo'],
      1,
      'permission_denied',
    ],
    [
      'a tool that plan mode refuses',
      'write_file',
      { path: 'b', content: '' },
      ['--plan', '--allow', 'write_file'],
      1,
      'permission_denied',
    ],
    ['a missing file', 'read_file', { path: 'none.txt' }, ['--yolo'], 1, 'not_found'],
    ['a path outside', 'read_file', { path: '../x' }, ['--yolo'], 1, 'validation_failed'],
    ['an absolute path', 'ls', { path: '/etc' }, [], 1, 'validation_failed'],
    ['a wrong type, which is not converted', 'ls', { max_entries: '3' }, [], 1, 'validation_failed'],
    ['an unknown tool', 'raed_file', {}, [], 1, 'not_found'],
    ['arguments that are not JSON', 'ls', '{path', [], 1, 'parse_error'],
    ['arguments behind a byte order mark', 'ls', '\ufeff{}', [], 0, 'none'],
    ['arguments that are no object', 'ls', '[]', [], 1, 'validation_failed'],
  ] as const;
  it.each(everyNth(CALLS, 4))('calls %s', async (_what, name, args, flags, code, error) => {
    verifies('E5', 'Z6', 'H10');
    const ran = await call(name, args, ...flags);
    const result = ran.json() as { success: boolean; error_type: string; data: string | null };
    expect([ran.code, result.error_type, result.success]).toEqual([code, error, code === 0]);
    expect(ran.err).toBe('');
  });

  it('names the nearest tools, with code 500', async () => {
    verifies('K7');
    const { error_message, metadata } = (await call('raed_file', {})).json() as {
      error_message: string;
      metadata: { code: number };
    };
    expect(error_message).toContain('read_file');
    expect(metadata.code).toBe(500);
  });

  it('needs no model and no server', async () => {
    const ran = await call('bash', { command: 'echo $((6 * 7)); exit 3' }, '--allow', 'bash');
    expect(ran.code).toBe(1);
    expect(ran.json()).toMatchObject({
      error_type: 'io_error',
      data: expect.stringContaining('42'),
      metadata: { exit_code: 3 },
    });
  });

  const PAYLOADS: [payload: string, expected: { valid: boolean; [key: string]: unknown }][] = [
    [
      '{"tool": "ls", "args": {"path": "src"}}',
      { valid: true, error: null, tool: 'ls', args: { path: 'src', max_entries: 500 } },
    ],
    ['{"tool": "ls", "args": {"max_entries": true}}', { valid: false, tool: 'ls', args: null }],
    ['{"tool": "ls", "args": {"max_entries": "5"}}', { valid: false }],
    ['{"tool": "ls", "args": {"unknown": 1}}', { valid: true }],
    ['{"tool": "ls"}', { valid: false, tool: null }],
    ['{"tool": "ls", "args": {}, "more": 1}', { valid: false }],
    ['{"tool": "nothing", "args": {}}', { valid: false, tool: 'nothing' }],
    ['{"tool": "ls", "args": {}', { valid: false }],
    ['[]', { valid: false }],
    ['', { valid: false }],
  ];
  it.each(everyNth(PAYLOADS, 3))('validates %s', async (payload, expected) => {
    verifies('E5');
    const ran = await runHalter(['tools', 'validate'], { stdin: payload });
    expect(ran.json()).toMatchObject(expected);
    expect(Object.keys(ran.json())).toEqual(['valid', 'error', 'tool', 'args']);
    expect(ran.code).toBe(expected.valid ? 0 : 1);
    if (!expected.valid) expect(ran.json()['error']).toEqual(expect.any(String));
  });
});

describe('halter sessions', () => {
  it('lists, shows and deletes', async () => {
    verifies('B5', 'U1');
    const server = await startScriptedServer({ turns: [{ text: 'Hello yourself.' }] });
    onTestFinished(() => server.close());
    const [home, cwd] = [scratchFolder(), scratchFolder()];
    const halter = (...args: string[]) => runHalter(args, { home, cwd });
    await halter('run', 'Hello there', '--session', 'first', '--provider', 'openai', '--base-url', server.openaiUrl);
    const listed = (await halter('sessions', 'list', '--json')).json() as { sessions: { id: string; title: string }[] };
    expect(listed.sessions).toMatchObject([{ id: 'first', title: 'Hello there', workspace: cwd }]);
    expect((await halter('sessions', 'list')).out).toContain('first');
    const found = await halter('sessions', 'search', 'there', 'HELLO', '--json');
    expect(found.json()).toMatchObject({ hits: [{ id: 'first', role: 'user', excerpt: 'Hello there' }] });
    expect(await halter('sessions', 'search', 'goodbye')).toMatchObject({ code: 1, out: '' });
    expect((await runHalter(['sessions', 'list', '--json'], { home })).json()).toEqual({ sessions: [] });
    expect((await halter('sessions', 'show', 'first')).out).toBe(
      'user: #2\nHello there\n\nassistant: #3\nHello yourself.\n\n',
    );
    const events = (await halter('sessions', 'show', 'first', '--json')).lines();
    expect(events.map(({ type }) => type)).toContain('run_completed');
    expect((await halter('sessions', 'delete', 'first')).code).toBe(0);
    const missing = await halter('sessions', 'show', 'first');
    expect([missing.code, missing.out]).toEqual([1, '']);
    expect(missing.err).toContain('first');
  });

  it('goes on with the latest session of the folder with -c', async () => {
    verifies('B5');
    const server = await startScriptedServer({ turns: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] });
    onTestFinished(() => server.close());
    const [home, cwd] = [scratchFolder(), scratchFolder()];
    const run = (...args: string[]) =>
      runHalter(['run', ...args, '--provider', 'openai', '--base-url', server.openaiUrl], { home, cwd });
    await run('question one');
    await run('question two', '--no-session');
    await run('question three', '-c');
    expect(server.requests[1]?.text).not.toContain('question one');
    expect(server.requests[2]?.text).toContain('question one');
    expect(server.requests[2]?.text).not.toContain('question two');
  });
});

describe('halter config', () => {
  it('keeps settings that later runs follow, and flags before them', async () => {
    verifies('U1');
    const server = await startScriptedServer({
      models: [{ id: 'kept' }, { id: 'named' }],
      turns: [{ text: 'a' }, { text: 'b' }],
    });
    onTestFinished(() => server.close());
    const home = scratchFolder();
    const halter = (...args: string[]) => runHalter(args, { home });
    expect((await halter('config', 'set', 'model', 'openai/kept')).code).toBe(0);
    await halter('config', 'set', 'base_url', server.openaiUrl);
    await halter('config', 'set', 'temperature', '0.25');
    expect((await halter('config', 'get', 'temperature')).out).toBe('0.25\n');
    expect((await halter('config', 'path')).out).toBe(`${path.join(home, '.config/halter/config.json')}\n`);
    await halter('run', 'x');
    expect(server.requests[0]?.body).toMatchObject({ model: 'kept', temperature: 0.25 });
    await halter('run', 'x', '-m', 'openai/named', '--base-url', server.openaiUrl, '--temperature', '1');
    expect(server.requests[1]?.body).toMatchObject({ model: 'named', temperature: 1 });
    expect((await halter('config', 'set', 'temprature', '1')).err).toContain('Did you mean temperature?');
    expect((await halter('config', 'set', 'temperature', 'hot')).code).toBe(2);
    await halter('config', 'set', 'temperature', '');
    expect((await halter('config', 'get', 'temperature')).code).toBe(1);
  });
});

const MORE_THAN_READ = (name: string): string => `${name} (what does more than read)`;

describe('halter policy list', () => {
  it('says which rules hold here, and where they come from', async () => {
    verifies('Z10');
    const [home, cwd] = [scratchFolder(), scratchFolder()];
    const rule = (tool: string, workspace: string) => ({ tool, decision: 'allow', workspace, created_at: 1 });
    const file = { version: 1, rules: [rule('read_file', cwd), rule('write_file', '/elsewhere')] };
    putFiles(home, { '.config/halter/policies.json': JSON.stringify(file) });
    const ran = await runHalter(['policy', 'list', '--json', '--deny', 'bash(rm *)'], { home, cwd });
    expect(ran.json()['rules']).toEqual([
      { decision: 'deny', rule: 'bash(rm *)', source: 'command line' },
      { decision: 'allow', rule: 'read_file', source: 'remembered' },
    ]);
  });

  it.each(MODES)('asks about no tool that the mode %s answers for', async (mode) => {
    const ran = await runHalter(['policy', 'list', '--mode', mode]);
    const rows = ran.out.split('\n').map((line) => line.trimEnd().split(/ {2,}/));
    const named = (verdict: string): string[] =>
      rows.flatMap(([first, what = '']) => (first === verdict && !what.includes(' passes') ? what.split(', ') : []));
    const risky = BUILT_IN_TOOLS.filter(({ risk }) => risk !== 'safe');
    const saidBy = (says: 'deny' | undefined) =>
      (says === 'deny' ? BUILT_IN_TOOLS : risky)
        .filter((tool) => modeReason(mode, tool, {})?.says === says)
        .map(({ name }): string => name);
    const reading = mode === 'plan' ? ['bash'] : [];
    expect(named('ask').sort()).toEqual(mode === 'yolo' ? [] : saidBy(undefined).sort());
    // Of a tool that runs commands it denies those that do more than read.
    const denied = [...saidBy('deny').filter((name) => !reading.includes(name)), ...reading.map(MORE_THAN_READ)];
    expect(named('deny').sort()).toEqual(denied.sort());
    expect(named('allow').filter((name) => saidBy('deny').includes(name))).toEqual([]);
    expect(ran.out.includes('also by commands that only read (bash)')).toBe(mode === 'plan');
  });
});

/** A script that completes its first argument, given what `halter completion` printed. */
type CompletingScript = (halter: string, home: string, printed: string) => string;
const asBash = `COMP_LINE=$1; COMP_POINT=\${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _halter; printf '%s\\n' "\${COMPREPLY[@]}"`;
const SHELLS: readonly [string, CompletingScript][] = [
  ['bash', (halter, home, printed) => `halter() { HOME='${home}' ${halter} "$@"; }\n${printed}\n${asBash}`],
  [
    'zsh',
    // bashcompinit calls what it was given with the options of sh.
    (halter, home, printed) =>
      `autoload -U compinit; compinit -u -D\nhalter() { HOME='${home}' ${halter} "$@"; }\n${printed}\nemulate sh\n${asBash}`,
  ],
  [
    'fish',
    (halter, home, printed) =>
      `function halter; HOME='${home}' ${halter} $argv; end\n${printed}\ncomplete -C "$argv[1]"`,
  ],
];

describe('the command line itself', () => {
  it('says its version, helps, and completes', async () => {
    verifies('U1');
    expect(await runHalter(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    for (const args of [['--help'], ['run', '--help'], ['help', 'tools'], ['models', 'pull', '--help']]) {
      expect(await runHalter(args)).toMatchObject({ code: 0, out: expect.stringContaining('Usage:'), err: '' });
    }
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect(await runHalter(['completion', shell])).toMatchObject({ code: 0, out: expect.stringContaining('halter') });
    }
  });

  describe.each(everyNth([...SHELLS], 3))('completes in %s', (shell, program) => {
    const isMissing = spawnSync(shell, ['-c', ':']).error !== undefined;
    const needsShell = (context: TestContext): void => {
      if (isMissing) context.skip(`${shell} is not installed`);
    };
    /** Asks the shell's own completion for what could stand at the end of the line. */
    const completer = async (place: { home: string; cwd: string }) => {
      const { out } = await runHalter(['completion', shell]);
      const script = join(place.home, `complete.${shell}`);
      writeFileSync(script, program(`'${process.execPath}' '${MAIN}'`, place.home, out));
      return async (line: string, words = line.split(' ')): Promise<string[]> => {
        const rc = shell === 'zsh' ? ['-f'] : [];
        const ran = await promisify(execFile)(shell, [...rc, script, line, ...words], { cwd: place.cwd });
        expect(ran.stderr).toBe('');
        // fish says beside each word what it is.
        const found = ran.stdout.trim().split('\n');
        return found.map((each) => each.split('\t')[0] ?? '').toSorted();
      };
    };

    it('commands, their words and their flags', async (context) => {
      needsShell(context);
      verifies('U1');
      const complete = await completer({ home: scratchFolder(), cwd: scratchFolder() });
      expect(await complete('halter sess')).toEqual(['sessions']);
      expect(await complete('halter tools ')).toEqual(['call', 'list', 'validate']);
      expect(await complete('halter run hello --form')).toEqual(['--format']);
      expect(await complete('halter run --format stream')).toEqual(['stream-json']);
      expect(await complete('halter sessions list --al')).toEqual(['--all']);
    });

    it('the names of models and the ids of sessions', async (context) => {
      needsShell(context);
      const place = { home: scratchFolder(), cwd: scratchFolder() };
      const server = await startScriptedServer({
        turns: [{ text: 'An answer.' }],
        models: [{ id: 'qwen3:8b' }, { id: 'other' }],
      });
      onTestFinished(() => server.close());
      await runHalter(['config', 'set', 'provider', 'openai'], place);
      await runHalter(['config', 'set', 'base_url', server.openaiUrl], place);
      await runHalter(['run', '-m', 'other', 'A question'], place);
      const { out: listed } = await runHalter(['sessions', 'list', '--json'], place);
      const [{ id }] = JSON.parse(listed).sessions;
      const complete = await completer(place);
      expect(await complete('halter --session ')).toEqual([id]);
      expect(await complete(`halter sessions show ${id.slice(0, 4)}`)).toEqual([id]);
      expect(await complete('halter -m openai/o')).toEqual(['openai/other']);
      // Bash cuts the words at the colon, and puts what is answered behind it.
      const [words, answer] =
        shell === 'bash' ? [['halter', '-m', 'openai/qwen3', ':', '8'], '8b'] : [undefined, 'openai/qwen3:8b'];
      expect(await complete('halter -m openai/qwen3:8', words)).toEqual([answer]);
    });
  });

  const WRONG: [args: string[], message: string][] = [
    [['rnu'], 'Did you mean run?'],
    [['run', '--formt', 'json', 'x'], 'Did you mean --format'],
    [['run', '--allow', 'not a rule', 'x'], 'is not a rule'],
    [['run', '--tools', 'lss', 'x'], 'Did you mean ls'],
    [['run', '-C', 'no/such/folder', 'x'], 'no/such/folder'],
    [['run'], 'There is no prompt'],
    [['run', '-c', '--session', 'x', 'y'], 'exclude each other'],
    [[], 'needs a terminal'],
  ];
  it.each(everyNth(WRONG, 6))('answers %j with exit code 2 and a hint', async (args, message) => {
    verifies('B11');
    const ran = await runHalter(args);
    expect(ran.err).toContain(message);
    expect([ran.code, ran.out]).toEqual([2, '']);
  });
});

describe('halter trust', () => {
  it("lets a folder's own settings count, never its model or its permissions, and takes it back", async () => {
    verifies('U1');
    const folder = scratchFolder();
    const home = scratchFolder();
    const settings = { results: 'summary', model: 'other/model', allow: ['bash'] };
    putFiles(folder, { '.halter/config.json': JSON.stringify(settings) });
    const ask = () => runHalter(['tools', 'call', 'bash', '{"command":"echo hi"}'], { cwd: folder, home });
    const before = await ask();
    expect(before.err).toContain('this folder is not trusted');
    await runHalter(['trust'], { cwd: folder, home });
    const trusted = await ask();
    expect(trusted.err).toContain('"model" may not be set by a project');
    expect(trusted.err).toContain('"allow" is not a setting');
    expect(trusted.code).toBe(3);
    await runHalter(['trust', '--remove'], { cwd: folder, home });
    expect((await ask()).err).toContain('this folder is not trusted');
  });
});

describe('--sandbox', () => {
  it('runs a command in the folder, without a network and without the rest of the machine', async (context) => {
    verifies('L11');
    const { detectSandbox } = await import('../../src/sandbox/index.ts');
    const state = await detectSandbox();
    if (state.kind === 'none') context.skip(`no sandbox here: ${state.reason}`);
    const folder = scratchFolder();
    const outside = path.join(scratchFolder(), 'outside.txt');
    const command = `echo in > here.txt; echo out > ${outside}; cat here.txt; ls /proc | grep -c "^[0-9]"`;
    const ran = await runHalter(['tools', 'call', 'bash', JSON.stringify({ command }), '--yolo', '--sandbox'], {
      cwd: folder,
    });
    const { data } = ran.json() as { data: string };
    // Its own few processes are all it sees.
    expect(data).toMatch(/in\n\d\n$/);
    expect(() => readFileSync(outside)).toThrow();
    expect(readFileSync(path.join(folder, 'here.txt'), 'utf8')).toBe('in\n');
  });
});
