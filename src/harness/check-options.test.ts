/** What an option must not be: a program without a compiler hears of it where it is written, and nothing is opened. */
import { expect, test } from 'vitest';
import { registerTool } from '../core/tool/register-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);

const WRONG: [string, unknown, RegExp][] = [
  // A text is a list of letters, and no letter is the name of a tool: nothing would be denied.
  ['permissions', { deny: 'bash' }, /permissions\.deny must be a list of texts, not "bash"/],
  ['permissions', { allow: 'read_file' }, /permissions\.allow .* list of texts/],
  ['permissions', { onAsk: 'no' }, /permissions\.onAsk .* one of: wait, deny, fail/],
  ['permissions', 'read_file', /permissions must be an object, not "read_file"/],
  // Whatever is not understood would be kept in memory alone.
  ['storage', 'disk', /storage must be one of: memory, files, or an object, not "disk"/],
  ['storage', { kind: 'sqlite' }, /storage\.kind .* one of: memory, files, postgres/],
  ['storage', { folders: {} }, /storage/],
  ['storage', { kind: 'files', folders: { data: '/tmp' } }, /folders: config, data, cache, sessions, undo/],
  ['storage', { kind: 'postgres' }, /storage\.url .* a text/],
  ['offline', 'false', /offline must be true or false, not "false"/],
  ['sandbox', 'no', /sandbox .* true or false/],
  ['allowPrivate', 'localhost', /allowPrivate .* list of texts/],
  ['onPermission', 'deny', /onPermission .* a function/],
  ['onConnection', true, /onConnection .* a function/],
  ['results', 'short', /results .* one of: compact, full, summary/],
  ['trace', true, /trace .*otlp/],
  ['sampling', { temp: 1 }, /sampling .* temperature \(a number\)/],
  ['sampling', { temperature: 'hot' }, /sampling .* temperature/],
  ['silenceTimeoutMs', -5, /silenceTimeoutMs .* above 0/],
  ['roles', { fast: 5 }, /roles .* a text for each name/],
  ['session', 5, /session must be a text, not 5/],
  ['session', '', /session is empty/],
  ['session', 'user/42', /session: Not a session id: "user\/42"/],
  ['session', '../up', /session: Not a session id/],
  ['fork', true, /name it with session/],
  ['baseUrl', 8080, /baseUrl .* a text/],
  ['systemPrompt', ['a'], /systemPrompt must be a text, not a list/],
  ['mcpServers', [], /mcpServers .* an object/],
  ['messages', 'hello', /messages .* a list/],
  ['limits', 5, /limits .* an object/],
  ['search', { graphRag: 'yes' }, /search\.graphRag .* one of: off, auto, on/],
  ['tools', { add }, /Tools are given as a list: tools: \[add\]/],
];

test.each(WRONG)('%s: %j is refused in words', (name, value, words) => {
  const options = { model: 'scripted', provider: scriptedProvider([]), [name]: value } as unknown as HarnessOptions;
  expect(() => createHarness(options)).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(words) }),
  );
});

const WRONG_IN_CHAT: [string, unknown, RegExp][] = [
  ['signal', 5, /signal .* an AbortSignal/],
  ['schema', 'string', /schema .* an object, or a function/],
  ['schema', { type: 'objekt' }, /schema of chat\(\): \/type must be one of/],
  ['schema', { type: 'object', properties: { a: { type: 'text' } } }, /\/properties\/a\/type must be one of/],
  ['stopWhen', true, /stopWhen .* a function/],
  ['model', 5, /model .* a text/],
];

test.each(WRONG_IN_CHAT)('chat() refuses %s: %j in words', async (name, value, words) => {
  const provider = scriptedProvider([]);
  const harness = createHarness({ model: 'scripted', provider });
  const chat = async (): Promise<unknown> => await harness.chat('hello', { [name]: value } as object);
  await expect(chat()).rejects.toMatchObject({ name: 'TypeError', message: expect.stringMatching(words) });
  expect(provider.requests).toEqual([]);
  await harness.close();
});

test('null is as good as nothing', async () => {
  const provider = scriptedProvider([{ text: 'Yes.' }]);
  const options = { model: 'scripted', provider, baseUrl: null, permissions: { allow: null } };
  const harness = createHarness(options as unknown as HarnessOptions);
  expect((await harness.chat('hello')).answer).toBe('Yes.');
  await harness.close();
});
