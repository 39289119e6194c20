/** What is told of the tools that a server lists: once, although it lists them at each start and whenever they change. */
import { LIMITS } from '../../core/limits.ts';
import { counted, grouped } from '../../core/number-text.ts';
import type { ServerTool } from '../../mcp/server-tools.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type Listing = {
  /** So many tools the server has. */
  listed: number;
  /** So many of them were looked at. */
  described: number;
  made: readonly ServerTool[];
};

export class ListingNotes {
  readonly #warn: (message: string) => void;
  /** What was said last, by server. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Says what the last listing of this server did not give reason for. */
  tell(server: string, listing: Listing): void {
    const notes = new Set(notesOf(server, listing));
    const before = this.#told.get(server);
    this.#told.set(server, notes);
    for (const note of notes) if (!before?.has(note)) this.#warn(note);
  }
}

const notesOf = (server: string, { listed, described, made }: Listing): string[] => {
  const notes: string[] = [];
  const unusable = described - made.length;
  if (unusable > 0) notes.push(`${counted(unusable, 'tool')} of the MCP server "${server}" cannot be used`);
  for (const { tool, problems } of made)
    if (problems.length > 0)
      notes.push(
        `the schema of ${tool.name} contradicts itself, so a part of it is left to the server "${server}": ${problems.slice(0, AGENT_LIMITS.mcpSchemaProblems).join('; ')}`,
      );
  if (described < listed)
    notes.push(
      `the MCP server "${server}" has more tools than the limit of ${grouped(LIMITS.mcpEntries)}; the first are used`,
    );
  return notes;
};
