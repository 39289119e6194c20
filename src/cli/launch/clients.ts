/**
 * How other agents are pointed at a gateway for one session. Their own settings may name another server:
 * what is passed here wins over them, so that a prompt reaches the gateway and nobody else.
 */

import type { JsonObject, JsonValue } from '../../core/json.ts';

export type Gateway = {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string;
  token: string;
  /** The name of the model as the client sends it. */
  model: string;
  /** What prompt and answer may hold together; undefined where nobody said it. */
  contextTokens?: number | undefined;
};

const PROXY_EXCEPTIONS = ['NO_PROXY', 'no_proxy'];
const GATEWAY_HOSTS = ['127.0.0.1', 'localhost'];

/** A proxy of the person's would read every prompt that goes to this machine, and mostly could not pass it on. */
export const withoutProxy = (env: Environment): Record<string, string> => {
  const theirs = PROXY_EXCEPTIONS.map((name) => env[name]).find((hosts) => hosts?.trim()) ?? '';
  const hosts = [...theirs.split(/[\s,]+/).filter((host) => host !== ''), ...GATEWAY_HOSTS].join(',');
  return Object.fromEntries(PROXY_EXCEPTIONS.map((name) => [name, hosts]));
};

/** A value in a JSON file, and the keys on the way to it. */
export type JsonEdit = { path: readonly string[]; value: JsonValue };

/** A file of its own for a session, or values and tables inside a file in which others write too. */
export type ClientSettings = { text: string } | { toml: string } | { edits: readonly JsonEdit[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** A file for this session alone, in a folder that nobody else can read: it may hold the token. */
type SessionSettings = {
  /** Its name; some clients go by the end of it. */
  name: string;
  /** The file that is not read while this one is given: what it says otherwise stays in force. */
  insteadOf?(env: Environment): string;
  content(gateway: Gateway, env: Environment): ClientSettings;
};

export type LaunchedClient = {
  /** The program on the PATH. */
  program: string;
  /** How it is installed, for those who do not have it. */
  install: string;
  settings?: SessionSettings;
  args(gateway: Gateway, settingsFile: string): string[];
  environment(gateway: Gateway, settingsFile: string): Record<string, string>;
  /** Flags that are ours alone: a second one would replace what keeps the client on the gateway. */
  ownFlags?: readonly string[];
  /** Files of an administrator, which win over everything here, and what in them leads elsewhere. */
  managed?: { files: readonly string[]; leadsElsewhere: RegExp };
};

/** A name that is no one's own, where settings of the same name would be mixed in. */
const PROVIDER = 'halter-session';

/** The variable that holds the token, for clients that want the name of one. */
const TOKEN_VARIABLE = 'HALTER_TOKEN';

/** The entry `provider.halter` of its settings. */
export const opencodeProvider = ({ url, token, model, contextTokens }: Gateway): JsonObject => ({
  npm: '@ai-sdk/openai-compatible',
  name: 'halter',
  options: { baseURL: `${url}/v1`, apiKey: token },
  models: { [model]: { name: model, tool_call: true, ...opencodeLimit(contextTokens) } },
});

/** It reads no limit without a share for the answer. */
const ANSWER_SHARE = 4;
/**
 * Its own prompt takes some 8,000 tokens. In a window that this fills, it would sum up after every answer and go on by
 * itself, without end; 0 is a window that it knows nothing of.
 */
const OPENCODE_LEAST_WINDOW = 16_384;
const opencodeLimit = (tokens: number | undefined): JsonObject =>
  tokens === undefined
    ? {}
    : { limit: { context: tokens < OPENCODE_LEAST_WINDOW ? 0 : tokens, output: Math.floor(tokens / ANSWER_SHARE) } };

/** `default` is a name of its own there: Anthropic's present model. */
const CLAUDE_MODEL = 'halter';
const CLAUDE_MODEL_VARIABLES = [
  'ANTHROPIC_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
  // What its agents and its side requests call `opus`, `sonnet` and `haiku`.
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
];

/** Each of them leads to another service, or sends its key along. Empty is unset. */
const CLAUDE_RIVALS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CLAUDE_CODE_USE_FOUNDRY',
  'CLAUDE_CODE_SUBAGENT_MODEL',
];

export const claudeVariables = ({ url, token, contextTokens }: Gateway): Record<string, string> => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_AUTH_TOKEN: token,
  ...Object.fromEntries(CLAUDE_MODEL_VARIABLES.map((name) => [name, CLAUDE_MODEL])),
  ...claudeLimits(contextTokens),
});

