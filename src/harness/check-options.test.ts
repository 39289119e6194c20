/** What an option must not be: a program without a compiler hears of it where it is written, and nothing is opened. */
import nodeModule from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { registerTool } from '../core/tool/register-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const add = registerTool('add', 'Add two integers', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);

const WRONG: [string, unknown, RegExp][] = [
  // A text is a list of letters, and no letter is the name of a tool: nothing would be denied.
  ['permissions', { deny: 'bash' }, /permissions\.deny must be a list of texts, not "bash"/],
  ['permissions', { allow: 'read_file' }, /permissions\.allow .* list of texts/],
  ['permissions', { allow: ['*(*)'] }, /permissions\.allow\[0\]: "\*\(\*\)" has a pattern.*one tool/],
  ['permissions', { deny: ['bash', '**(rm *)'] }, /permissions\.deny\[1\]: "\*\*\(rm \*\)" has a pattern/],
  ['permissions', { allow: ['read_file', null] }, /permissions\.allow\[1\] must be a text, not null/],
  ['permissions', { allow: ['read file'] }, /permissions\.allow\[0\]: "read file" is not a rule/],
  ['permissions', { onAsk: 'no' }, /permissions\.onAsk .* one of: wait, deny, fail/],
  ['permissions', 'read_file', /permissions must be an object, not "read_file"/],
  // Whatever is not understood would be kept in memory alone.
  ['storage', 'disk', /storage must be one of: memory, files, or an object, not "disk"/],
  ['storage', { kind: 'sqlite' }, /storage\.kind .* one of: memory, files, postgres/],
  ['storage', { folders: {} }, /storage/],
  ['storage', { kind: 'files', folders: { data: '/tmp' } }, /^storage\.folders\.config must be a text, not undefined/],
  ['storage', { kind: 'postgres' }, /storage\.url must be an address such as postgres:/],
  ['offline', 'false', /offline must be true or false, not "false"/],
  ['sandbox', 'no', /sandbox .* true or false/],
  ['allowPrivate', 'localhost', /allowPrivate .* list of texts/],
  ['onPermission', 'deny', /onPermission .* a function/],
  ['onConnection', true, /onConnection .* a function/],
  ['results', 'short', /results .* one of: compact, full, summary/],
  ['trace', true, /trace .*otlp/],
  ['sampling', { temp: 1 }, /^There is no option "sampling\.temp"\. Did you mean sampling\.temperature\?/],
  ['sampling', { temprature: 1 }, /^There is no option "sampling\.temprature"\. Did you mean sampling\.temperature\?/],
  ['sampling', { temperature: 'hot' }, /^sampling\.temperature must be a number from 0 on, not "hot"/],
  ['silenceTimeoutMs', -5, /silenceTimeoutMs .* above 0/],
  ['roles', { fast: 5 }, /^roles\.fast must be a text, not 5/],
  ['roles', { 'very fast': {} }, /^roles\["very fast"\] must be a text, not an object/],
  ['roles', ['m'], /^roles must be an object with a text for each name/],
  ['permissions', { allow: ['ls', 5] }, /^permissions\.allow\[1\] must be a text, not 5/],
  ['permissions', { denny: ['ls'] }, /^There is no option "permissions\.denny"\. Did you mean permissions\.deny\?/],
  ['workspace', { root: '.', additionalRoots: ['a', 5] }, /^workspace\.additionalRoots\[1\] must be a text, not 5/],
  [
    'workspace',
    { root: '.', additionalRoot: ['a'] },
    /"workspace\.additionalRoot"\. Did you mean workspace\.additionalRoots\?/,
  ],
  ['model', { name: 'm', sampling: { topp: 1 } }, /"model\.sampling\.topp"\. Did you mean model\.sampling\.top_p\?/],
  ['model', { name: 'm', roles: { fast: 5 } }, /^model\.roles\.fast must be a text/],
  ['model', { name: 'm', contextLenght: 5 }, /"model\.contextLenght"\. Did you mean model\.contextLength\?/],
  [
    'storage',
    { kind: 'files', folders: { dat: '/tmp' } },
    /"storage\.folders\.dat"\. Did you mean storage\.folders\.data\?/,
  ],
  ['storage', { kind: 'postgres', urll: 'x' }, /"storage\.urll"\. Did you mean storage\.url\?/],
  ['telemetry', { trace: { too: 'otlp' } }, /"telemetry\.trace\.too"\. Did you mean telemetry\.trace\.to\?/],
  ['trace', { to: 'file', path: 'x' }, /"trace\.path"/],
  ['limits', { iteration: 3 }, /"limits\.iteration"\. Did you mean limits\.iterations\?/],
  ['search', { graphrag: 'off' }, /"search\.graphrag"\. Did you mean search\.graphRag\?/],
  ['io', { environment: { HOME: 5 } }, /^io\.environment\.HOME must be a text, not 5/],
  ['io', { offlin: true }, /"io\.offlin"\. Did you mean io\.offline\?/],
  ['prompt', { sytem: 'x' }, /"prompt\.sytem"\. Did you mean prompt\.system\?/],
  ['tools', { availabel: [] }, /"tools\.availabel"\. Did you mean tools\.available\?/],
  ['tools', { available: [add], names: ['add', 5] }, /^tools\.names\[1\] must be one of: add, not 5/],
  ['tools', { available: [add], names: ['ad'] }, /^tools\.names\[0\] .*not "ad"\. Did you mean add\?/],
  [
    'mcpServers',
    { files: { comand: 'npx' } },
    /"mcpServers\.files\.comand"\. Did you mean mcpServers\.files\.command\?/,
  ],
  ['mcpServers', { files: 'npx' }, /^mcpServers\.files must be an object with command, or with url, not "npx"/],
  ['samplng', {}, /^There is no option "samplng"\. Did you mean sampling\?/],
  ['session', 5, /session must be a text, not 5/],
  ['session', '', /session must be a text, not an empty text/],
  ['session', 'user/42', /session: Not a session id: "user\/42"/],
  ['session', '../up', /session: Not a session id/],
  ['fork', true, /name it with session/],
  ['baseUrl', 8080, /^baseUrl must be an address such as http:.*, not 8080/],
  ['systemPrompt', ['a'], /systemPrompt must be a text, not a list/],
  ['mcpServers', [], /mcpServers .* an object/],
  ['messages', 'hello', /messages .* a list/],
  ['limits', 5, /^limits must be an object, not 5/],
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
  ['singal', {}, /^chat\(\) has no "singal"\. Did you mean signal\?/],
];

