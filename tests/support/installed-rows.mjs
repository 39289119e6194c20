// A program of a project that halter was installed into, without the checkout: plays each row of what the library
// promises, and prints what came of it, by the row's name. One process plays them all, since each is done in moments.
// Arguments: a program that is an MCP server.
import { builtinTools, createHarness, defineTool } from 'halter';
import { fromUIMessages, toUIMessageResponse } from 'halter/dialects/ai-sdk';
import { scriptedProvider, startScriptedServer } from 'halter/testing';

const [, , mcpServer] = process.argv;
const NOTHING = { type: 'object', properties: {} };
const tool = (name, run, more = {}) =>
  defineTool({ name, description: name, risk: 'safe', parameters: NOTHING, run, ...more });
const calling = (...names) => ({ calls: names.map((name) => ({ name, arguments: {} })) });
const harness = (turns, options = {}) => {
  const provider = scriptedProvider(turns);
  return { agent: createHarness({ model: 'm', provider, ...options }), provider };
};
const failureOf = (work) =>
  work.then(
    (result) => result,
    (error) => error,
  );
const over = (turns, use, options = {}) =>
  withServer(turns, (server) => {
    const agent = createHarness({ model: 'test-model', provider: 'openai', baseUrl: server.openaiUrl, ...options });
    return use(agent, server).finally(() => agent.close());
  });
