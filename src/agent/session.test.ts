import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { Event, SessionFace } from '../core/events.ts';
import type { ModelRequest } from '../core/model-port.ts';
import { projectForModel } from '../core/project.ts';
import { branches, givenTitle } from '../core/session-tree.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { TestAgentOptions } from '../testing/test-agent.ts';
import type { OpenSessionOptions } from './create-agent.ts';
import { AGENT_LIMITS } from './limits.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = scratchFolder();
  folder = scratchFolder();
});

type Turns = Parameters<typeof scriptedProvider>[0];
const start = async (turns: Turns, options: Partial<TestAgentOptions> = {}, session: OpenSessionOptions = {}) => {
  const provider = scriptedProvider(turns);
  const warnings: string[] = [];
  const halter = await assembled({
    folder,
    environment: { HOME: home },
    modelProvider: provider,
    onWarning: (code, message) => warnings.push(`${code}: ${message}`),
    ...options,
  });
  return { halter, session: await openedSession(halter, session), provider, warnings };
};
const types = (session: SessionFace): string[] => session.log().map((event) => event.type);
const task = (content: string) => ({ calls: [{ name: 'add_task', arguments: { content } }] });

describe('a kept session', () => {
  test('goes on where it was, with its tasks and its grants', async () => {
    verifies('B5', 'Z4');
    const first = await start([task('one'), { text: 'noted' }]);
    await say(first.session, 'note one');
    await first.session.close();
    const second = await start([task('two'), { text: 'noted' }], {}, { continueLast: true });
    expect(second.session.id).toBe(first.session.id);
    await say(second.session, 'note two');
    const tasks = second.session.log().flatMap((event) => (event.type === 'task_changed' ? [event.task.id] : []));
    expect(tasks).toEqual(['task_1', 'task_2']);
    expect(second.provider.requests[0]?.messages.map((m) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  test('two tasks added in one message get two numbers', async () => {
    verifies('Z4');
    const calls = ['a', 'b'].map((content) => ({ name: 'add_task', arguments: { content } }));
    const { session } = await start([{ calls }, { text: 'ok' }]);
    await say(session, 'plan');
    const finished = session.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result.data] : []));
    expect(finished.join()).toContain('task_1');
    expect(finished.join()).toContain('task_2');
  });

  test('after a crash every call is paired and the model is told', async () => {
    verifies('B5');
    const { session, halter } = await start([
      {
        calls: [
          { name: 'add_task', arguments: { content: 'x' } },
          { name: 'ls', arguments: {} },
        ],
      },
      { text: 'ok' },
    ]);
    await say(session, 'go');
    await session.close();
    // The log as a killed process leaves it, cut after every event in turn.
    const kept = session.log();
    for (let length = 2; length <= kept.length; length += 1) {
      const id = `cut-${length}`;
      const opened = await halter.sessions.open(id);
      if (!opened.ok) throw new Error(opened.error.message);
      for (const event of kept.slice(0, length)) await opened.value.log.append(event);
      await opened.value.log.close();
      const resumed = await start([{ text: 'back' }], {}, { id });
      await say(resumed.session, 'and now?');
      const messages = projectForModel(resumed.session.log(), { system: '', results: 'full', summaryCharacters: 900 });
      const calls = messages.flatMap((m) => (m.role === 'assistant' ? m.tool_calls.map((call) => call.id) : []));
      const results = messages.flatMap((m) => (m.role === 'tool' ? [m.tool_call_id] : []));
      expect(results, `cut after ${length}`).toEqual(calls);
      expect(types(resumed.session).at(-1)).toBe('run_completed');
      await resumed.session.close();
    }
  });

  test('a session file that another halter has open is refused in words', async () => {
    const { halter, session } = await start([{ text: 'hi' }]);
    const second = await halter.openSession({ id: session.id });
    expect(second).toMatchObject({ ok: false });
  });

  test('nothing is written where nothing is to be kept', async () => {
    const { halter, session } = await start([{ text: 'hi' }], {}, { keep: false });
    await say(session, 'hello');
    expect(await halter.sessions.list()).toEqual({ ok: true, value: [] });
  });
});

test('a cancel right after a message ends the run of that message', async () => {
  const gate = Promise.withResolvers<void>();
  const { session } = await start([{ text: 'never', gate: gate.promise }]);
  const sent = session.send({ type: 'send_message', content: 'go' });
  const cancelled = session.send({ type: 'cancel' });
  expect(await sent).toEqual({ ok: true });
  expect(await cancelled).toEqual({ ok: true });
  await session.idle();
  expect(types(session).at(-1)).not.toBe('run_completed');
  expect(types(session)).not.toContain('assistant_message_added');
});

describe('a branch', () => {
  const asked = (requests: readonly { messages: readonly { content: unknown }[] }[]): unknown[] =>
    (requests.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);

  test('an earlier message said in other words: the model reads the new way on alone, after a resume too', async () => {
    verifies('B5', 'B4');
    const { session, provider, warnings, halter } = await start([
      { text: 'A' },
      { text: 'B' },
      { text: 'C' },
      { text: 'D' },
    ]);
    const told: string[] = [];
    session.subscribe((update) => void (update.type === 'warning' && told.push(update.code)));
    await say(session, 'a');
    await say(session, 'b');
    const second = session.log().findLast(({ type }) => type === 'user_message_added') as Event;
    expect(await session.send({ type: 'branch', at_seq: second.seq - 1 })).toEqual({ ok: true });
    await say(session, 'c');
    expect(asked(provider.requests)).toEqual(['a', 'A', 'c']);
    // The branch is the reason why the request before is no prefix, so nothing is complained about.
    expect([...told, ...warnings].filter((code) => code.includes('prefix'))).toEqual([]);
    await session.close();
    const resumed = await halter.openSession({ id: session.id });
    if (!resumed.ok) throw new Error(resumed.error.message);
    await say(resumed.value, 'd');
    expect(asked(provider.requests)).toEqual(['a', 'A', 'c', 'C', 'd']);
  });

  test('an answer made anew stands beside the first, and each can be gone on from', async () => {
    verifies('B5');
    const { session, provider } = await start([{ text: 'A' }, { text: 'B' }, { text: 'C' }, { text: 'D' }]);
    await say(session, 'a');
    const first = session.log().length;
    expect(await session.send({ type: 'regenerate' })).toEqual({ ok: true });
    await session.idle();
    expect(asked(provider.requests)).toEqual(['a']);
    await say(session, 'b');
    expect(asked(provider.requests)).toEqual(['a', 'B', 'b']);
    const [point] = branches(session.log());
    expect(point).toMatchObject({ kind: 'answer', alternatives: [{ text: 'A', head_seq: first }, { text: 'B' }] });
    await session.send({ type: 'branch', at_seq: first });
    await say(session, 'c');
    expect(asked(provider.requests)).toEqual(['a', 'A', 'c']);
  });

  test('an answer with other words is another branch, and the model reads those from then on', async () => {
    const { session, provider } = await start([{ text: 'A' }, { text: 'B' }, task('one'), { text: 'done' }]);
    await say(session, 'a');
    const answer = session.log().find(({ type }) => type === 'assistant_message_added') as Event;
    const edit = (seq: number, content: string) => session.send({ type: 'edit_answer', seq, content });
    expect(await edit(answer.seq, 'A, but shorter')).toEqual({ ok: true });
    await session.idle();
    expect(types(session).slice(-2)).toEqual(['assistant_message_added', 'run_completed']);
    expect(provider.requests).toHaveLength(1);
    await say(session, 'b');
    expect(asked(provider.requests)).toEqual(['a', 'A, but shorter', 'b']);
    expect(branches(session.log())).toMatchObject([
      { kind: 'answer', alternatives: [{ text: 'A' }, { text: 'A, but shorter', current: true }] },
    ]);
    await say(session, 'note one');
    const calling = session
      .log()
      .findLast((event) => event.type === 'assistant_message_added' && event.message.tool_calls.length > 0);
    for (const [seq, content] of [
      [answer.seq, 'x'],
      [1, 'x'],
      [999, 'x'],
      [calling?.seq ?? 0, 'x'],
    ] as const)
      expect(await edit(seq, content)).toMatchObject({ ok: false });
    expect(
      await edit(session.log().findLast(({ type }) => type === 'assistant_message_added')?.seq ?? 0, ' '),
    ).toMatchObject({ ok: false });
  });

  test('into the middle of a run ends that run there; no tool runs again', async () => {
    verifies('B5', 'B6');
    const { session, provider } = await start([task('one'), { text: 'noted' }, { text: 'well' }]);
    await say(session, 'note one');
    const evaluated = session.log().find(({ type }) => type === 'policy_evaluated') as Event;
    expect(await session.send({ type: 'branch', at_seq: evaluated.seq })).toEqual({ ok: true });
    await say(session, 'and now?');
    expect(provider.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(types(session).filter((type) => type === 'tool_started')).toHaveLength(1);
    expect(session.log().flatMap((event) => (event.type === 'task_changed' ? [event.task.id] : []))).toEqual([
      'task_1',
    ]);
  });

  test('is refused in words while something runs, and where there is nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const { session } = await start([{ text: 'A', gate: gate.promise }]);
    expect(await session.send({ type: 'regenerate' })).toMatchObject({ ok: false });
    await session.send({ type: 'send_message', content: 'a' });
    expect(await session.send({ type: 'branch', at_seq: 1 })).toMatchObject({
      ok: false,
      message: expect.stringContaining('going on'),
    });
    gate.resolve();
    await session.idle();
    for (const at_seq of [0, 99, 1.5])
      expect(await session.send({ type: 'branch', at_seq })).toMatchObject({ ok: false });
    expect(await session.send({ type: 'branch', at_seq: 1, run: true })).toMatchObject({ ok: false });
    expect(types(session)).not.toContain('branch_selected');
  });

  test('a session is given a name', async () => {
    verifies('B5');
    const { session } = await start([]);
    expect(await session.send({ type: 'rename', title: '  The  name ' })).toEqual({ ok: true });
    expect(givenTitle(session.log())).toBe('The name');
    expect(await session.send({ type: 'rename', title: 'x'.repeat(1_000) })).toMatchObject({ ok: false });
  });
});

describe('permission from any interface', () => {
  const write = { calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] };

  test('Remember holds in the next session, and for this folder only', async () => {
    verifies('Z8', 'Z10');
    const first = await start([write, { text: 'ok' }]);
    const asked = nextEvent(first.session, 'permission_requested');
    await first.session.send({ type: 'send_message', content: 'write' });
    const { tool_call_id } = await asked;
    expect(await first.session.send({ type: 'resolve_permission', tool_call_id, decision: 'remember' })).toEqual({
      ok: true,
    });
    await first.session.idle();
    const file = JSON.parse(await readFile(join(home, '.config', 'halter', 'policies.json'), 'utf8'));
    expect(file).toMatchObject({
      version: 1,
      rules: [{ tool: 'write_file', decision: 'allow', workspace: first.halter.root }],
    });
    await first.session.close();

    const second = await start([write, { text: 'ok' }], { onAsk: 'fail' });
    await say(second.session, 'again');
    expect(types(second.session)).not.toContain('permission_requested');
    const elsewhere = scratchFolder();
    const third = await start([write, { text: 'ok' }], { onAsk: 'fail', folder: elsewhere });
    await say(third.session, 'again');
    expect(third.session.log().at(-1)).toMatchObject({ type: 'tool_finished' });
    expect(types(third.session)).toContain('run_stopped');
  });

  test('only the call that is asked about can be answered, once', async () => {
    verifies('H12', 'S5');
    const { session } = await start([write, { text: 'ok' }]);
    const asked = nextEvent(session, 'permission_requested');
    await session.send({ type: 'send_message', content: 'write' });
    const { tool_call_id } = await asked;
    expect(
      await session.send({ type: 'resolve_permission', tool_call_id: 'other', decision: 'allow_once' }),
    ).toMatchObject({ ok: false });
    const rule = { tool: 'write_file', pattern: 'src/**' };
    expect(await session.send({ type: 'resolve_permission', tool_call_id, decision: 'session', rule })).toMatchObject({
      ok: false,
    });
    expect(await session.send({ type: 'resolve_permission', tool_call_id, decision: 'allow_once' })).toEqual({
      ok: true,
    });
    await session.idle();
    expect(await session.send({ type: 'resolve_permission', tool_call_id, decision: 'deny' })).toMatchObject({
      ok: false,
    });
  });

  test('a rule for the shell covers what the whole line really runs', async () => {
    verifies('L1', 'Z8');
    const bash = (command: string) => ({ calls: [{ name: 'bash', arguments: { command } }] });
    const allow = ['bash(echo *)', 'bash(wc *)'];
    const covered = await start([bash('echo a | wc -c'), { text: 'ok' }], { onAsk: 'fail', allow }, { keep: false });
    await say(covered.session, 'count');
    expect(types(covered.session).at(-1)).toBe('run_completed');
    const hidden = await start([bash('echo $(touch x)')], { onAsk: 'fail', allow }, { keep: false });
    await say(hidden.session, 'count');
    expect(hidden.session.log().find((event) => event.type === 'run_stopped')).toMatchObject({
      reason: 'permission_required',
    });
    const deny = ['bash(git push *)'];
    const denied = await start([bash('true && git push -f'), { text: 'ok' }], { mode: 'yolo', deny }, { keep: false });
    await say(denied.session, 'push');
    expect(denied.session.log().find((event) => event.type === 'tool_finished')).toMatchObject({
      result: { error_type: 'permission_denied', error_message: expect.stringContaining('git push *') },
    });
  });

  test('with nobody there the run stops and says which rule would allow it; every call is paired', async () => {
    verifies('S3');
    const { session } = await start([write], { onAsk: 'fail' });
    await say(session, 'write');
    const stopped = session.log().find((event) => event.type === 'run_stopped');
    expect(stopped).toMatchObject({ reason: 'permission_required', name: 'PermissionRequired' });
    expect(types(session).filter((type) => type === 'tool_finished')).toHaveLength(1);
  });

  test('Allow Once for grep_search counts for the session', async () => {
    verifies('H8');
    await writeFile(join(folder, 'a.txt'), 'needle\n');
    const grep = { calls: [{ name: 'grep_search', arguments: { pattern: 'needle' } }] };
    const { session } = await start([grep, grep, { text: 'ok' }]);
    const asked = nextEvent(session, 'permission_requested');
    await session.send({ type: 'send_message', content: 'find' });
    await session.send({
      type: 'resolve_permission',
      tool_call_id: (await asked).tool_call_id,
      decision: 'allow_once',
    });
    await session.idle();
    expect(types(session).filter((type) => type === 'permission_requested')).toHaveLength(1);
    expect(types(session).filter((type) => type === 'tool_finished')).toHaveLength(2);
  });
});

