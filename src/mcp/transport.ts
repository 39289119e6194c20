/** The way to a server: the pipes of a process, or HTTP through the port to the network. */
import { type OAuthClientProvider, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Processes } from '../core/ports.ts';
import { isIssuerNamed, keptProvider, machineProvider } from './login/providers.ts';
import { type HttpServer, isLoginFor, type LoginStore } from './login-record.ts';
import type { ServerDefinition } from './server-definition.ts';
import { portFetch, type ServerPorts } from './transport/port-fetch.ts';
import { processTransport } from './transport/process-transport.ts';

export type { ServerPorts };

export type TransportPorts = ServerPorts & {
  openProcess: Processes['open'];
  /** What a person logged in to is kept here; absent where no login can be. */
  logins?: LoginStore;
  onWarning(message: string): void;
};

/** The end of what a process wrote beside the protocol tells why it ended; HTTP has no such words. */
export type ServerTransport = Transport & { lastWords?(): string };

export const httpTransport = (
  server: HttpServer,
  ports: ServerPorts,
  authProvider: OAuthClientProvider | { token(): Promise<undefined> },
): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(server.url), {
    // Its headers are added there: the package would send them to every address that the server names.
    fetch: portFetch(ports, server),
    skipIssuerMetadataValidation: isIssuerNamed(server),
    authProvider,
  });

/** A server that lets nobody in without a login is asked without one. */
const NO_LOGIN = { token: async () => undefined };
const NOTHING_KEPT: LoginStore = { read: async () => undefined, write: async () => {} };

export const transportFor = async (server: ServerDefinition, ports: TransportPorts): Promise<ServerTransport> => {
  if (server.kind === 'process') {
    if (ports.openProcess === undefined) throw new Error('no processes can be started here');
    return processTransport(ports.openProcess, server, ports.onWarning);
  }
  const logins = ports.logins ?? NOTHING_KEPT;
  const kept = await logins.read();
  const isKept = isLoginFor(kept, server) && kept.tokens !== undefined;
  return httpTransport(server, ports, machineProvider(server) ?? (isKept ? keptProvider(server, logins) : NO_LOGIN));
};
