/** The tools of a server as Tools: under a name that says whose they are, asked about, and believed in nothing. */

import type { JsonObject, JsonValue } from '../core/json.ts';
import { readsOnly } from '../core/provenance/reads-only.ts';
import type { Preview, Tool } from '../core/tool.ts';
import { fail } from '../core/tool-result.ts';
import { checkValue } from '../schema/index.ts';
import { cleanDescription } from './clean-text.ts';
import type { Connection } from './connection.ts';
import { MCP_LIMITS } from './limits.ts';
import { digestOf, namedServer, samplingName, serverIdentity } from './server-definition.ts';
import { toToolOutput } from './server-tools/tool-output.ts';
import { toolParameters } from './server-tools/tool-schema.ts';
import { type Settled, withoutContradictions } from './server-tools/without-contradictions.ts';

/** What a yes was given to: told again, with the difference, where it is another thing by now. */
export type ToolRecord = { identity: string; text: string };

export type ServerTool = {
  tool: Tool;
  /** As the server describes it, to be kept with a yes. */
  record: ToolRecord;
  /** Words of its schema that contradict each other and were left out. */
  problems: readonly string[];
};

const NAME_CHARACTERS = 64;
/** As the protocol has it. Another name could look like a second one beside it, or like none. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Providers take letters, digits, _ and - in the name of a tool, and 64 of them. */
const exposedName = (server: string, name: string, taken: ReadonlySet<string>): string => {
  const plain = `mcp__${server}__${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  if (plain.length <= NAME_CHARACTERS && !taken.has(plain)) return plain;
  const mark = `_${digestOf(name).slice(0, 6)}`;
  return plain.slice(0, NAME_CHARACTERS - mark.length) + mark;
};

const sortedKeys = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sortedKeys(entry)]));
};

const recordOf = (connection: Connection, described: JsonObject): ToolRecord => {
  const { name = '', description = '', inputSchema = {}, annotations } = described;
  const schema = sortedKeys(inputSchema);
  const identity = digestOf([
    serverIdentity(connection.server),
    name,
    description,
    schema,
    // Kept out where there are none, so that rules of before go on counting.
    ...(annotations === undefined ? [] : [sortedKeys(annotations)]),
  ]);
  const shown = cleanDescription(typeof description === 'string' ? description : '', Number.POSITIVE_INFINITY);
  const text = `server: ${namedServer(connection.server)}\n${shown}\n${JSON.stringify(schema, null, 2)}\n`;
  return { identity, text: text.slice(0, MCP_LIMITS.mcpSchemaCharacters) };
};

export type ServerToolsOptions = {
  /** What a yes was last given to. */
  known(tool: string): ToolRecord | undefined;
  /** What stands behind the name now. */
  current(tool: string): ToolRecord | undefined;
  differenceOf(before: string, after: string): string;
  /** The person believes what this server says of its tools. */
  trustsAnnotations?: boolean;
};

/** What can be made a tool of; a description that is none is left out and costs nothing else. */
export const serverTools = (
  connection: Connection,
  described: readonly JsonObject[],
  options: ServerToolsOptions,
): ServerTool[] => {
  // A yes to a tool of that name would be one to words of the model.
  const taken = new Set<string>([samplingName(connection.server.name)]);
  const made: ServerTool[] = [];
  for (const entry of described) {
    const { name } = entry;
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) continue;
    if (JSON.stringify(entry['inputSchema'] ?? {}).length > MCP_LIMITS.mcpSchemaCharacters) continue;
    const exposed = exposedName(connection.server.name, name, taken);
    if (taken.has(exposed)) continue;
    taken.add(exposed);
    const record = recordOf(connection, entry);
    const settled = withoutContradictions(toolParameters(entry['inputSchema']));
    made.push({
      record,
      problems: settled.problems,
      tool: toolOf(connection, entry, { exposed, name, record, settled, options }),
    });
  }
  return made;
};

type Naming = { exposed: string; name: string; record: ToolRecord; settled: Settled; options: ServerToolsOptions };

const toolOf = (
  connection: Connection,
  described: JsonObject,
  { exposed, name, record, settled, options }: Naming,
): Tool => {
  const { server } = connection;
  const { description, title, outputSchema } = described;
  const words = typeof description === 'string' && description.trim() !== '' ? description : title;
  const { schema: parameters } = settled;
  const now = (): ToolRecord => options.current(exposed) ?? record;
  return {
    name: exposed,
    description:
      cleanDescription(typeof words === 'string' ? words : '', MCP_LIMITS.mcpDescriptionCharacters) ||
      `The tool ${name} of the MCP server ${server.name}.`,
    risk: 'medium',
    effects: 'network',
    untrusted_content: true,
    reads_only: readsOnly(
      { name, arguments: Object.keys(parameters.properties ?? {}), annotations: described['annotations'] },
      options.trustsAnnotations === true,
    ),
    dispensable: true,
    // The connection has a clock of its own, which a question to the person stops.
    timeout_ms: 0,
    parameters,
    identity: () => now().identity,
    async preview(): Promise<Preview> {
      const summary = `MCP server "${server.name}", tool ${cleanDescription(name, NAME_CHARACTERS)}: ${namedServer(server)}`;
      const before = options.known(exposed);
      if (before === undefined || before.identity === now().identity) return { summary };
      return {
        summary: `${summary}\nIt is not what you said yes to any more: its server, description or arguments changed.`,
        diff: options.differenceOf(before.text, now().text),
      };
    },
    async run(args, context) {
      const answer = await connection.call(name, args, {
        signal: context.signal,
        report: context.report,
        timeoutMs: server.timeoutMs ?? MCP_LIMITS.mcpCallTimeoutMs,
      });
      if (!answer.ok) {
        const { error_type, message, reason } = answer.error;
        return fail(error_type === 'none' ? 'io_error' : error_type, message, reason === undefined ? {} : { reason });
      }
      const { structuredContent, isError } = answer.value;
      if (outputSchema !== undefined && structuredContent !== undefined && isError !== true) {
        const [issue] = checkValue(withoutContradictions(toolParameters(outputSchema)).schema, structuredContent, {
          largeIntegers: true,
        });
        if (issue)
          return fail('parse_error', `The result is not of the form it promises: ${issue.path} ${issue.message}`);
      }
      return toToolOutput(answer.value, context.keptResultBytes);
    },
  };
};
