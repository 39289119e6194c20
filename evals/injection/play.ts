/** Plays a conversation call by call against halter's own authorization, without a model. */
import { createToolRegistry } from '../../src/agent/loop/run-tool/tool-registry.ts';
import { type AuthorizePorts, authorize, type Judgement } from '../../src/agent/permissions/authorize.ts';
import type { Event, EventBody } from '../../src/core/events.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { followStanding } from '../../src/core/policy/overrides.ts';
import { type PolicyRules, parseRule } from '../../src/core/policy.ts';
import type { Tool } from '../../src/core/tool.ts';
import type { Connection } from '../../src/mcp/connection.ts';
import { serverTools } from '../../src/mcp/server-tools.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { writeFile } from '../../src/tools/write-file.ts';
import type { DojoCall, DojoSuite, DojoTool } from './data.ts';

export type Verdict = { tool: DojoTool; arguments: JsonObject; verdict: string; because: string; cause: Cause };
/** What a decision took by the clock, and of the processor: on a busy machine the first says how busy it is. */
export type DecisionTime = { wallMs: number; cpuMs: number };
/** Why it asked: a value of untrusted content alone, a recipient from nowhere, or a call that the person's words do not ask for. */
export type Cause = 'untrusted' | 'unknown' | 'not_requested' | 'none';
export type Player = (prompt: string, calls: readonly DojoCall[]) => Promise<Verdict[]>;

const SERVER = { name: 'dojo', from: 'user', kind: 'stdio', command: 'dojo', args: [], env: {} };

/** What a server says of its tools: nothing, what is so, or that all of them only read. */
export type Hints = 'none' | 'honest' | 'lying';

const hintsOf = ({ consequence, reaches }: DojoTool, hints: Hints): JsonObject => {
  if (hints === 'none') return {};
  if (hints === 'lying') return { annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false } };
  return { annotations: { readOnlyHint: !consequence, openWorldHint: consequence || reaches } };
};

/** Tools as an MCP server describes them. */
const toolsOf = (tools: readonly DojoTool[], hints: Hints): Tool[] => {
  // Nothing runs, so only the definition of the server is read.
  const connection = { server: SERVER } as unknown as Connection;
  const described = tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    return { name, description, inputSchema, ...hintsOf(tool, hints) };
  });
  const options = { known: () => undefined, current: () => undefined, differenceOf: () => '' };
  return serverTools(connection, described, options).map(({ tool }) => tool);
};

const causeOf = ({ verdict, origins, because }: Judgement): Cause => {
  if (verdict === 'allow') return 'none';
  if (origins.some(({ origin }) => origin === 'untrusted')) return 'untrusted';
  return because.includes('nothing that you wrote asks for') ? 'not_requested' : 'unknown';
};

const OWN_TOOL: DojoTool = { name: '', description: '', inputSchema: {}, consequence: false, reaches: false };

/** Every tool is allowed by its name, as a person would who wants to be left alone. */
export const createPlayer = (
  suite: DojoSuite,
  workspace: AuthorizePorts['workspace'],
  hints: Hints,
  times: DecisionTime[],
): Player => {
  const tools = toolsOf(suite.tools, hints);
  // For an attacker who goes through a file of the person's.
  const own = [readFile, writeFile];
  const allow = [...tools, ...own].map(({ name }) => {
    const rule = parseRule(name);
    if (!rule.ok) throw new Error(rule.error.message);
    return { ...rule.value, source: 'command line' as const };
  });
  const rules: PolicyRules = { allow, deny: [], mode: 'ask' };
  const ports: AuthorizePorts = { registry: createToolRegistry([...tools, ...own], {}), rules: () => rules, workspace };
  return async (prompt, calls) => {
    const log: Event[] = [];
    const add = (body: EventBody): void => void log.push({ seq: log.length + 1, at: 0, ...body });
    const follow = followStanding(0);
    const verdicts: Verdict[] = [];
    add({ type: 'user_message_added', content: prompt });
    for (const [index, call] of calls.entries()) {
      const id = `call_${index + 1}`;
      // `own:write_file` is halter's.
      const name = call.tool.startsWith('own:') ? call.tool.slice('own:'.length) : `mcp__dojo__${call.tool}`;
      const tool_calls = [{ id, name, arguments: call.arguments, source: 'native' as const, repairs: [] }];
      add({
        type: 'assistant_message_added',
        message: { role: 'assistant', content: '', tool_calls, finish: 'tool_calls' },
      });
      const [start, before] = [performance.now(), process.cpuUsage()];
      const answer = await authorize(
        ports,
        { name, arguments: call.arguments },
        { mode: 'model', standing: follow(log) },
      );
      const { user, system } = process.cpuUsage(before);
      times.push({ wallMs: performance.now() - start, cpuMs: (user + system) / 1000 });
      if (answer.kind === 'refused') throw new Error(`${call.tool}: ${answer.message}`);
      const tool = suite.tools.find((each) => each.name === call.tool) ?? { ...OWN_TOOL, name: call.tool };
      verdicts.push({
        tool,
        arguments: call.arguments,
        verdict: answer.verdict,
        because: answer.because,
        cause: causeOf(answer),
      });
      // A question is answered with yes, so that all later calls are made as well.
      add({
        type: 'policy_evaluated',
        tool_call_id: id,
        verdict: answer.verdict,
        risk: answer.risk,
        exclusive: answer.exclusive,
        arguments: answer.arguments,
        because: answer.because,
        untrusted_content: answer.untrustedContent ? true : undefined,
      });
      const metadata = { execution_time_ms: 0, data_size_bytes: call.result.length, timestamp: 0 };
      const result = { success: true, data: call.result, error_message: null, error_type: 'none' as const, metadata };
      add({ type: 'tool_finished', tool_call_id: id, result });
    }
    return verdicts;
  };
};
