/** Z13: everything a tool gets comes in one object, and each part of it can be replaced. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/core/json.ts';
import { failure, succeed } from '../src/core/outcome.ts';
import type { ToolContext } from '../src/core/tool.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';

/** A part that a test did not give must not be reached for. */
const forbidden = (part: string): never =>
  new Proxy({}, { get: (_target, name) => expect.fail(`reached for ${part}.${String(name)}`) }) as never;

const contextOf = (parts: Partial<ToolContext>): ToolContext => ({
  workspace: forbidden('workspace'),
  network: forbidden('network'),
  processes: forbidden('processes'),
  clock: forbidden('clock'),
  tasks: forbidden('tasks'),
  config: {},
  signal: new AbortController().signal,
  report: () => {},
  ...parts,
});
const run = (name: string, args: JsonObject, parts: Partial<ToolContext>) => {
  const tool = BUILT_IN_TOOLS.find((known) => known.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool.run(args, contextOf(parts));
};

describe('the context of a tool', () => {
  it('is all that a tool reaches for: the clock, the tasks and the folder are what they are handed', async () => {
    verifies('Z13');
    const clock = { now: () => Date.UTC(2030, 0, 2, 3, 4, 5), monotonic: () => 0 };
    expect(await run('get_current_time', {}, { clock })).toMatchObject({
      data: expect.stringContaining('2030-01-02T'),
    });

    const task = { id: 'task_1', content: 'sing', status: 'pending' as const };
    const tasks = { add: () => succeed(task), list: () => [task], update: () => failure('not_found', 'no such task') };
    expect(await run('add_task', { content: 'sing' }, { tasks })).toMatchObject({
      data: expect.stringContaining('task_1'),
    });
    expect(await run('update_task', { task_id: 'task_9', status: 'completed' }, { tasks })).toMatchObject({
      success: false,
      error_type: 'not_found',
    });

    const workspace = { ...(forbidden('workspace') as object), root: '/elsewhere' } as ToolContext['workspace'];
    expect(await run('get_working_directory', {}, { workspace })).toMatchObject({
      data: expect.stringContaining('/elsewhere'),
    });
  });

  it('holds the port to processes: a command runs where the context says', async () => {
    verifies('Z13', 'L1');
    const asked: (readonly string[])[] = [];
    const processes: ToolContext['processes'] = {
      run: async (request) => {
        asked.push(request.command);
        return failure('io_error', 'there are no processes here', 'no_processes');
      },
    };
    const workspace = { root: '/elsewhere' } as ToolContext['workspace'];
    const result = await run('bash', { command: 'echo hello' }, { processes, workspace });
    expect(asked.flat()).toContain('echo hello');
    expect(result).toMatchObject({ success: false, error_message: expect.stringContaining('no processes') });
  });
});
