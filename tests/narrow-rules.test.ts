/**
 * A rule allows what it reads as: one with a pattern on what takes none is refused on every way in, and what `r` in the
 * terminal makes of a question is a rule of that very call.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { EventOf, Rule } from '../src/core/events.ts';
import type { JsonObject } from '../src/core/json.ts';
import { ruleOfAnswer } from '../src/core/policy/offered-rule.ts';
import { judgeCall, parseRule, ruleText } from '../src/core/policy.ts';
import { createPoliciesFile } from '../src/storage/policies-file.ts';
import { readRulesFile } from '../src/storage/rules-file.ts';
import { PermissionPrompt } from '../src/terminal/questions/permission-prompt.ts';
import { createTheme } from '../src/terminal/theme.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { readFile } from '../src/tools/read-file.ts';
import { verifies } from './requirements.ts';
import { assembled, nextEvent, openedSession } from './support/assembled.ts';
import { inTurn } from './support/long.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

type Call = { name: string; arguments: JsonObject };
const call = (name: string, args: JsonObject): Call => ({ name, arguments: args });
/** A call that is asked about, another one of the same kind, and the tools that a rule of it may name. */
const KINDS: readonly [Call, Call, string[]][] = [
  [call('read_file', { path: 'src/calc.js' }), call('read_file', { path: 'b.txt' }), ['read_file']],
  [call('grep_search', { pattern: 'one' }), call('grep_search', { pattern: 'two' }), ['grep_search']],
  [call('bash', { command: 'cat b.txt' }), call('bash', { command: 'cat src/calc.js' }), ['bash']],
  [call('bash', { command: 'npm test' }), call('bash', { command: 'npm publish' }), ['bash']],
  [call('read_file', { path: '.env' }), call('read_file', { path: 'src/.env' }), ['read_file']],
  [
    call('write_file', { path: 'n.md', content: 'x' }),
    call('write_file', { path: 'm.md', content: 'x' }),
    ['write_file'],
  ],
];
const RULE_KEYS = ['r', ...[1, 2, 3, 4].map((tabs) => `r${'\t'.repeat(tabs)}`)];

const project = (): string => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'src'));
  for (const name of ['b.txt', 'src/calc.js', '.env', 'src/.env']) writeFileSync(join(folder, name), 'one\n');
  return folder;
};

/** A session in which the first call is asked about, as the terminal shows it. */
const asked = async (calls: readonly Call[]) => {
  const provider = scriptedProvider([...calls.map((each) => ({ calls: [each] })), { text: 'done' }], {
    models: [{ id: 'm' }],
  });
  const agent = await assembled({
    folder: project(),
    modelProvider: provider,
    model: 'm',
    onAsk: 'wait',
    sandbox: false,
  });
  const session = await openedSession(agent);
  const question = nextEvent(session, 'permission_requested');
  await session.send({ type: 'send_message', content: 'go' });
  return { agent, session, question: await question };
};

const promptOf = (event: EventOf<'permission_requested'>, { name, arguments: args }: Call): PermissionPrompt => {
  const { tool_call_id: callId, risk, rule, suggestions, asks_each_time: asksEachTime } = event;
  const prompt = new PermissionPrompt(
    { callId, name, arguments: args, risk, rule, suggestions, asksEachTime, sandbox: { text: 's', confined: true } },
    createTheme({ LANG: 'C.UTF-8', NO_COLOR: '1' }),
  );
  prompt.lines(100, 2_000, 0);
  prompt.shown(0);
  return prompt;
};
const NOW = 1_000_000;

const PRESSED = RULE_KEYS.flatMap((keys) => ['2', '3'].map((choice) => [keys, choice] as const));
const ROWS = KINDS.map((kind, index) => [...kind, index] as const);

describe.each(ROWS)('at the question about %j', (first, second, tools, index) => {
  // Usually two at each question, so that each of them is pressed at one.
  it.each(inTurn(PRESSED, index % 5, 5))('%j, then %s: keeps a rule of this call', async (keys, choice) => {
    verifies('Z8', 'S28');
    const { agent, session, question } = await asked([first, second]);
    const prompt = promptOf(question, first);
    for (const key of keys) prompt.key(key, NOW);
    const line = stripVTControlCharacters(prompt.lines(100, 2_000, NOW).at(-1) ?? '');
    prompt.key('\r', NOW);
    const answer = prompt.key(choice, NOW);
    const { rule } = prompt.question;
    expect([ruleText(rule), parseRule(ruleText(rule)).ok]).toEqual([ruleText(rule), true]);
    expect([...tools, 'folder:read']).toContain(rule.tool);
    if (!keys.includes('\t') && !question.asks_each_time)
      expect(rule).toMatchObject({ tool: first.name, pattern: expect.any(String) });
    expect(line.replaceAll(' )', ')')).toContain(rule.pattern === undefined ? rule.tool : ruleText(rule));
    expect(answer).toMatchObject({ type: 'decide' });
    const next = rule.pattern?.startsWith('=') ? nextEvent(session, 'permission_requested') : undefined;
    const decision = choice === '2' ? 'session' : 'remember';
    const sent = await session.send({
      type: 'resolve_permission',
      tool_call_id: question.tool_call_id,
      decision,
      rule,
    });
    expect(sent).toEqual({ ok: true });
    expect((await next)?.tool_call_id).not.toBe(question.tool_call_id);
    if (choice === '3')
      expect(agent.remembered.list().map(({ tool, pattern }) => ({ tool, pattern }))).toEqual([
        { pattern: undefined, ...rule },
      ]);
    await session.send({ type: 'cancel' });
    await session.idle();
  });

  it.each(['1', '2', '3', '4'])('%s answers as it stands', async (key) => {
    const { session, question } = await asked([first]);
    const prompt = promptOf(question, first);
    const pressed = prompt.key(key, NOW);
    // Behind Deny a reason may be written.
    const answer = key === '4' ? prompt.key('\r', NOW) : pressed;
    expect(answer).toMatchObject({ type: 'decide' });
    expect(prompt.question.rule).toEqual(question.rule);
    expect(parseRule(ruleText(question.rule)).ok).toBe(true);
    await session.send({ type: 'cancel' });
    await session.idle();
  });
});

