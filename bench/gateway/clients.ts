/** The agents that are tried, as they come from npm: their settings, how they are asked, and what their tools are called. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type NpmProgram, npmProgram } from '../../tests/support/npm-program.ts';
import { NPM_PROGRAMS } from '../../tests/support/npm-programs.ts';

export type Endpoint = {
  url: string;
  token: string;
  model: string;
  /** What the client is told of the model, in tokens. */
  windowTokens?: number;
  answerTokens?: number;
};
export type ToolCall = { name: string; arguments: Record<string, unknown> };

export type Client = NpmProgram & {
  /** Which API it speaks. A server of chat completions alone serves only the first. */
  wire: 'chat-completions' | 'responses' | 'messages';
  files: readonly string[];
  /** Files of its home. */
  home(endpoint: Endpoint): Record<string, string>;
  args(question: string, isFirst: boolean): string[];
  env(endpoint: Endpoint): Record<string, string>;
  read: { name: string; path: string; integer?: string };
  write: { name: string; path: string; content: string };
};

const WINDOW_TOKENS = 32_768;
const ANSWER_TOKENS = 4_096;
const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** What every client calls its model. */
export const MODEL = 'm';

export const CLIENTS = {
  pi: {
    ...NPM_PROGRAMS.pi,
    wire: 'chat-completions',
    home: ({ url, token, model, windowTokens = WINDOW_TOKENS, answerTokens = ANSWER_TOKENS }) => ({
      '.pi/agent/models.json': json({
        providers: {
          bench: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: token,
            models: [{ id: model, contextWindow: windowTokens, maxTokens: answerTokens }],
          },
        },
      }),
    }),
    args: (question, isFirst) => ['-p', '--provider', 'bench', '--model', MODEL, ...(isFirst ? [] : ['-c']), question],
    env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
    read: { name: 'read', path: 'path', integer: 'limit' },
    write: { name: 'write', path: 'path', content: 'content' },
  },
  opencode: {
    ...NPM_PROGRAMS.opencode,
    wire: 'chat-completions',
    home: ({ url, token, model, windowTokens = WINDOW_TOKENS, answerTokens = ANSWER_TOKENS }) => ({
      '.config/opencode/opencode.json': json({
        model: `bench/${model}`,
        small_model: `bench/${model}`,
        autoupdate: false,
        share: 'disabled',
        provider: {
          bench: {
            npm: '@ai-sdk/openai-compatible',
            name: 'bench',
            options: { baseURL: `${url}/v1`, apiKey: token },
            models: {
              [model]: { name: model, tool_call: true, limit: { context: windowTokens, output: answerTokens } },
            },
          },
        },
      }),
    }),
    args: (question, isFirst) => ['run', question, '-m', `bench/${MODEL}`, ...(isFirst ? [] : ['--continue'])],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    read: { name: 'read', path: 'filePath', integer: 'limit' },
    write: { name: 'write', path: 'filePath', content: 'content' },
  },
  'qwen-code': {
    ...NPM_PROGRAMS.qwen,
    wire: 'chat-completions',
    home: () => ({}),
    args: (question, isFirst) => ['--yolo', ...(isFirst ? [] : ['--continue']), '-p', question],
    env: ({ url, token, model }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: token, OPENAI_MODEL: model }),
    read: { name: 'read_file', path: 'file_path', integer: 'limit' },
    write: { name: 'write_file', path: 'file_path', content: 'content' },
  },
  cn: {
    ...NPM_PROGRAMS.cn,
    wire: 'chat-completions',
    home: ({ url, token, model }) => ({
      '.continue/config.yaml': `name: bench
version: 1.0.0
schema: v1
models:
  - name: bench
    provider: openai
    model: ${model}
    apiBase: ${url}/v1
    apiKey: ${token}
    roles: [chat]
    capabilities: [tool_use]
`,
    }),
    args: (question, isFirst) => ['--auto', ...(isFirst ? [] : ['--resume']), '-p', question],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
    read: { name: 'Read', path: 'filepath' },
    write: { name: 'Write', path: 'filepath', content: 'content' },
  },
  codex: {
    ...NPM_PROGRAMS.codex,
    wire: 'responses',
    home: ({ url, token, model }) => ({
      '.codex/config.toml': `model = ${JSON.stringify(model)}
model_provider = "bench"
[model_providers.bench]
name = "bench"
base_url = ${JSON.stringify(`${url}/v1`)}
wire_api = "responses"
http_headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }
request_max_retries = 1
stream_max_retries = 1
`,
    }),
    args: (question, isFirst) => [
      'exec',
      '--skip-git-repo-check',
      '--sandbox',
      'danger-full-access',
      ...(isFirst ? [] : ['resume', '--last']),
      question,
    ],
    env: () => ({}),
    read: { name: 'exec_command', path: 'cmd', integer: 'max_output_tokens' },
    write: { name: 'exec_command', path: 'cmd', content: 'cmd' },
  },
  'claude-code': {
    ...NPM_PROGRAMS.claude,
    wire: 'messages',
    home: () => ({ '.claude.json': json({ hasCompletedOnboarding: true }) }),
    args: (question, isFirst) => [
      '-p',
      ...(isFirst ? [] : ['--continue']),
      question,
      '--model',
      MODEL,
      '--dangerously-skip-permissions',
    ],
    env: ({ url, token, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    }),
    read: { name: 'Read', path: 'file_path', integer: 'limit' },
    write: { name: 'Write', path: 'file_path', content: 'content' },
  },
} as const satisfies Readonly<Record<string, Client>>;

/** A call that reads the file, as a model of this client would make it. */
export const readCall = ({ read }: Client, file: string): ToolCall =>
  read.path === 'cmd'
    ? { name: read.name, arguments: { cmd: `cat ${file}` } }
    : { name: read.name, arguments: { [read.path]: file } };

export const writeCall = ({ write }: Client, file: string, content: string): ToolCall =>
  write.path === 'cmd'
    ? { name: write.name, arguments: { cmd: `printf '%s' '${content}' > '${file}'` } }
    : { name: write.name, arguments: { [write.path]: file, [write.content]: content } };

/** Writes what the client wants in its home; resolves with the path of its program. */
export const prepareClient = async (client: Client, home: string, endpoint: Endpoint): Promise<string> => {
  const program = await npmProgram(client);
  for (const [path, text] of Object.entries(client.home(endpoint))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return program;
};
