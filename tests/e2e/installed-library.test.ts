/** The library and plugins as people get them: from the packed tarball, in an empty project that knows nothing of the checkout. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../source-files.ts';
import { expectWithin } from '../support/budget.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { npmInstall } from '../support/installed-package.ts';
import { installedProject, PROGRAM_HEAD, printedBy } from '../support/installed-program.ts';
import { onlyLong } from '../support/long.ts';
import { reachedFiles, reachedSurfaces } from '../support/reached-modules.ts';
import { scratchFolder } from '../support/scratch.ts';

const INSTALLED_MB = 60;

const project = installedProject();

describe('the installed library', () => {
  it('brings no Node, and less than 60 MB', (context) => {
    const modules = path.join(project(context), 'node_modules');
    expect(fs.existsSync(path.join(modules, '.bin', 'node'))).toBe(false);
    expect(fs.readdirSync(modules).filter((name) => /^node-(linux|win|darwin)/.test(name))).toEqual([]);
    const files = fs.readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0);
    const advice =
      '`npm run size` measures it part by part. A new dependency needs its reason in docs/explanation/dependencies.md; what ' +
      'few programs use is installed when it is needed.';
    expectWithin({ what: 'The installed library', most: INSTALLED_MB * 1e6, unit: 'bytes', advice }, bytes);
  });

  it('reaches no terminal, no agent of editors and no server, so that whoever bundles it gets none', (context) => {
    const dist = path.join(project(context), 'node_modules/halter/dist');
    const modules = reachedFiles(path.join(dist, 'index.js')).flatMap((file) => file.modules);
    expect(modules).toContain('src/harness/create-harness.ts');
    expect(reachedSurfaces(dist, 'index.js')).toBeUndefined();
  });

  it('gives values, histories, reasons for the end, and tools that change', async (context) => {
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
const schema = { type: 'object', properties: { city: { type: 'string' }, people: { type: 'integer' } }, required: ['city', 'people'] };
const first = harness([call, { text: 'Sure: {"city": "Ulm", "people": "126000",}' }], { tools: [add] });
const { output, toolCalls, finishReason } = await first.chat('Which city?', { schema });
const messages = await first.messages();
await first.close();
const second = harness([{ text: 'Ulm.' }, call, { text: 'x' }], { messages });
const { answer } = await second.chat('Which was it?');
second.addTool(add);
const stopped = await second.chat('Add', { stopWhen: ({ steps }) => steps === 1 });
await second.close();
console.log(JSON.stringify([output, toolCalls.length, finishReason, messages.length, answer, stopped.finishReason]));`,
    );
    expect(JSON.parse(out)).toEqual([{ city: 'Ulm', people: 126_000 }, 1, 'stop', 4, 'Ulm.', 'tool_end']);
  });

  it('tells what happens in the words of stream-json', async (context) => {
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
const types = [];
for await (const event of harness([call, { text: '100.' }], { tools: [add] }).chat('Add')) types.push(event.type);
console.log(JSON.stringify(types.filter((type) => type !== 'usage' && !type.endsWith('_delta'))));`,
    );
    const step = 'model_start';
    expect(JSON.parse(out)).toEqual(['session', step, 'tool_call', 'tool_result', step, 'turn_end']);
  });

  it('shows the model data as it is, what a tool says instead, and pictures; refuses in words what has none', async (context) => {
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
const provider = scriptedProvider([{ calls: ['map', 'short', 'photo', 'odd'].map((name) => ({ name, arguments: {} })) }, { text: 'x' }]);
const tool = (name, run, more) => defineTool({ name, description: name, risk: 'safe', parameters: { type: 'object', properties: {} }, run, ...more });
const agent = createHarness({ model: 'm', provider, tools: [
  tool('map', () => new Map([['at', new Date(0)]])),
  tool('short', () => [1, 2, 3], { toModelOutput: (list) => list.length + ' of them' }),
  tool('photo', () => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)),
  tool('odd', () => ({ later: Promise.resolve(1) })),
] });
await agent.chat('Go');
await agent.close();
const sent = provider.requests[1].messages;
console.log(JSON.stringify([sent.filter(({ role }) => role === 'tool').map(({ content }) => content), sent.at(-1)]));`,
    );
    const [told, pictures] = JSON.parse(out) as [string[], object];
    expect(told.slice(0, 2)).toEqual(['{"at":"1970-01-01T00:00:00.000Z"}', '3 of them']);
    expect(told[3]).toContain('the value.later that it returned is a promise');
    expect(pictures).toMatchObject({ role: 'user', content: [{ type: 'text' }, { mime_type: 'image/png' }] });
  });

  it('is steered: tools, model and sampling of a step, words in the middle, tools that come and go', async (context) => {
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
const provider = scriptedProvider([async () => { await agent.steer('Hurry.'); return call; }, { text: '100' }, { text: 'None.' }]);
const agent = createHarness({ model: 'm', provider, tools: [add], roles: { fast: 'small' } });
const prepareStep = ({ steps }) => (steps === 0 ? { model: 'fast', sampling: { temperature: 0 } } : { tools: [] });
await agent.chat('Add', { prepareStep });
agent.removeTool('add');
await agent.chat('And now?');
await agent.close();
console.log(JSON.stringify(provider.requests.map(({ model, tools, sampling, messages }) => [model, tools.length, sampling.temperature ?? null, messages.at(-1).content])));`,
    );
    expect(JSON.parse(out)).toEqual([
      ['small', 1, 0, 'Add'],
      ['m', 0, null, 'Hurry.'],
      ['m', 0, null, 'And now?'],
    ]);
  });

  it('reads and writes nothing of the person unless it is told', async (context) => {
    const home = scratchFolder();
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
import fs from 'node:fs';
process.env.HOME = ${JSON.stringify(home)};
const plain = harness([call, { text: 'Done.' }], { tools: [add] });
await plain.chat('Go');
await plain.close();
const untouched = fs.readdirSync(process.env.HOME);
const kept = harness([{ text: 'Kept.' }], { storage: 'files', session: 'mine' });
await kept.chat('Go');
await kept.close();
console.log(JSON.stringify([untouched, fs.existsSync(process.env.HOME + '/.local/share/halter/sessions/mine.jsonl')]));`,
    );
    expect(JSON.parse(out)).toEqual([[], true]);
  });

  it('has what the program has: dialect, window, summaries, silence, offline, traces, and rules of a file', async (context) => {
    const home = scratchFolder();
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
import fs from 'node:fs';
import { startScriptedServer } from 'halter/testing';
import { builtinTools } from 'halter';
process.env.HOME = ${JSON.stringify(home)};
const workspace = process.env.HOME + '/work';
fs.mkdirSync(workspace);
fs.writeFileSync(workspace + '/a.txt', 'kiwi');
const rulesFile = process.env.HOME + '/rules.json';
fs.writeFileSync(rulesFile, '{"allow": ["write_file"], "rules": [{"tool": "read_file", "decision": "deny"}]}');
const told = {};
const failure = (chat) => chat.then(() => '', (error) => error.message);

const rows = defineTool({ name: 'rows', description: 'Rows', risk: 'safe', parameters: { type: 'object', properties: {} }, run: () => ({ n: 1 }), summarize: () => ['one row'] });
const inText = { text: 'Ok. [TOOL_CALLS]rows[ARGS]{}' };
const spoken = scriptedProvider([inText, { text: 'x' }]);
const one = createHarness({ model: 'm', provider: spoken, tools: [rows], dialect: 'mistral-args', results: 'summary', trace: { to: 'file' } });
await one.chat('Go');
await one.close();
told.summary = spoken.requests[1].messages.at(-1).content;

const ruled = scriptedProvider([{ calls: [{ name: 'write_file', arguments: { path: 'b.txt', content: 'x' } }, { name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'x' }]);
const two = createHarness({ model: 'm', provider: ruled, tools: builtinTools, workspace, rulesFile, contextLength: 8192 });
told.rules = (await two.chat('Go')).toolCalls.map(({ result }) => result.error_type);
await two.close();
fs.writeFileSync(rulesFile, '{"alow": []}');
const three = createHarness({ model: 'm', provider: ruled, rulesFile });
told.badRules = await failure(three.chat('Go'));
await three.close();
const narrow = createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]), contextLength: 1024 });
told.window = await failure(narrow.chat('many words '.repeat(2000)));
await narrow.close();
const far = createHarness({ model: 'm', provider: 'openai', baseUrl: 'http://192.0.2.1/v1', offline: true });
told.offline = await failure(far.chat('Go'));
await far.close();
const server = await startScriptedServer({ turns: [{ text: 'Half of it', hangAfterWrites: 2 }] });
const silent = createHarness({ model: 'm', provider: 'openai', baseUrl: server.openaiUrl, silenceTimeoutMs: 100 });
told.silence = await silent.chat('Go').catch(({ code }) => code);
await silent.close();
await server.close();
console.log(JSON.stringify(told));
process.exit(0);`,
    );
    const told = JSON.parse(out) as Record<string, unknown>;
    expect(told).toMatchObject({
      summary: '[TOOL_RESULTS]Tool 1 [rows]: results: one row[/TOOL_RESULTS]',
      rules: ['none', 'permission_denied'],
      badRules: expect.stringContaining('"alow" is not known beside "allow" and "deny"'),
      window: expect.stringMatching(/window of m holds 1,024/),
      offline: expect.stringMatching(/offline/i),
    });
    expect(['disconnected', 'silent', 'timeout']).toContain(told['silence']);
  });

  it('searches the index that the program made, hands it to tools, and lets an engine read ahead', async (context) => {
    const [home, workspace] = [scratchFolder(), scratchFolder()];
    fs.writeFileSync(path.join(workspace, 'notes.md'), '# Harbour\nThe lighthouse keeper is called Ingrid.\n');
    const program = path.join(project(context), 'node_modules/halter/dist/cli/main.js');
    const env = cleanEnvironment(home);
    execFileSync(process.execPath, [program, 'index'], { cwd: workspace, env });
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
import { builtinTools } from 'halter';
import { startScriptedServer } from 'halter/testing';
Object.assign(process.env, ${JSON.stringify(env)});
const keeper = defineTool({ name: 'keeper', description: 'Keeper', risk: 'safe', parameters: { type: 'object', properties: {} },
  run: async (_, { retrieval }) => (await retrieval.search('keeper', { limit: 1 })).value[0].path });
const calls = [{ name: 'rag_search', arguments: { query: 'keeper of the lighthouse', global: true } }, { name: 'keeper', arguments: {} }];
const agent = harness([{ calls }, { text: 'Ingrid.' }], { tools: [...builtinTools, keeper], workspace: ${JSON.stringify(workspace)}, onPermission: () => 'allow_once' });
const { toolCalls } = await agent.chat('Who keeps the lighthouse?');
await agent.close();
const server = await startScriptedServer({ turns: () => ({ text: 'Hello.' }) });
const ahead = createHarness({ model: 'test-model', provider: 'ollama', baseUrl: server.url, warmUp: true });
await ahead.chat('Hello');
while (server.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
const said = server.requests[1].body.messages.map(({ content }) => content);
await ahead.close();
await server.close();
console.log(JSON.stringify([...toolCalls.map(({ result }) => result.data), said.slice(-2)]));`,
    );
    const [found, inTool, ahead] = JSON.parse(out) as unknown[];
    expect(found).toContain('The lighthouse keeper is called Ingrid.');
    expect(inTool).toBe('notes.md');
    expect(ahead).toContain('Hello.');
  });

  it('looks at the arguments of each entry, whichever way it is loaded', async (context) => {
    const out = await printedBy(
      project(context),
      `import { createRequire } from 'node:module';
const wrong = { 'halter/core': ['ruleText', 5], 'halter/dialects': ['parseToolCalls', 5], 'halter/dialects/ai-sdk': ['fromUIMessages', 5], 'halter/dialects/langchain': ['readCalls', 5], 'halter/server': ['createApp', 5], 'halter/testing': ['scriptedNetwork', 5] };
const require = createRequire(import.meta.url);
const told = [];
for (const [entry, [name, value]] of Object.entries(wrong)) {
  for (const load of [() => import(entry), () => require(entry)]) {
    const loaded = await load();
    try { loaded[name](value); told.push(entry); } catch (error) { told.push(error.name + ' ' + error.message.includes(name + '() must be') ); }
  }
}
console.log(JSON.stringify(told));`,
    );
    expect(JSON.parse(out)).toEqual(Array.from({ length: 12 }, () => 'TypeError true'));
  });

  it('answers an unknown provider with the known ones, and a misspelt option with the right one', async (context) => {
    const out = await printedBy(
      project(context),
      `${PROGRAM_HEAD}
const wrong = [{ provider: 'olama' }, { permisions: {} }].map((options) => {
  try { return createHarness({ model: 'm', ...options }); } catch (error) { return error.name + ' ' + error.message; }
});
console.log(JSON.stringify(wrong));`,
    );
    const [failure, wrong] = JSON.parse(out) as [string, string];
    expect(failure).toMatch(
      /^TypeError provider must be one of: ollama, openai, llama-cpp, embedded, or .*Did you mean ollama\?/,
    );
    expect(wrong).toMatch(/^TypeError There is no option "permisions". Did you mean permissions\?/);
  });
});

/** With their versions, so that what is tried is known. Zod 3 lives on in 3.25, and before it knew no standard. */
const SCHEMA_MAKERS = [
  'arktype@2.2.9',
  'valibot@1.5.0',
  'zod@4.6.7',
  'zod-3@npm:zod@3.25.76',
  'zod-before@npm:zod@3.22.4',
];

