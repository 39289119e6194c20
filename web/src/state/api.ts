/** The server's routes, as far as the page uses them. What goes wrong is a value with words for the person. */

import type { Command } from '../../../src/core/events.ts';
import type { SessionReview } from '../../../src/core/file-review.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import type { ContentPart } from '../../../src/core/message.ts';
import type { OwnSettings } from '../../../src/core/own-settings.ts';
import type { Mode } from '../../../src/core/policy/modes.ts';
import type { ModelDay } from '../../../src/core/statistics.ts';
import { saveFile } from '../parts/save-file.ts';
import { MessageKeys } from './message-keys.ts';

/** `/name` stands for a prompt. */
export type ToldStatistics = { rows: ModelDay[]; sessions: number; has_more: boolean };
export type ToldModelKey = {
  from: 'none' | 'here' | 'file' | 'variable' | 'command';
  /** Of the file or the variable. */
  name?: string;
  /** A key that is set here would count. */
  is_settable: boolean;
};

export type CommandRow = { name: string; description: string; from: 'yours' | 'folder' | 'plugin' | 'halter' };
export type DocumentRow = { name: string; size_bytes: number; lines: number; added_at: number; note: string };
export type Answer<T> = { ok: true; value: T } | { ok: false; status: number; message: string };

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
  risk: string;
  preview: string | null;
  diff?: string;
  rule: string;
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
  provider: string;
  endpoint?: string;
  /** Its server does not answer now. */
  unreachable?: boolean;
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

export type ToolRow = { name: string; description: string; risk: 'safe' | 'medium' | 'high' };
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

export type Api = ReturnType<typeof createApi>;

const NO_ANSWER = {
  ok: false,
  status: 0,
  message: 'halter does not answer. Is halter serve still running?',
} as const;

type SessionQuery = { query?: string; after?: string; limit?: number; all?: boolean };
const SESSIONS_A_PAGE = 100;

/** Nobody answered, or a proxy did for a server that was not there: it may have come through. */
const isUnknown = (answer: Answer<unknown>): boolean => !answer.ok && [0, 502, 503, 504].includes(answer.status);

