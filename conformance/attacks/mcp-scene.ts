/** A scene with a scripted MCP server in it: its settings, what it heard, and a person or program in front of it. */
import fs from 'node:fs';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { ConnectionRecord } from '../../src/io/network.ts';
import { asList, asObject, Unmet } from './attack-case.ts';
import { heardFile, scriptedServer } from './mcp-settings.ts';
import { answer } from './model-server.ts';
import type { Scene } from './scene.ts';
import type { ScriptedServer } from './scripted-mcp-server.ts';
import { openStage, type Stage } from './stage.ts';

export const SERVER = 'files';
const DONE = { content: [{ type: 'text', text: 'done' }] };

/** What a server is given in words. */
const WAYS: Readonly<Record<string, Partial<ScriptedServer>>> = {
  'exits during a call': { onCall: 'exit' },
  'writes logs to stdout': { logs: true },
  'never answers a call': { onCall: 'silent' },
  'answers a call with garbage': { onCall: 'garbage' },
  'never answers initialize': { silentStart: true },
};

/** The server of the case, as the settings of a person name it. */
export const settingsFor = (scene: Scene, changes: Partial<ScriptedServer> = {}): JsonObject => {
  const { given, when } = scene.attack;
  const way = given['server'] === undefined ? {} : WAYS[String(given['server'])];
  if (way === undefined) throw new Unmet(`a server that ${JSON.stringify(given['server'])} is not known`);
  const named = typeof when['call'] === 'string' ? when['call'] : 'add';
  const described: JsonObject = {
    name: named,
    description: given['description'] ?? given['approved_description'] ?? 'A tool.',
    inputSchema: given['inputSchema'] ?? { type: 'object', properties: {} },
    ...(given['annotations'] === undefined ? {} : { annotations: given['annotations'] }),
  };
  const many = Array.from({ length: Number(given['tools'] ?? 0) }, (_, index) => ({
    ...described,
    name: `tool_${index}`,
  }));
  const listed = given['server_tools'] === undefined ? [described] : asList(given['server_tools']).map(asObject);
  const tools = many.length > 0 ? many : listed;
  const { list_changed, response_id } = given;
  if (response_id !== undefined && response_id !== 'unknown')
    throw new Unmet(`an answer with the id ${JSON.stringify(response_id)} is not known`);
  return scriptedServer(scene, SERVER, {
    tools,
    result: asObject(given['result'] ?? DONE),
    ...(list_changed === undefined ? {} : { listChanged: Number(list_changed) }),
    ...(response_id === undefined ? {} : { onCall: 'another id' as const }),
    ...way,
    ...changes,
  });
};

export type Seen = {
  milliseconds: number;
  halter: Agent;
  warnings: string[];
  connections: ConnectionRecord[];
  scene: Scene;
};

export const openWithServer = async (scene: Scene): Promise<Seen> => {
  const warnings: string[] = [];
  const connections: ConnectionRecord[] = [];
  Object.assign(scene.environment, asObject(scene.attack.given['env']));
  const halter = await scene.open({
    mcp: { servers: settingsFor(scene) },
    onWarning: (_code, message) => warnings.push(message),
    onConnection: (record) => connections.push(record),
  });
  const started = performance.now();
  await halter.mcp.open();
  return { halter, warnings, connections, scene, milliseconds: performance.now() - started };
};

export const heard = ({ scratch }: Pick<Scene, 'scratch'>): JsonObject[] => {
  const file = heardFile(scratch, SERVER);
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as JsonObject);
};

/** A model calls the tool once; a person sits in front of the terminal app. */
export const stageWith = (scene: Scene, servers: JsonObject, tool: string, allow?: readonly string[]): Promise<Stage> =>
  openStage(scene, {
    script: (number) =>
      number === 0
        ? answer([], [{ id: 'c1', name: tool, arguments: JSON.stringify(scene.attack.when['call_args'] ?? {}) }])
        : answer(['done']),
    mcp: { servers, askInSessions: true },
    ...(allow ? { allow } : {}),
  });

export const toolOf = ({ attack }: Scene): string =>
  `mcp__${SERVER}__${typeof attack.when['call'] === 'string' ? attack.when['call'] : 'add'}`;
