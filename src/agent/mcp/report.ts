/** How a server stands, for lists. */
import type { ServerState } from '../../mcp/connection.ts';

export type ServerReport = ServerState & {
  name: string;
  origin: 'own' | 'folder' | 'program';
  /** What is started or reached. */
  shown: string;
  tools: number;
  /** What they are called. */
  tool_names: readonly string[];
  /** Reached at an address, so that one can log in there. */
  by_address: boolean;
  /** It waits for a yes to exactly this, see `McpService.allow`. */
  consent?: string;
};
