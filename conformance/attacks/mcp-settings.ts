/** A scripted MCP server for a scene, as the settings of a person name it. */
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import { attackProgram } from './attack-program.ts';
import type { Scene } from './scene.ts';
import type { ScriptedServer } from './scripted-mcp-server.ts';

/** What the server of that name heard, a line of JSON each. */
export const heardFile = (scratch: string, name: string): string => path.join(scratch, `heard-by-${name}.jsonl`);

export const scriptedServer = (
  { scratch }: Pick<Scene, 'scratch'>,
  name: string,
  server: Partial<ScriptedServer> & Pick<ScriptedServer, 'tools'>,
): JsonObject => {
  const script: ScriptedServer = {
    result: { content: [{ type: 'text', text: 'done' }] },
    onCall: 'answer',
    logs: false,
    silentStart: false,
    listChanged: 0,
    heardFile: heardFile(scratch, name),
    environmentFile: path.join(scratch, 'server-environment.json'),
    ...server,
    tools: server.tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })),
  };
  const file = path.join(scratch, `mcp-${name}.json`);
  fs.writeFileSync(file, JSON.stringify(script));
  return { mcpServers: { [name]: { command: process.execPath, args: [attackProgram('scripted-mcp-server'), file] } } };
};

/** `mcp__files__read_file` → the server and its tool. */
export const serverToolNamed = (name: unknown): { server: string; tool: string } | undefined => {
  const [, server, tool] = (typeof name === 'string' && /^mcp__(.+?)__(.+)$/.exec(name)) || [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
};
