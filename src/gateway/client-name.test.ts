/** The names that the cost view and the log give to programs. */
import { expect, it, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { testServer } from '../../tests/support/test-server.ts';
import { WIRES } from '../../tests/support/wire-cases.ts';
import type { JsonObject } from '../core/json.ts';
import { clientName } from './client-name.ts';

const PI = 'You are an expert coding assistant operating inside pi, a coding agent harness. You help users';
const CONTINUE = "You are an agent in the Continue CLI. Given the user's prompt, you should";
const OPENAI = 'OpenAI/JS 6.26.0';

/** The first lines are what the programs sent themselves. */
test.each<[agent: string | null, system: string | undefined, title: string | null, name: string]>([
  [OPENAI, PI, null, 'pi'],
  ['claude-cli/2.1.197 (external, sdk-cli)', 'Available agent types', null, 'claude-cli'],
  ['opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14', 'You are opencode', null, 'opencode'],
  ['codex_exec/0.171.0 (Debian 12; x86_64)', undefined, null, 'codex_exec'],
  ['QwenCode/0.24.4 (linux; x64)', undefined, null, 'QwenCode'],
  ['ls/JS 5.23.2', CONTINUE, null, 'continue'],
  ['Bun/1.4.0', undefined, null, 'Bun'],
  // Nobody knows who they are: no name of a product is made of a library's.
  [OPENAI, undefined, null, 'openai library (JS)'],
  [OPENAI, 'You are a helpful assistant.', null, 'openai library (JS)'],
  ['AsyncOpenAI/Python 2.8.1', undefined, null, 'openai library (Python)'],
  ['OpenAI/Python 2.8.1', 'You are pi.', null, 'openai library (Python)'],
  ['Anthropic/JS 0.94.0', undefined, null, 'anthropic library (JS)'],
  ['ls/JS 5.23.2', undefined, null, 'unnamed-js'],
  ['ai-sdk/openai-compatible/2.0.92 ai/6.0.326', undefined, null, 'ai-sdk'],
  ['python-httpx/0.28.1', undefined, null, 'python-httpx'],
  ['node', undefined, null, 'node'],
  [null, undefined, null, 'unknown'],
  ['', '', '', 'unknown'],
  ['(odd)', undefined, null, 'unknown'],
  // What names itself is taken at its word, whatever its prompt says.
  ['mine/1.0', PI, null, 'mine'],
  ['nodemon/3.0', undefined, null, 'nodemon'],
  ['OpenAIde/1.0', undefined, null, 'OpenAIde'],
  [OPENAI, `Somebody wrote: "${PI}"`, null, 'openai library (JS)'],
  // A title beside a library's name.
  [OPENAI, undefined, 'Roo Code', 'Roo Code'],
  [null, undefined, 'Roo Code', 'Roo Code'],
  ['mine/1.0', undefined, 'Roo Code', 'mine'],
  [OPENAI, undefined, '<b>x</b>', 'openai library (JS)'],
  [OPENAI, undefined, ' ', 'openai library (JS)'],
  [OPENAI, undefined, `${'x'.repeat(39)} y`, 'x'.repeat(39)],
])('%j, with the prompt %j and the title %j, is %j', (agent, system, title, name) => {
  verifies('Z15');
  const header = (field: string): string | null => ({ 'user-agent': agent, 'x-title': title })[field] ?? null;
  const messages = system === undefined ? [] : [{ role: 'system' as const, content: system }];
  expect(clientName({ header, messages })).toBe(name);
});

const withSystem = (path: string): JsonObject => {
  if (path === '/v1/responses') return { instructions: PI };
  if (path === '/v1/messages' || path === '/api/generate') return { system: PI };
  return {
    messages: [
      { role: 'system', content: PI },
      { role: 'user', content: 'Hi' },
    ],
  };
};

it.each(WIRES.map((wire) => [wire.name, wire] as const))('knows pi by its prompt over %s', async (_name, wire) => {
  const server = await testServer([{ text: 'Hi.' }]);
  const body = { ...wire.body({}), ...withSystem(wire.path) };
  expect((await server.call('POST', wire.path, body, { 'user-agent': OPENAI })).status).toBe(200);
  const told = await (await server.call('GET', '/api/gateway/clients')).json();
  expect(told).toMatchObject({ clients: [{ client: 'pi', requests: 1 }] });
});
