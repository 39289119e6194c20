/** `halter-dialects`, packed and installed beside the real packages of the Vercel AI SDK and of LangChain. */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
} from 'ai';
import { beforeAll, describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { fromUIMessages, toUIMessageResponse, type UIMessageOptions } from '../../src/dialects/ai-sdk.ts';
import { createHarness, registerTool } from '../../src/index.ts';
import { type ScriptedServerTurn, scriptedProvider, startScriptedServer } from '../../src/testing/index.ts';
import { ROOT } from '../source-files.ts';
import { npmInstall } from '../support/installed-package.ts';
import { IS_LONG, onlyLong } from '../support/long.ts';
import { packDialects } from '../support/packed-dialects.ts';
import { scratchFolder } from '../support/scratch.ts';

const run = promisify(execFile);
const BUILD_MS = 180_000;
const RUN_MS = 180_000;

/** The versions that the registry had when this was written, each with a provider of its model interface. */
const VERSIONS = [
  { ai: 'ai@5.0.277', provider: '@ai-sdk/openai-compatible@1.0.61', model: 'v2' },
  { ai: 'ai@6.0.324', provider: '@ai-sdk/openai-compatible@2.0.91', model: 'v3' },
  { ai: 'ai@7.0.173', provider: '@ai-sdk/openai-compatible@3.0.92', model: 'v4' },
] as const;

const json = '{"name": "read_file", "arguments": {"path": "hello.txt", "line": "1"}}';
/** The ways of writing a call that other programs leave as text. */
const FORMS: Record<string, ScriptedServerTurn> = {
  bare: { text: json },
  fenced: { text: `\`\`\`json\n${json}\n\`\`\`` },
  tagged: { text: `<tool_call>\n${json}\n</tool_call>` },
  bracketed: { text: '[TOOL_CALLS]read_file[ARGS]{"path": "hello.txt", "line": 1}' },
  function: { text: '<function=read_file>{"path": "hello.txt", "line": 1}</function>' },
  'other-case': { text: json.replace('read_file', 'ReadFile') },
  thought: { reasoning: `I need the file.\n<tool_call>\n${json}\n</tool_call>` },
};
const FORM_NAMES = Object.keys(FORMS);
const READ = { path: 'hello.txt', line: 1 };

type Told = {
  whole: object[];
  inPieces: object[];
  answers: string[];
  finish: string[];
  markup: boolean;
  reasoning: string | null;
};

const answerOf = (body: Record<string, unknown>): ScriptedServerTurn => {
  const messages = body['messages'] as { role: string; content: unknown }[];
  const isAnswered = messages.some(({ role }) => role === 'tool') || JSON.stringify(messages).includes('tool_response');
  if (isAnswered) return { text: 'It says hello.' };
  const model = String(body['model']);
  if (model === 'object-functionCalling')
    return { text: '<tool_call>{"name": "count", "arguments": {"people": "7",}}</tool_call>' };
  if (model === 'bare-arguments') return { text: '{"path": "hello.txt", "line": "1",}' };
  if (model === 'object-bare') return { text: '{"people": "7",}' };
  if (model.startsWith('object')) return { text: '```json\n{"people": "7",}\n```' };
  if (model === 'prompt')
    return body['tools'] ? { text: 'no' } : { text: `<think>Hm.</think><tool_call>${json}</tool_call>` };
  return FORMS[model] ?? { text: 'no such form' };
};

let packed = '';
beforeAll(async () => {
  packed = (await packDialects()).tarball;
}, BUILD_MS);

const nameOf = (wanted: string): string => wanted.slice(0, wanted.lastIndexOf('@'));
const ofRepository = (name: string): string => path.join(ROOT, 'node_modules', name);

/** The repository has this version of it. */
const isHere = (wanted: string): boolean => {
  const manifest = path.join(ofRepository(nameOf(wanted)), 'package.json');
  if (!fs.existsSync(manifest)) return false;
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  return wanted === `${nameOf(wanted)}@${version}`;
};

/** The packed package, unpacked as npm does it, and those of the repository. A long run has npm install them all. */
const putBeside = (folder: string, wanted: readonly string[]): void => {
  const own = path.join(folder, 'node_modules', 'halter-dialects');
  fs.mkdirSync(own, { recursive: true });
  execFileSync('tar', ['-xzf', packed, '-C', own, '--strip-components=1']);
  for (const name of wanted.map(nameOf)) {
    const target = path.join(folder, 'node_modules', name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.symlinkSync(ofRepository(name), target);
  }
};

/** What a program printed that runs in a project of its own, beside these packages and a server that answers. */
const printed = async (
  context: TestContext,
  name: string,
  packages: readonly string[],
  args: readonly string[],
  beside: (folder: string) => Promise<void> = async () => {},
): Promise<unknown> => {
  const folder = scratchFolder();
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
  const wanted = [...packages, 'zod@4.6.7'];
  if (!IS_LONG && wanted.every(isHere)) putBeside(folder, wanted);
  else if (!(await npmInstall(folder, [packed, ...wanted]))) context.skip('npm reaches no registry here');
  await beside(folder);
  const program = path.join(folder, 'program.mjs');
  fs.copyFileSync(path.join(ROOT, 'tests/support', name), program);
  const server = await startScriptedServer({ turns: ({ body }) => answerOf(body) });
  const given = [program, server.openaiUrl, ...args, Object.keys(FORMS).join()];
  const { stdout } = await run(process.execPath, given, { cwd: folder, timeout: RUN_MS });
  await server.close();
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
};

const COMPILER = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2023',
  '--module',
  'nodenext',
  '--types',
  '',
];

/** What the compiler says of a program that hands our models, streams and messages to that version, without a cast. */
const compilerWords = async (folder: string, model: string): Promise<string> => {
  const text = fs.readFileSync(path.join(ROOT, 'tests/support/ai-sdk-types.mts.txt'), 'utf8');
  fs.writeFileSync(path.join(folder, 'types.mts'), text.replace('VERSION', model));
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  const told = await run(tsc, [...COMPILER, 'types.mts'], { cwd: folder, timeout: RUN_MS }).catch(
    (failed: { stdout: string }) => failed,
  );
  return told.stdout;
};

describe('programs of the AI SDK', () => {
  for (const { ai, provider, model } of [...VERSIONS.slice(-1), ...onlyLong(VERSIONS.slice(0, -1))]) {
    it(
      `of ${ai} compile, and understand every form of a call, which they do not by themselves`,
      async (context) => {
        let compiler = 'not asked';
        const { prompt, object, forced, page, ...told } = (await printed(
          context,
          'ai-sdk-program.mjs',
          [ai, provider],
          [model],
          async (folder) => {
            compiler = await compilerWords(folder, model);
          },
        )) as Record<string, Told> & Record<'prompt' | 'object' | 'forced' | 'page', unknown>;
        expect(compiler).toBe('');
        for (const form of Object.keys(FORMS)) {
          expect(told[`plain ${form}`], form).toMatchObject({ whole: [], inPieces: [] });
          for (const way of ['readCalls', 'provider', 'middleware']) {
            expect(told[`${way} ${form}`], `${form} by ${way}`).toMatchObject({
              whole: [READ],
              inPieces: [READ],
              answers: ['It says hello.', 'It says hello.'],
              finish: ['tool-calls', 'tool-calls'],
              markup: false,
            });
          }
        }
        expect(prompt).toEqual(['It says hello.', [READ]]);
        expect(forced).toEqual([[], [READ, READ]]);
        const answers = [{ id: 'question', tool_call_id: 'c1', approved: true }];
        expect(page).toEqual(
          model === 'v2' ? [] : ['approval-requested', answers, 'output-available', 'output-denied'],
        );
        expect(object).toEqual([expect.stringContaining('NoObjectGenerated'), { people: 7 }]);
      },
      BUILD_MS + RUN_MS,
    );
  }
});

/** The last packages of each generation of LangChain's core. Before 1 its client throws the reasoning of a server away. */
const LANGCHAIN = [
  { packages: ['@langchain/core@0.3.80', '@langchain/openai@0.6.17'], forms: FORM_NAMES.slice(0, -1) },
  { packages: ['@langchain/core@1.4.0', '@langchain/openai@1.6.0'], forms: FORM_NAMES },
];

type Conversation = { seen: object[]; answer: string; first: string; finish_reason: string; tokens?: string };

describe('programs of LangChain', () => {
  for (const { packages, forms } of [...LANGCHAIN.slice(-1), ...onlyLong(LANGCHAIN.slice(0, -1))]) {
    it(
      `of ${packages.join(', ')} understand every form of a call and of an object, which they do not by themselves`,
      async (context) => {
        const told = (await printed(context, 'langchain-program.mjs', packages, [])) as Record<
          string,
          Record<string, Conversation>
        >;
        for (const form of forms) {
          for (const way of ['whole', 'inPieces']) {
            expect(told[`plain ${form}`]?.[way]?.seen, `${form} ${way}`).toEqual([]);
            expect(told[`readCalls ${form}`]?.[way], `${form} ${way}`).toMatchObject({
              ...{ seen: [READ], answer: 'It says hello.', first: '', finish_reason: 'tool_calls' },
            });
          }
        }
        const seven = { people: 7 };
        expect(Object.values(told['plain objects'] ?? {})).not.toContainEqual(seven);
        expect(told['readCalls objects']).toEqual({
          functionCalling: seven,
          jsonMode: seven,
          jsonSchema: seven,
          bare: seven,
        });
        expect(told['telling']).toMatchObject({ seen: [READ], tokens: 'It says hello.' });
      },
      BUILD_MS + RUN_MS,
    );
  }
});

describe('a run of halter for useChat', () => {
  const add = registerTool('add', 'Add', ['a', 'b'], (a, b) => a + b, ['integer', 'integer']);
  const weather = registerTool('weather', 'Tell the weather', ['city'], (city) => ({ city, days: [1, 2] }), ['string']);
  const read = async (
    turns: Parameters<typeof scriptedProvider>[0],
    options: UIMessageOptions = {},
  ): Promise<UIMessage | undefined> => {
    const harness = createHarness({
      model: 'm',
      provider: scriptedProvider(turns),
      tools: [add, weather],
      workspace: scratchFolder(),
    });
    onTestFinished(() => harness.close());
    const transport = new DefaultChatTransport({ fetch: async () => toUIMessageResponse(harness.chat('Go'), options) });
    const messages: UIMessage[] = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }];
    const given = {
      chatId: 'c',
      messages,
      messageId: undefined,
      abortSignal: undefined,
      trigger: 'submit-message',
    } as const;
    const stream = await transport.sendMessages(given);
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream, onError: () => {} })) last = message;
    return last;
  };

  it('is a message with its steps, reasoning, calls, results and text', async () => {
    const calls = [{ name: 'add', arguments: { a: 1, b: 2 } }];
    const message = await read([{ reasoning: 'I add.', calls }, { text: 'It is 3.' }]);
    expect(message?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'I add.', state: 'done' },
      { type: 'tool-add', state: 'output-available', input: { a: 1, b: 2 }, output: 3 },
      { type: 'step-start' },
      { type: 'text', text: 'It is 3.', state: 'done' },
    ]);
  });

  it('hands an object that a tool returned to the page as an object', async () => {
    const calls = [{ name: 'weather', arguments: { city: 'Oslo' } }];
    const message = await read([{ calls }, { text: 'Fine.' }]);
    expect(message?.parts[1]).toMatchObject({ type: 'tool-weather', output: { city: 'Oslo', days: [1, 2] } });
  });

  it('goes on where useChat sends its messages back: with steps, calls, results, failures and pictures', async () => {
    const calls = [{ name: 'add', arguments: { a: 1, b: 2 } }];
    const shown = await read([{ reasoning: 'I add.', text: 'I look.', calls }, { text: 'It is 3.' }]);
    const picture = { type: 'file' as const, mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' };
    const { history, message } = fromUIMessages([
      { role: 'system', parts: [{ type: 'text' }] },
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] } as UIMessage,
      shown as UIMessage,
      { id: 'v', role: 'user', parts: [picture, { type: 'text', text: 'And this?' }] } as UIMessage,
    ]);
    const provider = scriptedProvider([{ text: 'A picture.' }]);
    const harness = createHarness({ model: 'm', provider, messages: history, workspace: scratchFolder() });
    onTestFinished(() => harness.close());
    expect((await harness.chat(message)).answer).toBe('A picture.');
    expect(provider.requests[0]?.messages.slice(-5)).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Go' }] },
      { role: 'assistant', content: 'I look.', tool_calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] },
      { role: 'tool', content: '3' },
      { role: 'assistant', content: 'It is 3.' },
      {
        role: 'user',
        content: [
          { type: 'image', mime_type: 'image/png' },
          { type: 'text', text: 'And this?' },
        ],
      },
    ]);
    const broken = { type: 'dynamic-tool', toolName: 'add', toolCallId: 'c', state: 'input-available', input: {} };
    const asked = { role: 'user', parts: [{ type: 'text', text: 'x' }] };
    const cut = fromUIMessages([asked, { role: 'assistant', parts: [broken] }, asked]).history;
    expect(cut.at(-1)).toMatchObject({ role: 'tool', result: { success: false } });
    expect(() => fromUIMessages([shown as UIMessage])).toThrow('the last one must be of the user');
    const document = { type: 'file', mediaType: 'application/pdf', url: 'https://a.test/b.pdf' };
    expect(() => fromUIMessages([{ role: 'user', parts: [document] }])).toThrow(/messages\[0\]\.parts\[0\] is a file/);
  });

  /** A chat of the AI SDK without a framework around it, and a route that keeps nothing. */
  const pageOf = (turns: Parameters<typeof scriptedProvider>[0], ran: string[]) => {
    const provider = scriptedProvider(turns);
    const pay = registerTool('pay', 'Pay', ['to'], (to) => `paid ${ran.push(String(to))}`, ['string'], {
      risk: 'high',
    });
    const route: typeof fetch = async (_url, init) => {
      const { history, message, approvals } = fromUIMessages(JSON.parse(String(init?.body)).messages);
      const approvalSecret = 'a secret of this server, long enough';
      const harness = createHarness({ model: 'm', provider, tools: [pay, add], messages: history, approvalSecret });
      onTestFinished(() => harness.close());
      return toUIMessageResponse(harness.chat(message, { approvals }));
    };
    const state = {
      status: 'ready' as const,
      error: undefined,
      messages: [] as UIMessage[],
      pushMessage: (message: UIMessage) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index: number, message: UIMessage) => void state.messages.splice(index, 1, message),
      snapshot: <T>(thing: T): T => structuredClone(thing),
    };
    class Page extends AbstractChat<UIMessage> {}
    const page = new Page({
      state,
      transport: new DefaultChatTransport({ fetch: route }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    return { page, provider };
  };
  const settled = (page: AbstractChat<UIMessage>, state: string) => {
    const isThere = (): boolean =>
      (page.lastMessage?.parts ?? []).some((part) => 'state' in part && part.state === state);
    return expect.poll(() => page.status === 'ready' && isThere(), { timeout: RUN_MS }).toBe(true);
  };
  const questions = (page: AbstractChat<UIMessage>): string[] =>
    (page.lastMessage?.parts ?? []).flatMap((part) =>
      'approval' in part && part.state === 'approval-requested' ? [part.approval.id] : [],
    );

  it.each([
    [true, 'output-available', ['Ada'], 'paid 1'],
    [false, 'output-denied', [], 'The person denied this call: Not today.'],
  ])('asks the person on the page, who answers %s', async (approved, state, ran, told) => {
    const seen: string[] = [];
    const given: readonly (readonly [string, JsonObject])[] = [
      ['add', { a: 1, b: 2 }],
      ['pay', { to: 'Ada' }],
    ];
    const calls = given.map(([name, args]) => ({ name, arguments: args }));
    const { page, provider } = pageOf([{ calls }, { text: 'So it is.' }, { text: 'Gladly.' }], seen);
    await page.sendMessage({ text: 'Pay Ada' });
    const [id = '', ...more] = questions(page);
    expect(more).toEqual([]);
    expect(seen).toEqual([]);
    await page.addToolApprovalResponse({ id, approved, ...(approved ? {} : { reason: 'Not today.' }) });
    await settled(page, state);
    expect(page.lastMessage?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-add', state: 'output-available', output: 3 },
      { type: 'tool-pay', state },
      { type: 'step-start' },
      { type: 'text', text: 'So it is.' },
    ]);
    expect(seen).toEqual(ran);
    expect(provider.requests[1]?.messages.slice(-2)).toMatchObject([
      { content: '3' },
      { content: expect.stringContaining(told) },
    ]);
    // The conversation goes on with what came of it.
    await page.sendMessage({ text: 'Thanks' });
    expect(provider.requests[2]?.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { content: '3' },
      { content: expect.stringContaining(told) },
    ]);
    expect(seen).toEqual(ran);
  });

  it('tells no page what failed, unless the program does: a call, the run, and an abort', async () => {
    const wrong = { calls: [{ name: 'add', arguments: { a: 'x' } }] };
    const toolOf = (message: UIMessage | undefined) => message?.parts.find(({ type }) => type === 'tool-add');
    const untold = 'An error occurred.';
    expect(toolOf(await read([wrong, wrong, wrong]))).toMatchObject({ state: 'output-error', errorText: untold });
    const onError = (error: unknown): string => `Sorry: ${(error as Error).message}`;
    expect(toolOf(await read([wrong, wrong, wrong], { onError }))).toMatchObject({
      state: 'output-error',
      errorText: expect.stringMatching(/^Sorry: .*b is required/s),
    });
    const secret = { code: 'unauthorized' as const, message: 'the key sk-123 of /home/ada/.keys' };
    const failing = async (options: UIMessageOptions): Promise<string> => {
      const harness = createHarness({ model: 'm', provider: scriptedProvider([{ error: secret }]) });
      onTestFinished(() => harness.close());
      return toUIMessageResponse(harness.chat('Go'), options).text();
    };
    const plain = await failing({});
    expect(plain).toContain(`{"type":"error","errorText":"${untold}"}`);
    expect(plain).not.toContain('sk-123');
    const seen: unknown[] = [];
    const told = await failing({ onError: (error) => `code ${seen.push(error)}` });
    expect(told.match(/"errorText":"[^"]*"/g)).toEqual(['"errorText":"code 1"']);
    expect(seen).toMatchObject([{ name: 'ModelFailure', code: 'unauthorized', partial: { answer: '' } }]);
    const harness = createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x' }]) });
    onTestFinished(() => harness.close());
    const aborted = await toUIMessageResponse(harness.chat('Go', { signal: AbortSignal.abort() })).text();
    expect(aborted).toContain('{"type":"abort"}');
    expect(aborted).not.toContain('errorText');
  });
});
