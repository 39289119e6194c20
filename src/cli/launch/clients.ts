/** How other agents are pointed at a gateway for one session: by variables and flags alone, no file is written. */

import type { JsonObject } from '../../core/json.ts';

export type Gateway = {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string;
  token: string;
  /** The name of the model as the client sends it. */
  model: string;
};

export type LaunchedClient = {
  /** The program on the PATH. */
  program: string;
  /** How it is installed, for those who do not have it. */
  install: string;
  args(gateway: Gateway): string[];
  environment(gateway: Gateway): Record<string, string>;
};

/** The variable that holds the token, for clients that want the name of one. */
const TOKEN_VARIABLE = 'HALTER_TOKEN';

/** The entry `provider.halter` of its settings. */
export const opencodeProvider = ({ url, token, model }: Gateway): JsonObject => ({
  npm: '@ai-sdk/openai-compatible',
  name: 'halter',
  options: { baseURL: `${url}/v1`, apiKey: token },
  models: { [model]: { name: model, tool_call: true } },
});

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

export const claudeVariables = ({ url, token }: Gateway): Record<string, string> => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_AUTH_TOKEN: token,
  ...Object.fromEntries(CLAUDE_MODEL_VARIABLES.map((name) => [name, CLAUDE_MODEL])),
});

const opencodeSettings = (gateway: Gateway): JsonObject => ({
  model: `halter/${gateway.model}`,
  small_model: `halter/${gateway.model}`,
  provider: { halter: opencodeProvider(gateway) },
});

export const LAUNCHED_CLIENTS: Readonly<Record<string, LaunchedClient>> = {
  codex: {
    program: 'codex',
    install: 'npm install -g @openai/codex',
    args: ({ url, model }) =>
      [
        `model=${JSON.stringify(model)}`,
        'model_provider="halter"',
        'model_providers.halter.name="halter"',
        `model_providers.halter.base_url=${JSON.stringify(`${url}/v1`)}`,
        `model_providers.halter.env_key=${JSON.stringify(TOKEN_VARIABLE)}`,
        'model_providers.halter.wire_api="responses"',
      ].flatMap((setting) => ['-c', setting]),
    environment: ({ token }) => ({ [TOKEN_VARIABLE]: token }),
  },
  claude: {
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    args: () => ['--model', CLAUDE_MODEL],
    environment: (gateway) => ({ ...claudeVariables(gateway), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }),
  },
  opencode: {
    program: 'opencode',
    install: 'npm install -g opencode-ai',
    args: () => [],
    environment: (gateway) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeSettings(gateway)) }),
  },
  qwen: {
    program: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    args: () => [],
    environment: ({ url, token, model }) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: token,
      OPENAI_MODEL: model,
    }),
  },
};
