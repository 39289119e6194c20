/** Background jobs as a model uses them, on the real port to processes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { isAlive } from '../../tests/support/is-alive.ts';
import { callTool, createTestContext, type TestContext } from '../../tests/support/tool-context.ts';
import type { JsonObject } from '../core/json.ts';
import { IO_LIMITS } from '../io/limits.ts';
import { createJobs, type SessionJobs } from '../io/processes/jobs.ts';
import { bashTool } from './bash.ts';
import { TOOL_LIMITS } from './limits.ts';
import { readJob } from './read-job.ts';
import { stopJob } from './stop-job.ts';
import { writeJob } from './write-job.ts';

let folder: string;
let context: TestContext;
let jobs: SessionJobs;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'halter-jobs-'));
  context = await createTestContext({ root: folder });
  jobs = createJobs(context.processes);
  context.jobs = jobs;
});
afterEach(async () => {
  await jobs.close();
  context.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (command: string) => callTool(bashTool, { command, background: true }, context);
/** Reads until the text is there; the test's own timeout is the only clock. */
const readUntil = async (wanted: string, args: JsonObject = { job_id: 'job_1', wait_ms: 5_000 }): Promise<string> => {
  let all = '';
  while (!all.includes(wanted)) all += (await callTool(readJob, args, context)).data ?? '';
  return all;
};

describe('a background job', () => {
  test('is started, read, written to at a terminal, and says how it ended', async () => {
    verifies('U1', 'L1');
    const started = await start('test -t 0 && echo at a terminal; read name; echo "hello $name"; exit 4');
    expect(started).toMatchObject({ success: true, data: expect.stringContaining('Started job_1') });
    expect(await readUntil('at a terminal')).toContain('job_1 is running');
    expect((await callTool(writeJob, { job_id: 'job_1', text: 'Ada\n' }, context)).success).toBe(true);
    expect(await readUntil('has ended')).toMatch(/hello Ada[\s\S]*job_1 has ended with exit code 4/);
    const late = await callTool(writeJob, { job_id: 'job_1', text: 'x' }, context);
    expect(late).toMatchObject({ error_type: 'validation_failed', metadata: { reason: 'job_ended' } });
  });

  test('is read as text without colours, and only what is new', async () => {
    await start('printf "\\033[31mred\\033[0m\\n"; sleep 300');
    expect(await readUntil('red')).not.toContain('\u001b');
    expect((await callTool(readJob, { job_id: 'job_1', wait_ms: 0 }, context)).data).toBe(
      'job_1 is running\n(no new output)',
    );
  });

  test('ends with everything it started when it is stopped', async () => {
    await start('setsid sleep 300 & echo "child $!."; wait');
    const pid = Number(/child (\d+)\./.exec(await readUntil('.'))?.[1]);
    const stopped = await callTool(stopJob, { job_id: 'job_1' }, context);
    expect(stopped.data).toContain('job_1 has ended');
    expect(isAlive(pid)).toBe(false);
  });

  test('ends with its session', async () => {
    await start('echo "self $$."; sleep 300');
    const pid = Number(/self (\d+)\./.exec(await readUntil('.'))?.[1]);
    await jobs.close();
    expect(isAlive(pid)).toBe(false);
  });

  test('that prints without end keeps the end of it, and says what was lost', async () => {
    await start(`head -c ${IO_LIMITS.jobOutputCharacters * 2} /dev/zero | tr '\\0' x; echo; echo THE END; sleep 300`);
    for (;;) {
      const running = jobs.list();
      if (running.length === 0) throw new Error('the job is gone');
      const read = await jobs.read('job_1', { waitMs: 5_000, signal: new AbortController().signal });
      if (!read.ok) throw new Error(read.error.message);
      expect(read.value.text.length).toBeLessThanOrEqual(IO_LIMITS.jobOutputCharacters);
      if (read.value.text.includes('THE END')) break;
    }
  });

  test('waits for news no longer than a cancel', async () => {
    await start('sleep 300');
    const controller = new AbortController();
    const reading = jobs.read('job_1', { waitMs: TOOL_LIMITS.jobWaitMsMax, signal: controller.signal });
    controller.abort();
    expect(await reading).toMatchObject({ ok: true, value: { text: '' } });
  });

  test('that is not there is answered with those that are', async () => {
    await start('sleep 300');
    const missing = await callTool(readJob, { job_id: 'job_7' }, context);
    expect(missing).toMatchObject({ error_type: 'not_found' });
    expect(missing.error_message).toContain('job_1 (running)');
    expect((await callTool(readJob, {}, context)).data).toBe('job_1 is running: sleep 300');
  });

  test('needs a session', async () => {
    delete context.jobs;
    expect((await start('true')).error_message).toContain('live in a session');
  });

  test('is one of a bounded number', async () => {
    const opened = await Promise.all(Array.from({ length: IO_LIMITS.jobs }, () => jobs.start('sleep 300')));
    expect(opened.every(({ ok }) => ok)).toBe(true);
    expect(await jobs.start('true')).toMatchObject({ ok: false, error: { reason: 'too_many_jobs' } });
  });
});
