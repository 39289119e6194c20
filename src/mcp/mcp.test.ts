import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { JsonValue } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { validateArguments } from '../core/validate-arguments.ts';
import { cleanDescription, cleanText, shownWord } from './clean-text.ts';
import { checkIssuer } from './login/providers.ts';
import {
  consentDigest,
  isServerName,
  namedServer,
  readServers,
  shownServer,
  withEnvironment,
} from './server-definition.ts';
import { isQuickPattern } from './server-tools/quick-pattern.ts';
import { boundedText, toToolOutput } from './server-tools/tool-output.ts';
import { toolParameters } from './server-tools/tool-schema.ts';

const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u{E0000}-\u{E0FFF}]|[\u0000-\u0008\u000b-\u001f\u007f]/u;
const anyText = fc.string({ unit: 'binary' });

describe('what a server says', () => {
  it('reaches a prompt without anything that cannot be seen, and says so where something was left out', () => {
    verifies('B10');
    expect(cleanDescription('ok\u{E0073}\u{E0074}', 100)).toBe('ok [2 invisible characters were left out]');
    expect(cleanDescription('Adds numbers.', 100)).toBe('Adds numbers.');
    expect(cleanDescription('x'.repeat(200), 100)).toHaveLength(104);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(cleanText(text).text).not.toMatch(UNSEEN);
      }),
    );
  });

  it('is shown as a command with nothing left out and nothing that a terminal obeys', () => {
    verifies('B10');
    const server = { name: 'x', kind: 'process', command: 'sh', args: ['-c', 'touch CANARY'], env: {} } as const;
    expect(shownServer(server)).toBe('sh -c "touch CANARY"');
    expect(shownServer({ ...server, env: { A: 'b c' } })).toBe('A="b c" sh -c "touch CANARY"');
    expect(namedServer({ ...server, env: { KEY: 'sk-1' } })).toBe('KEY=… sh -c "touch CANARY"');
    const web = { name: 'x', kind: 'http', url: 'https://a.test/', headers: { Authorization: 'Bearer t' } } as const;
    expect(namedServer(web)).toBe('https://a.test/ with Authorization');
    expect(shownWord('a\u202eb')).toBe('"a\\u{202e}b"');
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(shownWord(one)).not.toMatch(UNSEEN);
        if (one !== other && !/\\u\{/.test(one + other)) expect(shownWord(one)).not.toBe(shownWord(other));
      }),
    );
  });

  it('is cut by bytes where it is long, at the end of a character', () => {
    expect(boundedText('short', 10)).toEqual({ text: 'short' });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 40 }), (text) => {
        const { text: kept, truncated } = boundedText(text, 20);
        if (truncated !== undefined) expect(text.startsWith(kept.split('\n[cut: ')[0] as string)).toBe(true);
      }),
    );
  });
});

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
    const at =
      (asked: string, issuer: string, oauth = { issuer: 'https://good.test' }) =>
      () =>
        checkIssuer({ authorizationServerUrl: asked, authorizationServerMetadata: { issuer } as never }, oauth);
    expect(at('https://good.test/', 'https://good.test')).not.toThrow();
    // Whoever is asked can claim to be anybody.
    expect(at('https://evil.test/', 'https://good.test')).toThrow('as the settings say');
    expect(at('https://good.test/', 'https://evil.test')).toThrow('as the settings say');
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
});

