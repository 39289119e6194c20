/** What is asked of a server: one request over whatever connection there is, and all pages of a list. */
import { type RequestOptions, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from '../../core/json.ts';
import { LIMITS } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { MCP_LIMITS } from '../limits.ts';
import { type ServerRequests, webAddress } from '../server-requests.ts';
import { isForgotten, loginText, needsLogin, requestFailure } from './failure.ts';
import type { Link } from './link.ts';

export type ListName = 'tools' | 'resources' | 'prompts';
export type AskOptions = Omit<RequestOptions, 'timeout'> & { timeoutMs?: number };

export type Requests = {
  ask(method: string, params: JsonObject, options?: AskOptions): Promise<Outcome<JsonObject>>;
  /** All pages of a list, up to one entry more than the limit; none where the server says that it has no such list. */
  list(name: ListName): Promise<Outcome<JsonObject[]>>;
};

/** Taken as it comes: one odd field of one tool must not cost all the others. What is used is looked at where it is used. */
const AS_IT_IS = {
  '~standard': {
    version: 1 as const,
    vendor: 'halter',
    validate: (value: unknown) => ({ value: (value ?? {}) as JsonObject }),
  },
};

export const createRequests = (server: string, link: Link, asked: Pick<ServerRequests, 'askToOpen'>): Requests => {
  const name = `The MCP server "${server}"`;

  const ask = async (
    method: string,
    params: JsonObject,
    options: AskOptions = {},
    isAgain = false,
  ): Promise<Outcome<JsonObject>> => {
    const client = await link.ensure();
    if (!client.ok) return client;
    const { timeoutMs = MCP_LIMITS.mcpRequestTimeoutMs, ...rest } = options;
    try {
      const answer = await client.value.request({ method, params }, AS_IT_IS, { ...rest, timeout: timeoutMs });
      return succeed(answer as JsonObject);
    } catch (error) {
      // It forgot the connection, as servers do that were restarted: nothing was done, and it begins again.
      if (isForgotten(error) && !isAgain) {
        if (link.isCurrent(client.value)) await link.disconnect();
        return ask(method, params, options, true);
      }
      if (needsLogin(error)) {
        const detail = loginText(server);
        link.setState({ state: 'login needed', detail });
        return failure('permission_denied', `${name}: ${detail}`, 'login_needed');
      }
      if (error instanceof UrlElicitationRequiredError) return afterAddresses(error, options.signal);
      return requestFailure(server, error, link.state().detail);
    }
  };

  /** It answers nothing before something was done in a browser; the person is shown where, and calls again later. */
  const afterAddresses = async (
    { elicitations }: UrlElicitationRequiredError,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Outcome<JsonObject>> => {
    for (const { url, message } of elicitations.slice(0, MCP_LIMITS.mcpQuestions)) {
      const address = webAddress(url);
      const answer = address === undefined ? undefined : await asked.askToOpen(address, message, signal);
      if (answer?.action !== 'accept')
        return failure('permission_denied', `${name} wants a page opened first, and the person did not open it.`);
    }
    return failure(
      'io_error',
      `${name} wants something done in the browser first. The person has the page open; call again when it is done.`,
      'browser_needed',
    );
  };

  const pagesOf = async (list: ListName): Promise<Outcome<JsonObject[]>> => {
    const found: JsonObject[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MCP_LIMITS.mcpPages; page += 1) {
      const answer = await ask(`${list}/list`, cursor === undefined ? {} : { cursor });
      if (!answer.ok) return answer;
      const entries = answer.value[list];
      // One more than there may be, so that whoever asked sees that there are more.
      const room = LIMITS.mcpEntries + 1 - found.length;
      if (Array.isArray(entries)) found.push(...entries.filter(isObject).slice(0, room));
      const next = answer.value['nextCursor'];
      if (typeof next !== 'string' || next === cursor || found.length > LIMITS.mcpEntries) break;
      cursor = next;
    }
    return succeed(found);
  };

  return {
    ask,
    async list(list) {
      const client = await link.ensure();
      if (!client.ok) return client;
      return client.value.getServerCapabilities()?.[list] === undefined ? succeed([]) : pagesOf(list);
    },
  };
};
