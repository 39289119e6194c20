import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody } from '../events.ts';
import type { JsonObject } from '../json.ts';
import { judgeCall, NO_RULES, type PolicyTool, parseRule, type RuleSource, type SourcedRule } from '../policy.ts';
import type { ToolResult } from '../tool-result.ts';
import {
  fileOverrides,
  followStanding,
  mixedScriptOverrides,
  provenanceOverrides,
  unknownPathsOverride,
  unsandboxedOverride,
} from './overrides.ts';

const paths = { main_argument: 'path', path_arguments: ['path'] };
const write: PolicyTool = { name: 'write_file', risk: 'high', effects: 'write', ...paths };
const read: PolicyTool = { name: 'read_file', risk: 'medium', effects: 'read', ...paths };
const grep: PolicyTool = {
  name: 'grep_search',
  risk: 'medium',
  effects: 'read',
  main_argument: 'pattern',
  path_arguments: ['file_filter'],
};
const bash: PolicyTool = { name: 'bash', risk: 'high', effects: 'process', main_argument: 'command' };

const rule = (text: string, source: RuleSource): SourcedRule => {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return { ...parsed.value, source };
};
const verdict = (tool: PolicyTool, args: JsonObject, allow: SourcedRule[], yolo = false): string =>
  judgeCall({ ...NO_RULES, allow, mode: yolo ? 'yolo' : 'ask' }, tool, args, { overrides: fileOverrides(tool, args) })
    .verdict;

describe('files that a rule is not enough for', () => {
  it.each([
    '.bashrc',
    'sub/.zshrc',
    '.gitconfig',
    '.ripgreprc',
    '.npmrc',
    '.vscode/tasks.json',
    'a/.idea/workspace.xml',
    '.husky/pre-commit',
    '.envrc',
    '.mcp.json',
    './x/../.profile',
    '.BASHRC',
    '.bashrc.',
    '.bash\u200brc',
    '.config/fish/config.fish',
  ])('%s is asked about before it is written, whatever was allowed before', (path) => {
    verifies('Z8', 'S17');
    for (const source of ['remembered', 'this session', 'command line'] as const) {
      expect(verdict(write, { path }, [rule('write_file', source), rule('write_file(**)', source)])).toBe('ask');
    }
    for (const source of ['remembered', 'this session'] as const) {
      expect(verdict(write, { path }, [rule(`write_file(=${path})`, source)])).toBe('ask');
    }
    expect(verdict(write, { path }, [rule(`write_file(=${path})`, 'command line')])).toBe('allow');
    expect(verdict(write, { path }, [], true)).toBe('allow');
  });

  it.each([
    'AGENTS.md',
    'sub/CLAUDE.md',
    'agents.override.md',
    'GEMINI.md',
    '.github/copilot-instructions.md',
    '.github/workflows/ci.yml',
    './x/../.gitlab-ci.yml',
    '.circleci/config.yml',
    '.venv/lib/python3.11/site-packages/x.pth',
    'Agents.md\u200b',
  ])('%s is asked about until a rule names it', (path) => {
    verifies('S17');
    const named = (source: RuleSource): SourcedRule[] => [rule(`write_file(=${path})`, source)];
    for (const source of ['remembered', 'this session', 'command line'] as const) {
      expect(verdict(write, { path }, [rule('write_file', source), rule('write_file(**)', source)])).toBe('ask');
      expect(verdict(write, { path }, named(source))).toBe('allow');
    }
    expect(verdict(read, { path }, [rule('read_file', 'remembered')])).toBe('allow');
    // A server may write what it is told, unless its tool only reads.
    const served: PolicyTool = { name: 'mcp__files__put', risk: 'medium', effects: 'network' };
    const allow = [rule('mcp__files__put', 'command line')];
    expect(verdict(served, { path }, allow)).toBe('ask');
    const reader = { ...served, reads_only: true };
    expect(fileOverrides(reader, { path })).toEqual([]);
  });

  it.each([
    '.env',
    'config/.env.local',
    'prod.env',
    'keys/server.pem',
    '.ssh/config',
    '.aws/x',
    '.netrc',
    'id_rsa',
    'credentials.json',
  ])('%s is asked about before it is read, until a rule names it', (path) => {
    verifies('S18');
    expect(verdict(read, { path }, [rule('read_file', 'command line')])).toBe('ask');
    expect(verdict(read, { path }, [rule('read_file(**)', 'remembered')])).toBe('ask');
    expect(verdict(read, { path }, [rule(`read_file(${path})`, 'remembered')])).toBe('allow');
    expect(verdict(grep, { pattern: 'x', file_filter: path }, [rule('grep_search', 'this session')])).toBe('ask');
  });

  it.each([
    'src/a.ts',
    '.env.example',
    'src/credentials.ts',
    'Makefile',
    'package.json',
    'environment.md',
    'a.git/x',
    'profile',
    'key.pub',
  ])('%s is a file like any other', (path) => {
    expect(verdict(write, { path }, [rule('write_file', 'remembered')])).toBe('allow');
    expect(verdict(read, { path }, [rule('read_file', 'remembered')])).toBe('allow');
  });

  it('is put with a high risk and says so', () => {
    const args = { path: '.env' };
    const judged = judgeCall({ ...NO_RULES, allow: [rule('read_file', 'remembered')] }, read, args, {
      overrides: fileOverrides(read, args),
    });
    expect(judged.because).toBe('".env" may hold secrets');
    expect(judged.overrides[0]?.risk).toBe('high');
    expect(judged.reasons.map(({ says, set_aside }) => [says, set_aside])).toEqual([
      ['ask', undefined],
      ['allow', '".env" may hold secrets'],
    ]);
  });
});