test.each(WRONG_IN_CHAT)('chat() refuses %s: %j in words', async (name, value, words) => {
  const provider = scriptedProvider([]);
  const harness = createHarness({ model: 'scripted', provider });
  const chat = async (): Promise<unknown> => await harness.chat('hello', { [name]: value } as object);
  await expect(chat()).rejects.toMatchObject({ name: 'TypeError', message: expect.stringMatching(words) });
  expect(provider.requests).toEqual([]);
  await harness.close();
});

test('files are refused at once where the runtime has no node:sqlite', () => {
  const has = vi.spyOn(nodeModule, 'isBuiltin').mockReturnValue(false);
  onTestFinished(() => has.mockRestore());
  const make = (storage: HarnessOptions['storage']) => () => createHarness({ model: 'm', storage } as HarnessOptions);
  expect(make('files')).toThrow(/^storage: Keeping things in files needs node:sqlite, .* Use Node 22\.13/);
  expect(make({ kind: 'files' })).toThrow(/node:sqlite/);
  expect(make('memory')).not.toThrow();
});

test('null is as good as nothing', async () => {
  const provider = scriptedProvider([{ text: 'Yes.' }]);
  const options = { model: 'scripted', provider, baseUrl: null, permissions: { allow: null } };
  const harness = createHarness(options as unknown as HarnessOptions);
  expect((await harness.chat('hello')).answer).toBe('Yes.');
  await harness.close();
});

test('a schema that is null is told of, and asks the model nothing', () => {
  const harness = createHarness({ model: 'm', provider: scriptedProvider([]) });
  expect(() => harness.chat('hi', { schema: null as unknown as { type: 'object' } })).toThrow(
    /^schema of chat\(\) must be a schema, not null/,
  );
});
