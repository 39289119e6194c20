import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Clock, Tasks, Workspace } from '../../core/ports.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, ok } from '../../core/tool-result.ts';
import { previewTool, type RunToolOptions, runTool } from './run-tool.ts';

const clock: Clock = { now: () => 1_705_680_000_000, monotonic: () => 10 };
const context = (changes: Partial<ToolContext> = {}): RunToolOptions['context'] =>
  ({ clock, config: { answer: 42 }, report: () => {}, ...changes }) as RunToolOptions['context'];
const run = (tool: Parameters<typeof runTool>[0], changes: Partial<RunToolOptions> = {}) =>
  runTool(tool, {}, { context: context(), signal: new AbortController().signal, defaultTimeoutMs: 1_000, ...changes });
const tool = (work: Parameters<typeof defineTool>[0]['run'], timeout_ms?: number) =>
  defineTool({
    name: 'tool',
    description: '',
    parameters: { type: 'object', properties: {} },
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    run: work,
  });

describe('a result', () => {
  test('has exactly the fields of the document', async () => {
    verifies('Z5', 'Z6');
    let now = 10;
    const ticking: Clock = {
      ...clock,
      monotonic: () => {
        now += 3.4;
        return now;
      },
    };
    expect(
      await run(
        tool(() => ok('héllo')),
        { context: context({ clock: ticking }) },
      ),
    ).toEqual({
      success: true,
      data: 'héllo',
      error_message: null,
      error_type: 'none',
      metadata: { execution_time_ms: 3, data_size_bytes: 6, timestamp: 1_705_680_000_000 },
    });
    expect(await run(tool(() => fail('not_found', 'File not found: config.txt')))).toEqual({
      success: false,
      data: null,
      error_message: 'File not found: config.txt',
      error_type: 'not_found',
      metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 1_705_680_000_000 },
    });
  });

  test('carries structured data as JSON text, and names dropped arguments', async () => {
    const result = await run(
      tool(() => ({ a: [1, null] })),
      { droppedArguments: ['x'] },
    );
    expect(result.data).toBe('{"a":[1,null]}');
    expect(result.metadata.dropped_arguments).toEqual(['x']);
  });

  test('is cut to size and says so', async () => {
    const result = await run(tool(() => 'x'.repeat(LIMITS.toolResultCharacters + 1)));
    expect(result.metadata.truncated).toContain('the first');
    expect(result.data?.length).toBeLessThan(LIMITS.toolResultCharacters + 200);
  });
});

describe('a run', () => {
  test('hands the tool one context, any part of which can be another one', async () => {
    verifies('Z13');
    const tasks: Tasks = {
      add: () => ok('') as never,
      list: () => [{ id: 'task_1', content: 'from the test', status: 'pending' }],
      update: () => ok('') as never,
    };
    const workspace = { root: '/somewhere' } as Workspace;
    const reports: string[] = [];
    const seen = tool((_, { tasks: own, workspace: place, config, report, signal, clock: time, retrieval }) => {
      report('working');
      return [
        own.list()[0]?.content ?? '',
        place.root,
        config['answer'] ?? '',
        time.now(),
        signal.aborted,
        typeof retrieval,
      ];
    });
    const result = await run(seen, { context: context({ tasks, workspace, report: (text) => reports.push(text) }) });
    expect(JSON.parse(result.data ?? '')).toEqual(['from the test', '/somewhere', 42, clock.now(), false, 'undefined']);
    expect(reports).toEqual(['working']);
  });

  test('ends at its timeout and at cancel, even where the tool does not', async () => {
    verifies('E6', 'E11');
    const never = (): Promise<string> => new Promise(() => {});
    expect(await run(tool(never, 10))).toMatchObject({ error_type: 'io_error', metadata: { reason: 'timeout' } });
    expect(await run(tool(never), { defaultTimeoutMs: 10 })).toMatchObject({ metadata: { reason: 'timeout' } });
    const controller = new AbortController();
    const running = run(tool(never, 0), { signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ error_type: 'io_error', metadata: { reason: 'cancelled' } });
    const talking = new AbortController();
    const saying = tool(async (_, { report }) => {
      report('half of it\n');
      talking.abort();
      return never();
    }, 0);
    expect(await run(saying, { signal: talking.signal })).toMatchObject({
      data: 'half of it\n',
      metadata: { reason: 'cancelled' },
    });
    expect(
      await run(
        tool(() => 'never'),
        { signal: controller.signal },
      ),
    ).toMatchObject({ metadata: { reason: 'cancelled' } });
  });

  test('of a tool that throws is an internal error with its code', async () => {
    verifies('K7');
    const broken = tool(() => {
      throw new Error('no luck');
    });
    expect(await run(broken)).toMatchObject({
      success: false,
      error_type: 'internal_error',
      error_message: 'tool failed: no luck',
      metadata: { code: 501 },
    });
  });

  test.each([['a text'], [undefined], [null], [{ success: true }], [{ success: false, error_type: 'none' }], [[]]])(
    'of a tool that gives back what is no result is an internal error: %j',
    async (value) => {
      verifies('K7');
      const broken = { ...tool(() => 'ran'), run: async () => value as never };
      expect(await run(broken)).toMatchObject({
        success: false,
        error_type: 'internal_error',
        error_message: expect.stringContaining('no result'),
        metadata: { code: 501 },
      });
    },
  );
});

test('a preview that fails is said, and the question is asked all the same', async () => {
  verifies('H7');
  const base = tool(() => 'ran');
  const broken = { ...base, preview: () => Promise.reject(new Error('no luck')) };
  const { signal } = new AbortController();
  expect(await previewTool(broken, {}, context(), signal)).toEqual({ summary: 'no preview: no luck' });
  expect(await previewTool(base, {}, context(), signal)).toBeUndefined();
});
