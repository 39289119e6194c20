/** Calls of one message are judged together and run one after another: what the first does must not change what the next may. */

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { Event } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { TestAgentOptions } from '../../../testing/test-agent.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { createToolRegistry } from '../../loop/run-tool/tool-registry.ts';
import { replaySession } from '../../replay.ts';

type Call = { name: string; arguments: JsonObject };

type Options = Partial<TestAgentOptions> & {
  folder: string;
  /** Somebody else's work in the folder, once a call was judged. */
  whenJudged?(): void;
};

const afterOneMessage = async (
  calls: readonly Call[],
  { whenJudged, ...options }: Options,
): Promise<readonly Event[]> => {
  const halter = await assembled({
    environment: { PATH: process.env['PATH'] },
    platform: process.platform,
    modelProvider: scriptedProvider([{ calls }, { text: 'done' }], { models: [{ id: 'm' }] }),
    model: 'm',
    sandbox: false,
    onAsk: 'deny',
    ...options,
  });
  const session = await openedSession(halter);
  session.subscribe((update) => update.type === 'policy_evaluated' && whenJudged?.());
  await say(session);
  // What was decided in between is decided again in a replay.
  const registry = createToolRegistry([...BUILT_IN_TOOLS, ...(options.plugins?.tools ?? [])]);
  expect((await replaySession(session.log(), { registry, limits: DEFAULT_LIMITS })).difference).toBeUndefined();
  return session.log();
};
/** In the order of the calls: what is refused at once ends before what runs. */
const results = (log: readonly Event[]) =>
  log
    .flatMap((event) => (event.type === 'tool_finished' ? [event] : []))
    .sort((a, b) => order(log, a.tool_call_id) - order(log, b.tool_call_id))
    .map(({ result }) => result);
const order = (log: readonly Event[], id: string): number =>
  log
    .flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []))
    .findIndex((call) => call.id === id);

const read = (name: string): Call => ({ name: 'read_file', arguments: { path: name } });
const script: Call = { name: 'bash', arguments: { command: 'sh make.sh' } };

describe('a secret that is made in the same message', () => {
  it('is asked about by its name, there or not', async () => {
    verifies('H10');
    const folder = scratchFolder();
    putFiles(folder, { 'make.sh': 'printf KEY=1 > .env\n' });
    const log = await afterOneMessage([script, read('.env')], { folder, allow: ['bash', 'read_file'] });
    expect(readFileSync(path.join(folder, '.env'), 'utf8')).toBe('KEY=1');
    expect(results(log).map(({ success }) => success)).toEqual([true, false]);
    expect(log.filter(({ type }) => type === 'permission_requested')).toHaveLength(1);
  });

  it('is not read in the place of a link that nobody was asked about because it led outside', async () => {
    verifies('H10');
    const folder = scratchFolder();
    const outside = scratchFolder();
    writeFileSync(path.join(outside, 'e'), 'theirs');
    symlinkSync(path.join(outside, 'e'), path.join(folder, '.env'));
    putFiles(folder, { 'make.sh': 'rm .env\nprintf KEY=1 > .env\n' });
    const log = await afterOneMessage([script, read('.env')], { folder, allow: ['bash', 'read_file'] });
    expect(readFileSync(path.join(folder, '.env'), 'utf8')).toBe('KEY=1');
    const [, second] = results(log);
    expect(second).toMatchObject({ success: false, error_type: 'validation_failed', data: null });
    expect(log.filter(({ type }) => type === 'permission_requested')).toHaveLength(0);
  });
});

