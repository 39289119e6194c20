/** What `halter connect` shows of settings holds nobody's key, however a file writes it (S18). */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { shownSettings } from './shown-settings.ts';

const KEY = 'Zq7-xV2_plain.words9';
const TOKEN = 'own-token-of-halter-0123456789abcdef';

/** As an MCP server's command and its environment stand in the settings of a client. */
const WRITTEN: readonly unknown[] = [
  { args: ['--api-key', KEY] },
  { args: ['--api-key', KEY, '--verbose'] },
  { args: [`--api-key=${KEY}`] },
  { args: ['--token', KEY] },
  { args: [`--access-token=${KEY}`] },
  { args: ['-e', `GITHUB_TOKEN=${KEY}`, 'image'] },
  { args: ['-e', `DB_PASSWORD=${KEY}`] },
  { args: ['--header', `Authorization: Bearer ${KEY}`] },
  { args: ['--header', `Authorization: Basic ${KEY}`] },
  { args: ['--header', `X-Api-Key: ${KEY}`] },
  { args: ['--header', `X-Api-Key:${KEY}`] },
  { args: ['--password', KEY] },
  { args: ['sh', '-c', `run --secret ${KEY} --fast`] },
  { args: ['sh', '-c', `API_KEY=${KEY} run`] },
  { args: ['sh', '-c', `API_KEY='${KEY}' run`] },
  { args: ['ghp_0123456789abcdefghijklmnopqrstuvwxyz'] },
  { args: ['AKIAIOSFODNN7EXAMPLE'] },
  { command: `npx server --api-key ${KEY}` },
  { command: ['npx', 'server', '--api-key', KEY] },
  { url: `https://example.com/mcp?api_key=${KEY}` },
  { url: `https://example.com/mcp?x=1&token=${KEY}&y=2` },
  { url: `https://person:${KEY}@example.com/mcp` },
  { env: { API_KEY: KEY } },
  { headers: { Authorization: `Bearer ${KEY}` } },
];
const SECRETS = [KEY, 'ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'AKIAIOSFODNN7EXAMPLE'];

const FORMS: readonly (readonly [string, (value: unknown) => string])[] = [
  ['on lines', (value) => JSON.stringify({ server: value, apiKey: TOKEN }, null, 2)],
  ['on one line', (value) => JSON.stringify({ server: value, apiKey: TOKEN })],
  ['as TOML', (value) => toml(value)],
];
const toml = (value: unknown): string =>
  Object.entries(value as object)
    .map(
      ([name, inner]) =>
        `${name} = ${typeof inner === 'object' && !Array.isArray(inner) ? `{ ${toml(inner)} }` : JSON.stringify(inner)}`,
    )
    .join('\n');

describe.each(FORMS)('%s', (_form, write) => {
  it.each(WRITTEN.map((value) => [JSON.stringify(value), value] as const))('hides the key of %s', (_, value) => {
    verifies('S18');
    const text = write(value);
    const shown = shownSettings(text, TOKEN);
    for (const secret of [...SECRETS, TOKEN]) expect(shown).not.toContain(secret);
    expect(shown.split('\n').length, 'the lines stay').toBe(text.split('\n').length);
    if (text.includes(TOKEN)) expect(shown).toContain('TOKEN');
  });

  it.each([
    { args: ['--verbose', '--port', '8080', '/srv/files'] },
    { args: ['-y', '@modelcontextprotocol/server-filesystem', '--tokens-max', '4096'].slice(0, 2) },
    { command: 'npx server --verbose' },
    { url: 'https://example.com/mcp?x=1' },
  ])('shows what is no key: %j', (value) => {
    const text = write(value);
    expect(shownSettings(text, TOKEN)).toBe(text.replaceAll(TOKEN, 'TOKEN'));
  });
});
