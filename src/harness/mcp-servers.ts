/**
 * The MCP servers of a harness. Loaded by the first message of a program that named some. What the program named has to be
 * there: a server that cannot be used is an error, not a warning that nobody reads.
 */

import type { ToolPorts } from '../agent/loop/run-tool/tool-ports.ts';
import type { ToolRegistry } from '../agent/loop/run-tool/tool-registry.ts';
import { growingRegistry } from '../agent/mcp/registry.ts';
import { createSample, type SamplePorts } from '../agent/mcp/sample.ts';
import { createQuestionDesk, type SessionQuestions } from '../agent/mcp/server-questions.ts';
import { createMcpService } from '../agent/mcp.ts';
import type { JsonObject } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { Network } from '../core/ports.ts';
import { systemClock } from '../io/clock.ts';
import { readServers } from '../mcp/server-definition.ts';
import type { HarnessOptions } from './options.ts';

/** `modelNetwork`: the program named the address, so it may lie in a private network. */
export type HarnessServerPorts = ToolPorts & Pick<SamplePorts, 'model'> & { modelNetwork: Network };

export type HarnessServers = {
  registry: ToolRegistry;
  /** With the lists as they are now, for all prompts of a session; a name finds its tool as it is by then. */
  listsOfNow(): ToolRegistry;
  questions(): SessionQuestions;
  close(): Promise<void>;
};

export const openHarnessServers = async (
  servers: NonNullable<HarnessOptions['mcpServers']>,
  options: HarnessOptions,
  ports: HarnessServerPorts,
): Promise<HarnessServers> => {
  const choices = { mcpServers: servers as JsonObject };
  const [problem] = readServers(choices).problems;
  if (problem !== undefined) throw new TypeError(`mcpServers: ${problem}`);
  const { registry, setFurther } = growingRegistry(ports.registry.tools, ports.config);
  const desk = createQuestionDesk({ ask: options.onServerQuestion });
  const { ask } = desk;
  const early: string[] = [];
  let isOpen = false;
  const tell = (message: string): void => process.emitWarning(message, { code: 'mcp' });
  const service = createMcpService({
    choices: { servers: choices, patienceMs: LIMITS.mcpConnectTimeoutMs },
    workspace: ports.workspace,
    processes: ports.processes,
    network: ports.modelNetwork,
    guarded: ports.network,
    clock: systemClock,
    environment: process.env,
    questions: { ask, sample: createSample({ rules: ports.rules, model: ports.model, ask }) },
    onTools: setFurther,
    // A server that cannot be used is told of by the error alone.
    onWarning: (_code, message) => (isOpen ? tell(message) : early.push(message)),
  });
  await service.open();
  const missing = service.report().filter(({ state }) => state !== 'connected');
  if (missing.length > 0) {
    await service.close();
    const words = missing.map(({ name, detail }) => `"${name}" (${detail || 'it did not answer in time'})`);
    throw new Error(`These MCP servers cannot be used: ${words.join(', ')}`);
  }
  isOpen = true;
  for (const message of early) tell(message);
  return {
    registry,
    listsOfNow: () => {
      const { tools, schemas, callable } = registry;
      return { ...registry, tools, schemas, callable };
    },
    questions: desk.session,
    close: service.close,
  };
};
