/**
 * There is one way to a side effect, and it leads past the rules (G1): held by what files import, and by calling every
 * tool over every surface while everything is denied, or while nobody answers.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonSchema, JsonValue } from '../src/core/json.ts';
import type { ToolResult } from '../src/core/tool-result.ts';
import { createHarness } from '../src/harness/create-harness.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { isTest, listFiles, readSource } from './source-files.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const code = listFiles('src')
  .map(readSource)
  .filter((file) => !isTest(file.path));
const naming = (pattern: RegExp): string[] => code.filter((file) => pattern.test(file.code)).map((file) => file.path);

describe('the way to a tool', () => {
  it('runs tools in one place, which only those can reach who have asked authorize()', () => {
    verifies('S2');
    expect(naming(/\btool\.run\(/).sort()).toEqual([
      'src/agent/loop/run-tool.ts',
      'src/agent/loop/run-tool/result-cache.ts',
    ]);
    // A replay works in a copy that is thrown away, and has neither processes nor a network to give.
    const replay = code.find((file) => file.path === 'src/agent/replay/tools.ts');
    expect(naming(/\brunTool\(/).sort()).toEqual([
      'src/agent/loop/run-tool/result-cache.ts',
      ...(replay ? [replay.path] : []),
    ]);
    expect(/createProcesses|createNetwork|node:(?:child_process|net|http)/.test(replay?.code ?? '')).toBe(false);
    const running = naming(/\bcache\.run\(/).sort();
    expect(running).toEqual(['src/agent/loop/run-effects.ts', 'src/agent/loop/run-tool/execute-tool.ts']);
    for (const file of running) expect(naming(/\b(?:authorize|judgeCall)\(/)).toContain(file);
    expect(naming(/\bauthorize\(/)).toContain('src/agent/permissions/authorize/judge-call.ts');
  });

  it('starts processes and opens sockets behind their ports alone', () => {
    verifies('S1');
    const ports = (pattern: RegExp): string[] =>
      code
        .filter((file) => file.imports.some((name) => pattern.test(name)))
        .map((file) => file.path)
        // The program itself starting up, opening a page for the person, and the cases it plays against itself.
        .filter((file) => !/^src\/(?:cli|testing)\//.test(file))
        .sort();
    const behindThePort = ports(/^node:child_process$/).filter((file) => file.startsWith('src/io/processes/'));
    expect(behindThePort).toContain('src/io/processes/start.ts');
    expect(ports(/^node:child_process$/)).toEqual([
      ...behindThePort,
      'src/sandbox/detect.ts',
      'src/sandbox/run-program.ts',
    ]);
    expect(
      ports(/^node:(?:net|tls|http|https|http2|dgram)$/).every((file) => /^src\/(?:io\/network|server\/)/.test(file)),
    ).toBe(true);
    expect(naming(/(?<![.\w])fetch\(/).filter((file) => !/^src\/(?:cli|testing|server|dialects)\//.test(file))).toEqual(
      [],
    );
  });
});

/** Arguments that a tool takes, so that nothing but the rules stands in the way. */
const sample = (schema: JsonSchema): JsonValue => {
  const { enum: choices, minimum, type } = schema as { enum?: JsonValue[]; minimum?: number; type?: string };
  if (choices) return choices[0] ?? null;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return type === 'object' ? {} : 'sample.txt';
};
const argumentsFor = ({ parameters }: { parameters: JsonSchema }): JsonObject => {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  // What is no address is refused before anybody could be asked.
  const sampleOf = (name: string) => (name === 'url' ? 'https://example.com/' : sample(properties[name] ?? {}));
  return Object.fromEntries(required.map((name) => [name, sampleOf(name)]));
};

/** So that no tool fails because its service is missing. */
const withServices = (): Record<string, string | undefined> => {
  const HOME = scratchFolder();
  const service = 'http://127.0.0.1:9';
  return { HOME, PATH: process.env['PATH'], HALTER_WEB_SEARCH_URL: service, HALTER_IMAGE_URL: service };
};

describe.each([
  { title: 'everything is denied', options: { deny: ['*'], allow: ['*'], mode: 'yolo' as const }, refused: () => true },
  { title: 'nobody answers', options: { onAsk: 'deny' as const }, refused: (risk: string) => risk !== 'safe' },
])('while $title', ({ options, refused }) => {
  it('no tool runs over the loop, a direct call or HTTP', async () => {
    verifies('L3', 'Z7', 'S1', 'S2');
    const world = await testServer(
      (_request, number) =>
        number === 0
          ? { calls: BUILT_IN_TOOLS.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) })) }
          : { text: 'done' },
      { ...options, maxToolCalls: 100, environment: withServices() },
    );
    const { halter } = world;
    writeFileSync(path.join(halter.root, 'sample.txt'), 'one\n');
    const tools = halter.tools.filter(({ risk }) => refused(risk));
    expect(tools.length).toBeGreaterThan(7);

    for (const tool of tools) {
      const direct = await halter.executeTool(tool.name, argumentsFor(tool));
      expect([tool.name, direct.error_type]).toEqual([tool.name, 'permission_denied']);
      const call = { tool_name: tool.name, arguments: argumentsFor(tool) };
      const answer = await world.call('POST', '/api/tools/execute', call);
      expect([tool.name, answer.status]).toEqual([tool.name, 403]);
      expect(((await answer.json()) as { success: boolean }).success).toBe(false);
    }
    const session = await halter.openSession();
    if (!session.ok) throw new Error(session.error.message);
    await session.value.send({ type: 'send_message', content: 'use all of them' });
    await session.value.idle();
    const results = session.value.log().flatMap((event) => (event.type === 'tool_finished' ? [event] : []));
    const started = session.value.log().flatMap((event) => (event.type === 'tool_started' ? [event.tool_call_id] : []));
    const asked = session.value
      .log()
      .flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []));
    for (const { id, name } of asked.filter((call) => tools.some((tool) => tool.name === call.name))) {
      const result = results.find((each) => each.tool_call_id === id)?.result as ToolResult;
      expect([name, result.error_type]).toEqual([name, 'permission_denied']);
      expect(started).not.toContain(id);
    }
    expect(readdirSync(halter.root)).toEqual(['sample.txt']);
  });
});

it('no tool runs over the command line or the library without a yes', async () => {
  verifies('S1', 'S3');
  const cwd = scratchFolder();
  const ran = await runHalter(['tools', 'call', 'write_file', '{"path":"a.txt","content":"x"}'], { cwd });
  expect(ran.code).toBe(3);
  expect(readdirSync(cwd)).toEqual([]);

  let runs = 0;
  const tool = {
    name: 'touch',
    description: 'counts',
    risk: 'medium' as const,
    effects: 'none' as const,
    parameters: { type: 'object', properties: {} },
    run: async () => {
      runs += 1;
      return { success: true as const, data: '' };
    },
  };
  const provider = scriptedProvider([{ calls: [{ name: 'touch', arguments: {} }] }, { text: 'done' }], {
    models: [{ id: 'm' }],
  });
  const harness = createHarness({ model: 'm', provider, tools: [tool], workspace: cwd });
  expect((await harness.executeTool('touch', {})).error_type).toBe('permission_denied');
  await harness.chat('go');
  await harness.close();
  expect(runs).toBe(0);
});
