/** Logs a person in to a server on HTTP: sends them to its authorization server and takes what comes back. */
import { Client, UnauthorizedError } from '@modelcontextprotocol/client';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { errorText, shownText } from './clean-text.ts';
import { MCP_LIMITS } from './limits.ts';
import { freshLogin, type Redirect } from './login/providers.ts';
import type { HttpServer, Login } from './login-record.ts';
import { httpTransport, type ServerPorts } from './transport.ts';

export type LogInOptions = {
  server: HttpServer;
  before: Login | undefined;
  ports: ServerPorts;
  version: string;
  redirect: Redirect;
  /** Everything that came back to the redirect address, or why nothing did. */
  answered: Promise<Outcome<URLSearchParams>>;
};

export const logIn = async (options: LogInOptions): Promise<Outcome<Login>> => {
  const { server, before, ports, version, redirect, answered } = options;
  const { provider, login } = freshLogin(server, before, redirect);
  const open = () => httpTransport(server, ports, provider);
  const client = () => new Client({ name: 'halter', version }, { versionNegotiation: { mode: 'auto' } });
  const name = `The MCP server "${server.name}"`;
  const first = open();
  const asking = client();
  try {
    await asking.connect(first, { timeout: MCP_LIMITS.mcpConnectTimeoutMs });
    await asking.close();
    return failure('validation_failed', `${name} asks for no login.`);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) return failure('io_error', `${name}: ${errorText(error)}`);
  }
  const back = await answered;
  if (!back.ok) return back;
  const problem = answerProblem(back.value, redirect.state);
  if (problem !== undefined) return failure('permission_denied', `${name}: ${problem}`);
  try {
    await first.finishAuth(back.value);
    await first.close();
    const proof = client();
    await proof.connect(open(), { timeout: MCP_LIMITS.mcpConnectTimeoutMs });
    await proof.close();
  } catch (error) {
    return failure('io_error', `${name}: ${errorText(error)}`);
  }
  return succeed(login());
};

const answerProblem = (answer: URLSearchParams, state: string): string | undefined => {
  if (answer.get('state') !== state) return 'the answer does not belong to this login';
  const error = answer.get('error');
  if (error === null) return undefined;
  const words = [error, answer.get('error_description') ?? ''].filter((word) => word !== '').join(': ');
  return `the login was refused (${shownText(words, MCP_LIMITS.mcpShownCharacters)})`;
};