const UNNARROWED: readonly Rule[] = [
  { tool: 'folder:read', pattern: '=src/calc.js' },
  { tool: 'folder:read', pattern: 'src/**' },
  { tool: 'folder:read', pattern: 'cat *' },
  { tool: 'folder:read', pattern: '*' },
];

describe.each(UNNARROWED)('a pattern on what takes none, %j', (rule) => {
  const READ = { name: 'read_file', arguments: { path: 'b.txt' } };
  const PROBLEM = 'takes no pattern';

  it('is refused with an answer, and the question stays', async () => {
    verifies('Z8', 'S28');
    const { session, question } = await asked([READ]);
    for (const decision of ['session', 'remember'] as const) {
      const sent = await session.send({
        type: 'resolve_permission',
        tool_call_id: question.tool_call_id,
        decision,
        rule,
      });
      expect(sent).toEqual({ ok: false, message: expect.stringContaining(PROBLEM) });
    }
    expect(ruleOfAnswer(rule, question, readFile)).toMatchObject({ ok: false });
    await session.send({ type: 'cancel' });
    await session.idle();
  });

  it('is refused over HTTP, with an answer and in the list of rules', async () => {
    const server = await testServer([{ calls: [READ] }, { text: 'done' }]);
    writeFileSync(join(server.folder, 'b.txt'), 'one\n');
    const added = await server.call('POST', '/api/rules', { decision: 'allow', rule: ruleText(rule) });
    expect([added.status, await added.text()]).toEqual([400, expect.stringContaining(PROBLEM)]);
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
    const { face } = await server.app.server.sessions.open(id);
    const question = nextEvent(face, 'permission_requested');
    await face.send({ type: 'send_message', content: 'go' });
    const { tool_call_id } = await question;
    const command = { type: 'resolve_permission', tool_call_id, decision: 'session', rule };
    const answered = await server.call('POST', `/api/sessions/${id}/commands`, command);
    expect([answered.ok, await answered.text()]).toEqual([false, expect.stringContaining(PROBLEM)]);
    await face.send({ type: 'cancel' });
    await face.idle();
  });

  it('is refused as a flag, a setting, an option and in a file of rules', async () => {
    expect(parseRule(ruleText(rule))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(PROBLEM) },
    });
    const path = join(scratchFolder(), 'rules.json');
    for (const rules of [{ allow: [ruleText(rule)] }, { version: 1, rules: [{ ...rule, decision: 'allow' }] }]) {
      writeFileSync(path, JSON.stringify(rules));
      expect(await readRulesFile(path)).toMatchObject({
        ok: false,
        error: { message: expect.stringContaining(PROBLEM) },
      });
    }
  });

  it('is not remembered, and allows nothing where it was', async () => {
    verifies('S31');
    const folder = scratchFolder();
    const stored = { ...rule, decision: 'allow', workspace: '/w', created_at: 1 } as const;
    const store = createPoliciesFile({ folder });
    expect(await store.add(stored)).toMatchObject({ ok: false, error: { message: expect.stringContaining(PROBLEM) } });
    const other = { tool: 'ls', decision: 'allow', workspace: '/w', created_at: 1 };
    writeFileSync(store.path, JSON.stringify({ version: 1, rules: [stored, other] }));
    const { rules, warnings } = await store.load('/w');
    expect(rules).toEqual([other]);
    expect(warnings).toEqual([
      expect.stringContaining(`${store.path}: rule 1, allow ${ruleText(rule)}, allows nothing`),
    ]);
    // It stays in the file, for a person to look at.
    expect(readFileSync(store.path, 'utf8')).toContain('folder:read');
  });

  it('denies what it denied', async () => {
    const folder = scratchFolder();
    const stored = { ...rule, decision: 'deny', workspace: '/w', created_at: 1 };
    writeFileSync(join(folder, 'policies.json'), JSON.stringify({ version: 1, rules: [stored] }));
    expect((await createPoliciesFile({ folder }).load('/w')).rules).toEqual([stored]);
  });

  it('allows nothing in the policy itself, wherever it came from', () => {
    const sourced = { ...rule, source: 'this session' } as const;
    const verdict = (rules: { allow?: (typeof sourced)[]; deny?: (typeof sourced)[] }) =>
      judgeCall(
        { allow: [], deny: [], mode: 'ask', ...rules },
        readFile,
        { path: 'b.txt' },
        { reach: { inFolder: true } },
      ).verdict;
    expect([verdict({ allow: [sourced] }), verdict({ deny: [sourced] })]).toEqual(['ask', 'deny']);
  });
});