describe('messages and the model', () => {
  test('refuses a message that no model reads, from any interface, and goes on', async () => {
    verifies('U1');
    const { session, provider } = await start([{ text: 'Hello.' }]);
    const content = 'x'.repeat(AGENT_LIMITS.userMessageCharacters + 1);
    for (const large of [content, [{ type: 'text' as const, text: content }]])
      expect(await session.send({ type: 'send_message', content: large })).toMatchObject({
        ok: false,
        message: expect.stringContaining('too large: 2,000,001 characters'),
      });
    expect(provider.requests).toEqual([]);
    await say(session, 'hello');
    expect(types(session).at(-1)).toBe('run_completed');
  });

  test('messages typed ahead are sent in their order; cancel drops them', async () => {
    const { session, provider } = await start([{ text: 'one' }, { text: 'two' }]);
    await session.send({ type: 'send_message', content: '1' });
    await session.send({ type: 'send_message', content: '2' });
    await session.idle();
    expect(provider.requests.map((request) => request.messages.at(-1)?.content)).toEqual(['1', '2']);
    expect(await session.send({ type: 'send_message', content: '  ' })).toMatchObject({ ok: false });
  });

  test('cancelling keeps what the model had said and goes on with the next message', async () => {
    verifies('E11');
    const { session } = await start([{ text: 'half an ans', endGate: new Promise(() => {}) }, { text: 'new' }]);
    const spoken = new Promise<void>((resolve) => {
      session.subscribe((update) => {
        if (update.type === 'text_delta' && update.delta.includes('s')) resolve();
      });
    });
    await session.send({ type: 'send_message', content: 'go' });
    await spoken;
    await session.send({ type: 'cancel' });
    await session.idle();
    const cut = session.log().find((event) => event.type === 'assistant_message_added');
    expect(cut).toMatchObject({ message: { finish: 'cancelled' } });
    await say(session, 'again');
    expect(types(session).at(-1)).toBe('run_completed');
  });

  test('each request begins with the whole request before it', async () => {
    verifies('B4');
    const { session, provider } = await start([task('a'), task('b'), { text: 'ok' }, { text: 'more' }]);
    await say(session, 'go');
    await say(session, 'go on');
    const requests = provider.requests.map((request) => request.messages.map((m) => JSON.stringify(m)));
    requests.slice(1).forEach((request, index) => {
      const before = requests[index] as string[];
      expect(request.slice(0, before.length)).toEqual(before);
    });
    expect(new Set(provider.requests.map((request) => JSON.stringify(request.tools))).size).toBe(1);
  });

  test('an empty reply is asked for once more', async () => {
    const { session, provider } = await start([{ text: '' }, { text: 'here' }]);
    await say(session, 'go');
    expect(provider.requests).toHaveLength(2);
    expect(types(session).at(-1)).toBe('run_completed');
  });

  test('a model that takes no tools has them described in the prompt, with a warning', async () => {
    verifies('Z16');
    const error = { code: 'tools_unsupported', message: 'does not support tools' } as const;
    const { session, provider } = await start([{ error }, { text: 'ok' }]);
    const warnings: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'warning') warnings.push(update.code);
    });
    await say(session, 'go');
    expect(warnings).toContain('tools_injected');
    expect(provider.requests[1]?.tools).toEqual([]);
    expect(provider.requests[1]?.messages[0]?.content).toContain('read_file');
  });

  test('a turn of nothing but reasoning that ends in a call means that call', async () => {
    verifies('L10');
    const call = '<tool_call>{"name": "get_current_time", "arguments": {}}</tool_call>';
    const { session } = await start([{ reasoning: `I should look.\n${call}` }, { text: 'noon' }]);
    await say(session, 'what time is it?');
    const message = session.log().find((event) => event.type === 'assistant_message_added');
    expect(message).toMatchObject({
      message: { tool_calls: [{ name: 'get_current_time', repairs: [{ kind: 'call_in_reasoning' }] }] },
    });
    const drafted = await start(
      [{ reasoning: `${call} or perhaps not`, text: '' }, { text: 'noon' }],
      {},
      { keep: false },
    );
    await say(drafted.session, 'what time is it?');
    expect(types(drafted.session)).not.toContain('tool_started');
  });

  test('the same call with the same result is told to the model, and the third time the run is stopped', async () => {
    verifies('B9');
    const ls = { calls: [{ name: 'ls', arguments: {} }] };
    const { session, provider } = await start([ls, ls, ls, { text: 'never' }]);
    await say(session, 'go');
    expect(provider.requests).toHaveLength(3);
    expect(provider.requests[1]?.messages.at(-1)?.content).not.toContain('You have made');
    expect(provider.requests[2]?.messages.at(-1)?.content).toContain('You have made this very call before');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_stopped', reason: 'loop', name: 'LoopDetected' });
    const clock = { calls: [{ name: 'get_current_time', arguments: {} }] };
    const polling = await start([clock, clock, clock, clock, { text: 'noon' }], {}, { keep: false });
    await say(polling.session, 'go');
    expect(types(polling.session).at(-1)).toBe('run_completed');
  });

  test.each(['done', '{"a": 1', '{"t": "x", "na', 'Use `ls` here. ', '[1, 2'])(
    'the answer %j is text, to its last character',
    async (text) => {
      const { session } = await start([{ text }]);
      await say(session, 'go');
      const message = session.log().find((event) => event.type === 'assistant_message_added');
      expect(message).toMatchObject({ message: { content: text, tool_calls: [] } });
    },
  );

  test('a model that cannot be reached ends the run with what to do', async () => {
    const error = {
      code: 'unreachable',
      message: 'Nothing answers at the address.',
      hint: 'Start the server.',
    } as const;
    const { session } = await start([{ error }]);
    await say(session, 'go');
    expect(session.log().at(-1)).toMatchObject({ type: 'run_stopped', reason: 'model_unusable' });
  });
});

test('a message that was not answered does not close the session where templates want turns', async () => {
  verifies('B4');
  const rolesOf = (request: ModelRequest): string[] => request.messages.map(({ role }) => role);
  const failing = { error: { code: 'server_error', message: 'out of memory' } } as const;
  const provider = scriptedProvider([failing, failing, { text: 'Here.' }, { text: 'Still here.' }]);
  const halter = await assembled({ modelProvider: provider });
  const session = await openedSession(halter);
  await say(session, 'one');
  await say(session, 'two');
  await say(session, 'three');
  await say(session, 'four');
  const [, , third, fourth] = provider.requests;
  expect(rolesOf(third as ModelRequest)).toEqual(['system', 'user']);
  expect(rolesOf(fourth as ModelRequest)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(JSON.stringify(third?.messages)).toMatch(/one.*not answered.*two.*not answered.*three/);
  // What was read before stays as it was, and the log holds what was said.
  expect(fourth?.messages.slice(0, 2)).toEqual(third?.messages);
  expect(session.log().filter(({ type }) => type === 'user_message_added')).toHaveLength(4);
});
