import type { Agent } from '../agent/create-agent.ts';
import type { Readiness } from '../agent/readiness.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolResult } from '../core/tool-result.ts';
import type { Schema } from '../schema/index.ts';
import type { DefaultSettings } from './default-settings.ts';
import type { GatewayRecord } from './gateway/state.ts';
import type { McpLogins } from './mcp-logins.ts';
import type { ModelJobs } from './model-jobs.ts';
import type { ModelKeyPort } from './model-key.ts';
import type { Previews } from './previews.ts';
import type { Resume } from './resume.ts';
import type { SessionHub } from './session-hub.ts';
import type { Shares } from './shares.ts';
import type { Statistics } from './statistics.ts';

/** A look-up, as the call of a tool that it is. */
export type Retrieved = { tool: string; args: JsonObject; result: ToolResult };

/** What every route may use. */
export type ServerContext = {
  readonly halter: Agent;
  readonly sessions: SessionHub;
  /** What sessions begin with; absent where no settings are kept. */
  readonly defaults?: DefaultSettings;
  /** Absent where no settings are kept. */
  readonly modelKey?: ModelKeyPort;
  readonly statistics: Statistics;
  /** Links by which others read a session. */
  readonly shares: Shares;
  /** Pulls and probes of models. */
  readonly modelJobs: ModelJobs;
  readonly version: string;
  /** The OpenAPI document of all routes. */
  document(): Schema;
  readonly startedAt: number;
  /** Whether it can do its work now. */
  readiness(): Promise<Readiness>;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
  now(): number;
  /** Tells whoever runs the server of a defect. */
  onDefect(error: unknown): void;
  /** Told of each answer of the gateway when it is over. */
  onGateway?(record: GatewayRecord): void;
  /** What is known of the workspace, and of the chat's documents, about a message, before the model sees it. */
  retrieve?(query: string, signal: AbortSignal, chatId: string): Promise<Retrieved | undefined>;
  /** Markup that is about to be drawn. */
  readonly previews: Previews;
  /** `/mcp`, opened at its first request. */
  mcp(): Promise<{ handle(request: Request): Promise<Response> }>;
  /** Absent where pages are not known again after a restart. */
  resume(): Resume | undefined;
  /** How another device opens the page; undefined where none can. */
  invitation(): { url: string; squares: boolean[][] } | undefined;
  /** What a page that may come in shows from then on. */
  pageKeyFor(request: Request): string;
  /** Absent where nobody can log in to MCP servers. */
  mcpLogins?: McpLogins;
  /** What getting a model ready is at, while it is. */
  loading?(): { message: string; fraction?: number } | undefined;
};
