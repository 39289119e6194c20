/** The life of a connection: opened at need, and anew after it ended, with a growing pause between tries that fail. */
import type { Client, ServerCapabilities } from '@modelcontextprotocol/client';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import { errorText, shownText } from '../clean-text.ts';
import { MCP_LIMITS } from '../limits.ts';
import { LoginNeeded } from '../login/providers.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ServerTransport } from '../transport.ts';
import { type OpenClientOptions, openClient } from './open-client.ts';

export type ServerState = {
  state: 'not connected' | 'connected' | 'failed' | 'login needed' | 'disabled';
  detail: string;
};

export type Link = {
  state(): ServerState;
  setState(state: ServerState): void;
  /** Connects where there is no connection. After a failure the next try has to wait a little, and then longer. */
  ensure(): Promise<Outcome<Client>>;
  isCurrent(client: Client): boolean;
  /** What it said it has when it was connected last. */
  capabilities(): ServerCapabilities;
  /** Ends the connection; the next need opens another one at once. */
  disconnect(): Promise<void>;
  close(): Promise<void>;
};

export type LinkOptions = {
  server: ServerDefinition;
  ports: OpenClientOptions['ports'] & { clock: Clock };
  attach(client: Client): void;
};

export const createLink = (options: LinkOptions): Link => new ServerLink(options);

class ServerLink implements Link {
  readonly #options: LinkOptions;
  readonly #name: string;
  #live: Promise<Client> | undefined;
  #state: ServerState = { state: 'not connected', detail: '' };
  #pauseMs = 0;
  #retryAt = 0;
  #isClosed = false;
  #current: Client | undefined;
  #capabilities: ServerCapabilities = {};
  /** Not connected yet: a server that says nothing must not keep halter from ending. */
  #opening: ServerTransport | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#name = `The MCP server "${options.server.name}"`;
  }

  state(): ServerState {
    return this.#state;
  }

  setState(state: ServerState): void {
    this.#state = state;
  }

  async ensure(): Promise<Outcome<Client>> {
    if (this.#isClosed) return failure('io_error', `${this.#name} is closed.`, 'closed');
    if (this.#live === undefined) {
      const waitMs = this.#retryAt - this.#options.ports.clock.now();
      if (waitMs > 0) return this.#notYet(waitMs);
      this.#live = this.#connect();
    }
    const attempt = this.#live;
    try {
      return succeed(await attempt);
    } catch (error) {
      if (this.#live === attempt) this.#failed(error);
      const text = `${this.#name} cannot be reached: ${errorText(error)}`;
      return error instanceof LoginNeeded
        ? failure('permission_denied', text, 'login_needed')
        : failure('io_error', text, 'disconnected');
    }
  }

  isCurrent(client: Client): boolean {
    return this.#current === client;
  }

  capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  async disconnect(): Promise<void> {
    const before = this.#live;
    this.#live = undefined;
    this.#current = undefined;
    this.#pauseMs = 0;
    this.#retryAt = 0;
    this.#state = { state: 'not connected', detail: '' };
    await this.#opening?.close().catch(() => {});
    const opened = await before?.catch(() => undefined);
    await opened?.close().catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.disconnect();
  }

  async #connect(): Promise<Client> {
    const { server, ports, attach } = this.#options;
    const client = await openClient({
      server,
      ports,
      onOpening: (transport) => {
        this.#opening = transport;
      },
      attach: (made) => {
        this.#current = made;
        attach(made);
      },
      onClose: (closed, words) => this.#ended(closed, words),
    });
    this.#opening = undefined;
    this.#pauseMs = 0;
    this.#capabilities = client.getServerCapabilities() ?? {};
    this.#state = { state: 'connected', detail: serverWords(client) };
    return client;
  }

  #ended(client: Client, words: string): void {
    // One that was let go says nothing about the one that is there now.
    if (this.#current !== client) return;
    this.#current = undefined;
    this.#live = undefined;
    if (!this.#isClosed) this.#state = { state: 'failed', detail: `it ended${words === '' ? '' : `: ${words}`}` };
  }

  #failed(error: unknown): void {
    this.#live = undefined;
    const longer = Math.max(this.#pauseMs * 2, MCP_LIMITS.mcpRetryDelayMs);
    this.#pauseMs = Math.min(longer, MCP_LIMITS.mcpRetryDelayMsMax);
    this.#retryAt = this.#options.ports.clock.now() + this.#pauseMs;
    this.#state = { state: error instanceof LoginNeeded ? 'login needed' : 'failed', detail: errorText(error) };
  }

  #notYet(waitMs: number): Outcome<Client> {
    const seconds = Math.ceil(waitMs / 1000);
    const text = `${this.#name} cannot be reached (${this.#state.detail}). The next try is in ${seconds} s.`;
    return failure('io_error', text, 'disconnected');
  }
}

const serverWords = (client: Client): string => {
  const info = client.getServerVersion();
  return shownText(`${info?.name ?? ''} ${info?.version ?? ''}`.trim(), MCP_LIMITS.mcpShownCharacters);
};