it('a path that mixes scripts which look alike is marked, and a rule counts nevertheless', () => {
  const args = { path: 'src/p\u0430yload.ts' };
  const overrides = mixedScriptOverrides([args.path]);
  expect(overrides[0]?.because).toBe(
    '"p\u0430yload.ts" mixes Latin and Cyrillic letters and may look like another name',
  );
  expect(judgeCall(NO_RULES, write, args, { overrides })).toMatchObject({
    verdict: 'ask',
    because: overrides[0]?.because,
  });
  expect(
    judgeCall({ ...NO_RULES, allow: [rule('write_file', 'remembered')] }, write, args, { overrides }).verdict,
  ).toBe('allow');
  expect(
    mixedScriptOverrides(['src/\u043f\u0440\u0438\u0432\u0435\u0442.ts', 'docs/\u65e5\u672c-notes.md', 'a/\u03b1']),
  ).toEqual([]);
});

describe('which arguments are paths', () => {
  const move: PolicyTool = {
    name: 'move',
    risk: 'high',
    effects: 'write',
    main_argument: 'from',
    path_arguments: ['from', 'to'],
  };
  const undeclared = (effects: PolicyTool['effects']): PolicyTool => ({ name: 'save', risk: 'high', effects });

  it('is said by the tool, not guessed from a name', () => {
    const copy: PolicyTool = { ...move, name: 'copy', main_argument: undefined };
    expect(verdict(copy, { from: 'a', to: '.bashrc' }, [rule('copy', 'command line')])).toBe('ask');
    const note: PolicyTool = { name: 'note', risk: 'medium', effects: 'write', path_arguments: [] };
    expect(verdict(note, { path: '.bashrc' }, [rule('note', 'command line')])).toBe('allow');
  });

  it.each(['write', 'network'] as const)(
    'every text of a tool with the effect %s that declares none may be one, however deep',
    (effects) => {
      const tool = undeclared(effects);
      const cases: JsonObject[] = [
        { target: '.bashrc' },
        { files: [{ destination: 'a/.git/hooks/x' }] },
        { t: '.env' },
      ];
      for (const args of cases) {
        expect(verdict(tool, args, [rule('save', 'command line')])).toBe('ask');
      }
      expect(verdict(tool, { target: 'a.txt' }, [rule('save', 'command line')])).toBe('allow');
    },
  );

  it('a tool that writes and declares none is covered by no remembered rule', () => {
    const judge = (source: RuleSource): string =>
      judgeCall(
        { ...NO_RULES, allow: [rule('save', source)] },
        undeclared('write'),
        { to: 'a.txt' },
        {
          overrides: [unknownPathsOverride(undeclared('write'))],
        },
      ).verdict;
    expect((['remembered', 'this session', 'command line', 'program'] as const).map(judge)).toEqual([
      'ask',
      'allow',
      'allow',
      'allow',
    ]);
  });

  it('a rule with a pattern that allows covers all of them, one that denies any of them', () => {
    const inside = [rule('move(src/**)', 'command line')];
    expect(verdict(move, { from: 'src/a', to: 'src/b' }, inside)).toBe('allow');
    expect(verdict(move, { from: 'src/a', to: 'lib/b' }, inside)).toBe('ask');
    const denied = { ...NO_RULES, allow: [rule('move', 'command line')], deny: [rule('move(lib/**)', 'command line')] };
    expect(judgeCall(denied, move, { from: 'src/a', to: 'lib/b' }, {}).verdict).toBe('deny');
  });
});

