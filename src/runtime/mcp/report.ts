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
};
