/** halter as an MCP server over HTTP with the tools that the official suite calls; prints its address. */
import type { CustomCommand } from '../../../src/core/custom-command.ts';
import { defineTool } from '../../../src/core/tool/define-tool.ts';
import type { Tool } from '../../../src/core/tool.ts';
import { ok } from '../../../src/core/tool-result.ts';
import { createApp, listen } from '../../../src/server/index.ts';
import { openHalter } from '../../../src/server/open-halter.ts';
import { BUILT_IN_TOOLS } from '../../../src/tools/index.ts';

const nothing = { type: 'object', properties: {} } as const;

export const SUITE_TOOLS: Tool[] = [
  defineTool({
    name: 'test_simple_text',
    description: 'A text',
    parameters: nothing,
    risk: 'safe',
    run: () => ok('This is a simple text response for testing.'),
  }),
  defineTool({
    name: 'test_error_handling',
    description: 'Always fails',
    parameters: nothing,
    risk: 'safe',
    run() {
      throw new Error('This tool intentionally returns an error for testing');
    },
  }),
  defineTool({
    name: 'test_tool_with_progress',
    description: 'Tells how far it is',
    parameters: nothing,
    risk: 'safe',
    run(_args, { report }) {
      for (const part of ['begun', 'half', 'done']) report(part);
      return ok('done');
    },
  }),
  defineTool({
    name: 'test_tool_with_logging',
    description: 'Tells what it does',
    parameters: nothing,
    risk: 'safe',
    run(_args, { report }) {
      for (const part of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) report(part);
      return ok('logged');
    },
  }),
  defineTool({
    name: 'test_elicitation',
    description: 'Is asked about',
    parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    risk: 'medium',
    run: () => ok('allowed'),
  }),
  // As a plugin may bring it, with its schema word for word.
  {
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    parameters: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    risk: 'safe',
    effects: 'none',
    run: async () => ok('fits'),
  },
];

/** Names of commands have no underline; the suite asks for prompts by names that have one. */
const command = (name: string, template: string): CustomCommand => ({
  name,
  description: `The prompt ${name}`,
  template,
  from: 'plugin',
});
const SUITE_COMMANDS: CustomCommand[] = [
  command('test_simple_prompt', 'This is a simple prompt for testing.'),
  command('test_prompt_with_arguments', "Prompt with arguments: arg1='$1', arg2='$2'"),
];

export type ServedSuite = { url: string; close(): Promise<void> };

/** The suite sends no token, so it is put in here; everything else is as `halter serve` has it. */
export const serveSuite = async (folder: string): Promise<ServedSuite> => {
  const halter = await openHalter({
    folder,
    io: { environment: { HOME: folder, PATH: process.env['PATH'] ?? '' } },
    permissions: { sandbox: false },
    tools: [...BUILT_IN_TOOLS, ...SUITE_TOOLS],
    prompt: { commands: SUITE_COMMANDS },
  });
  const app = createApp({ halter, token: 'token-of-the-suite' });
  const withToken = (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers);
    headers.set('authorization', 'Bearer token-of-the-suite');
    const { url, method, body } = request;
    return app(new Request(url, { method, headers, body, duplex: 'half' } as RequestInit));
  };
  const listening = await listen(withToken, { host: '127.0.0.1', port: 0 });
  if (!listening.ok) throw new Error(listening.error.message);
  return {
    url: `http://localhost:${listening.value.port}/mcp`,
    async close() {
      await app.close();
      await listening.value.close();
      await halter.close();
    },
  };
};
