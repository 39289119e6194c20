import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { JsonObject, JsonValue } from '../core/json.ts';
import {
  consentDigest,
  isServerName,
  namedServer,
  readServers,
  shownServer,
  withEnvironment,
} from './server-definition.ts';

describe('a list of servers', () => {
  it('is read in the form of other clients; what makes no sense is named and costs nothing else', () => {
    verifies('B10');
    const { servers, problems } = readServers({
      mcpServers: {
        files: { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
        web: { type: 'http', url: 'https://example.com/mcp', headers: { A: 'b' }, timeout: 5 },
        off: { command: 'x', disabled: true },
        bad__name: { command: 'x' },
        old: { type: 'sse', url: 'https://example.com' },
        none: {},
        file: { url: 'file:///etc/passwd' },
      },
    });
    expect(servers).toEqual([
      { name: 'files', kind: 'process', command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
      { name: 'web', kind: 'http', url: 'https://example.com/mcp', headers: { A: 'b' }, timeoutMs: 5 },
      { name: 'off', kind: 'process', command: 'x', args: [], env: {}, disabled: true },
    ]);
    expect(problems).toHaveLength(4);
    fc.assert(fc.property(fc.jsonValue(), (value) => void readServers(value as JsonValue)));
    fc.assert(
      fc.property(fc.string(), (name) => {
        if (isServerName(name)) expect(`mcp__${name}__t`).toMatch(/^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__t$/);
      }),
    );
  });

  it.each<[string, JsonObject, RegExp]>([
    ['a program and an address', { command: 'x', url: 'https://a.test' }, /both "command" and "url": take one out/],
    ['both, and a kind', { type: 'http', command: 'x', url: 'https://a.test' }, /both "command" and "url"/],
    ['a kind without its program', { type: 'stdio', url: 'https://a.test' }, /"type" is stdio, which wants "command"/],
    ['a kind without its address', { type: 'http', command: 'x' }, /"type" is http, which wants "url"/],
    ['the same by another name', { type: 'streamable-http', command: 'x' }, /which wants "url"/],
    ['off as a text', { command: 'x', disabled: 'true' }, /"disabled" must be true or false/],
    ['off as a number', { url: 'https://a.test', disabled: 1 }, /"disabled" must be true or false/],
  ])('starts nothing of an entry that contradicts itself: %s', (_what, entry, words) => {
    verifies('B10');
    const { servers, problems } = readServers({ mcpServers: { x: entry } });
    expect(servers).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(words)]);
  });

  it.each<JsonObject>([
    { command: 'x', url: '' },
    { command: 'x', url: null, disabled: null },
    { type: 'stdio', command: 'x' },
    { type: 'http', command: '', url: 'https://a.test' },
    { type: 'streamableHttp', url: 'https://a.test' },
    { type: 'anything', command: 'x' },
    { command: 'x', disabled: false },
  ])('takes an entry with one meaning: %j', (entry) => {
    verifies('B10');
    expect(readServers({ mcpServers: { x: entry } })).toMatchObject({ servers: [{ name: 'x' }], problems: [] });
  });

  it('sends a secret only where the person says', () => {
    verifies('B10');
    const problem = (oauth: JsonValue) =>
      readServers({ mcpServers: { x: { url: 'https://a.test/mcp', oauth } } }).problems[0];
    expect(problem({ client_id: 'a' })).toBeUndefined();
    expect(problem({ client_id: 'a', client_secret: 'b' })).toContain('needs the issuer');
    expect(problem({ client_id: 'a', client_secret: 'b', issuer: 'https://b.test' })).toBeUndefined();
    expect(problem({ grant_type: 'client_credentials' })).toContain('needs client_id');
    expect(problem({ grant_type: 'password' })).toContain('grant_type');
    expect(problem({ secret: 'b' })).toContain('no setting secret');
    const server = {
      name: 'x',
      kind: 'http',
      url: 'https://a.test/',
      headers: {},
      oauth: { client_secret: 's' },
    } as const;
    expect(namedServer(server)).toBe('https://a.test/ with oauth.client_secret');
    expect(consentDigest(server)).not.toBe(consentDigest({ ...server, oauth: { client_secret: 't' } }));
  });

  it('takes words from the environment, and says which are not there', () => {
    const variable = (name: string): string => ['$', '{', name, '}'].join('');
    const url = `https://${variable('HOST:-a.test')}/`;
    const server = { name: 'w', kind: 'http', url, headers: { T: variable('TOKEN') } } as const;
    expect(withEnvironment(server, { TOKEN: 't' })).toEqual({
      server: { ...server, url: 'https://a.test/', headers: { T: 't' } },
      missing: [],
    });
    expect(withEnvironment(server, {}).missing).toEqual(['TOKEN']);
  });

  it('binds a consent to all that would be started', () => {
    const server = { name: 'x', kind: 'process', command: 'a', args: ['b'], env: {} } as const;
    const others = [
      { ...server, args: ['c'] },
      { ...server, env: { A: '1' } },
      { ...server, command: 'b' },
    ];
    expect(new Set([server, ...others].map(consentDigest)).size).toBe(4);
    expect(consentDigest({ ...server, name: 'y' })).toBe(consentDigest(server));
  });

  it('is shown as a command with nothing left out and nothing that a terminal obeys', () => {
    verifies('B10');
    const server = { name: 'x', kind: 'process', command: 'sh', args: ['-c', 'touch CANARY'], env: {} } as const;
    expect(shownServer(server)).toBe('sh -c "touch CANARY"');
    expect(shownServer({ ...server, env: { A: 'b c' } })).toBe('A="b c" sh -c "touch CANARY"');
    expect(namedServer({ ...server, env: { KEY: 'sk-1' } })).toBe('KEY=… sh -c "touch CANARY"');
    const web = { name: 'x', kind: 'http', url: 'https://a.test/', headers: { Authorization: 'Bearer t' } } as const;
    expect(namedServer(web)).toBe('https://a.test/ with Authorization');
  });
});
