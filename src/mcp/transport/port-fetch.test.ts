/** What a server's settings hold for it goes to that server alone, and what it names is an address like any other. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { succeed } from '../../core/outcome.ts';
import type { HttpRequest, HttpResponse, Network } from '../../core/ports.ts';
import type { HttpServer } from '../login-record.ts';
import { httpTransport } from '../transport.ts';
import { portFetch } from './port-fetch.ts';

type Sent = { url: string; way: 'free' | 'guarded'; key: string | undefined; personsWord: boolean };
type Answer = { status: number; headers?: Record<string, string>; text?: string };

const responseOf = ({ status, headers = {}, text = '' }: Answer): HttpResponse => {
  const ended = succeed(undefined);
  return {
    status,
    headers: { ...(text === '' ? {} : { 'content-type': 'application/json' }), ...headers },
    read: async (take) => {
      await take(text);
      return ended;
    },
    text: async () => succeed(text),
  };
};

/** Ports that connect nowhere, and write down what would have been sent by which of them. */
const ports = (answer: (request: HttpRequest) => Answer = () => ({ status: 404 })) => {
  const sent: Sent[] = [];
  const port = (way: Sent['way']): Network => ({
    request: async (request) => {
      const key = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === 'x-api-key')?.[1];
      sent.push({ url: request.url, way, key, personsWord: request.personsWord === true });
      return succeed(responseOf(answer(request)));
    },
  });
  return { sent, ports: { network: port('free'), guarded: port('guarded') } };
};

const serverAt = (url: string): HttpServer => ({
  kind: 'http',
  name: 'far',
  url,
  headers: { 'X-Api-Key': 'KEY' },
});

