/** What the first request costs, as it really goes out, in both protocols and both sizes of the prompt. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineTool } from '../../src/core/tool/define-tool.ts';
import { type Tool, type ToolSchema, toolSchema } from '../../src/core/tool.ts';
import { offeredTools, prefixBudget } from '../../src/core/window/tier.ts';
import { estimateTokens } from '../../src/core/window/tokens.ts';
import { toolsTokens } from '../../src/core/window.ts';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { verifies } from '../requirements.ts';
import { expectWithin } from '../support/budget.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const FIRST_REQUEST =
  'After adding a tool: shorten its description and those of its parameters (`npm run bench:prompt` says what each takes), ' +
  'or set `dispensable: true` on a tool that most messages do without, so that it is described when a message needs it.';

describe.each([
  ['openai', (server: ScriptedServer) => ['--provider', 'openai', '--base-url', server.openaiUrl]],
  ['ollama', (server: ScriptedServer) => ['--provider', 'ollama', '--base-url', server.url]],
] as const)('the first request, the %s form', (_protocol, flags) => {
  it.each([
    ['small', 8_192],
    ['standard', 65_536],
  ] as const)('holds to the %s budget in a window of %d tokens', async (tier, window) => {
    verifies('B7', 'B8');
    const models = [{ id: 'test-model', context_length: window, loaded_context_length: window }];
    const server = await startScriptedServer({ models, turns: [{ text: 'ok' }] });
    onTestFinished(() => server.close());
    await runHalter(['run', 'x', ...flags(server)]);
    const body = server.requests[0]?.body as { messages: { content: string }[]; tools: ToolSchema[] };
    const head = estimateTokens(body.messages[0]?.content ?? '') + toolsTokens(body.tools);
    expect(body.tools.length).toBeGreaterThanOrEqual(14);
    expect(head).toBeGreaterThan(500);
    const what = `The first request of the ${tier} size`;
    expectWithin({ what, most: prefixBudget(tier), unit: 'tokens', advice: FIRST_REQUEST }, head);
  });
});

describe('a list of tools that is too long for its size', () => {
  const many: Tool[] = Array.from({ length: 60 }, (_, index) => ({
    ...defineTool({
      name: `look_up_${index}`,
      description: 'Looks something up in a list. It takes a long time, so think of something else first.',
      risk: 'safe',
      effects: 'none',
      parameters: { type: 'object', properties: { key: { type: 'string', description: 'What to look up' } } },
      run: () => 'ok',
    }),
    dispensable: index >= 10,
  }));
  const schemas = many.map(toolSchema);

  it('gets shorter descriptions, and in a small window one tool stands for those that it can do without', () => {
    verifies('B8');
    const standard = offeredTools('standard', many, schemas);
    expect(standard.head.length).toBeGreaterThan(30);
    expect(standard.head.length + standard.behind.length).toBe(61);
    expect(toolsTokens(standard.head)).toBeLessThan(prefixBudget('standard'));
    expect(standard.head[0]?.function.description).toBe('Looks something up in a list.');
    const small = offeredTools('small', many, schemas);
    const names = many.map(({ name }) => name);
    expect(small.head.map((schema) => schema.function.name)).toEqual([...names.slice(0, 10), 'use_tool']);
    expect(small.behind.map((schema) => schema.function.name)).toEqual(names.slice(10));
  });

  it('is left as it is where it fits', () => {
    const own = BUILT_IN_TOOLS.slice(0, 5);
    const ownSchemas = own.map(toolSchema);
    expect(offeredTools('small', own, ownSchemas)).toEqual({ head: ownSchemas, behind: [] });
  });
});

describe('a call of a further tool', () => {
  const CALLS = [
    ['through use_tool', { name: 'use_tool', arguments: { name: 'system_stats', arguments: {} } }],
    ['with its arguments as text', { name: 'use_tool', arguments: { name: 'system_stats', arguments: '{}' } }],
    ['by its own name', { name: 'system_stats', arguments: {} }],
  ] as const;

  it.each(CALLS)('is run %s, and what matters to a message is described at its end', async (_, call) => {
    verifies('B8', 'B4');
    const server = await startScriptedServer({
      models: [{ id: 'test-model', context_length: 8_192 }],
      turns: [{ calls: [call] }, { text: 'It is busy.' }, { text: 'Hello.' }],
    });
    onTestFinished(() => server.close());
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '--format', 'json'];
    const home = scratchFolder();
    const cwd = scratchFolder();
    const ran = await runHalter(['run', 'How much memory and CPU is in use by the system?', ...flags], { home, cwd });
    expect(ran.json()).toMatchObject({ answer: 'It is busy.', tools_used: ['system_stats'] });
    await runHalter(['run', '-c', 'Good morning!', ...flags], { home, cwd });

    const bodies = server.requests.map(({ body }) => body as { messages: { content: string }[]; tools: ToolSchema[] });
    const [first, second, resumed] = bodies;
    const names = first?.tools.map((tool) => tool.function.name);
    expect(names).toContain('use_tool');
    expect(names).not.toContain('system_stats');
    expect(first?.messages[1]?.content).toMatch(/^How much memory.*\n\n\[Tools for this, .*"name":"system_stats"/s);
    // The list is frozen, what stood at the end of a message stays there, and a greeting needs none.
    expect(second?.tools).toEqual(first?.tools);
    expect(resumed?.tools).toEqual(first?.tools);
    expect(second?.messages.slice(0, 2)).toEqual(first?.messages);
    expect(resumed?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
    expect(resumed?.messages.at(-1)?.content).toBe('Good morning!');
  });
});