describe('the schema of a tool', () => {
  it('is checked here and never fetched: what lies elsewhere says nothing', () => {
    verifies('B10');
    expect(toolParameters({ $ref: 'http://evil.test/s.json' })).toEqual({ type: 'object', properties: {} });
    const inner = toolParameters({
      type: 'object',
      properties: { a: { $ref: 'https://evil.test/x' }, $ref: { type: 'string' } },
      $defs: { b: { type: 'integer' } },
    });
    expect(inner).toMatchObject({ properties: { a: {}, $ref: { type: 'string' } }, $defs: { b: { type: 'integer' } } });
    expect(JSON.stringify(inner)).not.toContain('evil.test');
  });

  it('is tried only where that takes next to no time; the rest of a pattern is told', () => {
    verifies('B10');
    for (const quick of ['^[a-z0-9-]+$', '^\\d{4}-\\d{2}-\\d{2}$', 'a.c', '^x{1,3}$', '^v\\d+\\.\\d$', '[^/]'])
      expect([quick, isQuickPattern(quick)]).toEqual([quick, true]);
    for (const slow of [
      '(a+)+$',
      'a+a+$',
      '^a*b*$',
      '[a-z]+!',
      '(?=x)',
      '(a|a)*',
      '\\1',
      '^(?:a|b)$',
      'a{1,9999}',
      '^x{0,9}y{0,9}',
    ])
      expect([slow, isQuickPattern(slow)]).toEqual([slow, false]);
    const schema = toolParameters({
      type: 'object',
      properties: { x: { type: 'string', description: 'A word', pattern: '(a+)+$' }, y: { pattern: '^b$' } },
      patternProperties: { '(z+)+': { type: 'string' } },
      additionalProperties: false,
    });
    expect(schema['properties']).toEqual({
      x: { type: 'string', description: 'A word (must match (a+)+$)' },
      y: { pattern: '^b$' },
    });
    const began = performance.now();
    expect(validateArguments(schema, { x: `${'a'.repeat(60)}!`, zz: 'more' }, 'strict')).toMatchObject({ ok: true });
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('never takes long, whatever pattern passes for a quick one', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '*',
      '+',
      '?',
      '{2}',
      '{1,5}',
      '{3,}',
      '^',
      '$',
      '|',
      '(',
      ')',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 12 }),
        fc.array(fc.constantFrom('a', 'b', '!'), { maxLength: 4 }),
        (parts, end) => {
          const pattern = parts.join('');
          if (!isQuickPattern(pattern)) return;
          let expression: RegExp;
          try {
            expression = new RegExp(pattern, 'u');
          } catch {
            return;
          }
          const began = performance.now();
          expression.test('ab'.repeat(20_000) + end.join(''));
          expect(performance.now() - began).toBeLessThan(500);
        },
      ),
    );
  });

  it('is one that arguments can be checked by, whatever the server sent', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (schema, args) => {
        const parameters = toolParameters(schema);
        expect(parameters['type']).toBe('object');
        validateArguments(parameters, args, 'model');
      }),
    );
  });
});

describe('what a server answered', () => {
  const output = (result: object) => toToolOutput(result as never, undefined);

  it('is text; what is no text is named, and what is said twice is said once', () => {
    verifies('B10');
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4_000_000) };
    expect(output({ content: [{ type: 'text', text: 'a' }, image] })).toMatchObject({
      data: 'a\n[image, image/png, 3,000,000 bytes: not shown]',
    });
    const structuredContent = { n: 1 };
    expect(output({ content: [{ type: 'text', text: '{ "n": 1 }' }], structuredContent })).toMatchObject({
      data: '{ "n": 1 }',
    });
    expect(output({ content: [], structuredContent })).toMatchObject({ data: '{"n":1}' });
    expect(output({ content: [{ type: 'text', text: 'no\u{E0061}' }], isError: true })).toEqual({
      success: false,
      error_type: 'io_error',
      error_message: 'no',
      metadata: { reason: 'tool_error' },
    });
  });

  it('is never more than a model reads of it, whatever came', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (content, structuredContent) => {
        const { data = '' } = output({ content, structuredContent });
        expect(Buffer.byteLength(data)).toBeLessThanOrEqual(LIMITS.mcpResultBytes + 200);
      }),
    );
    const long = output({ content: [{ type: 'text', text: 'ü'.repeat(100_000) }] });
    expect(Buffer.byteLength(long.data ?? '')).toBeLessThanOrEqual(LIMITS.mcpResultBytes + 200);
    expect(long.metadata?.truncated).toContain('200,000 bytes');
  });
});