const withServer = async (turns, use) => {
  const server = await startScriptedServer({ turns });
  return use(server).finally(() => server.close());
};

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const ROWS = {
  'a value is one request, constrained where the server can': () =>
    over([{ text: '{"city": "Ulm"}' }], async (agent, { requests }) => {
      const { output } = await agent.chat('Which city?', { schema: CITY });
      return [output, requests.length, requests[0].body.response_format?.type];
    }),
  'a value that does not fit is asked for again with the words of the validator': async () => {
    const { agent, provider } = harness([{ text: 'It is Ulm.' }, { text: '```json\n{"city": "Ulm",}\n```' }]);
    const { output } = await agent.chat('Which city?', { schema: { ...CITY, additionalProperties: false } });
    return [output, provider.requests.length];
  },
  'a value is told in parts while it streams': async () => {
    const { agent } = harness([{ text: ['{"ci', 'ty": "U', 'lm"}'] }]);
    const parts = [];
    for await (const event of agent.chat('Which city?', { schema: CITY }))
      if (event.type === 'partial_output') parts.push(event.output);
    return parts;
  },
  'a kept conversation goes on, and a copy of it leaves it as it was': async () => {
    const storage = { kind: 'files', folders: foldersBelow('kept') };
    const said = async (options, words) => {
      const { agent } = harness([{ text: 'Yes.' }], { storage, session: 'mine', ...options });
      await agent.chat(words);
      const messages = await agent.messages();
      await agent.close();
      return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    };
    return [await said({}, 'One'), await said({ fork: true }, 'Two'), await said({}, 'Three')];
  },
  'a route for useChat keeps nothing': async () => {
    const { agent } = harness([{ text: 'Hello.' }]);
    const page = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    const { history, message } = fromUIMessages(page);
    const body = await toUIMessageResponse(agent.chat(message)).text();
    return [history, body.includes('"delta":"Hell"') || body.includes('Hello.'), body.trim().endsWith('[DONE]')];
  },
  'an answer that the token limit cut says so': async () =>
    (await harness([{ text: 'Once upon', finish: 'length' }]).agent.chat('Tell')).finishReason,
  'an abort keeps what was said, its calls and its usage': async () => {
    const abort = new AbortController();
    const late = () => {
      abort.abort();
      return { text: 'late', gate: new Promise(() => {}) };
    };
    const { agent } = harness([{ text: 'I look.', ...calling('look') }, late], { tools: [tool('look', () => 'seen')] });
    const { name, partial } = await failureOf(agent.chat('Go', { signal: abort.signal }));
    const { answer, finishReason, toolCalls, usage } = partial;
    return [name, answer, finishReason, toolCalls.map(({ result }) => result.data), usage.prompt_tokens > 0];
  },
  'a connection that breaks is a failure with a code, and keeps what was said': () =>
    over([{ text: 'Half of it', pieceCharacters: 2, cutAfterWrites: 3 }, { cutAtOnce: true }], async (agent) => {
      const { name, code, partial } = await failureOf(agent.chat('Go'));
      return [name, code, partial.finishReason, 'Half of it'.startsWith(partial.answer)];
    }),
  'a tool ends the run, and another model answers one message': async () => {
    const { agent, provider } = harness([calling('done'), { text: 'Small.' }], {
      tools: [tool('done', () => 'It is done.', { endsRun: true })],
      roles: { fast: 'small' },
    });
    const { finishReason } = await agent.chat('Go');
    await agent.chat('And?', { model: 'fast' });
    return [finishReason, provider.requests.map(({ model }) => model)];
  },
  'functions of the harness are asked at each step, and wrong ones are told by name': async () => {
    const open = (more) =>
      harness([calling('seen'), { text: 'Over.' }], { tools: { available: [tool('seen', () => 'It is.')], ...more } });
    const { finishReason } = await open({ stopsAfterStep: () => true }).agent.chat('Go');
    const { agent, provider } = open({ prepareStep: () => ({ sampling: { seed: 7 } }) });
    await agent.chat('Go');
    const wrong = await failureOf(open({ stopsAfterStep: () => 'yes' }).agent.chat('Go'));
    return [finishReason, provider.requests.map(({ sampling }) => sampling.seed), wrong.message];
  },
  'a picture of an MCP server reaches a model that sees': async () => {
    const { agent, provider } = harness([calling('mcp__eye__picture'), { text: 'A dot.' }], {
      mcpServers: { eye: { command: process.execPath, args: [mcpServer, 'picture'] } },
      onPermission: () => 'allow_once',
    });
    await agent.chat('Look');
    await agent.close();
    return provider.requests[1].messages.at(-1).content.map(({ type, mime_type }) => mime_type ?? type);
  },
  'questions at the same time are told apart, and are taken back with the chat': async () => {
    const abort = new AbortController();
    const asked = [];
    const onPermission = (question) => {
      asked.push(question);
      if (asked.length === 2) abort.abort();
      return new Promise(() => {});
    };
    const tools = [tool('pay', () => 'paid', { risk: 'medium' })];
    const { agent } = harness([calling('pay')], { tools, onPermission });
    const { signal } = abort;
    const failed = await Promise.all(
      [agent.chat('Go', { signal }), agent.executeTool('pay', {}, { signal })].map(failureOf),
    );
    const ofChat = asked.find(({ tool_call_id }) => tool_call_id !== undefined);
    return [
      failed.map(({ name, error_message }) => name ?? error_message),
      asked.map(({ signal }) => signal.aborted),
      ofChat.source,
    ];
  },
  'a tool that can never run says with which line it could': async () => {
    const warnings = [];
    const onWarning = (_code, message) => warnings.push(message);
    const { agent } = harness([calling('pay'), { text: 'No.' }], {
      tools: [tool('pay', () => 'paid', { risk: 'medium' })],
      io: { onWarning },
    });
    const { toolCalls } = await agent.chat('Pay');
    return [toolCalls[0].result.success, warnings];
  },
  'results stand in the order of their calls': async () => {
    let release;
    const first = new Promise((resolve) => {
      release = resolve;
    });
    const tools = [tool('slow', () => first), tool('quick', () => release('slow'))];
    const { toolCalls } = await harness([calling('slow', 'quick'), { text: 'x' }], { tools }).agent.chat('Go');
    return toolCalls.map(({ name }) => name);
  },
  'the prompt speaks of files where there are tools for them': async () => {
    const prompts = [];
    for (const tools of [[], [tool('look', () => 'x')], builtinTools]) {
      const { agent, provider } = harness([{ text: 'x' }], { tools });
      await agent.chat('Go');
      prompts.push(/file/i.test(provider.requests[0].messages[0].content));
    }
    return prompts;
  },
  'reasoning is apart, without tools as well, and with none for a step': async () => {
    const told = [];
    for (const [tools, options] of [
      [[], {}],
      [[tool('look', () => 'x')], { prepareStep: () => ({ tools: [] }) }],
    ]) {
      const { agent } = harness([{ text: '<think>Hm.</think>Hello.' }], { tools });
      told.push((await agent.chat('Go', options)).answer);
    }
    return told;
  },
  'markup of a call in an answer is marked': async () => {
    const text = 'So: <tool_call>{"name": "look", "arguments": {}}</tool_call>';
    const { warnings } = await harness([{ text }]).agent.chat('Go');
    return warnings.map(({ code }) => code);
  },
  'a wrong option, a wrong message and an unknown tool are refused by name': async () => {
    const { agent } = harness([]);
    const refusals = [
      () => createHarness({ model: 'm', limits: { iterations: 'many' } }),
      () => agent.chat({ text: 'x' }),
      () => agent.chat('x', { stopWhen: true }),
    ].map((work) => {
      try {
        work();
        return 'taken';
      } catch ({ name, message }) {
        return `${name}: ${message}`;
      }
    });
    const { name, code } = await failureOf(agent.executeTool('none', {}));
    return [...refusals, name, code];
  },
};

const foldersBelow = (name) =>
  Object.fromEntries(['config', 'data', 'cache', 'sessions', 'undo'].map((of) => [of, `./${name}/${of}`]));

const told = {};
for (const [row, play] of Object.entries(ROWS)) told[row] = await play().catch((error) => `${error.stack}`);
console.log(JSON.stringify(told));
process.exit(0);