describe('a link to a denied file that is made after the call was judged', () => {
  const deny = ['read_file(secret/**)', 'peek(secret/**)'];
  const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const;
  const peek = defineTool({
    name: 'peek',
    description: 'Looks at a file',
    risk: 'safe',
    main_argument: 'path',
    parameters,
    run: () => 'seen',
  });
  const calls: readonly (readonly [string, Call])[] = [
    ['a rule', read('link/x')],
    ['no question', { name: 'peek', arguments: { path: 'link/x' } }],
  ];
  it.each(calls)('is not followed where %s let it pass', async (_, call) => {
    verifies('H10', 'S34');
    const folder = scratchFolder();
    putFiles(folder, { 'make.sh': 'ln -s secret link\n', 'secret/x': 'theirs' });
    const log = await afterOneMessage([script, call], {
      folder,
      allow: ['bash', 'read_file'],
      deny,
      plugins: { tools: [peek], dialects: [], providers: {}, commands: [] },
    });
    expect(results(log)).toMatchObject([
      { success: true },
      { success: false, metadata: { reason: 'changed_since_judged' } },
    ]);
  });

  it('is not followed where a person says yes', async () => {
    verifies('H10', 'S34');
    const folder = scratchFolder();
    putFiles(folder, { 'secret/x': 'theirs', 'link/x': 'mine' });
    const halter = await assembled({
      environment: {},
      modelProvider: scriptedProvider([{ calls: [read('link/x')] }, { text: 'done' }], { models: [{ id: 'm' }] }),
      model: 'm',
      sandbox: false,
      onAsk: 'wait',
      folder,
      deny: ['read_file(secret/**)'],
    });
    const session = await openedSession(halter);
    session.subscribe((update) => {
      if (update.type !== 'permission_requested') return;
      rmSync(path.join(folder, 'link'), { recursive: true });
      symlinkSync('secret', path.join(folder, 'link'));
      void session.send({ type: 'resolve_permission', tool_call_id: update.tool_call_id, decision: 'allow_once' });
    });
    await say(session);
    expect(results(session.log())).toMatchObject([{ metadata: { reason: 'changed_since_judged' } }]);
  });
});

describe('a call that a rule let pass', () => {
  const git = { name: 'bash', arguments: { command: 'git status' } };
  const allow = ['bash(sh make.sh)', 'bash(git status *)'];

  it('does not run where the call before it made it mean more', async () => {
    verifies('L1', 'S5');
    const folder = scratchFolder();
    putFiles(folder, {
      'make.sh': 'git init -q . && git config core.fsmonitor "touch mark;false"\n',
    });
    const log = await afterOneMessage([script, git], { folder, allow });
    const [first, second] = results(log);
    expect(first).toMatchObject({ success: true });
    expect(second).toMatchObject({ error_type: 'permission_denied', metadata: { reason: 'changed_since_judged' } });
    expect(second?.error_message).toContain('core.fsmonitor');
  });

  it('runs where nothing changed', async () => {
    verifies('L1');
    const folder = scratchFolder();
    putFiles(folder, { 'make.sh': 'git init -q .\n' });
    const log = await afterOneMessage([script, git, git], { folder, allow });
    expect(results(log).map(({ success }) => success)).toEqual([true, true, true]);
  });

  it.each([
    ['a file of the person lies where it writes', 'gcc -o app a.c', 'gcc *', { app: '#!/bin/sh\n' }],
    [
      'a list of packages names another place',
      'pip install -r r.txt',
      'pip install *',
      { 'r.txt': '-i http://x.test\n' },
    ],
    [
      'a repository names a program',
      'git status',
      'git status *',
      { '.git/config': '[core]\n\tfsmonitor = touch mark\n' },
    ],
  ])('does not run by itself where %s by then', async (_what, command, rule, files) => {
    verifies('S5', 'S48');
    const folder = scratchFolder();
    putFiles(folder, { 'a.c': '', 'r.txt': 'requests\n', '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': '' });
    mkdirSync(path.join(folder, '.git/objects'));
    mkdirSync(path.join(folder, '.git/refs'));
    const log = await afterOneMessage([{ name: 'bash', arguments: { command } }], {
      folder,
      allow: [`bash(${rule})`],
      whenJudged: () => putFiles(folder, files),
    });
    expect(log.find(({ type }) => type === 'policy_evaluated')).toMatchObject({ verdict: 'allow' });
    expect(results(log)).toMatchObject([{ success: false, metadata: { reason: 'changed_since_judged' } }]);
  });
});
