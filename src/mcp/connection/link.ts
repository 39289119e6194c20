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

export const createLink = ({ server, ports, attach }: LinkOptions): Link => {
  const name = `The MCP server "${server.name}"`;
  let live: Promise<Client> | undefined;
  let state: ServerState = { state: 'not connected', detail: '' };
  let pauseMs = 0;
  let retryAt = 0;
  let isClosed = false;
  let current: Client | undefined;
  let capabilities: ServerCapabilities = {};
  /** Not connected yet: a server that says nothing must not keep halter from ending. */
  let opening: ServerTransport | undefined;

  const ended = (client: Client, words: string): void => {
    // One that was let go says nothing about the one that is there now.
    if (current !== client) return;
    current = undefined;
    live = undefined;
    if (!isClosed) state = { state: 'failed', detail: `it ended${words === '' ? '' : `: ${words}`}` };
  };

  const connect = async (): Promise<Client> => {
    const client = await openClient({
      server,
      ports,
      onOpening: (transport) => {
        opening = transport;
      },
      attach: (made) => {
        current = made;
        attach(made);
      },
      onClose: ended,
    });
    opening = undefined;
    pauseMs = 0;
    capabilities = client.getServerCapabilities() ?? {};
    state = { state: 'connected', detail: serverWords(client) };
    return client;
  };

  const failed = (error: unknown): void => {
    live = undefined;
    pauseMs = Math.min(Math.max(pauseMs * 2, MCP_LIMITS.mcpRetryDelayMs), MCP_LIMITS.mcpRetryDelayMsMax);
    retryAt = ports.clock.now() + pauseMs;
    state = { state: error instanceof LoginNeeded ? 'login needed' : 'failed', detail: errorText(error) };
  };

  const ensure = async (): Promise<Outcome<Client>> => {
    if (isClosed) return failure('io_error', `${name} is closed.`, 'closed');
    if (live === undefined) {
      const waitMs = retryAt - ports.clock.now();
      if (waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1000);
        const text = `${name} cannot be reached (${state.detail}). The next try is in ${seconds} s.`;
        return failure('io_error', text, 'disconnected');
      }
      live = connect();
    }
    const attempt = live;
    try {
      return succeed(await attempt);
    } catch (error) {
      if (live === attempt) failed(error);
      const text = `${name} cannot be reached: ${errorText(error)}`;
      return error instanceof LoginNeeded
        ? failure('permission_denied', text, 'login_needed')
        : failure('io_error', text, 'disconnected');
    }
  };

  const disconnect = async (): Promise<void> => {
    const before = live;
    live = undefined;
    current = undefined;
    pauseMs = 0;
    retryAt = 0;
    state = { state: 'not connected', detail: '' };
    await opening?.close().catch(() => {});
    const opened = await before?.catch(() => undefined);
    await opened?.close().catch(() => {});
  };

  return {
    state: () => state,
    setState: (known) => {
      state = known;
    },
    ensure,
    isCurrent: (client) => current === client,
    capabilities: () => capabilities,
    disconnect,
    async close() {
      isClosed = true;
      await disconnect();
    },
  };
};

const serverWords = (client: Client): string => {
  const info = client.getServerVersion();
  return shownText(`${info?.name ?? ''} ${info?.version ?? ''}`.trim(), MCP_LIMITS.mcpShownCharacters);
};
