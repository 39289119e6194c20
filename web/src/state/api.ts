/** The server's routes, as far as the page uses them. What goes wrong is a value with words for the person. */

import type { Command } from '../../../src/core/events.ts';
import type { SessionReview } from '../../../src/core/file-review.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import type { ContentPart } from '../../../src/core/message.ts';
import type { OwnSettings } from '../../../src/core/own-settings.ts';
import type { Mode } from '../../../src/core/policy/modes.ts';
import type { ModelDay } from '../../../src/core/statistics.ts';
import type { Risk } from '../../../src/core/tool.ts';
import { readable } from '../parts/visible.ts';
import { isKeyed, MessageKeys } from './message-keys.ts';
import { type Answer, parsed, ServerRequests } from './server-requests.ts';

export type { Answer } from './server-requests.ts';

/** `/name` stands for a prompt. */
export type ToldStatistics = { rows: ModelDay[]; sessions: number; has_more: boolean };
export type ToldModelKey = {
  from: 'none' | 'here' | 'file' | 'variable' | 'command';
  /** Of the file or the variable. */
  name?: string;
  /** The server that the key which is kept is for. */
  for?: string;
  /** The server that a key would be for which is kept now. */
  server?: string;
  /** A key that is set here would count. */
  is_settable: boolean;
};

export type CommandRow = { name: string; description: string; from: 'yours' | 'folder' | 'plugin' | 'halter' };
export type DocumentRow = { name: string; size_bytes: number; lines: number; added_at: number; note: string };

export type SessionRow = {
  id: string;
  title: string;
  workspace: string;
  model: string;
  created_at: number;
  updated_at: number;
  message_count: number;
  running?: boolean;
  waiting?: boolean;
  /** Where the words of a search were said. */
  excerpt?: string;
  /** They stand on ways through the session that were set aside alone. */
  set_aside?: boolean;
};
/** A program that uses this halter's models, since the server began. */
export type ClientRow = {
  client: string;
  wire: string;
  requests: number;
  failed: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  /** `41 calls repaired`, `3 loops ended`. */
  done: readonly string[];
  last_at: number;
};
/** How another device opens the page. */
export type Invitation = { url: string; squares: boolean[][] };
/** What a session asks, as far as it is answered from outside of it. */
export type AskedPermission = {
  tool_call_id: string;
  name: string;
  arguments: JsonObject;
  risk: Risk;
  preview: string | null;
  diff?: string;
  rule: string;
  only_reads?: true;
  in_sandbox?: true;
};
/** What goes on in a session of this server. */
export type SessionState = {
  id: string;
  running: boolean;
  permission_request: AskedPermission | null;
  server_questions: number;
};
export type ModelRow = {
  /** `provider/model`. */
  id: string;
  aliases?: readonly string[];
  provider: string;
  endpoint?: string;
  /** Its server does not answer now. */
  unreachable?: boolean;
  /** Why it cannot be used now, though it is here. */
  problem?: string;
  /** New sessions begin with it. */
  current?: boolean;
  loaded?: boolean;
  context_length?: number;
  size_bytes?: number;
  vision?: boolean;
  /** False: the server takes no tools for it. */
  tools?: boolean;
  /** By its size, in the memory of this machine. */
  fit?: 'fits' | 'tight' | 'too_large';
  probe?: ModelProbe;
};
/** What trying it found out. */
type ModelProbe = {
  probed_at: number;
  tool_calls: 'native' | 'text' | 'none';
  context_tokens?: number;
  prefill_tokens_per_second?: number;
  decode_tokens_per_second?: number;
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
};
/** One of the catalogue that fits this machine. */
export type SuggestedModel = {
  id: string;
  title: string;
  quantisation?: string;
  size_bytes: number;
  memory_bytes: number;
  fits: 'yes' | 'tight';
  tools: boolean;
  command: string;
  /** What a pull takes; absent where nothing here gets it. */
  pull?: string;
};
/** A pull or a probe. */
export type ModelJob = {
  id: string;
  kind: 'pull' | 'probe';
  model: string;
  state: 'running' | 'done' | 'failed' | 'stopped';
  message: string;
  fraction?: number;
};
type ModelState = {
  state: 'none' | 'loading' | 'ready' | 'failed';
  id?: string;
  endpoint?: string;
  context_length?: number;
  message?: string;
  fraction?: number;
};
export type Status = {
  version: string;
  workspace: string;
  sandbox: string;
  /** What sessions begin with, where it is another thing than the model below. */
  new_sessions: { mode: Mode; model?: string };
  model: ModelState;
};

