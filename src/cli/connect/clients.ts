/** What other agents need in their own settings to use `halter serve`. */
import { join } from 'node:path';
import { type ClientSettings, claudeVariables, type Gateway, opencodeProvider, piProvider } from '../launch/clients.ts';
import type { BeyondJson } from './settings-form.ts';

export type ConnectedClient = {
  /** How the program is called by people. */
  title: string;
  /** Below the home folder, unless a variable of the client's names another folder. */
  file(home: string, env: Readonly<Record<string, string | undefined>>): string;
  settings(gateway: Gateway): Exclude<ClientSettings, { text: string }>;
  /** What its own reader takes besides JSON. */
  reads: readonly BeyondJson[];
  /** The command that uses it from now on. */
  use: string;
};

const JSON_STRING = JSON.stringify;

export const CONNECTED_CLIENTS: Readonly<Record<string, ConnectedClient>> = {
  codex: {
    title: 'Codex',
    reads: [],
    file: (home, env) => join(env['CODEX_HOME'] || join(home, '.codex'), 'halter.config.toml'),
    // A profile is a file of its own: what the person set stays. Codex writes its own tables into it.
    settings: ({ url, token, model, contextTokens }) => ({
      toml: `model = ${JSON_STRING(model)}
model_provider = "halter"
${contextTokens === undefined ? '' : `model_context_window = ${contextTokens}\n`}
[model_providers.halter]
name = "halter"
base_url = ${JSON_STRING(`${url}/v1`)}
wire_api = "responses"
http_headers = { Authorization = ${JSON_STRING(`Bearer ${token}`)} }
`,
    }),
    use: 'codex --profile halter',
  },
  claude: {
    title: 'Claude Code',
    reads: [],
    file: (home, env) => join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
    settings: (gateway) => ({
      edits: Object.entries(claudeVariables(gateway)).map(([name, value]) => ({ path: ['env', name], value })),
    }),
    use: 'claude',
  },
  opencode: {
    title: 'opencode',
    reads: ['line_comment', 'block_comment', 'trailing_comma'],
    file: (home, env) => join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode', 'opencode.json'),
    settings: (gateway) => ({ edits: [{ path: ['provider', 'halter'], value: opencodeProvider(gateway) }] }),
    use: 'opencode --model halter/default',
  },
  qwen: {
    title: 'Qwen Code',
    reads: ['line_comment', 'block_comment'],
    file: (home) => join(home, '.qwen', 'settings.json'),
    settings: ({ url, token, model, contextTokens }) => ({
      edits: [
        { path: ['security', 'auth', 'selectedType'], value: 'openai' },
        { path: ['security', 'auth', 'baseUrl'], value: `${url}/v1` },
        { path: ['security', 'auth', 'apiKey'], value: token },
        { path: ['model', 'name'], value: model },
        ...(contextTokens === undefined
          ? []
          : [{ path: ['model', 'generationConfig', 'contextWindowSize'], value: contextTokens }]),
      ],
    }),
    use: 'qwen',
  },
  pi: {
    title: 'pi',
    reads: ['line_comment', 'trailing_comma'],
    file: (home, env) => join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'), 'models.json'),
    settings: (gateway) => ({ edits: [{ path: ['providers', 'halter'], value: piProvider(gateway) }] }),
    use: 'pi --provider halter --model default',
  },
};
