/** What a halter serves to programs that speak MCP: its own tools, not those of servers it uses itself. */
import { ruleText } from '../core/policy.ts';
import type { ToolServerOptions } from '../mcp/tool-server.ts';
import type { Halter } from './assemble.ts';
import { isServerTool } from './mcp-open.ts';

type Served = Pick<Halter, 'tools' | 'config' | 'executeTool' | 'judge'>;

/** A server that is passed on could be halter again, and so on for ever. */
const isOwn = ({ name }: { name: string }): boolean => !isServerTool(name);

export const servedTools = (halter: Served, version: string): ToolServerOptions => ({
  version,
  tools: async () => halter.tools.filter((tool) => isOwn(tool) && tool.unavailable?.(halter.config) === undefined),
  async execute(name, args, { signal, report, ask }) {
    const result = await halter.executeTool(isOwn({ name }) ? name : '', args, {
      signal,
      report,
      ...(ask
        ? {
            ask: async ({ because, rule, preview }) => ({
              decision: await ask({ because, rule: ruleText(rule), ...(preview ? { preview } : {}) }),
            }),
          }
        : {}),
    });
    if (result.metadata.reason !== 'permission_required') return { result };
    const judged = await halter.judge(name, args);
    return judged.kind === 'evaluated' ? { result, rule: ruleText(judged.rule) } : { result };
  },
});
