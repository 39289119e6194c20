/** The servers' part of a halter, whose code is loaded when a session or a call asks for it, and only where servers may be. */

import { OpenFailure } from '../../core/errors.ts';
import type { Rule } from '../../core/events.ts';
import type { Tool } from '../../core/tool.ts';
import type { McpOptions, McpPorts, McpService } from '../mcp.ts';
import type { ServerReport } from './report.ts';
import type { SamplePorts } from './sample.ts';
import { createQuestionRouter, type SessionQuestions } from './server-questions.ts';
import { isServerTool } from './server-tool-names.ts';

export type McpServers = {
  /** Connects to the servers there are, once. Throws where one that has to be there (`required`) is not. */
  open(): Promise<McpService | undefined>;
  report(): readonly ServerReport[];
  remembered(rule: Rule): Promise<void>;
  /** Those of one session. */
  questions(): SessionQuestions;
  close(): Promise<void>;
};

export const createMcpServers = (
  choices: McpOptions | undefined,
  wanted: readonly string[] | undefined,
  ports: Omit<McpPorts, 'choices' | 'questions'> & { sampling: SamplePorts },
): McpServers => {
  const isWanted = (tool: Tool): boolean => wanted === undefined || wanted.includes(tool.name);
  const isUsed = choices !== undefined && (wanted === undefined || wanted.some(isServerTool));
  const router = createQuestionRouter({
    ask: choices?.ask,
    inSessions: choices?.askInSessions,
    onWarning: ports.onWarning,
  });
  let service: Promise<McpService> | undefined;
  let opened: McpService | undefined;

  const load = async (given: McpOptions): Promise<McpService> => {
    const [{ createMcpService }, { createSample }] = await Promise.all([import('../mcp.ts'), import('./sample.ts')]);
    const { ask } = router;
    opened = createMcpService({
      ...ports,
      choices: given,
      questions: { ask, sample: createSample({ ...ports.sampling, ask }) },
      onTools: (tools) => ports.onTools(tools.filter(isWanted)),
    });
    return opened;
  };
  return {
    questions: router.session,
    async open() {
      if (!isUsed) return undefined;
      service ??= load(choices);
      const servers = await service;
      await servers.open();
      const problem = choices.required ? missingServers(servers.report()) : undefined;
      if (problem === undefined) return servers;
      // The next one who needs them tries again.
      service = undefined;
      opened = undefined;
      await servers.close();
      throw new OpenFailure({ error_type: 'io_error', message: problem, reason: 'mcp_server' });
    },
    report: () => opened?.report() ?? [],
    async remembered(rule) {
      if (isServerTool(rule.tool)) await opened?.remembered(rule);
    },
    async close() {
      await (await service)?.close();
    },
  };
};

/** What a program named has to be there: an error, and no warning that nobody reads. */
const missingServers = (reports: readonly ServerReport[]): string | undefined => {
  const missing = reports.filter(({ state }) => state !== 'connected');
  if (missing.length === 0) return undefined;
  const words = missing.map(({ name, detail }) => `"${name}" (${detail || 'it did not answer in time'})`);
  return `These MCP servers cannot be used: ${words.join(', ')}`;
};
