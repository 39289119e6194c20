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

/** Values of which no part may be seen, whatever they look like, and their parts. */
const VALUES: readonly (readonly [value: string, parts: readonly string[]])[] = [
  ['834756', ['834756']],
  ['-Abc123xyz', ['Abc123xyz']],
  ['--abcxyz', ['abcxyz']],
  ['qwe,def123', ['qwe', 'def123']],
  ['hunter2;xyzw', ['hunter2', 'xyzw']],
  ['pqp&qpq', ['pqp', 'qpq']],
  ["pqp'qpq", ['pqp', 'qpq']],
  ['pqp"qpq', ['pqp', 'qpq']],
  ['pqp=qpq', ['pqp', 'qpq']],
];
const BLANKS = ['wxa wxb', ['wxa', 'wxb']] as const;
/** Ways in which a value stands in settings; a blank in it only where something holds it together. */
const PLACES: Record<string, (value: string) => unknown> = {
  'an element of a list': (value) => ({ args: ['--password', value, 'end'] }),
  'a flag of one element': (value) => ({ args: [`--api-key=${value}`, 'end'] }),
  'an element of the environment': (value) => ({ args: ['-e', `DB_PASSWORD=${value}`] }),
  'a word of a line': (value) => ({ command: `server --token ${value} end` }),
  'the last word of a line': (value) => ({ command: `server --token ${value}` }),
  'behind a flag with a name of that kind': (value) => ({ args: ['--use-token', '--api-key', value] }),
  'a header': (value) => ({ args: ['--header', `X-Api-Key: ${value}`] }),
  'a header with a scheme': (value) => ({ args: ['--header', `Authorization: Bearer ${value}`] }),
  'an address': (value) => ({ url: `https://example.com/mcp?token=${value}` }),
};
const HELD_TOGETHER: Record<string, (value: string) => unknown> = {
  'an element of a list': (value) => ({ args: ['--password', value, 'end'] }),
  'double quotes in a line': (value) => ({ command: `server --token "${value}" end` }),
  'single quotes in a line': (value) => ({ command: `server --token '${value}' end` }),
  'double quotes behind a sign': (value) => ({ command: `server --token="${value}" end` }),
  'single quotes of the environment': (value) => ({ command: `API_KEY='${value}' server end` }),
  'a header': (value) => ({ args: ['--header', `Cookie: ${value}`, 'end'] }),
};
const PARTS = [
  ...Object.entries(PLACES).flatMap(([name, put]) =>
    VALUES.map(([value, parts]) => [name, value, put(value), parts] as const),
  ),
  ...Object.entries(HELD_TOGETHER).map(([name, put]) => [name, BLANKS[0], put(BLANKS[0]), BLANKS[1]] as const),
  ['a number', '834756', { password: 834756 }, ['834756']],
  ['a number of an administrator', '834756', { args: ['--admin-token', '834756'] }, ['834756']],
] as const;

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

  it.each(PARTS)('shows no part of %s: %s', (_name, _value, settings, parts) => {
    verifies('S18');
    const text = write(settings);
    const shown = shownSettings(text, TOKEN);
    for (const part of parts) expect(shown).not.toContain(part);
    expect(shown.includes('end'), 'what follows stays').toBe(text.includes('end'));
    expect(shown.split('\n').length, 'the lines stay').toBe(text.split('\n').length);
  });

  it.each([
    { args: ['--max-tokens', '4096', '--token-limit=512'] },
    { maxTokens: 4096, max_completion_tokens: 100, tokenBudget: '9000' },
    { command: 'server --max-tokens 4096 --verbose' },
    { args: ['--header', `Authorization: Bearer ${TOKEN}`, '--token', TOKEN, `--api-key=${TOKEN}`] },
    { args: ['--verbose', '--port', '8080', '/srv/files'] },
    { args: ['-y', '@modelcontextprotocol/server-filesystem', '--tokens-max', '4096'] },
    { command: 'npx server --verbose' },
    { url: 'https://example.com/mcp?x=1' },
  ])('shows what is no key: %j', (value) => {
    const text = write(value);
    expect(shownSettings(text, TOKEN)).toBe(text.replaceAll(TOKEN, 'TOKEN'));
  });
});
