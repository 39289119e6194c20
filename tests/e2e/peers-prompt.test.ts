/** What the first request costs, as it really goes out, in both protocols and both sizes of the prompt. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineTool } from '../../src/core/define-tool.ts';
import { estimateTokens } from '../../src/core/tokens.ts';
import { type Tool, type ToolSchema, toolSchema } from '../../src/core/tool.ts';
import { toolsTokens } from '../../src/core/window.ts';
import { headBudget, offeredTools } from '../../src/core/window-tier.ts';
import { type ScriptedServer, startScriptedServer } from '../../src/testing/index.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';

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
    expect(head).toBeLessThanOrEqual(headBudget(tier));
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

  it('gets shorter descriptions, and in a small window only the tools that it needs', () => {
    verifies('B8');
    const standard = offeredTools('standard', many, schemas);
    expect(standard).toHaveLength(60);
    expect(toolsTokens(standard)).toBeLessThan(toolsTokens(schemas));
    expect(standard[0]?.function.description).toBe('Looks something up in a list.');
    const small = offeredTools('small', many, schemas);
    expect(small.map((schema) => schema.function.name)).toEqual(many.slice(0, 10).map(({ name }) => name));
  });

  it('is left as it is where it fits', () => {
    const own = BUILT_IN_TOOLS.slice(0, 5);
    const ownSchemas = own.map(toolSchema);
    expect(offeredTools('small', own, ownSchemas)).toBe(ownSchemas);
  });
});
