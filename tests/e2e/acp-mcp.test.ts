/** MCP servers that an editor names: asked about through it, started for that session, their tools under the rules. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type McpServer, methods } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { verifies } from '../requirements.ts';
import { type Elicited, flagsFor, say, serve, spoken, withEditor } from '../support/acp-editor.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

const EVERYTHING = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const LONG = { timeout: 40_000 };
/** As an editor names it; `${HOME}` is no variable there. */
const named = (env: Record<string, string> = {}): McpServer => ({
  name: 'Every Thing!',
  command: process.execPath,
  args: [EVERYTHING],
  env: Object.entries(env).map(([name, value]) => ({ name, value })),
});
const call = (name: string, args: Record<string, string | number> = {}) => ({
  calls: [{ id: name, name: `mcp__Every-Thing__${name}`, arguments: args }],
});

describe('MCP servers of an editor', () => {
  it('start after a yes to the exact command, and not again without one', LONG, async () => {
    verifies('B10', 'H12');
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    const literal = ['$', '{HOME}'].join('');
    const server = await serve([
      call('get-env'),
      { text: 'Done.' },
      { text: 'Without it.' },
      call('echo', { message: 'x' }),
      { text: 'Later.' },
    ]);
    const answers: string[] = ['remember', 'allow_once'];
    const ask = async (mcpServers: McpServer[], prompt: string) =>
      withEditor(
        server,
        ({ title }) => (title.includes('the MCP server') ? answers.shift() : 'allow_once'),
        async (editor, { updates, questions }) => {
          const { sessionId } = await editor.request(methods.agent.session.new, { cwd, mcpServers });
          await editor.request(methods.agent.session.prompt, { sessionId, prompt: say(prompt) });
          await editor.request(methods.agent.session.close, { sessionId });
          return { updates, questions, sessionId };
        },
        home,
      );
    const first = await ask([named({ PLACE: literal })], 'go');
    expect(first.questions[0]).toEqual({
      title: 'Start the MCP server Every-Thing',
      options: ['allow_once: Start it now', 'remember: Start it, now and later, as it is', 'deny: Go on without it'],
      content: [
        {
          type: 'content',
          content: { type: 'text', text: expect.stringContaining(`server-everything/dist/index.js`) },
        },
      ],
    });
    expect(first.questions[1]?.title).toMatch(/mcp__Every-Thing__get-env/);
    expect(JSON.stringify(first.updates)).toContain(JSON.stringify(JSON.stringify(literal)).slice(1, -1));
    // Another variable is another command.
    answers.splice(0, 1, 'deny');
    const second = await ask([named({ PLACE: 'elsewhere' })], 'again');
    expect(second.questions).toHaveLength(1);
    expect(spoken(second.updates, 'agent_message_chunk')).toBe('Without it.');
    const tools = JSON.stringify(server.requests.at(-1)?.body);
    expect(tools).not.toContain('mcp__Every-Thing');
    const third = await ask([named({ PLACE: literal })], 'later');
    expect(third.questions.map(({ title }) => title)).toEqual([expect.stringMatching(/^mcp__Every-Thing__echo/)]);
    expect(third.updates).toContainEqual(expect.objectContaining({ toolCallId: 'echo', status: 'completed' }));
  });

  it('are there for a loaded session too, and ask through the forms of the editor', LONG, async () => {
    verifies('B10');
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    const server = await serve([
      { text: 'Hello.' },
      call('trigger-elicitation-request'),
      { text: 'Filled in.' },
      call('trigger-sampling-request', { prompt: 'say it', maxTokens: 9 }),
      { text: 'words of the model' },
      { text: 'Sampled.' },
    ]);
    const elicited: Elicited[] = [];
    const sessionId = await withEditor(
      server,
      () => 'deny',
      async (editor) => {
        const opened = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        await editor.request(methods.agent.session.prompt, { sessionId: opened.sessionId, prompt: say('hello') });
        return opened.sessionId;
      },
      home,
    );
    await withEditor(
      server,
      ({ title }) => (/asks the model|Send the model/.test(title) ? 'accept' : 'allow_once'),
      async (editor, { updates, questions }) => {
        await editor.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [named()] });
        expect(questions.map(({ title }) => title)).toEqual(['Start the MCP server Every-Thing']);
        await editor.request(methods.agent.session.prompt, { sessionId, prompt: say('fill it in') });
        expect(elicited).toMatchObject([{ mode: 'form', toolCallId: 'trigger-elicitation-request' }]);
        expect(JSON.stringify(updates)).toContain('Ada');
        await editor.request(methods.agent.session.prompt, { sessionId, prompt: say('sample') });
        expect(questions.map(({ title }) => title)).toEqual(
          expect.arrayContaining([
            'The MCP server Every-Thing asks the model',
            "Send the model's answer to the MCP server Every-Thing",
          ]),
        );
        expect(JSON.stringify(updates)).toContain('words of the model');
      },
      home,
      (asked) => {
        elicited.push(asked);
        return { name: 'Ada' };
      },
    );
  });

  it('say which kinds can be used, and refuse the others with a sentence', LONG, async () => {
    verifies('B10');
    const server = await serve([]);
    await withEditor(
      server,
      () => 'deny',
      async (editor) => {
        const sse: McpServer = { type: 'sse', name: 'old', url: 'https://example.com/sse', headers: [] };
        const opening = editor.request(methods.agent.session.new, { cwd: scratchFolder(), mcpServers: [sse] });
        await expect(opening).rejects.toThrow(/sse cannot be used/);
      },
    );
  });

  it('come from the settings of acpx as well', { timeout: 180_000 }, async (context) => {
    verifies('B10');
    const found = spawnSync('npx', ['-y', 'acpx@0.19.1', '--version'], {
      cwd: scratchFolder(),
      encoding: 'utf8',
      timeout: 120_000,
    });
    if (found.status !== 0) return context.skip('acpx could not be fetched from the package registry');
    const cwd = scratchFolder();
    const server = await serve([call('echo', { message: 'from the editor' }), { text: 'Echoed.' }]);
    const agent = [process.execPath, MAIN, ...flagsFor(server)].join(' ');
    const settings = path.join(scratchFolder(), 'mcp.json');
    fs.writeFileSync(settings, JSON.stringify({ mcpServers: [{ type: 'stdio', ...named() }] }));
    const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
    const flags = ['--agent', agent, '--cwd', cwd, '--approve-all', '--mcp-config', settings];
    const child = spawn('npx', ['-y', 'acpx@0.19.1', ...flags, 'exec', 'Echo'], {
      cwd,
      env: { ...process.env, ...cleanEnvironment(scratchFolder()), npm_config_cache: cache },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += String(chunk)));
    await new Promise((resolve) => child.on('close', resolve));
    expect(out).toContain('Echoed.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Echo: from the editor');
  });
});
