/** What a halter serves besides tools: commands of the person's own as prompts, and completion of what they are filled with. */
import { INVALID_PARAMS, ProtocolError, type Server } from '@modelcontextprotocol/server';
import { MCP_LIMITS } from './limits.ts';

export type ServedPrompt = {
  name: string;
  description: string;
  arguments: { name: string; description: string; required: boolean }[];
};

export type PromptSource = {
  /** As they are now: a file may have been written meanwhile. */
  list(): Promise<readonly ServedPrompt[]>;
  /** The text of a prompt; undefined where there is none of that name. */
  fill(name: string, values: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** What a value may go on with. */
  complete(value: string): Promise<readonly string[]>;
};

export const servePrompts = (server: Server, source: PromptSource): void => {
  server.setRequestHandler('prompts/list', async () => ({ prompts: [...(await source.list())] }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const { name, arguments: values = {} } = params;
    const prompt = (await source.list()).find((known) => known.name === name);
    const missing = prompt?.arguments.find((each) => each.required && values[each.name] === undefined);
    const text = prompt && missing === undefined ? await source.fill(name, values) : undefined;
    if (prompt === undefined || text === undefined) {
      const why = missing === undefined ? `There is no prompt ${name}.` : `The prompt ${name} needs ${missing.name}.`;
      throw new ProtocolError(INVALID_PARAMS, why);
    }
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const found = params.ref.type === 'ref/prompt' ? await source.complete(params.argument.value) : [];
    const values = found.slice(0, MCP_LIMITS.mcpCompletions);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
};
