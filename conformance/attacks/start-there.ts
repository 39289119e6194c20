/**
 * Starts halter in this process, for cases that put the process into a bad place or damage what it finds at its start.
 * Reads `StartThere` on stdin, prints `StartAnswer`.
 */
import { text } from 'node:stream/consumers';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';
import { asList, asObject } from './attack-case.ts';
import type { Decision } from './names.ts';
import { callTool } from './play-call.ts';

export type StartThere = {
  root: string;
  environment: Record<string, string>;
  /** Calls to be decided; none: some call of every tool that can do harm. */
  calls?: { tool: string; args: JsonObject }[];
};
export type StartAnswer = {
  /** Why it did not start. */
  problem?: string;
  warnings: string[];
  decisions: (Decision & { tool: string; message: string | null })[];
};

/** What is no address is refused before anybody is asked. */
const ADDRESS = 'https://example.org/';
/** Some arguments that fit, to see what would be decided about a call. */
const argumentsFor = (parameters: JsonObject): JsonObject => {
  const properties = asObject(parameters['properties']);
  const values: JsonObject = { string: 'x', integer: 1, number: 1, boolean: true, array: [] };
  return Object.fromEntries(
    asList(parameters['required']).map((name) => {
      if (name === 'url') return ['url', ADDRESS];
      const { type, enum: choices } = asObject(properties[String(name)]);
      return [String(name), (asList(choices)[0] ?? values[String(type ?? 'string')] ?? 'x') as JsonValue];
    }),
  );
};

const { root, environment, calls } = JSON.parse(await text(process.stdin)) as StartThere;
/** A tool without its service says so before anybody is asked. With one, what is decided about it is seen. */
const SERVICES = { HALTER_WEB_SEARCH_URL: 'http://127.0.0.1:9/', HALTER_IMAGE_URL: 'http://127.0.0.1:9/' };

const warnings: string[] = [];
const opened = await openTestAgent({
  folder: root,
  environment: { ...SERVICES, ...environment },
  platform: process.platform,
  onWarning: (_code, message) => warnings.push(message),
});
const decisions: StartAnswer['decisions'] = [];
if (opened.ok) {
  const all = opened.value.tools
    .filter(({ risk }) => risk !== 'safe')
    .map(({ name, parameters }) => ({ tool: name, args: argumentsFor(parameters) }));
  for (const { tool, args } of calls ?? all) {
    const { decision, result } = await callTool(opened.value, tool, args);
    decisions.push({ ...decision, tool, message: result.error_message });
  }
  await opened.value.close();
}
const answer: StartAnswer = { warnings, decisions, ...(opened.ok ? {} : { problem: opened.error.message }) };
process.stdout.write(JSON.stringify(answer));
