/** opencode, Codex and Claude Code, as they come from npm, against halter and a model that writes its calls as text. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/index.ts';
import { verifies } from '../requirements.ts';
import { ROOT } from '../source-files.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { everyNth } from '../support/long.ts';
import { INSTALL_MS, type NpmProgram, npmProgram } from '../support/npm-program.ts';
import { NPM_PROGRAMS } from '../support/npm-programs.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { TOKEN, testServer } from '../support/test-server.ts';

const run = promisify(execFile);
const RUN_MS = 120_000;

type Agent = NpmProgram & {
  wire: string;
  /** How a model would ask this agent for the contents of a file. */
  call(file: string, tools: readonly string[]): { name: string; arguments: object };
  args(question: string): string[];
  /** What connects it: files of its home, and variables. */
  home(url: string): Record<string, string>;
  env(url: string): Record<string, string>;
};

const page = fs.readFileSync(path.join(ROOT, 'docs/how-to/clients/codex.md'), 'utf8');
const codexSettings = /^```toml\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';

const opencodeConfig = (url: string): object => ({
  model: 'halter/m',
  small_model: 'halter/m',
  autoupdate: false,
  share: 'disabled',
  provider: {
    halter: {
      npm: '@ai-sdk/openai-compatible',
      name: 'halter',
      options: { baseURL: `${url}/v1`, apiKey: TOKEN },
      models: { m: { name: 'm', tool_call: true, limit: { context: 32_768, output: 4_096 } } },
    },
  },
});

/** The first is tried in a usual run, since it starts most quickly; all of them in a long one. */
const AGENTS: readonly Agent[] = [
  {
    ...NPM_PROGRAMS.codex,
    wire: 'responses',
    call: (file, tools) =>
      tools.includes('exec_command')
        ? { name: 'exec_command', arguments: { cmd: `cat ${file}` } }
        : { name: tools.find((name) => /shell/.test(name)) ?? 'shell', arguments: { command: ['cat', file] } },
    args: (question) => ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', question],
    // As the page says it.
    home: (url) => ({
      '.codex/config.toml': codexSettings.replace('http://127.0.0.1:7411', url).replace('TOKEN', TOKEN),
    }),
    env: () => ({}),
  },
  {
    ...NPM_PROGRAMS.claude,
    wire: 'messages',
    call: (file) => ({ name: 'Read', arguments: { file_path: file } }),
    args: (question) => ['-p', question, '--model', 'm', '--allowedTools', 'Read'],
    home: () => ({ '.claude.json': JSON.stringify({ hasCompletedOnboarding: true }) }),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: TOKEN,
      ANTHROPIC_SMALL_FAST_MODEL: 'm',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    ...NPM_PROGRAMS.opencode,
    wire: 'chat-completions',
    call: (file) => ({ name: 'read', arguments: { filePath: file } }),
    args: (question) => ['run', question, '-m', 'halter/m'],
    home: (url) => ({ '.config/opencode/opencode.json': JSON.stringify(opencodeConfig(url)) }),
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  },
];

describe.each(everyNth(AGENTS, AGENTS.length))('$name', (agent) => {
  it('reads a file with a tool that the model asked for in text', { timeout: INSTALL_MS + RUN_MS }, async (context) => {
    verifies('B2');
    let program = '';
    try {
      program = await npmProgram(agent);
    } catch (error) {
      const [reason = ''] = (error as Error).message.split('\n');
      context.skip(`${agent.name} cannot be had or does not run here: ${reason}. Try: npm install ${agent.name}`);
    }
    const folder = scratchFolder();
    const server = await testServer(
      (request) => {
        const heard = JSON.stringify(request.messages);
        const [found] = /forty-\w+/.exec(heard) ?? [];
        if (found) return { text: `It says: ${found}.` };
        const names = request.tools.map((tool) => tool.function.name);
        if (names.length === 0) return { text: 'A title' };
        const call = JSON.stringify(agent.call(path.join(folder, 'a.txt'), names));
        // A trailing comma, as small models write it.
        return { text: `I look into it.\n<tool_call>\n${call.slice(0, -1)},}\n</tool_call>` };
      },
      { models: [{ id: 'm', context_length: 200_000 }] },
    );
    const listening = await listen(server.app, { host: '127.0.0.1', port: 0 });
    if (!listening.ok) throw new Error(listening.error.message);
    onTestFinished(() => listening.value.close());
    const url = `http://127.0.0.1:${listening.value.port}`;
    const home = scratchFolder();
    putFiles(home, agent.home(url));
    putFiles(folder, { 'a.txt': 'The answer is forty-two.\n' });
    const running = run(program, agent.args('What does a.txt say?'), {
      cwd: folder,
      timeout: RUN_MS,
      env: { ...cleanEnvironment(home), IS_SANDBOX: '1', ...agent.env(url) },
    });
    running.child.stdin?.end();
    const { stdout } = await running;
    expect(stdout).toContain('It says: forty-two.');
    const { clients } = await server.json<{ clients: { wire: string; repaired_calls: number }[] }>(
      'GET',
      '/api/gateway/clients',
    );
    const used = clients.filter(({ wire }) => wire === agent.wire);
    expect(used.reduce((sum, { repaired_calls }) => sum + repaired_calls, 0)).toBeGreaterThan(0);
  });
});