/** What sessions begin with. */
export type Defaults = Omit<OwnSettings, 'max_tokens' | 'tools_off'> & {
  context_length?: number;
  model?: string;
  mode?: Mode;
};
export type ToldDefaults = { settings: Defaults; held: (keyof Defaults)[]; next_start: (keyof Defaults)[] };

export type ToolRow = {
  name: string;
  description: string;
  risk: 'safe' | 'medium' | 'high' /** Why it cannot be used. */;
  unavailable?: string;
};
export type RuleRow = {
  decision: 'allow' | 'deny';
  /** As it is written on the command line. */
  rule: string;
  source: 'command line' | 'program' | 'remembered';
  created_at?: number;
};
export type Rules = { workspace: string; path: string; mode: string; rules: RuleRow[] };

/** An MCP server as it stands. */
export type ServerRow = {
  name: string;
  origin: 'own' | 'folder' | 'program';
  shown: string;
  state: 'not connected' | 'connected' | 'failed' | 'login needed' | 'disabled';
  detail: string;
  tool_names: string[];
  /** It waits for a yes to this. */
  consent?: string;
  login?: { kept: boolean; address?: string; problem?: string };
};

type SessionQuery = { query?: string; after?: string; limit?: number; all?: boolean };
const SESSIONS_A_PAGE = 100;

/** Nobody answered, or a proxy did for a server that was not there: it may have come through. */
const isUnknown = (answer: Answer<unknown>): boolean => !answer.ok && [0, 502, 503, 504].includes(answer.status);

/** Names and words of others, in lists and headings. */
const readableRow = (row: SessionRow): SessionRow => ({
  ...row,
  title: readable(row.title),
  ...(row.excerpt === undefined ? {} : { excerpt: readable(row.excerpt) }),
});

const sessionPath = (id: string, rest = ''): string => `/api/sessions/${encodeURIComponent(id)}${rest}`;
const mcpPath = (name: string, rest = ''): string => `/api/mcp/servers/${encodeURIComponent(name)}${rest}`;

const sessionListPath = ({ query = '', after = '', limit = SESSIONS_A_PAGE, all = false }: SessionQuery): string => {
  const asked = new URLSearchParams({ limit: String(limit) });
  if (query) asked.set('q', query);
  if (after) asked.set('after', after);
  if (all) asked.set('all', 'true');
  return `/api/sessions?${asked}`;
};

const mcpRoutes = ({ json }: ServerRequests) => {
  type One = { server: ServerRow };
  return {
    mcpServers: () => json<{ servers: ServerRow[] }>('GET', '/api/mcp/servers'),
    mcpAdd: (name: string, server: JsonObject) => json<One>('POST', '/api/mcp/servers', { name, server }),
    mcpRemove: (name: string) => json<unknown>('DELETE', mcpPath(name)),
    mcpEnable: (name: string, enabled: boolean) => json<One>('POST', mcpPath(name), { enabled }),
    mcpReconnect: (name: string) => json<One>('POST', mcpPath(name, '/reconnect')),
    mcpAllow: (name: string, consent: string) => json<One>('POST', mcpPath(name, '/allow'), { consent }),
    mcpLogIn: (name: string) => json<One>('POST', mcpPath(name, '/login'), {}),
    mcpReturned: (name: string, returned: string) => json<One>('POST', mcpPath(name, '/login'), { returned }),
    mcpLogOut: (name: string) => json<One>('DELETE', mcpPath(name, '/login')),
  };
};

