/** MCP servers in the library: named by the program, under its permissions, gone with the harness. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHarness, type HarnessOptions, type ServerQuestion } from '../../src/index.ts';
import { scriptedProvider } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { scratchFolder } from '../support/scratch.ts';

const SERVERS = path.join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
const everything = { command: process.execPath, args: [path.join(SERVERS, 'server-everything/dist/index.js')] };

/** Each starts a server that is a program of its own. */
const LONG = { timeout: 30_000 };

const open = (options: Omit<HarnessOptions, 'model'>) => {
  const harness = createHarness({ model: 'm', workspace: scratchFolder(), ...options });
  onTestFinished(() => harness.close());
  return harness;
};
const call = (name: string, args = {}) => ({ calls: [{ name, arguments: args }] });

describe('mcpServers of a harness', () => {
  it('bring tools that are asked about, run and end with the harness', LONG, async () => {
    verifies('B10', 'K1');
    const asked: string[] = [];
    const provider = scriptedProvider([call('mcp__all__echo', { message: 'x' }), { text: 'done' }], {
      models: [{ id: 'm' }],
    });
    const harness = open({
      provider,
      mcpServers: { all: everything },
      onPermission: ({ name, preview }) => {
        asked.push(`${name}: ${preview?.summary}`);
        return 'allow_once';
      },
    });
    expect(harness.tools).toEqual([]);
    const { toolCalls, toolsUsed } = await harness.chat('go');
    expect(toolCalls).toMatchObject([{ name: 'mcp__all__echo', result: { success: true, data: 'Echo: x' } }]);
    expect(toolsUsed).toEqual(['mcp__all__echo']);
    expect(asked).toEqual([expect.stringMatching(/^mcp__all__echo: MCP server "all", tool echo/)]);
    expect(harness.tools.map(({ name }) => name)).toContain('mcp__all__get-sum');
    // Without any process of its own left, the server's pid is somebody else's or nobody's.
    const env = await harness.executeTool('mcp__all__get-env', {});
    expect(env.success).toBe(true);
    await harness.close();
    expect((await childrenOf(process.pid)).filter((line) => line.includes('server-everything'))).toEqual([]);
  });

  it('deny what nobody allows, and hand what a server asks to the program', LONG, async () => {
    verifies('B10');
    const questions: ServerQuestion[] = [];
    const provider = scriptedProvider(
      [
        call('mcp__all__trigger-sampling-request', { prompt: 'say it', maxTokens: 9 }),
        { text: 'words' },
        { text: 'ok' },
      ],
      { models: [{ id: 'm' }] },
    );
    const harness = open({
      provider,
      mcpServers: { all: everything },
      permissions: { allow: ['mcp__all__trigger*'] },
      onServerQuestion: (question) => {
        questions.push(question);
        return { action: 'accept', ...(question.kind === 'sampling_answer' ? { content: { text: 'Words.' } } : {}) };
      },
    });
    const { toolCalls } = await harness.chat('go');
    expect(toolCalls[0]?.result.data).toContain('Words.');
    expect(questions).toMatchObject([
      { kind: 'sampling', server: 'all', prompt: expect.stringContaining('say it'), max_tokens: 9 },
      { kind: 'sampling_answer', answer: 'words', model: 'm' },
    ]);
    expect(questions[0]?.tool_call_id).toBe(toolCalls[0]?.id);
    expect(await harness.executeTool('mcp__all__echo', { message: 'x' })).toMatchObject({
      error_type: 'permission_denied',
    });
    // A form that is not filled in as it has to be is not sent.
    const form = await harness.executeTool('mcp__all__trigger-elicitation-request', {});
    expect(form.data).toMatch(/declin/i);
    expect(questions.at(-1)).toMatchObject({ kind: 'form', fields: { required: ['name'] } });
  });

  it('are an error where one of them cannot be used, and the harness closes all the same', LONG, async () => {
    verifies('B10');
    const gone = open({
      provider: scriptedProvider([{ text: 'hi' }], { models: [{ id: 'm' }] }),
      mcpServers: { gone: { command: 'there-is-no-such-program-here' } },
    });
    await expect(gone.chat('hi')).rejects.toThrow(/"gone" \(.*there-is-no-such-program-here/);
    await gone.close();
    const odd = open({ provider: scriptedProvider([]), mcpServers: { bad__name: { command: 'x' } } });
    await expect(odd.executeTool('x', {})).rejects.toThrow(/^mcpServers: bad__name: its name/);
  });
});

const childrenOf = async (pid: number): Promise<string[]> => {
  if (process.platform !== 'linux') return [];
  const found: string[] = [];
  for (const entry of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const parent = /^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${entry}/status`, 'utf8'))?.[1];
      if (Number(parent) === pid) found.push(fs.readFileSync(`/proc/${entry}/cmdline`, 'utf8'));
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
};
