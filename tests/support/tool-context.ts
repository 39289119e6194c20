/** Everything a tool gets, made of the real ports on a folder; only the network answers nothing. */

import { createTasks } from '../../src/agent/loop/run-tool/tasks.ts';
import { refusedResult, runTool } from '../../src/agent/loop/run-tool.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { LIMITS } from '../../src/core/limits.ts';
import type { Network, Task } from '../../src/core/ports.ts';
import type { Tool, ToolContext } from '../../src/core/tool.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';
import { validateArguments } from '../../src/core/validate-arguments.ts';
import { systemClock } from '../../src/io/clock.ts';
import { createProcesses } from '../../src/io/processes.ts';
import { createWorkspace, type WorkspaceOptions } from '../../src/io/workspace.ts';

const noNetwork: Network = {
  request: async () => ({ ok: false, error: { kind: 'refused', message: 'there is no network in this test' } }),
};

export type TestContext = Omit<ToolContext, 'signal'> & { changedTasks: Task[]; close(): void };

export const createTestContext = async (options: WorkspaceOptions): Promise<TestContext> => {
  const workspace = await createWorkspace(options);
  if (!workspace.ok) throw new Error(workspace.error.message);
  const processes = createProcesses({ root: workspace.value.root });
  const tasks = new Map<string, Task>();
  const changedTasks: Task[] = [];
  return {
    workspace: workspace.value,
    network: noNetwork,
    processes,
    clock: systemClock,
    tasks: createTasks(
      () => [...tasks.values()],
      (task) => {
        tasks.set(task.id, task);
        changedTasks.push(task);
      },
    ),
    config: {},
    report: () => {},
    changedTasks,
    close: () => processes.close(),
  };
};

/** The way every call goes: validate, then run. Permission is taken as given. */
export const callTool = async (
  tool: Tool,
  args: JsonObject,
  context: TestContext,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> => {
  const valid = validateArguments(tool.parameters, args, 'strict');
  if (!valid.ok) return refusedResult(context.clock, 'validation_failed', valid.issues.join('; '));
  return runTool(tool, valid.arguments, { context, signal, defaultTimeoutMs: LIMITS.toolTimeoutMs });
};