/**
 * Its own prompt takes some 14,000 tokens. It sums up where 13,000 and an answer's share, 20,000 unless it is told
 * another, would no longer fit behind the conversation: in a small window after its first call.
 */
const CLAUDE_LEAST_WINDOW = 30_000;
const CLAUDE_ANSWER_SHARE = 8;
const CLAUDE_ANSWER_TOKENS = 20_000;
const claudeLimits = (tokens: number | undefined): Record<string, string> =>
  tokens === undefined || tokens < CLAUDE_LEAST_WINDOW
    ? {}
    : {
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(tokens),
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(Math.min(CLAUDE_ANSWER_TOKENS, Math.floor(tokens / CLAUDE_ANSWER_SHARE))),
      };

const claudeSessionVariables = (gateway: Gateway): Record<string, string> => ({
  ...Object.fromEntries(CLAUDE_RIVALS.map((name) => [name, ''])),
  ...claudeVariables(gateway),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
});

/** Its agents may each have a model of their own. */
const OPENCODE_AGENTS = ['build', 'plan', 'general', 'explore', 'title', 'summary', 'compaction'];

const OPENCODE_MODES = ['build', 'plan'];

const opencodeSettings = (gateway: Gateway): JsonObject => {
  const model = `${PROVIDER}/${gateway.model}`;
  return {
    model,
    small_model: model,
    agent: Object.fromEntries(OPENCODE_AGENTS.map((name) => [name, { model }])),
    provider: { [PROVIDER]: opencodeProvider(gateway) },
    // The older word for its first agents, which wins over the newer one.
    mode: Object.fromEntries(OPENCODE_MODES.map((name) => [name, { model }])),
    default_agent: 'build',
    enabled_providers: [PROVIDER],
    disabled_providers: [],
  };
};

const qwenEdits = ({ url, model, contextTokens }: Gateway): JsonEdit[] => {
  const window: JsonObject =
    contextTokens === undefined ? {} : { generationConfig: { contextWindowSize: contextTokens } };
  return [
    { path: ['security', 'auth', 'selectedType'], value: 'openai' },
    { path: ['security', 'auth', 'baseUrl'], value: `${url}/v1` },
    { path: ['model', 'name'], value: model },
    {
      path: ['modelProviders'],
      value: { openai: [{ id: model, name: model, baseUrl: `${url}/v1`, envKey: TOKEN_VARIABLE, ...window }] },
    },
  ];
};

/** An entry of `providers`. */
export const piProvider = ({ url, token, model, contextTokens }: Gateway): JsonObject & { models: JsonObject[] } => ({
  baseUrl: `${url}/v1`,
  api: 'openai-completions',
  apiKey: token,
  models: [{ id: model, ...piLimits(contextTokens) }],
});
const piLimits = (tokens: number | undefined): JsonObject =>
  tokens === undefined ? {} : { contextWindow: tokens, maxTokens: Math.floor(tokens / ANSWER_SHARE) };

