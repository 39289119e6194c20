/** halter as a server of the Model Context Protocol, on its pipes, spoken to by the protocol's own client. */
import fs from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../requirements.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

describe('halter mcp', () => {
  const connected = async (args: readonly string[], capabilities: object, cwd: string, home = scratchFolder()) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...args],
      env: cleanEnvironment(home),
      cwd,
    });
    const client = new Client({ name: 'test', version: '1' }, { capabilities });
    await client.connect(transport);
    onTestFinished(() => client.close());
    return client;
  };

  it('serves the tools under the rules: an answer whole, a refusal with the rule, a question where one can be put', async () => {
    verifies('B10');
    const cwd = scratchFolder();
    putFiles(cwd, { 'a.txt': 'hello\n' });
    const silent = await connected([], {}, cwd);
    const { tools } = await silent.listTools();
    expect(tools.find(({ name }) => name === 'read_file')).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(await silent.callTool({ name: 'ls', arguments: {} })).toMatchObject({
      isError: false,
      structuredContent: { success: true, error_type: 'none', data: expect.stringContaining('a.txt') },
    });
    const write = { name: 'write_file', arguments: { path: 'b.txt', content: 'new' } };
    expect(await silent.callTool(write)).toMatchObject({
      isError: true,
      structuredContent: { error_type: 'permission_denied', metadata: { reason: 'permission_required' } },
      content: [{ text: expect.stringContaining("--allow 'write_file'") }],
    });
    expect(await silent.callTool({ name: 'no_such_tool', arguments: {} })).toMatchObject({
      isError: true,
      structuredContent: { error_type: 'not_found' },
    });
    await silent.close();

    const asking = await connected(['--allow', 'bash', '--no-sandbox'], { elicitation: {} }, cwd);
    const questions: string[] = [];
    let decision = 'deny';
    asking.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { decision } };
    });
    expect(await asking.callTool(write)).toMatchObject({ structuredContent: { metadata: { reason: 'person' } } });
    expect(fs.existsSync(path.join(cwd, 'b.txt'))).toBe(false);
    decision = 'allow once';
    expect(await asking.callTool(write)).toMatchObject({ isError: false });
    expect(fs.readFileSync(path.join(cwd, 'b.txt'), 'utf8')).toBe('new');
    expect(questions[0]).toMatch(/Allow write_file\?[\s\S]*b\.txt/);

    const controller = new AbortController();
    const begun = asking.callTool({ name: 'bash', arguments: { command: 'echo begun; sleep 100' } }, undefined, {
      signal: controller.signal,
      onprogress: () => controller.abort(),
    });
    await expect(begun).rejects.toThrow();
    await asking.close();
  });

  it('serves commands of the person as prompts, completes paths, and logs what tools tell to whoever asked', async () => {
    verifies('B10');
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    putFiles(cwd, { 'src/one.ts': '1\n', 'src/two.ts': '2\n' });
    putFiles(home, {
      '.config/halter/commands/explain.md': '---\ndescription: Explain a file\n---\nExplain $1 to $2.\n',
      '.config/halter/commands/tidy.md': 'Tidy up.\n',
    });
    const client = await connected(['--allow', 'bash', '--no-sandbox'], {}, cwd, home);
    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: 'explain',
        description: 'Explain a file',
        arguments: ['arg1', 'arg2'].map((name) => expect.objectContaining({ name, required: true })),
      },
      { name: 'tidy', description: 'Tidy up.', arguments: [expect.objectContaining({ required: false })] },
    ]);
    const filled = await client.getPrompt({ name: 'explain', arguments: { arg1: 'my "file"', arg2: 'a child' } });
    expect(filled.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Explain my "file" to a child.' } },
    ]);
    const more = await client.getPrompt({ name: 'tidy', arguments: { arguments: 'the kitchen' } });
    expect(JSON.stringify(more.messages)).toContain('Tidy up.\\n\\nthe kitchen');
    await expect(client.getPrompt({ name: 'explain', arguments: { arg1: 'x' } })).rejects.toThrow(/needs arg2/);
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow(/no prompt none/);
    const ref = { type: 'ref/prompt' as const, name: 'explain' };
    const completed = await client.complete({ ref, argument: { name: 'arg1', value: 'src/t' } });
    expect(completed.completion).toEqual({ values: ['src/two.ts'], total: 1, hasMore: false });

    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      logged.push(params);
    });
    const echo = { name: 'bash', arguments: { command: 'echo told' } };
    await client.callTool(echo);
    expect(logged).toEqual([]);
    await client.setLoggingLevel('info');
    await client.callTool(echo);
    expect(logged).toContainEqual({ level: 'info', logger: 'bash', data: 'told\n' });
    await client.setLoggingLevel('error');
    const before = logged.length;
    await client.callTool(echo);
    expect(logged).toHaveLength(before);
  });

  it('tells when its tools or prompts are other ones, because settings, plugins or commands changed', async () => {
    verifies('B10');
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    const client = await connected(['--allow', 'bash', '--no-sandbox'], {}, cwd, home);
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
    });
    let heard: (() => void) | undefined;
    const told: string[] = [];
    const hear = (what: string) => () => {
      told.push(what);
      heard?.();
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, hear('tools'));
    client.setNotificationHandler(PromptListChangedNotificationSchema, hear('prompts'));
    const next = async (change: () => void): Promise<string | undefined> => {
      const word = new Promise<void>((resolve) => {
        heard = resolve;
      });
      change();
      await word;
      return told.shift();
    };
    const tools = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
    const config = (name: string, content: string) => () => putFiles(home, { [`.config/halter/${name}`]: content });

    expect(await tools()).toContain('web_fetch');
    // A call that is running goes on while everything round it is opened anew.
    const long = client.callTool({
      name: 'bash',
      arguments: { command: 'until [ -e done ]; do sleep 0.05; done; echo ended' },
    });
    expect(await next(config('config.json', '{"offline": true}'))).toBe('tools');
    expect(await tools()).not.toContain('web_fetch');
    putFiles(cwd, { done: '' });
    expect(await long).toMatchObject({ structuredContent: { data: 'ended\n' } });

    expect(await next(config('commands/tidy.md', 'Tidy up.\n'))).toBe('prompts');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['tidy']);
    const plugin = `export const plugin = { name: 'p', tools: [{ name: 'wish', description: 'w', risk: 'safe', effects: 'none',
      parameters: { type: 'object', properties: {} }, run: async () => ({ success: true, data: 'granted' }) }] };`;
    expect(await next(config('plugins/p.mjs', plugin))).toBe('tools');
    expect(await client.callTool({ name: 'wish', arguments: {} })).toMatchObject({ content: [{ text: 'granted' }] });
    // What cannot be used changes nothing, and what changes no list is not told.
    config('config.json', '{"offline": tr')();
    expect(await next(config('commands/more.md', 'More.\n'))).toBe('prompts');
    expect(await tools()).toContain('wish');
    expect(told).toEqual([]);
  });
});
