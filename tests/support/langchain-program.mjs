// A program of LangChain, as somebody would write it: asks a server in several ways and prints what came of it.
// Arguments: the address of the server, and its models, which write calls in the way that their name says.
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { readCalls } from 'halter-dialects/langchain';
import { z } from 'zod';

const [, , baseURL, names] = process.argv;
const plain = (model, more) =>
  new ChatOpenAI({ model, apiKey: 'none', maxRetries: 0, configuration: { baseURL }, ...more });
const WAYS = { plain, readCalls: (model, more) => readCalls(plain(model, more)) };
const schema = z.object({ path: z.string(), line: z.int().optional() });
const readFile = tool(() => 'Hello.', { name: 'read_file', description: 'Read a file', schema });

/** The loop that every program of LangChain has: until no call comes. */
const converse = async (ask) => {
  const messages = [new HumanMessage('What is in hello.txt?')];
  const seen = [];
  for (let step = 0; step < 3; step += 1) {
    const answer = await ask(messages);
    messages.push(answer);
    if (!answer.tool_calls?.length) break;
    for (const call of answer.tool_calls) {
      seen.push(call.args);
      messages.push(await readFile.invoke(call));
    }
  }
  const [, first] = messages;
  const { finish_reason } = first.response_metadata;
  const reasoning = first.additional_kwargs.reasoning_content ?? null;
  return { seen, answer: messages.at(-1).content, first: first.content, finish_reason, reasoning };
};
const streamed = (model) => async (messages) => {
  let whole;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  return whole;
};
const failed = (error) => error.constructor.name;
const told = {};
for (const [way, modelOf] of Object.entries(WAYS)) {
  for (const name of names.split(',')) {
    const model = modelOf(name).bindTools([readFile]);
    told[`${way} ${name}`] = {
      whole: await converse((messages) => model.invoke(messages)),
      inPieces: await converse(streamed(model)),
    };
  }
  const people = z.object({ people: z.int() });
  const objects = {};
  for (const method of ['functionCalling', 'jsonMode', 'jsonSchema']) {
    const structured = modelOf(`object-${method}`).withStructuredOutput(people, { method, name: 'count' });
    objects[method] = await structured.invoke('How many people, as JSON?').catch(failed);
  }
  // The tool has to be called, and the model writes its arguments alone.
  const bare = modelOf('object-bare').withStructuredOutput(people, { method: 'functionCalling', name: 'count' });
  objects.bare = await bare.invoke('How many people?').catch(failed);
  told[`${way} objects`] = objects;
}
// What a program is told while the answer comes; by itself the library would count tokens with a file of the network.
const tokens = [];
const callbacks = [{ handleLLMNewToken: (token) => void tokens.push(token) }];
const telling = WAYS.readCalls('tagged', { streaming: true, callbacks }).bindTools([readFile]);
told.telling = { ...(await converse((messages) => telling.invoke(messages))), tokens: tokens.join('') };
console.log(JSON.stringify(told));
