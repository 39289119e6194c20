/** One small tool for the resources of all servers: a list, or the content of one. */
import type { JsonObject } from '../core/json.ts';
import { type Outcome, succeed } from '../core/outcome.ts';
import type { Tool } from '../core/tool.ts';
import { fail, ok } from '../core/tool-result.ts';
import type { Connection } from './connection.ts';
import { MCP_LIMITS } from './limits.ts';
import { digestOf, serverIdentity } from './server-definition.ts';
import { blockText, boundedText, plainWord, resourceText } from './server-tools/tool-output.ts';

export const RESOURCE_TOOL = 'mcp_resource';

const lineOf = ({ uri, name, description, mimeType }: JsonObject): string =>
  [uri, name, mimeType, description]
    .map(plainWord)
    .filter((word) => word !== '')
    .join(' | ');

/** The text of a resource, however many parts it has. */
export const resourceContents = (answer: JsonObject): string => {
  const { contents } = answer;
  const parts = (Array.isArray(contents) ? contents : []) as JsonObject[];
  return parts.map(resourceText).join('\n');
};

export const resourceTool = (connections: readonly Connection[]): Tool => {
  const names = connections.map(({ server }) => server.name);
  return {
    name: RESOURCE_TOOL,
    description: `Read a resource of an MCP server (${names.join(', ')}). Without uri: the list of its resources.`,
    risk: 'medium',
    effects: 'network',
    untrusted_content: true,
    dispensable: true,
    main_argument: 'uri',
    reads_only: true,
    timeout_ms: MCP_LIMITS.mcpCallTimeoutMs,
    parameters: {
      type: 'object',
      properties: { server: { type: 'string', enum: names }, uri: { type: 'string' } },
      required: ['server'],
    },
    identity: () => digestOf(connections.map(({ server }) => serverIdentity(server))),
    async preview({ server, uri }) {
      return {
        summary: `MCP server "${String(server)}": ${uri === undefined ? 'list its resources' : `read ${String(uri)}`}`,
      };
    },
    async run({ server, uri }, context) {
      const connection = connections.find((candidate) => candidate.server.name === server);
      if (connection === undefined) return fail('not_found', `There is no MCP server "${String(server)}".`);
      if (uri === undefined) {
        const listed = await connection.resources();
        if (!listed.ok) return fail('io_error', listed.error.message);
        return ok(listed.value.length === 0 ? 'It has no resources.' : listed.value.map(lineOf).join('\n'));
      }
      const read = await connection.readResource(String(uri));
      if (!read.ok) return fail('io_error', read.error.message);
      const { text, truncated } = boundedText(
        resourceContents(read.value),
        context.keptResultBytes ?? MCP_LIMITS.mcpResultBytes,
      );
      return truncated === undefined ? ok(text) : ok(text, { truncated });
    },
  };
};

/** What a person names of a server: one of its prompts, else a resource. */
export const bringFrom = async (connection: Connection, named: string): Promise<Outcome<string>> => {
  const prompts = await connection.prompts();
  if (!prompts.ok) return prompts;
  if (prompts.value.some(({ name }) => name === named)) {
    const prompt = await connection.prompt(named, {});
    if (!prompt.ok) return prompt;
    const { messages } = prompt.value;
    const texts = ((Array.isArray(messages) ? messages : []) as JsonObject[]).map(({ content }) => blockText(content));
    return succeed(boundedText(texts.join('\n'), MCP_LIMITS.mcpResultBytes).text);
  }
  const read = await connection.readResource(named);
  return read.ok ? succeed(boundedText(resourceContents(read.value), MCP_LIMITS.mcpResultBytes).text) : read;
};