export const createApi = (send: typeof fetch) => {
  const keys = new MessageKeys();
  const request = async <T>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    let response: Response;
    let text: string;
    try {
      response = await send(path, {
        method,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch {
      return NO_ANSWER;
    }
    const value = parsed(text);
    if (response.ok) return { ok: true, value: value as T };
    return { ok: false, status: response.status, message: messageOf(value) ?? `halter answered ${response.status}.` };
  };
  const text = async (path: string): Promise<Answer<string>> => {
    try {
      const response = await send(path);
      const value = await response.text();
      if (response.ok) return { ok: true, value };
      const message = messageOf(parsed(value)) ?? `halter answered ${response.status}.`;
      return { ok: false, status: response.status, message };
    } catch {
      return NO_ANSWER;
    }
  };
  /** A picture of the web or of the folder, or why there is none. */
  const picture = async (from: { url: string } | { path: string }): Promise<Answer<Blob>> => {
    try {
      const response =
        'path' in from
          ? await send(`/api/pictures?path=${encodeURIComponent(from.path)}`)
          : await send('/api/pictures', {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(from),
            });
      if (response.ok) return { ok: true, value: await response.blob() };
      const message = messageOf(parsed(await response.text())) ?? `halter answered ${response.status}.`;
      return { ok: false, status: response.status, message };
    } catch {
      return NO_ANSWER;
    }
  };
  const session = (id: string, rest = ''): string => `/api/sessions/${encodeURIComponent(id)}${rest}`;

  /** A message that nobody answers is sent a second time at once, by a new connection or to another server. */
  const command = async (id: string, given: Command): Promise<Answer<unknown>> => {
    const keyed = keys.keyed(id, given);
    const post = () => request<unknown>('POST', session(id, '/commands'), keyed);
    const first = await post();
    const answer = isUnknown(first) && keyed !== given ? await post() : first;
    if (!isUnknown(answer)) keys.answered(id, given);
    return answer;
  };

  const mcp = (name: string, rest = ''): string => `/api/mcp/servers/${encodeURIComponent(name)}${rest}`;
  type One = { server: ServerRow };

  /** A file of the server, handed to the person under its own name. */
  const download = async (path: string): Promise<Answer<undefined>> => {
    try {
      const response = await send(path);
      if (!response.ok) {
        const message = messageOf(parsed(await response.text())) ?? `halter answered ${response.status}.`;
        return { ok: false, status: response.status, message };
      }
      const [, name = 'halter'] = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
      saveFile(name, await response.blob());
      return { ok: true, value: undefined };
    } catch {
      return NO_ANSWER;
    }
  };

  return {
    send,
    picture,
    download,
    gatewayClients: () => request<{ clients: ClientRow[] }>('GET', '/api/gateway/clients'),
    mcpServers: () => request<{ servers: ServerRow[] }>('GET', '/api/mcp/servers'),
    mcpAdd: (name: string, server: JsonObject) => request<One>('POST', '/api/mcp/servers', { name, server }),
    mcpRemove: (name: string) => request<unknown>('DELETE', mcp(name)),
    mcpEnable: (name: string, enabled: boolean) => request<One>('POST', mcp(name), { enabled }),
    mcpReconnect: (name: string) => request<One>('POST', mcp(name, '/reconnect')),
    mcpAllow: (name: string, consent: string) => request<One>('POST', mcp(name, '/allow'), { consent }),
    mcpLogIn: (name: string) => request<One>('POST', mcp(name, '/login'), {}),
    mcpReturned: (name: string, returned: string) => request<One>('POST', mcp(name, '/login'), { returned }),
    mcpLogOut: (name: string) => request<One>('DELETE', mcp(name, '/login')),
    /** Begins to make the model ready; `again` where that failed. */
    status: (again = false) => request<Status>('GET', `/api/status?load=${again ? 'again' : 'true'}`),
    invitation: () => request<Invitation>('GET', '/api/invitation'),
    describeModel: (model: string) =>
      request<{ model: ModelRow }>('GET', `/api/models/describe?model=${encodeURIComponent(model)}`),
    models: () => request<{ models: ModelRow[] }>('GET', '/api/models'),
    modelsInDetail: () => request<{ models: ModelRow[]; memory_bytes: number }>('GET', '/api/models?details=true'),
    removeModel: (model: string) => request<unknown>('DELETE', `/api/models?model=${encodeURIComponent(model)}`),
    suggestedModels: () =>
      request<{ models: SuggestedModel[]; memory_bytes: number; date: string }>('GET', '/api/models/suggestions'),
    modelJobs: () => request<{ jobs: ModelJob[] }>('GET', '/api/models/jobs'),
    beginModelJob: (kind: ModelJob['kind'], model: string) =>
      request<{ job: ModelJob }>('POST', '/api/models/jobs', { kind, model }),
    /** One that is over is taken off the list. */
    stopModelJob: (id: string) => request<unknown>('DELETE', `/api/models/jobs/${encodeURIComponent(id)}`),
    sessions: ({ query = '', after = '', limit = SESSIONS_A_PAGE, all = false }: SessionQuery = {}) =>
      request<{ sessions: SessionRow[]; has_more: boolean }>(
        'GET',
        `/api/sessions?${new URLSearchParams({ limit: String(limit), ...(query ? { q: query } : {}), ...(after ? { after } : {}), ...(all ? { all: 'true' } : {}) })}`,
      ),
    /** With the model that new sessions begin with, where none is named. */
    create: (model?: string, settings?: OwnSettings) =>
      request<{ id: string }>('POST', '/api/sessions', {
        ...(model === undefined ? {} : { model }),
        ...(settings === undefined ? {} : { settings }),
      }),
    defaults: () => request<ToldDefaults>('GET', '/api/settings'),
    changeDefaults: (settings: Defaults) => request<ToldDefaults>('POST', '/api/settings', settings),
    tools: () => request<{ tools: ToolRow[] }>('GET', '/api/tools'),
    rules: () => request<Rules>('GET', '/api/rules'),
    addRule: (decision: RuleRow['decision'], rule: string, insteadOf?: string) =>
      request<Rules>('POST', '/api/rules', {
        decision,
        rule,
        ...(insteadOf === undefined ? {} : { instead_of: insteadOf }),
      }),
    removeRule: (rule: string) => request<Rules>('DELETE', `/api/rules?rule=${encodeURIComponent(rule)}`),
    rename: (id: string, title: string) =>
      request<unknown>('POST', session(id, '/commands'), { type: 'rename', title }),
    fork: (id: string, atSeq?: number) =>
      request<{ id: string }>('POST', session(id, '/fork'), atSeq === undefined ? {} : { at_seq: atSeq }),
    /** `text` is what an export gave. */
    importSession: (text: string) => request<{ id: string }>('POST', '/api/sessions/import', { text }),
    /** The session with everything in it. */
    exported: (id: string) => text(session(id, '/export?format=jsonl')),
    remove: (id: string) => request<unknown>('DELETE', session(id)),
    /** Goes out though the page is being left; whoever comes back soon finds it all the same. */
    removeLeaving: (id: string) =>
      void send(session(id, '?if_left=true'), { method: 'DELETE', keepalive: true }).catch(() => undefined),
    exportPath: (id: string, format: 'markdown' | 'jsonl') => session(id, `/export?format=${format}`),
    /** Whether a session is there still; `there` too where that cannot be told now. */
    hasSession: async (id: string): Promise<'there' | 'gone'> => {
      const answer = await request<unknown>('GET', session(id, '?limit=1'));
      return !answer.ok && answer.status === 404 ? 'gone' : 'there';
    },
    eventsPath: (id: string) => session(id, '/events?form=updates'),
    documents: (id: string) => request<{ documents: DocumentRow[] }>('GET', session(id, '/documents')),
    documentsPath: (id: string) => session(id, '/documents'),
    removeDocument: (id: string, name: string) =>
      request<unknown>('DELETE', session(id, `/documents/${encodeURIComponent(name)}`)),
    shared: (id: string) => request<{ shared: boolean }>('GET', session(id, '/share')),
    share: (id: string) => request<{ token: string }>('POST', session(id, '/share')),
    endShare: (id: string) => request<unknown>('DELETE', session(id, '/share')),
    statistics: (days: number, all: boolean) =>
      request<ToldStatistics>('GET', `/api/statistics?days=${days}${all ? '&all=true' : ''}`),
    modelKey: () => request<ToldModelKey>('GET', '/api/model-key'),
    keepModelKey: (key: string) => request<ToldModelKey>('POST', '/api/model-key', { key }),
    removeModelKey: () => request<ToldModelKey>('DELETE', '/api/model-key'),
    /** An address at which markup is drawn and can do nothing. */
    preview: (html: string) => request<{ path: string }>('POST', '/api/previews', { html }),
    /** Prompts of the person's own, of the folder and of plugins. */
    commands: () => request<{ commands: CommandRow[] }>('GET', '/api/commands'),
    /** What a text stands for: a prompt that it names, and the files that it names. */
    input: (text: string) =>
      request<{ content: string | ContentPart[]; problems: string[]; command?: string }>('POST', '/api/input', {
        text,
      }),
    changes: (id: string) => request<SessionReview>('GET', session(id, '/changes')),
    command,
    /** The paths of the workspace, for the first suggestions. The tool is safe and asks nobody. */
    files: async (): Promise<string[]> => {
      const answer = await request<{ success: boolean; result: JsonValue }>('POST', '/api/tools/execute', {
        tool_name: 'get_file_tree',
        arguments: {},
      });
      const result = answer.ok && answer.value.success ? answer.value.result : [];
      const paths = typeof result === 'string' ? parsed(result) : result;
      return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
    },
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const messageOf = (value: unknown): string | undefined => {
  const error = (value as { error?: { message?: unknown } } | undefined)?.error;
  return typeof error?.message === 'string' ? error.message : undefined;
};