/** They come from the registry, which takes a while. */
const SCHEMAS_OF_OTHERS = onlyLong(['ArkType, Valibot, Zod and Zod Mini']);

describe.each(SCHEMAS_OF_OTHERS)('schemas of %s', () => {
  it('describe arguments and answers; Zod 3 is refused in words', async (context) => {
    const folder = project(context);
    if (!(await npmInstall(folder, SCHEMA_MAKERS))) context.skip('npm reaches no registry here');
    const out = await printedBy(
      folder,
      `${PROGRAM_HEAD}
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as three } from 'zod-3';
import { z as before } from 'zod-before';
const makers = {
  arktype: type({ city: 'string', days: 'number.integer >= 1', 'sky?': "'clear' | 'grey'" }),
  valibot: v.object({ city: v.string(), days: v.pipe(v.number(), v.integer(), v.minValue(1)), sky: v.optional(v.picklist(['clear', 'grey'])) }),
  zod: z.object({ city: z.string(), days: z.int().min(1), sky: z.enum(['clear', 'grey']).optional() }),
  mini: mini.object({ city: mini.string(), days: mini.int().check(mini.minimum(1)), sky: mini.optional(mini.enum(['clear', 'grey'])) }),
};
const seen = {};
for (const [maker, schema] of Object.entries(makers)) {
  const weather = defineTool({ name: 'weather', description: 'Weather', risk: 'safe', parameters: schema, run: ({ city, days }) => city + days });
  const { properties, required } = weather.parameters;
  const calls = [{ city: 'Ulm', days: '2' }, { city: 'Ulm', days: 0 }].map((args) => ({ name: 'weather', arguments: args }));
  const agent = harness([{ calls }, { text: '{"city": "Ulm", "days": 3,}' }], { tools: [weather] });
  const { toolCalls, output } = await agent.chat('Go', { schema });
  await agent.close();
  seen[maker] = [Object.keys(properties), required, properties.days.type, toolCalls.map(({ result }) => result.success), output];
}
const refused = [three, before].map(({ object, string }) => {
  try { defineTool({ name: 'x', description: 'x', parameters: object({ a: string() }), run: () => 'x' }); return ''; } catch (error) { return error.message; }
});
console.log(JSON.stringify([seen, refused]));`,
    );
    const [seen, refused] = JSON.parse(out) as [Record<string, unknown>, string[]];
    const wanted = [['city', 'days', 'sky'], ['city', 'days'], 'integer', [true, false], { city: 'Ulm', days: 3 }];
    expect(seen).toEqual({ arktype: wanted, valibot: wanted, zod: wanted, mini: wanted });
    for (const words of refused) expect(words).toMatch(/a schema of Zod 3.*Use Zod 4/);
  });
});

describe('a plugin of the installed program', () => {
  it('works as the first example of docs/how-to/plugins.md, saved where it says', async (context) => {
    const [, example = ''] =
      /```js\n([\s\S]*?)```/.exec(fs.readFileSync(path.join(ROOT, 'docs/how-to/plugins.md'), 'utf8')) ?? [];
    const home = scratchFolder();
    const plugins = path.join(home, '.config/halter/plugins');
    fs.mkdirSync(plugins, { recursive: true });
    fs.writeFileSync(path.join(plugins, 'dice.js'), example);
    const halter = path.join(project(context), 'node_modules', '.bin', 'halter');
    const env = { ...cleanEnvironment(home), PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` };
    const cwd = scratchFolder();
    const out = execFileSync(halter, ['tools', 'call', 'roll_dice', '{}'], { encoding: 'utf8', env, cwd });
    expect(JSON.parse(out)).toMatchObject({ success: true, data: expect.stringMatching(/^[1-6]$/) });
  });
});
