/** Another process goes on with a run, from every place at which the first one can have been killed. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Event, EventOf, PermissionDecision } from '../../core/events.ts';
import { projectForModel } from '../../core/project.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../testing/index.ts';
import { openTestAgent, type TestAgentOptions } from '../../testing/test-agent.ts';
import type { Agent } from '../create-agent.ts';
import type { OpenSession } from '../session.ts';

const insert = {
  name: 'insert_lines',
  arguments: { path: 'list.txt', line_start: 1, line_end: 1, new_content: 'new' },
};
const SCRIPT: readonly ScriptedProviderTurn[] = [
  { calls: [{ name: 'ls', arguments: {} }, { name: 'read_file', arguments: { path: 'list.txt' } }, insert] },
  { calls: [{ name: 'get_working_directory', arguments: {} }] },
  { text: 'done' },
  { calls: [insert] },
  { text: 'done again' },
];
const BEFORE = 'old\n';
const AFTER = 'new\nold\n';

/** The same words wherever the conversation is, whoever asks. */
const byPlace = ({ messages }: { messages: readonly { role: string }[] }): ScriptedProviderTurn =>
  SCRIPT[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'more' };

const world = async (options: Partial<TestAgentOptions> = {}) => {
  const home = scratchFolder();
  const folder = scratchFolder();
  const list = join(folder, 'list.txt');
  const assembled = await openTestAgent({
    folder,
    environment: { HOME: home },
    platform: 'linux',
    modelProvider: scriptedProvider(byPlace),
    model: 'test-model',
    onWarning: () => {},
    ...options,
  });
  if (!assembled.ok) throw new Error(assembled.error.message);
  onTestFinished(() => assembled.value.close());
  return { halter: assembled.value, list };
};

/** Another machine sees the same folder under the same path; here each has its own. */
const movedTo = ({ root }: Agent, log: readonly Event[]): Event[] =>
  log.map((event) => (event.type === 'session_started' ? { ...event, workspace: root } : event));

const takeOver = async (halter: Agent, id: string): Promise<OpenSession> => {
  const opened = await halter.openSession({ id, goesOn: true });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
};

const asked = (log: readonly Event[]): string | undefined => {
  const last = log.findLast(({ type }) => type === 'permission_requested' || type === 'permission_resolved');
  return last?.type === 'permission_requested' ? last.tool_call_id : undefined;
};

/** Says yes to every question, until the run is over. */
const finish = async (session: OpenSession, decision: PermissionDecision = 'allow_once'): Promise<void> => {
  while ((await session.settled()) === 'waiting') {
    const tool_call_id = asked(session.log());
    if (tool_call_id === undefined) throw new Error('it waits, and nothing is asked');
    expect(await session.send({ type: 'resolve_permission', tool_call_id, decision })).toEqual({ ok: true });
  }
};

const finished = (log: readonly Event[], index: number): EventOf<'tool_finished'> => {
  const calls = log.flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []));
  const id = calls[index]?.id;
  const found = log.filter((event) => event.type === 'tool_finished' && event.tool_call_id === id);
  expect(found).toHaveLength(1);
  return found[0] as Event & EventOf<'tool_finished'>;
};

