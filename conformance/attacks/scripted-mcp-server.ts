/** An MCP server on its pipes that behaves as a case says. Reads `ScriptedServer` from the file that it is given. */
import fs from 'node:fs';
import { createInterface } from 'node:readline';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

export type ScriptedServer = {
  tools: JsonObject[];
  /** What it describes instead after the first call, which it announces. */
  laterTools?: JsonObject[];
  /** What every call is answered with. */
  result: JsonObject;
  onCall: 'answer' | 'exit' | 'silent' | 'garbage' | 'another id';
  /** It says nothing to the first question. */
  silentStart: boolean;
  /** So often it says, after its tools were listed, that they are other ones now. */
  listChanged: number;
  /** What it asks of its client while a call runs; what comes back is written down. */
  asks?: { method: string; params: JsonObject };
  /** Where it writes down the methods that it was asked for, and answers to what it asked. */
  heardFile: string;
  /** Lines that are no messages, written before everything else and between. */
  logs: boolean;
  /** Where it writes down the environment it was given. */
  environmentFile: string;
};

const script = JSON.parse(fs.readFileSync(process.argv[2] ?? '', 'utf8')) as ScriptedServer;
fs.writeFileSync(script.environmentFile, JSON.stringify(process.env));

const say = (message: JsonObject): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const note = (heard: JsonObject): void => fs.appendFileSync(script.heardFile, `${JSON.stringify(heard)}\n`);
const log = (): void => {
  if (!script.logs) return;
  for (let line = 0; line < 10; line += 1) process.stdout.write(`INFO server says number ${line}\n`);
};
const ASKED = 'asked-by-the-server';
/** The call that ends when the server has its answer. */
let waiting: JsonValue = null;
let hasAnnounced = false;
let tools = script.tools;
const answerCall = (id: JsonValue): void => {
  if (script.laterTools) {
    tools = script.laterTools;
    say({ method: 'notifications/tools/list_changed' });
  }
  if (script.asks) {
    waiting = id;
    say({ id: ASKED, ...script.asks });
  } else if (script.onCall === 'answer') say({ id, result: script.result });
  else if (script.onCall === 'another id') say({ id: 'nobody-asked-this', result: script.result });
  else if (script.onCall === 'exit') process.exit(1);
  else if (script.onCall === 'garbage')
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":\n{{{{\n`);
};

log();
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as { id?: JsonValue; method?: string; params?: JsonObject };
  const { id, method, params } = message;
  if (id === ASKED) {
    note({ answer: message as JsonObject });
    say({ id: waiting, result: script.result });
    continue;
  }
  note({ method: method ?? '' });
  if (id === undefined || script.silentStart) continue;
  log();
  if (method === 'initialize') {
    const protocolVersion = params?.['protocolVersion'] ?? '2025-06-18';
    const serverInfo = { name: 'scripted', version: '1.0.0' };
    say({ id, result: { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo } });
  } else if (method === 'tools/list') {
    say({ id, result: { tools } });
    if (!hasAnnounced)
      for (let count = 0; count < script.listChanged; count += 1) say({ method: 'notifications/tools/list_changed' });
    hasAnnounced = true;
  } else if (method === 'tools/call') answerCall(id);
  else say({ id, result: {} });
}
