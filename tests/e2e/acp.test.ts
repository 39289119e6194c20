/** `halter acp` as an editor sees it: the real program over its pipes, spoken to by the protocol's own client and by acpx. */

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { flagsFor, say, serve, spoken, withEditor } from '../support/acp-editor.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { onlyLong } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const WRITE: ScriptedServerTurn = {
  calls: [{ id: 'w1', name: 'write_file', arguments: { path: 'notes.txt', content: 'one\ntwo\n' } }],
};
const TASK: ScriptedServerTurn = { calls: [{ id: 't1', name: 'add_task', arguments: { content: 'Write the notes' } }] };

describe('halter acp', () => {
  it('runs a prompt: text, tool calls with diffs and places, a plan, and a question with the four answers', async () => {
    verifies('B10', 'H12');
    const cwd = scratchFolder();
    const server = await serve([TASK, WRITE, { text: 'Written.' }]);
    await withEditor(
      server,
      () => 'allow_once',
      async (editor, { updates, questions }) => {
        const { sessionId } = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        const { stopReason } = await editor.request(methods.agent.session.prompt, {
          sessionId,
          prompt: say('Write notes'),
        });
        expect(stopReason).toBe('end_turn');
        expect(spoken(updates, 'agent_message_chunk')).toBe('Written.');
        expect(updates).toContainEqual(
          expect.objectContaining({
            sessionUpdate: 'plan',
            entries: [{ content: 'Write the notes', priority: 'medium', status: 'pending' }],
          }),
        );
        const place = path.join(fs.realpathSync(cwd), 'notes.txt');
        expect(updates).toContainEqual(
          expect.objectContaining({
            sessionUpdate: 'tool_call',
            toolCallId: 'w1',
            kind: 'edit',
            locations: [{ path: place }],
          }),
        );
        expect(questions).toEqual([
          {
            title: 'write_file notes.txt',
            options: [
              'allow_once: Allow once',
              'session: Allow write_file(notes.txt) for this session',
              'remember: Always allow write_file(notes.txt) here',
              'deny: Deny',
            ],
            content: [
              { type: 'content', content: { type: 'text', text: 'create notes.txt, 2 lines' } },
              { type: 'diff', path: place, oldText: null, newText: 'one\ntwo\n' },
              {
                type: 'content',
                content: { type: 'text', text: expect.stringMatching(/^Asked because: .*no rule.*\nSandbox: /) },
              },
            ],
          },
        ]);
        expect(updates).toContainEqual(expect.objectContaining({ toolCallId: 'w1', status: 'completed' }));
      },
    );
    expect(fs.readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('says that the answer was cut', async () => {
    const server = await serve([{ text: 'It is', finish: 'length' }]);
    await withEditor(
      server,
      () => undefined,
      async (editor) => {
        const { sessionId } = await editor.request(methods.agent.session.new, { cwd: scratchFolder(), mcpServers: [] });
        const ended = await editor.request(methods.agent.session.prompt, { sessionId, prompt: say('Hi') });
        expect(ended.stopReason).toBe('max_tokens');
      },
    );
  });

  it.each([
    ['denies', 'deny'],
    ['closes the question', undefined],
    ['answers with what was not offered', 'everything'],
  ])('writes nothing when the person %s, and the run goes on', async (_name, answer) => {
    const cwd = scratchFolder();
    const server = await serve([WRITE, { text: 'I did not write.' }]);
    await withEditor(
      server,
      () => answer,
      async (editor, { updates }) => {
        const { sessionId } = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        await editor.request(methods.agent.session.prompt, { sessionId, prompt: say('Write notes') });
        expect(updates).toContainEqual(expect.objectContaining({ toolCallId: 'w1', status: 'failed' }));
        expect(spoken(updates, 'agent_message_chunk')).toBe('I did not write.');
      },
    );
    expect(fs.existsSync(path.join(cwd, 'notes.txt'))).toBe(false);
  });

  it('tells a loaded session from its beginning, and goes on with it', async () => {
    verifies('B10');
    const cwd = scratchFolder();
    const home = scratchFolder();
    const server = await serve([TASK, { text: 'Noted.' }, { text: 'Still here.' }]);
    const sessionId = await withEditor(
      server,
      () => 'deny',
      async (editor) => {
        const opened = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        await editor.request(methods.agent.session.prompt, { sessionId: opened.sessionId, prompt: say('Note it') });
        return opened.sessionId;
      },
      home,
    );
    await withEditor(
      server,
      () => 'deny',
      async (editor, { updates }) => {
        const { sessions } = await editor.request(methods.agent.session.list, { cwd });
        expect(sessions).toMatchObject([{ sessionId, title: 'Note it' }]);
        await editor.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
        // An answer may be there a moment before what was told ahead of it.
        await expect.poll(() => spoken(updates, 'agent_message_chunk')).toBe('Noted.');
        expect(spoken(updates, 'user_message_chunk')).toBe('Note it');
        expect(updates).toContainEqual(expect.objectContaining({ toolCallId: 't1', status: 'completed' }));
        updates.length = 0;
        await editor.request(methods.agent.session.prompt, { sessionId, prompt: say('And?') });
        expect(spoken(updates, 'agent_message_chunk')).toBe('Still here.');
        await expect(
          editor.request(methods.agent.session.load, { sessionId: 'no-such', cwd, mcpServers: [] }),
        ).rejects.toMatchObject({ code: -32002 });
      },
      home,
    );
  });

  it('stops a running command when the editor cancels', async () => {
    verifies('E11');
    const cwd = scratchFolder();
    const server = await serve([
      { calls: [{ id: 'b1', name: 'bash', arguments: { command: 'echo begun; sleep 60' } }] },
      { text: '' },
    ]);
    await withEditor(
      server,
      () => 'allow_once',
      async (editor, { updates }) => {
        const { sessionId } = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        const turn = editor.request(methods.agent.session.prompt, { sessionId, prompt: say('Wait') });
        await expect.poll(() => JSON.stringify(updates)).toContain('begun');
        await editor.notify(methods.agent.session.cancel, { sessionId });
        expect((await turn).stopReason).toBe('cancelled');
      },
    );
  });

  it('tells whoever waits for a place at the model server of it, and lets go of the place where the editor cancels', async () => {
    verifies('B10');
    const home = scratchFolder();
    putFiles(home, { '.config/halter/config.json': JSON.stringify({ 'models.max_requests': 1 }) });
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const server = await startScriptedServer({
      turns: async () => {
        asked.resolve();
        await held.promise;
        return { text: 'done' };
      },
    });
    onTestFinished(() => server.close());
    await withEditor(
      server,
      () => 'deny',
      async (editor, { updates }) => {
        const cwd = scratchFolder();
        const open = async () => (await editor.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
        const [first, second] = [await open(), await open()];
        const answered = editor.request(methods.agent.session.prompt, { sessionId: first, prompt: say('heron') });
        await asked.promise;
        const waiting = editor.request(methods.agent.session.prompt, { sessionId: second, prompt: say('otter') });
        await expect
          .poll(() => spoken(updates, 'agent_thought_chunk'), { timeout: 60_000 })
          .toBe('waiting for a place at the model server; this request is next\n\n');
        await editor.notify(methods.agent.session.cancel, { sessionId: second });
        expect((await waiting).stopReason).toBe('cancelled');
        held.resolve();
        expect((await answered).stopReason).toBe('end_turn');
      },
      home,
    );
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('otter');
  });

  it('reads files that come with the prompt, and names those that are linked', async () => {
    const cwd = scratchFolder();
    putFiles(cwd, { 'a.txt': 'A' });
    const server = await serve([{ text: 'Read.' }]);
    await withEditor(
      server,
      () => 'deny',
      async (editor) => {
        const { sessionId } = await editor.request(methods.agent.session.new, { cwd, mcpServers: [] });
        const uri = (name: string) => `file://${fs.realpathSync(cwd)}/${name}`;
        await editor.request(methods.agent.session.prompt, {
          sessionId,
          prompt: [
            ...say('Compare '),
            { type: 'resource_link', name: 'a.txt', uri: uri('a.txt') },
            { type: 'resource', resource: { uri: uri('b.md'), text: '```\ncode\n```' } },
          ],
        });
      },
    );
    expect(JSON.stringify(server.requests[0]?.body)).toContain(
      JSON.stringify('Compare @a.txt\nb.md\n````\n```\ncode\n```\n````\n').slice(1, -1),
    );
  });

  it('says why there is no session where the model cannot be reached', async () => {
    const server = await startScriptedServer({ turns: [] });
    const url = server.openaiUrl;
    await server.close();
    await withEditor(
      { openaiUrl: url } as ScriptedServer,
      () => 'deny',
      async (editor) => {
        const opening = editor.request(methods.agent.session.new, { cwd: scratchFolder(), mcpServers: [] });
        await expect(opening).rejects.toThrow(/reach|refused|running|connect/i);
      },
    );
  });
});

// It is fetched from the registry; the editor above speaks the same protocol.
describe.each(onlyLong(['acpx']))('%s', () => {
  /** Outside the lock file, since its platform packages are missing there. */
  const fetchAcpx = (): string | undefined => {
    const found = spawnSync('npx', ['-y', 'acpx@0.19.1', '--version'], {
      cwd: scratchFolder(),
      encoding: 'utf8',
      timeout: 120_000,
    });
    return found.status === 0 ? undefined : 'acpx could not be fetched from the package registry';
  };

  it('prompts halter, approves and reads the answer', { timeout: 180_000 }, async (context) => {
    verifies('B10');
    const missing = fetchAcpx();
    if (missing !== undefined) return context.skip(missing);
    const cwd = scratchFolder();
    const server = await serve([WRITE, { text: 'Written by halter.' }]);
    const agent = [process.execPath, MAIN, ...flagsFor(server)].join(' ');
    const home = scratchFolder();
    const child = spawn(
      'npx',
      ['-y', 'acpx@0.19.1', '--agent', agent, '--cwd', cwd, '--approve-all', 'exec', 'Write the notes'],
      {
        cwd,
        env: { ...process.env, ...cleanEnvironment(home), npm_config_cache: npmCache() },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      out += String(chunk);
    });
    await new Promise((resolve) => child.on('close', resolve));
    expect(out).toContain('Written by halter.');
    expect(fs.readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('one\ntwo\n');
  });
});

/** The home is a fresh one, and what was fetched should not be fetched again. */
const npmCache = (): string => spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