const modelRoutes = ({ json }: ServerRequests) => ({
  describeModel: (model: string) =>
    json<{ model: ModelRow }>('GET', `/api/models/describe?model=${encodeURIComponent(model)}`),
  models: () => json<{ models: ModelRow[] }>('GET', '/api/models'),
  modelsInDetail: () =>
    json<{ models: ModelRow[]; memory_bytes: number; gets: ('ollama' | 'embedded')[] }>(
      'GET',
      '/api/models?details=true',
    ),
  removeModel: (model: string) => json<unknown>('DELETE', `/api/models?model=${encodeURIComponent(model)}`),
  suggestedModels: () =>
    json<{ models: SuggestedModel[]; memory_bytes: number; date: string }>('GET', '/api/models/suggestions'),
  modelJobs: () => json<{ jobs: ModelJob[] }>('GET', '/api/models/jobs'),
  beginModelJob: (kind: ModelJob['kind'], model: string) =>
    json<{ job: ModelJob }>('POST', '/api/models/jobs', { kind, model }),
  /** One that is over is taken off the list. */
  stopModelJob: (id: string) => json<unknown>('DELETE', `/api/models/jobs/${encodeURIComponent(id)}`),
  modelKey: () => json<ToldModelKey>('GET', '/api/model-key'),
  keepModelKey: (key: string) => json<ToldModelKey>('POST', '/api/model-key', { key }),
  removeModelKey: () => json<ToldModelKey>('DELETE', '/api/model-key'),
});

const settingsRoutes = ({ json }: ServerRequests) => ({
  defaults: () => json<ToldDefaults>('GET', '/api/settings'),
  changeDefaults: (settings: Defaults) => json<ToldDefaults>('POST', '/api/settings', settings),
  tools: () => json<{ tools: ToolRow[] }>('GET', '/api/tools'),
  rules: () => json<Rules>('GET', '/api/rules'),
  addRule: (decision: RuleRow['decision'], rule: string, insteadOf?: string) =>
    json<Rules>('POST', '/api/rules', { decision, rule, instead_of: insteadOf }),
  removeRule: (rule: string) => json<Rules>('DELETE', `/api/rules?rule=${encodeURIComponent(rule)}`),
});

const sessionRoutes = ({ send, json, text }: ServerRequests) => ({
  sessions: async (query: SessionQuery = {}) => {
    type Page = { sessions: SessionRow[]; pinned?: SessionRow[]; has_more: boolean };
    const answer = await json<Page>('GET', sessionListPath(query));
    if (!answer.ok) return answer;
    const { sessions, pinned, ...rest } = answer.value;
    const told: Page = { ...rest, sessions: sessions.map(readableRow) };
    return { ...answer, value: pinned ? { ...told, pinned: pinned.map(readableRow) } : told };
  },
  /** With the model that new sessions begin with, where none is named. */
  create: (model?: string, settings?: OwnSettings) =>
    json<{ id: string }>('POST', '/api/sessions', { model, settings }),
  rename: (id: string, title: string) => json<unknown>('POST', sessionPath(id, '/commands'), { type: 'rename', title }),
  fork: (id: string, atSeq?: number) => json<{ id: string }>('POST', sessionPath(id, '/fork'), { at_seq: atSeq }),
  /** `text` is what an export gave. */
  importSession: (text: string) => json<{ id: string; known: boolean }>('POST', '/api/sessions/import', { text }),
  pin: (id: string, pinned: boolean) => json<unknown>('POST', sessionPath(id, '/pin'), { pinned }),
  /** The session with everything in it. */
  exported: (id: string) => text(sessionPath(id, '/export?format=jsonl')),
  exportPath: (id: string, format: 'markdown' | 'jsonl') => sessionPath(id, `/export?format=${format}`),
  remove: (id: string) => json<unknown>('DELETE', sessionPath(id)),
  /** Goes out though the page is being left; whoever comes back soon finds it all the same. */
  removeLeaving: (id: string) =>
    void send(sessionPath(id, '?if_left=true'), { method: 'DELETE', keepalive: true }).catch(() => undefined),
  /** Whether a session is there still; `unknown` where that cannot be told now. `refused`: this page has no token. */
  hasSession: async (id: string): Promise<'there' | 'gone' | 'refused' | 'unknown'> => {
    const answer = await json<unknown>('GET', sessionPath(id, '?limit=1'));
    if (answer.ok) return 'there';
    return answer.status === 404 ? 'gone' : answer.status === 401 ? 'refused' : 'unknown';
  },
  eventsPath: (id: string) => sessionPath(id, '/events?form=updates'),
  changes: (id: string) => json<SessionReview>('GET', sessionPath(id, '/changes')),
  documents: (id: string) => json<{ documents: DocumentRow[] }>('GET', sessionPath(id, '/documents')),
  documentsPath: (id: string) => sessionPath(id, '/documents'),
  removeDocument: (id: string, name: string) =>
    json<unknown>('DELETE', sessionPath(id, `/documents/${encodeURIComponent(name)}`)),
  shared: (id: string) => json<{ shared: boolean }>('GET', sessionPath(id, '/share')),
  share: (id: string) => json<{ token: string }>('POST', sessionPath(id, '/share')),
  endShare: (id: string) => json<unknown>('DELETE', sessionPath(id, '/share')),
});