/** An extension fills in nothing that is missing. */
const piExtension = (gateway: Gateway): string => {
  const model = {
    name: gateway.model,
    reasoning: false,
    input: ['text', 'image'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: PI_WINDOW,
    maxTokens: PI_WINDOW / ANSWER_SHARE,
  };
  const { models, ...provider } = piProvider(gateway);
  const whole = { ...provider, models: models.map((given) => ({ ...model, ...given })) };
  // Each version of it writes the name of a variable in another way, so the extension reads the token itself.
  return `const provider = ${JSON.stringify(whole)};
export default (pi) => pi.registerProvider(${JSON.stringify(PROVIDER)}, { ...provider, apiKey: process.env.${TOKEN_VARIABLE} });
`;
};
/** What it takes where nothing is said. */
const PI_WINDOW = 128_000;

export const LAUNCHED_CLIENTS: Readonly<Record<string, LaunchedClient>> = {
  codex: {
    program: 'codex',
    install: 'npm install -g @openai/codex',
    args: ({ url, model, contextTokens }) =>
      [
        `model=${JSON.stringify(model)}`,
        `model_provider=${JSON.stringify(PROVIDER)}`,
        `model_providers.${PROVIDER}.name="halter"`,
        `model_providers.${PROVIDER}.base_url=${JSON.stringify(`${url}/v1`)}`,
        `model_providers.${PROVIDER}.env_key=${JSON.stringify(TOKEN_VARIABLE)}`,
        `model_providers.${PROVIDER}.wire_api="responses"`,
        ...(contextTokens === undefined ? [] : [`model_context_window=${contextTokens}`]),
      ].flatMap((setting) => ['-c', setting]),
    environment: ({ token }) => ({ [TOKEN_VARIABLE]: token }),
    ownFlags: ['-p', '--profile', '--oss', '--local-provider'],
  },
  claude: {
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    // Variables in its settings files win over those of the process; those in this file win over both.
    settings: {
      name: 'settings.json',
      content: (gateway, env) => ({
        edits: Object.entries({ ...claudeSessionVariables(gateway), ...withoutProxy(env) }).map(([name, value]) => ({
          path: ['env', name],
          value,
        })),
      }),
    },
    args: (_gateway, settingsFile) => ['--settings', settingsFile, '--model', CLAUDE_MODEL],
    environment: claudeSessionVariables,
    ownFlags: ['--settings'],
    managed: {
      files: [
        '/etc/claude-code/managed-settings.json',
        '/Library/Application Support/ClaudeCode/managed-settings.json',
      ],
      leadsElsewhere: /"(?:ANTHROPIC_(?:BASE_URL|AUTH_TOKEN)|CLAUDE_CODE_USE_\w+|apiKeyHelper)"/,
    },
  },
  opencode: {
    program: 'opencode',
    install: 'npm install -g opencode-ai',
    args: () => [],
    environment: (gateway) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeSettings(gateway)) }),
    managed: {
      files: ['/etc/opencode/opencode.json', '/Library/Application Support/opencode/opencode.json'],
      leadsElsewhere: /"(?:model|provider|enabled_providers|disabled_providers)"/,
    },
  },
  qwen: {
    program: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    // The settings of the machine win over those of the person and of the project.
    settings: {
      name: 'settings.json',
      insteadOf: (env) =>
        env['QWEN_CODE_SYSTEM_SETTINGS_PATH'] ||
        (process.platform === 'darwin'
          ? '/Library/Application Support/QwenCode/settings.json'
          : '/etc/qwen-code/settings.json'),
      content: (gateway) => ({ edits: qwenEdits(gateway) }),
    },
    args: ({ model }) => ['--auth-type', 'openai', '--model', model],
    environment: ({ url, token, model }, settingsFile) => ({
      QWEN_CODE_SYSTEM_SETTINGS_PATH: settingsFile,
      [TOKEN_VARIABLE]: token,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: token,
      OPENAI_MODEL: model,
    }),
    ownFlags: ['--auth-type', '--openai-base-url', '--openai-api-key'],
  },
  pi: {
    program: 'pi',
    install: 'npm install -g @earendil-works/pi-coding-agent',
    // What an extension registers is there for the session alone.
    settings: {
      name: 'halter.js',
      content: (gateway) => ({ text: piExtension({ ...gateway, token: '' }) }),
    },
    args: ({ model }, settingsFile) => ['--extension', settingsFile, '--provider', PROVIDER, '--model', model],
    environment: ({ token }) => ({ [TOKEN_VARIABLE]: token }),
    ownFlags: ['--provider', '--model', '--models', '--api-key', '-c', '--continue', '-r', '--resume', '--session'],
  },
};
