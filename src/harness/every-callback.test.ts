/**
 * Every function that a program can hand in × everything wrong that it can do. Whatever that is, the chat ends with a
 * result or with an error of the list, which says what was wrong; the harness can be used afterwards and closes; nothing
 * runs that was not allowed, and nothing escapes into the process.
 */
import fs from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../tests/source-files.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import {
  type Callback,
  calls,
  deniesHarm,
  deniesPreviewed,
  harm,
  look,
  NOTHING,
  own,
  type Place,
  PREVIEWS,
  playWrong,
  type Setup,
  WRONG,
} from '../../tests/support/wrong-callbacks.ts';
import { fits, type OptionKinds } from '../core/option-kinds.ts';
import { DEFINED } from '../core/tool/tool-fields.ts';
import { type ScriptedProviderSource, startScriptedServer } from '../testing/index.ts';
import { webFetch } from '../tools/web-fetch.ts';
import { CHAT_OPTIONS, harnessKinds } from './check-options.ts';

const schemaWith = (more: object) => ({
  schema: {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object' }) },
      ...more,
    },
  },
});
/** A model's server behind a connection of the program's own. */
const dialledModel = (host: string, more: object) => async (dial: Callback) => {
  const server = await startScriptedServer({ turns: Array.from({ length: 6 }, () => ({ text: 'Here.' })) });
  const { port, pathname } = new URL(server.openaiUrl);
  const model = { name: 'test-model', provider: 'openai', baseUrl: `http://${host}${pathname}` };
  const guided: Callback = (() => dial(...([port] as never[]))) as Callback;
  return {
    options: { model, provider: undefined, io: { connections: { dial: guided }, ...more } },
    server: { close: () => server[Symbol.asyncDispose]() },
  };
};
const toPort = (port: number) => connect(Number(port), '127.0.0.1');
/** A page that a tool fetches by names and connections of the program's own. */
const fetchedPage = (connections: (port: number, callback: Callback) => object) => async (callback: Callback) => {
  const server = createServer((_request, response) => response.end('A page.'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fetched = { calls: [{ name: 'web_fetch', arguments: { url: 'http://page.example.org/' } }, calls[1]] };
  return {
    options: {
      tools: [webFetch, harm],
      permissions: { allow: ['web_fetch'] },
      provider: own(fetched as ScriptedProviderSource),
      io: { connections: connections(port, callback) },
    },
    server: {
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    },
  };
};
const PUBLIC = [{ address: '93.184.216.34', family: 4 }];
/** A server of the person's list that runs a file of the folder: it takes a yes. */
const serverOfFolder = (consent: Callback): Setup => {
  const [workspace, home] = [scratchFolder(), scratchFolder()];
  const folders = Object.fromEntries(
    ['config', 'data', 'cache', 'sessions', 'undo'].map((name) => [name, path.join(home, name)]),
  );
  const started = path.join(home, 'started');
  fs.writeFileSync(path.join(workspace, 'server.js'), `require('fs').writeFileSync(${JSON.stringify(started)}, '')`);
  fs.mkdirSync(path.join(home, 'config'));
  const servers = { mcpServers: { mine: { command: 'node', args: ['./server.js'] } } };
  fs.writeFileSync(path.join(home, 'config', 'mcp.json'), JSON.stringify(servers));
  onTestFinished(() =>
    expect(fs.existsSync(started) && !expect.getState().currentTestName?.endsWith('gives true')).toBe(false),
  );
  return { options: { workspace, storage: { kind: 'files', folders }, mcp: { consent, files: true } } };
};

const PLACES: Readonly<Record<string, Place>> = {
  'prompt.projectInstructions': {
    given: (callback) => ({ options: { prompt: { projectInstructions: callback } } }),
    good: () => [{ from: 'AGENTS.md', text: 'Be kind.' }],
    right: ['gives an empty list'],
    told: /What prompt\.projectInstructions returned must be a list of \{ from, text \}/,
  },
  'prompt.responseSchema': {
    given: (callback) => ({ options: { tools: [], prompt: { responseSchema: callback } } }),
    good: () => undefined,
    right: ['gives undefined', 'gives null', 'gives an empty object', 'gives another object'],
    isSync: true,
    told: /What prompt\.responseSchema returned must be a JSON Schema, or nothing/,
  },
  'model.providers.*': {
    given: (callback) => ({ options: { provider: 'mine', model: { name: 'm', providers: { mine: callback } } } }),
    good: () => own(),
    told: /the provider must be a provider/,
  },
  'tools.stopsAfterStep': {
    given: (callback) => ({ options: { tools: { available: [look(), harm], stopsAfterStep: callback } } }),
    good: () => false,
    right: ['gives true', 'gives false'],
    told: /tools\.stopsAfterStep must return true or false/,
  },
  'tools.prepareStep': {
    given: (callback) => ({ options: { tools: { available: [look(), harm], prepareStep: callback } } }),
    good: () => undefined,
    right: [...NOTHING, 'gives an empty object'],
    told: /What tools\.prepareStep returned/,
  },
  'io.connections.dial': {
    given: dialledModel('93.184.216.34', {}),
    good: toPort,
    isSync: true,
    once: true,
    told: /dial must return a socket/,
  },
  'io.connections.dial, offline': {
    given: dialledModel('localhost', { offline: true }),
    good: toPort,
    isSync: true,
    once: true,
    told: /dial must return a socket/,
  },
  'io.connections.dial of a tool': {
    given: fetchedPage((port, dial) => ({ resolve: async () => PUBLIC, dial: () => dial(...([port] as never[])) })),
    good: toPort,
    isSync: true,
    once: true,
    told: /dial must return a socket/,
  },
  'io.connections.resolve': {
    given: fetchedPage((port, resolve) => ({ resolve, dial: () => toPort(port) })),
    good: async () => PUBLIC,
    right: ['gives an empty list'],
    told: /resolve must give a list of \{ address, family \}/,
  },
  'io.onWarning': {
    given: (callback) => ({ options: { permissions: { allow: ['nothing_such(x)'] }, io: { onWarning: callback } } }),
    good: () => undefined,
    isLast: true,
  },
  'io.onConnection': {
    given: async (callback) => {
      const { server, options } = await dialledModel('93.184.216.34', {})(toPort as unknown as Callback);
      return { server, options: { ...options, io: { ...options.io, onConnection: callback } } };
    },
    good: () => undefined,
  },
  onConnection: {
    given: async (callback) => {
      const { server, options } = await dialledModel('93.184.216.34', {})(toPort as unknown as Callback);
      return { server, options: { ...options, onConnection: callback } };
    },
    good: () => undefined,
  },
  onPermission: {
    given: (callback) => ({ options: { onPermission: callback } }),
    good: () => 'deny',
    most: 'allow_once',
    told: /the permission answer/,
  },
  'mcp.consent': {
    given: serverOfFolder,
    good: () => false,
    right: ['gives true', 'gives false'],
    told: /mine\\*" of your list is not started/,
  },
  'chat.stopWhen': {
    given: (callback) => ({ chat: { stopWhen: callback } }),
    good: () => false,
    right: ['gives true', 'gives false'],
    told: /stopWhen must return true or false/,
  },
  'chat.prepareStep': {
    given: (callback) => ({ chat: { prepareStep: callback } }),
    good: () => undefined,
    right: [...NOTHING, 'gives an empty object'],
    told: /What prepareStep returned/,
  },
  'chat.schema, its validate()': {
    given: (callback) => ({ options: { tools: [] }, chat: schemaWith({ validate: callback }) }),
    good: () => ({ value: 1 }),
    throwsOn: true,
    told: /validate\(\) of the schema must return \{ value \} or \{ issues \}/,
  },
  'chat.schema, its JSON Schema': {
    given: (callback) => ({ options: { tools: [] }, chat: schemaWith({ jsonSchema: { input: callback } }) }),
    good: () => ({ type: 'object' }),
    right: ['gives an empty object', 'gives another object'],
    isSync: true,
    told: /What it gives as its JSON Schema is|no word of JSON Schema|cannot be written as JSON/,
  },
  'tool.run': {
    given: (callback) => ({ options: { tools: [look({ run: callback }), harm], ...deniesHarm } }),
    good: () => 'a lake',
    told: /no model can read/,
    right: Object.keys(WRONG).filter(
      (name) => /^(?:gives|promises) /.test(name) && !/symbol|function|itself|trap|awaited/.test(name),
    ),
  },
  'tool.preview': {
    given: (callback) => ({
      options: {
        tools: [look({ risk: 'medium', preview: callback }), harm],
        ...deniesPreviewed,
      },
    }),
    ...PREVIEWS,
  },
  'tool.summarize': {
    given: (callback) => ({
      options: { results: 'summary', tools: [look({ summarize: callback }), harm], ...deniesHarm },
    }),
    good: () => ['water'],
    right: ['gives an empty list', 'gives words'],
    isSync: true,
    told: /summarize of look (?:must return a list of texts|failed)/,
  },
  'tool.toModelOutput': {
    given: (callback) => ({ options: { tools: [look({ toModelOutput: callback }), harm], ...deniesHarm } }),
    good: () => 'water',
    right: ['gives an empty text', 'gives a word', 'gives an empty list'],
    told: /what the model reads is text/,
  },
};

/** Functions whose rows stand in a file of their own, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  onServerQuestion: 'src/agent/mcp/server-questions.test.ts',
  'mcp.ask': 'src/agent/mcp/server-questions.test.ts',
  // Begins only where the embedded engine gets a model; it is told as onConnection is.
  'model.onLoading': 'src/harness/told-callbacks.test.ts',
  'model.dialects.[].prompt.offer': 'src/harness/every-part.test.ts',
  'model.dialects.[].prompt.calls': 'src/harness/every-part.test.ts',
  'model.dialects.[].prompt.result': 'src/harness/every-part.test.ts',
  // A function is no schema of its own here; it is refused in words.
  'chat.schema': 'src/harness/every-option.test.ts',
};

const takesFunction = (kinds: OptionKinds, above: string): string[] =>
  Object.entries(kinds).flatMap(([name, kind]) => {
    const here = above === '' ? name : `${above}.${name}`;
    return [...(fits(kind, () => undefined) ? [here] : []), ...takesFunction(kind.inside ?? {}, here)];
  });

test('every function that can be handed in has its rows', () => {
  const { parameters: _any, ...fields } = DEFINED;
  const all = [
    ...takesFunction(harnessKinds({ model: 'm' }), ''),
    ...takesFunction(CHAT_OPTIONS, 'chat'),
    ...takesFunction(fields, 'tool'),
  ];
  const covered = new Set([...Object.keys(PLACES).map((name) => name.split(', ')[0]), ...Object.keys(ELSEWHERE)]);
  expect(all.filter((name) => !covered.has(name))).toEqual([]);
  for (const file of Object.values(ELSEWHERE)) expect(fs.existsSync(path.join(ROOT, file)), file).toBe(true);
});

playWrong(PLACES);