/** What a message is written from: prompts, files and pictures. */
const inputRoutes = ({ json }: ServerRequests) => ({
  /** Prompts of the person's own, of the folder and of plugins. */
  commands: () => json<{ commands: CommandRow[] }>('GET', '/api/commands'),
  /** What a text stands for: a prompt that it names, and the files that it names. */
  input: (text: string) =>
    json<{ content: string | ContentPart[]; problems: string[]; command?: string }>('POST', '/api/input', { text }),
  /** The paths of the workspace, for the first suggestions. The tool is safe and asks nobody. */
  files: async (): Promise<string[]> => {
    const answer = await json<{ success: boolean; result: JsonValue }>('POST', '/api/tools/execute', {
      tool_name: 'get_file_tree',
      arguments: {},
    });
    const result = answer.ok && answer.value.success ? answer.value.result : [];
    const paths = typeof result === 'string' ? parsed(result) : result;
    return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
  },
});

const serverRoutes = ({ json }: ServerRequests) => ({
  /** Begins to make the model ready; `again` where that failed. */
  status: (again = false) => json<Status>('GET', `/api/status?load=${again ? 'again' : 'true'}`),
  invitation: () => json<Invitation>('GET', '/api/invitation'),
  gatewayClients: () => json<{ clients: ClientRow[] }>('GET', '/api/gateway/clients'),
  statistics: (days: number, all: boolean) =>
    json<ToldStatistics>('GET', `/api/statistics?days=${days}${all ? '&all=true' : ''}`),
  /** An address at which markup is drawn and can do nothing. */
  preview: (html: string) => json<{ path: string }>('POST', '/api/previews', { html }),
});

/** A message that nobody answers is sent a second time at once, by a new connection or to another server. */
const createCommand = ({ json }: ServerRequests) => {
  const keys = new MessageKeys();
  return async (id: string, given: Command): Promise<Answer<unknown>> => {
    const keyed = keys.keyed(id, given);
    const post = () => json<unknown>('POST', sessionPath(id, '/commands'), keyed);
    const first = await post();
    const answer = isUnknown(first) && isKeyed(keyed) ? await post() : first;
    if (!isUnknown(answer)) keys.answered(id, given);
    return answer;
  };
};

export type Api = ReturnType<typeof createApi>;

export const createApi = (send: typeof fetch) => {
  const requests = new ServerRequests(send);
  return {
    send,
    picture: requests.picture,
    download: requests.download,
    command: createCommand(requests),
    ...serverRoutes(requests),
    ...sessionRoutes(requests),
    ...inputRoutes(requests),
    ...modelRoutes(requests),
    ...settingsRoutes(requests),
    ...mcpRoutes(requests),
  };
};
