/** The first words with a server: who halter is, what it can be asked, and what the server says of itself. */
import { Client } from '@modelcontextprotocol/client';
import { errorText } from '../clean-text.ts';
import { MCP_LIMITS } from '../limits.ts';
import { LoginNeeded } from '../login/providers.ts';
import { type Environment, type ServerDefinition, withEnvironment } from '../server-definition.ts';
import { CLIENT_CAPABILITIES } from '../server-requests.ts';
import { type ServerTransport, type TransportPorts, transportFor } from '../transport.ts';
import { loginText, needsLogin } from './failure.ts';

export type OpenClientOptions = {
  server: ServerDefinition;
  ports: TransportPorts & {
    environment: Environment;
    version: string;
    /** Why the server may not be started now; undefined where it may. */
    startProblem?(): string | undefined;
  };
  /** The transport is there, and nobody has answered yet. */
  onOpening(transport: ServerTransport): void;
  /** Before the first message, so that nothing which a server asks at once is missed. */
  attach(client: Client): void;
  /** It ended, with the last words of its process. */
  onClose(client: Client, words: string): void;
};

/** Throws what kept it from being connected. */
export const openClient = async (options: OpenClientOptions): Promise<Client> => {
  const { ports } = options;
  const { server, missing } = withEnvironment(options.server, ports.environment);
  if (missing.length > 0) throw new Error(`the environment has no ${missing.join(', ')}`);
  const problem = ports.startProblem?.();
  if (problem !== undefined) throw new Error(problem);
  const transport = await transportFor(server, ports);
  options.onOpening(transport);
  const client = new Client(
    { name: 'halter', version: ports.version },
    {
      capabilities: CLIENT_CAPABILITIES,
      // A program made for the older handshake may end at a question it does not know; a server on HTTP just says so.
      ...(server.kind === 'http' ? { versionNegotiation: { mode: 'auto' } } : {}),
    },
  );
  options.attach(client);
  const words = (): string => transport.lastWords?.() ?? '';
  client.onclose = () => options.onClose(client, words());
  // What is wrong with a message is told by the call that waits for it; the rest ends the connection.
  client.onerror = () => {};
  try {
    await client.connect(transport, { timeout: MCP_LIMITS.mcpConnectTimeoutMs });
    return client;
  } catch (error) {
    await transport.close().catch(() => {});
    if (needsLogin(error)) throw new LoginNeeded(loginText(server.name));
    throw new Error(words() === '' ? errorText(error) : `${errorText(error)}; it wrote: ${words()}`);
  }
};