describe('a run that broke off', () => {
  test('is gone on with from every place, and nothing is done twice', async () => {
    verifies('B12');
    const { halter, list } = await world();
    writeFileSync(list, BEFORE);
    const first = await takeOver(halter, 'whole');
    await first.send({ type: 'send_message', content: 'go' });
    await finish(first);
    expect(readFileSync(list, 'utf8')).toBe(AFTER);
    const whole = [...first.log()];
    await first.close();
    const recorded = whole.findIndex(({ type }) => type === 'change_recorded') + 1;
    const ended = whole.findIndex(({ type }, at) => at >= recorded && type === 'tool_finished') + 1;
    expect(recorded).toBeGreaterThan(1);
    for (let length = 1; length <= whole.length; length += 1) {
      // Between the two nobody knows from the log whether the file was written.
      const states = length < recorded ? [BEFORE] : length >= ended ? [AFTER] : [BEFORE, AFTER];
      for (const content of states) {
        const where = `cut after ${length} (${whole[length - 1]?.type}), file ${content === AFTER ? 'written' : 'not written'}`;
        const id = `cut-${length}-${content === AFTER}`;
        const { halter: other, list: file } = await world();
        writeFileSync(file, content);
        await other.sessions.create(id, movedTo(other, whole.slice(0, length)));
        const session = await takeOver(other, id);
        if (length === 1) await session.send({ type: 'send_message', content: 'go' });
        await finish(session);
        const log = session.log();
        expect(log.at(-1)?.type, where).toBe('run_completed');
        const messages = projectForModel(log, { system: '', results: 'full', summaryCharacters: 900 });
        const calls = messages.flatMap((m) => (m.role === 'assistant' ? m.tool_calls.map((call) => call.id) : []));
        expect(
          messages.flatMap((m) => (m.role === 'tool' ? [m.tool_call_id] : [])),
          where,
        ).toEqual(calls);
        expect(log.filter(({ type }) => type === 'tool_started').length, where).toBe(calls.length);
        expect(finished(log, 0).result.success, where).toBe(true);
        expect(finished(log, 1).result.success, where).toBe(true);
        const { result } = finished(log, 2);
        const begun = length >= recorded - 1;
        if (begun && length < ended) {
          expect(result.error_message, where).toContain(content === AFTER ? 'applied; it holds' : 'not applied');
          expect(readFileSync(file, 'utf8'), where).toBe(content);
        } else {
          expect(result.error_message, where).toBe(null);
          expect(readFileSync(file, 'utf8'), where).toBe(AFTER);
        }
        await session.close();
      }
    }
  });

  test('waits for the same answer in another process, and what was allowed for the session holds there', async () => {
    verifies('B12');
    const { halter, list } = await world();
    writeFileSync(list, BEFORE);
    const first = await takeOver(halter, 'kept');
    await first.send({ type: 'send_message', content: 'go' });
    expect(await first.settled()).toBe('waiting');
    await first.leave();
    expect(first.log().at(-1)?.type).toBe('permission_requested');
    const second = await takeOver(halter, 'kept');
    expect(await second.settled()).toBe('waiting');
    expect(second.log()).toEqual(first.log());
    await finish(second, 'session');
    await second.leave();
    const third = await takeOver(halter, 'kept');
    await third.send({ type: 'send_message', content: 'once more' });
    expect(await third.settled()).toBe('idle');
    expect(readFileSync(list, 'utf8')).toBe(`new\n${AFTER}`);
    await third.close();
  });

  test('tells that a task is in the list already', async () => {
    verifies('B12', 'Z4');
    const add = { calls: [{ name: 'add_task', arguments: { content: 'once' } }] };
    const modelProvider = scriptedProvider(async ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? { text: 'done' } : add,
    );
    const { halter } = await world({ modelProvider });
    const first = await takeOver(halter, 'task');
    await first.send({ type: 'send_message', content: 'go' });
    await finish(first);
    const log = first.log();
    await first.close();
    const changed = log.findIndex(({ type }) => type === 'task_changed') + 1;
    await halter.sessions.create('cut', log.slice(0, changed));
    const second = await takeOver(halter, 'cut');
    await finish(second);
    expect(finished(second.log(), 0).result.error_message).toContain('applied; the task is in the list');
    expect(second.log().filter(({ type }) => type === 'task_changed')).toHaveLength(1);
    await second.close();
  });

  test('does not do another thing than the person was shown', async () => {
    const { halter, list } = await world({ allow: ['read_file'] });
    writeFileSync(list, BEFORE);
    const first = await takeOver(halter, 'shown');
    await first.send({ type: 'send_message', content: 'go' });
    expect(await first.settled()).toBe('waiting');
    const log = first.log();
    await first.leave();
    const { halter: later, list: file } = await world({ allow: ['read_file'] });
    writeFileSync(file, 'something else\n');
    await later.sessions.create('shown', movedTo(later, log));
    const second = await takeOver(later, 'shown');
    await finish(second);
    expect(finished(second.log(), 2).result.metadata.reason).toBe('changed_since_judged');
    expect(readFileSync(file, 'utf8')).toBe('something else\n');
    await second.close();
  });

  test('does not run what is no longer allowed', async () => {
    verifies('B12');
    const { halter, list } = await world({ allow: ['read_file', 'insert_lines'] });
    writeFileSync(list, BEFORE);
    const session = await takeOver(halter, 'allowed');
    await session.send({ type: 'send_message', content: 'go' });
    await finish(session);
    const log = session.log();
    await session.close();
    const evaluated = log.findLastIndex((event) => event.type === 'policy_evaluated' && event.exclusive) + 1;
    const { halter: stricter } = await world();
    await stricter.sessions.create('allowed', movedTo(stricter, log.slice(0, evaluated)));
    const other = await takeOver(stricter, 'allowed');
    await finish(other);
    expect(finished(other.log(), 2).result.metadata.reason).toBe('changed_since_judged');
    await other.close();
  });
});
