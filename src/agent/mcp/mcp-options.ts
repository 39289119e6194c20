import type { JsonObject } from '../../core/json.ts';
import type { ServerDefinition } from '../../mcp/server-definition.ts';
import type { AskPerson } from './server-questions.ts';

/** Which MCP servers count, and who is asked about them. */
export type McpOptions = {
  /** Servers of the caller's own, in the form of mcp.json. */
  servers?: JsonObject;
  /** Those that the caller read and asked about itself. */
  definitions?: readonly ServerDefinition[];
  /** The person's own mcp.json counts, and the folder's .mcp.json where the person trusts the folder. */
  files?: boolean;
  version?: string;
  /** A server that cannot be connected to is an error (thrown when a session opens). Default: a warning. */
  required?: boolean;
  /** How long `open` waits for servers. */
  patienceMs?: number;
  /** Whether a server of the folder may start, which the person was never asked about. Absent: nobody is there. */
  consent?(question: { name: string; shown: string }): Promise<boolean>;
  /** Answers at once what servers ask of a person. Absent, and nobody looks at sessions: it is declined. */
  ask?: AskPerson;
  /** Sessions are shown to somebody, who can answer there what servers ask. */
  askInSessions?: boolean;
};
