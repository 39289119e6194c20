/** The MCP servers of a halter for the terminal app. What goes wrong is thrown, and shown there. */

import type { Agent } from '../agent/create-agent.ts';
import type { ServerReport } from '../agent/mcp/report.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ServerControl, ServerView } from '../terminal/app-options.ts';

const viewOf = ({ name, state, detail, shown, tool_names: tools }: ServerReport): ServerView => ({
  name,
  state,
  detail,
  shown,
  tools,
});

export const serverControl = ({ mcp }: Pick<Agent, 'mcp'>): ServerControl => {
  const changed = (outcome: Outcome<ServerReport> | undefined): ServerView => {
    if (outcome === undefined) throw new Error('No MCP servers are used here.');
    if (!outcome.ok) throw new Error(outcome.error.message);
    return viewOf(outcome.value);
  };
  return {
    list: () => mcp.report().map(viewOf),
    reconnect: async (name) => changed(await (await mcp.open())?.reconnect(name)),
    setEnabled: async (name, enabled) => changed(await (await mcp.open())?.setEnabled(name, enabled)),
  };
};