describe('a request of the client of MCP', () => {
  it.each<[string, string, Sent['way'], boolean]>([
    ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp', 'free', true],
    ['https://mcp.example.com/mcp', 'https://mcp.example.com:443/.well-known/x?a=b', 'free', true],
    ['http://mcp.example.com/mcp', 'https://mcp.example.com/mcp', 'free', true],
    ['http://localhost:3000/mcp', 'http://localhost:3001/authorize', 'free', false],
    ['http://10.0.0.5:3000/mcp', 'http://10.0.0.5:9000/token', 'free', false],
    ['http://[::1]:3000/mcp', 'http://[::1]:9000/token', 'free', false],
    ['https://mcp.example.com/mcp', 'http://mcp.example.com/mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'http://mcp.example.com:8500/v1/kv', 'guarded', false],
    ['https://mcp.example.com/mcp', 'https://mcp.example.com:8443/mcp', 'guarded', false],
    ['http://mcp.example.com/mcp', 'http://mcp.example.com:2375/containers', 'guarded', false],
    ['http://mcp.example.com:8080/mcp', 'https://mcp.example.com/mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'https://mcp.example.com./mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'https://evil.mcp.example.com/mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'https://example.com/mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'https://mcp.example.com@evil.test/mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'https://evil.test/mcp', 'guarded', false],
    ['https://mcp.example.com/mcp', 'http://169.254.169.254/latest', 'guarded', false],
    ['http://10.0.0.5:3000/mcp', 'http://10.0.0.6:3000/mcp', 'guarded', false],
    ['http://localhost:3000/mcp', 'http://127.0.0.1:3000/mcp', 'guarded', false],
  ])('to the server %s at %s goes the way "%s", with its key: %s', async (server, address, way, withKey) => {
    verifies('S24');
    const { sent, ports: given } = ports();
    await portFetch(given, serverAt(server))(address);
    expect(sent).toMatchObject([{ way, key: withKey ? 'KEY' : undefined, personsWord: way === 'free' }]);
  });
});

const SIGNED_IN = {
  redirectUrl: 'http://127.0.0.1/',
  clientMetadata: { redirect_uris: ['http://127.0.0.1/'] },
  clientInformation: () => ({ client_id: 'halter' }),
  tokens: () => ({ access_token: 'TOKEN', token_type: 'Bearer' }),
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => '',
};

const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const challenge = (address: string): Answer => ({
  status: 401,
  headers: { 'www-authenticate': `Bearer resource_metadata="${address}"` },
});

describe('a server that sends the client elsewhere', () => {
  const metadata = { resource: 'https://mcp.example.com/mcp', authorization_servers: ['https://login.evil.test'] };
  it.each<[string, (url: string) => Answer]>([
    ['by the address of its metadata', () => challenge('https://evil.test/metadata')],
    ['to the metadata service of a cloud', () => challenge('http://169.254.169.254/latest')],
    [
      'by the authorization server that it names',
      (url) =>
        url.includes('/.well-known/oauth-protected-resource')
          ? { status: 200, text: JSON.stringify(metadata) }
          : challenge('https://mcp.example.com/.well-known/oauth-protected-resource'),
    ],
    ...[301, 302, 303, 307, 308].map((status): [string, (url: string) => Answer] => [
      `by a redirect with ${status}`,
      () => ({ status, headers: { location: 'https://evil.test/mcp' } }),
    ]),
    ['by a redirect to plain HTTP', () => ({ status: 307, headers: { location: 'http://mcp.example.com/mcp' } })],
  ])('has nothing of what is kept for it sent there: %s', async (_, answer) => {
    verifies('S24');
    const server = 'https://mcp.example.com/mcp';
    const { sent, ports: given } = ports(({ url }) =>
      url.startsWith('https://mcp.example.com') ? answer(url) : { status: 404 },
    );
    const transport = httpTransport(serverAt(server), given, SIGNED_IN);
    await transport.start();
    await expect(transport.send(MESSAGE)).rejects.toThrow();
    await transport.close();
    const own = sent.filter(({ url }) => url.startsWith('https://mcp.example.com/'));
    expect(own.every(({ key, way }) => key === 'KEY' && way === 'free')).toBe(true);
    const others = sent.filter((each) => !own.includes(each));
    expect(others.filter(({ key, way }) => key !== undefined || way === 'free')).toEqual([]);
  });
});

describe('headers of the settings', () => {
  const JSON_AND_EVENTS = 'application/json, text/event-stream';
  it.each<[name: string, value: string, posted: string | undefined, resumed: string | undefined]>([
    ['Accept', 'application/json', JSON_AND_EVENTS, 'application/json, text/event-stream'],
    ['accept', 'text/plain', `text/plain, ${JSON_AND_EVENTS}`, 'text/plain, text/event-stream'],
    ['Accept', 'TEXT/EVENT-STREAM', 'text/event-stream, application/json', 'text/event-stream'],
    ['Content-Type', 'text/plain', 'application/json', 'text/plain'],
    ['MCP-Protocol-Version', '1999-01-01', '2025-06-18', '2025-06-18'],
    ['Mcp-Session-Id', 'old', undefined, undefined],
    ['Last-Event-ID', 'old', undefined, '7'],
    ['Authorization', 'Bearer OWN', 'Bearer TOKEN', 'Bearer TOKEN'],
    ['X-Tenant', 'a', 'a', 'a'],
  ])('do not replace those of the protocol: %s: %s', async (name, value, posted, resumed) => {
    verifies('S24');
    const seen: Record<string, string | undefined> = {};
    const { ports: given } = ports(({ method, headers = {} }) => {
      seen[method] = headers[name.toLowerCase()];
      return { status: method === 'GET' ? 405 : 202 };
    });
    const server: HttpServer = { ...serverAt('https://mcp.example.com/mcp'), headers: { [name]: value } };
    const transport = httpTransport(server, given, SIGNED_IN);
    await transport.start();
    transport.setProtocolVersion('2025-06-18');
    await transport.send({ jsonrpc: '2.0', method: 'notifications/x' });
    await transport.resumeStream('7');
    await transport.close();
    expect([seen.POST, seen.GET]).toEqual([posted, resumed]);
  });

  it('are no more than was asked for where one logs in', async () => {
    verifies('S24');
    const seen: string[] = [];
    const { ports: given } = ports(({ headers = {} }) => {
      seen.push(`${headers.accept} ${headers['x-tenant']}`);
      return { status: 404 };
    });
    const headers = { Accept: 'text/html', 'X-Tenant': 'a' };
    const fetch = portFetch(given, { url: 'https://mcp.example.com/mcp', headers });
    await fetch('https://mcp.example.com/token', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: '{}',
    });
    expect(seen).toEqual(['application/json a']);
  });
});