it('a rule for a folder does not cover a way out of it', () => {
  const allow = [rule('write_file(src/**)', 'command line')];
  expect(verdict(write, { path: 'src/a/../b.ts' }, allow)).toBe('allow');
  expect(verdict(write, { path: 'src/../lib/b.ts' }, allow)).toBe('ask');
  expect(verdict(write, { path: './src//b.ts' }, allow)).toBe('allow');
});

it("without a sandbox no remembered rule lets a command pass; the person's word for this run does", () => {
  verifies('S16');
  const judge = (source: RuleSource): string =>
    judgeCall(
      { ...NO_RULES, allow: [rule('bash(ls *)', source)] },
      bash,
      { command: 'ls -l' },
      {
        overrides: [unsandboxedOverride()],
      },
    ).verdict;
  expect(
    ['remembered', 'this session', 'command line', 'program'].map((source) => judge(source as RuleSource)),
  ).toEqual(['ask', 'allow', 'allow', 'allow']);
});

describe('after untrusted content', () => {
  const result = (success: boolean): ToolResult => ({
    success,
    data: success ? 'x' : null,
    error_message: success ? null : 'no',
    error_type: success ? 'none' : 'permission_denied',
    metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 },
  });
  const call = { id: 'c', name: 'web_fetch', arguments: {}, source: 'native' as const, repairs: [] };
  const logOf = (...bodies: EventBody[]): Event[] => bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
  const said: EventBody = { type: 'user_message_added', content: 'go' };
  const asked: EventBody = {
    type: 'assistant_message_added',
    message: { role: 'assistant', content: '', tool_calls: [call], finish: 'tool_calls' },
  };
  const fetched = (success = true): EventBody[] => [
    asked,
    {
      type: 'policy_evaluated',
      tool_call_id: 'c',
      verdict: 'allow',
      risk: 'medium',
      exclusive: false,
      arguments: {},
      because: '',
      untrusted_content: true,
    },
    { type: 'tool_finished', tool_call_id: 'c', result: result(success) },
  ];
  const yes: EventBody = {
    type: 'permission_resolved',
    tool_call_id: 'd',
    decision: 'session',
    rule: { tool: 'bash', pattern: 'ls *' },
  };

  it('is known from the log, until the person speaks', () => {
    const taintOf = (...bodies: EventBody[]) => followStanding(0)(logOf(...bodies)).taint;
    expect(taintOf(said, ...fetched())).toEqual({ since: 4, sources: ['web_fetch'] });
    expect(taintOf(said, ...fetched(false))).toBeUndefined();
    expect(taintOf(said, ...fetched(), said)).toBeUndefined();
    expect(taintOf(said, asked)).toBeUndefined();
  });

  it('rules of before do not count, those given since do, and what was said for this very run', () => {
    const after = followStanding(0)(logOf(said, ...fetched()));
    const trace = after.provenance.trace({ name: 'bash', sinks: ['command'], isCommand: true }, { command: 'ls -l' });
    const [override] = provenanceOverrides({ name: 'bash' }, trace, after.taint);
    expect(override?.because).toContain('content from outside (web_fetch) came in since you last spoke');
    const [before] = followStanding(0)(logOf(said, yes, ...fetched())).grants;
    const [since] = followStanding(0)(logOf(said, ...fetched(), yes)).grants;
    expect([before, since].map((grant) => grant && override?.counts(grant))).toEqual([false, true]);
    expect(override?.counts(rule('bash(ls *)', 'remembered'))).toBe(false);
    expect(override?.counts(rule('bash', 'command line'))).toBe(false);
    expect(override?.counts(rule('bash(ls *)', 'command line'))).toBe(true);
    expect(override?.counts(rule('bash', 'program'))).toBe(false);
    expect(override?.counts(rule('bash(ls *)', 'program'))).toBe(true);
    expect(override?.counts(rule('bash(ls *)', 'remembered'))).toBe(false);
  });

  it('a yes of an earlier life of the session, or in a session file from elsewhere, counts for nothing', () => {
    const log = logOf(said, yes);
    expect(followStanding(0)(log).grants).toHaveLength(1);
    expect(followStanding(log.length)(log).grants).toEqual([]);
  });

  it('is followed event by event as it is known from the whole, also on another branch', () => {
    const events = logOf(said, ...fetched(), yes, said, ...fetched(), yes);
    const follow = followStanding(0);
    const path: Event[] = [];
    for (const event of events) {
      path.push(event);
      const { taint, grants } = followStanding(0)([...path]);
      expect(follow(path)).toMatchObject({ taint, grants });
    }
    expect(follow(events.slice(0, 2))).toMatchObject({ taint: undefined, grants: [] });
  });
});
