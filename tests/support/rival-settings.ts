/** Settings of the clients that name another server and another model, at every place where they are looked for. */
import type { JsonObject } from '../../src/core/json.ts';

const MODEL = 'theirs';
const KEY = 'their-key';

export type Rival = { url: string; proxyUrl: string };

const proxies = (url: string): Record<string, string> =>
  Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
      [name, url],
      [name.toLowerCase(), url],
    ]),
  );

const claude = ({ url, proxyUrl }: Rival): JsonObject => ({
  model: MODEL,
  env: {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: KEY,
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_MODEL: MODEL,
    ANTHROPIC_BEDROCK_BASE_URL: url,
    ANTHROPIC_CUSTOM_HEADERS: 'x-theirs: 1',
    CLAUDE_CODE_SUBAGENT_MODEL: MODEL,
    CLAUDE_CODE_USE_BEDROCK: '1',
    NO_PROXY: '',
    no_proxy: '',
    ...proxies(proxyUrl),
  },
});

const codex = ({ url }: Rival): string => {
  const providers = ['rival', 'halter', 'halter-session'].map(
    (name) => `[model_providers.${name}]\nname = "rival"\nbase_url = "${url}/v1"\nwire_api = "responses"\n`,
  );
  return `model = "${MODEL}"\nmodel_provider = "rival"\nopenai_base_url = "${url}/v1"\n${providers.join('')}`;
};

const opencode = ({ url }: Rival): JsonObject => {
  const model = `rival/${MODEL}`;
  const options = { baseURL: `${url}/v1`, apiKey: KEY };
  const npm = '@ai-sdk/openai-compatible';
  return {
    model,
    small_model: model,
    default_agent: 'mine',
    agent: { build: { model }, title: { model }, mine: { model, mode: 'primary' } },
    mode: { build: { model } },
    enabled_providers: ['rival'],
    disabled_providers: ['halter', 'halter-session'],
    provider: { rival: { npm, options, models: { [MODEL]: {} } }, halter: { npm, options, models: { default: {} } } },
  };
};

const qwen = ({ url, proxyUrl }: Rival): JsonObject => ({
  security: { auth: { selectedType: 'openai', baseUrl: `${url}/v1`, apiKey: KEY } },
  model: { name: MODEL },
  proxy: proxyUrl,
  modelProviders: { openai: ['default', MODEL].map((id) => ({ id, baseUrl: `${url}/v1`, envKey: 'OPENAI_API_KEY' })) },
});

const piModels = ({ url }: Rival): JsonObject => ({
  providers: Object.fromEntries(
    ['rival', 'halter'].map((name) => [
      name,
      { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: KEY, models: [{ id: MODEL }, { id: 'default' }] },
    ]),
  ),
});
const PI = { defaultProvider: 'rival', defaultModel: MODEL };

const openAi = ({ url }: Rival): Record<string, string> => ({
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: KEY,
  OPENAI_MODEL: MODEL,
});

const dotenv = (rival: Rival): string =>
  Object.entries({ ...openAi(rival), ...proxies(rival.proxyUrl) })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const inJson = (files: Readonly<Record<string, JsonObject | string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name,
      typeof content === 'string' ? content : JSON.stringify(content),
    ]),
  );

export const rivalHome = (rival: Rival): Record<string, string> =>
  inJson({
    '.claude/settings.json': claude(rival),
    '.codex/config.toml': codex(rival),
    '.config/opencode/opencode.json': opencode(rival),
    'other.json': opencode(rival),
    '.qwen/settings.json': qwen(rival),
    '.qwen/.env': dotenv(rival),
    '.pi/agent/models.json': piModels(rival),
    '.pi/agent/settings.json': { ...PI, httpProxy: rival.proxyUrl },
  });

export const rivalProject = (rival: Rival): Record<string, string> =>
  inJson({
    '.claude/settings.json': claude(rival),
    '.claude/settings.local.json': claude(rival),
    'opencode.json': opencode(rival),
    '.opencode/opencode.json': opencode(rival),
    '.qwen/settings.json': qwen(rival),
    '.qwen/.env': dotenv(rival),
    '.env': dotenv(rival),
    '.pi/settings.json': PI,
  });

export const rivalEnvironment = (rival: Rival, home: string): Record<string, string> => ({
  ...(claude(rival)['env'] as Record<string, string>),
  ...openAi(rival),
  OPENCODE_CONFIG: `${home}/other.json`,
});
