/** An MCP server on HTTP with an authorization server beside it, for logins: small, strict about PKCE, and everything is written down. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type OAuthServerOptions = {
  /** Where the metadata says that the authorization server is, instead of here. */
  authorizationServer?: string;
};

export type OAuthServer = {
  url: string;
  /** `method path` of every request, with the grant of a token request. */
  seen: string[];
  /** Access tokens that were sent to the server itself. */
  bearers: string[];
  /** Access tokens stop to count; with `refresh` renewing them does too. */
  revoke(what: 'access' | 'refresh'): void;
};

type Pending = { challenge: string; redirect: string; scope: string };

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

export const startOAuthServer = async (options: OAuthServerOptions = {}): Promise<OAuthServer> => {
  const seen: string[] = [];
  const bearers: string[] = [];
  const codes = new Map<string, Pending>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let count = 0;
  let origin = '';

  const json = (response: ServerResponse, status: number, value: unknown, headers = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  const grant = (response: ServerResponse, scope: string): void => {
    count += 1;
    access.add(`access-${count}`);
    refresh.add(`refresh-${count}`);
    const tokens = { access_token: `access-${count}`, refresh_token: `refresh-${count}`, token_type: 'Bearer', scope };
    json(response, 200, { ...tokens, expires_in: 3600 });
  };
  const token = (form: URLSearchParams, response: ServerResponse): unknown => {
    if (form.get('grant_type') === 'refresh_token') {
      const known = refresh.delete(form.get('refresh_token') ?? '');
      return known ? grant(response, 'read') : json(response, 400, { error: 'invalid_grant' });
    }
    const pending = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (pending?.challenge !== challenge || pending.redirect !== form.get('redirect_uri'))
      return json(response, 400, { error: 'invalid_grant' });
    return grant(response, pending.scope);
  };
  const rpc = (text: string, response: ServerResponse): unknown => {
    const { id, method, params } = JSON.parse(text) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: object): void => json(response, 200, { jsonrpc: '2.0', id, result });
    if (method === 'initialize')
      return answer({
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'behind a login', version: '1' },
      });
    if (method === 'tools/list') return answer({ tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] });
    if (method === 'tools/call') return answer({ content: [{ type: 'text', text: 'Ada' }] });
    return json(response, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', origin);
    const body = await bodyOf(request);
    const form = new URLSearchParams(body);
    seen.push(`${request.method} ${url.pathname}${url.pathname === '/token' ? ` ${form.get('grant_type')}` : ''}`);
    switch (url.pathname) {
      case '/mcp': {
        const bearer = (request.headers.authorization ?? '').replace('Bearer ', '');
        if (bearer !== '') bearers.push(bearer);
        if (request.method !== 'POST') return void response.writeHead(405).end();
        if (access.has(bearer)) return rpc(body, response);
        const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
        return json(response, 401, { error: 'invalid_token' }, { 'www-authenticate': where });
      }
      case '/.well-known/oauth-protected-resource/mcp':
        return json(response, 200, {
          resource: `${origin}/mcp`,
          authorization_servers: [options.authorizationServer ?? origin],
        });
      case '/.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      case '/register':
        return json(response, 201, {
          ...JSON.parse(body),
          client_id: 'registered',
          token_endpoint_auth_method: 'none',
        });
      case '/authorize': {
        const code = `code-${codes.size + 1}-${count}`;
        const redirect = url.searchParams.get('redirect_uri') ?? '';
        const challenge = url.searchParams.get('code_challenge') ?? '';
        codes.set(code, { challenge, redirect, scope: url.searchParams.get('scope') ?? '' });
        const back = new URL(redirect);
        back.searchParams.set('code', code);
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token':
        return token(form, response);
      default:
        return void response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${origin}/mcp`,
    seen,
    bearers,
    revoke(what) {
      access.clear();
      if (what === 'refresh') refresh.clear();
    },
  };
};
