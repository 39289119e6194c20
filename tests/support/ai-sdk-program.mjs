// A program of the Vercel AI SDK, as somebody would write it: asks a server in several ways and prints what came of it.
// Argument: the address of the server, whose models write calls in the way that their name says.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, jsonSchema, readUIMessageStream, streamText, tool, wrapLanguageModel } from 'ai';
import {
  fromUIMessages,
  readCalls,
  readingMiddleware,
  readingProvider,
  toUIMessageStream,
} from 'halter-dialects/ai-sdk';

const [, , baseURL, version, names] = process.argv;
const provider = createOpenAICompatible({ name: 'local', baseURL });
const WAYS = {
  plain: (name) => provider(name),
  readCalls: (name) => readCalls(provider(name)),
  provider: (name) => readingProvider(provider)(name),
  middleware: (name) => wrapLanguageModel({ model: provider(name), middleware: readingMiddleware({ version }) }),
};
const inputSchema = jsonSchema({
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer' } },
  required: ['path'],
});
const settings = (model, seen) => ({
  model,
  prompt: 'What is in hello.txt?',
  maxRetries: 0,
  tools: {
    read_file: tool({ description: 'Read a file', inputSchema, execute: (input) => seen.push(input) && 'Hello.' }),
  },
  stopWhen: ({ steps }) => steps.length >= 3,
});
const told = {};
for (const [way, modelOf] of Object.entries(WAYS)) {
  for (const name of names.split(',')) {
    const whole = [];
    const generated = await generateText(settings(modelOf(name), whole));
    const inPieces = [];
    const streamed = streamText({ ...settings(modelOf(name), inPieces), onError: () => {} });
    const types = [];
    for await (const { type } of streamed.fullStream) types.push(type);
    const isThought = (await streamed.steps).some((step) => step.reasoningText?.includes('<tool_call>'));
    told[`${way} ${name}`] = {
      whole,
      inPieces,
      answers: [generated.text, await streamed.text],
      finish: [generated.steps[0].finishReason, (await streamed.steps)[0].finishReason],
      markup: !isThought && (await streamed.steps).some((step) => step.text.includes('read_file')),
      reasoning: (await streamed.steps)[0].reasoningText ?? null,
    };
  }
}
const inPrompt = [];
const prompted = readCalls(provider('prompt'), { tools: 'prompt', dialect: 'hermes' });
told.prompt = [(await generateText(settings(prompted, inPrompt))).text, inPrompt];
const schema = jsonSchema({ type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] });
const objectOf = (model) =>
  generateObject({ model, schema, prompt: 'How many?', maxRetries: 0 }).then(
    ({ object }) => object,
    (error) => error.name,
  );
told.object = [await objectOf(provider('object')), await objectOf(readCalls(provider('object')))];
// The tool has to be called, and the model writes its arguments alone.
const forced = async (model) => {
  const seen = [];
  const given = { ...settings(model, seen), toolChoice: { type: 'tool', toolName: 'read_file' }, stopWhen: () => true };
  await generateText(given).catch(() => undefined);
  await streamText({ ...given, onError: () => {} }).consumeStream();
  return seen;
};
told.forced = [await forced(provider('bare-arguments')), await forced(readCalls(provider('bare-arguments')))];
// A page is asked about a call, answers, and reads what came of it. AI SDK 5 knows no such parts.
const shown = async (events, message) => {
  async function* run() {
    yield* events;
    yield { type: 'turn_end', exit_reason: 'answered' };
  }
  for await (const next of readUIMessageStream({ message, stream: toUIMessageStream(run()) })) message = next;
  return message;
};
const asking = async () => {
  const call = { type: 'tool_call', id: 'c1', name: 'pay', arguments: { to: 'Ada' } };
  const question = { type: 'permission_request', tool_call_id: 'c1', approval_id: 'question' };
  const result = (success, reason) => ({
    type: 'tool_result',
    id: 'c1',
    result: { success, data: 'x', metadata: { reason } },
  });
  const asked = await shown([{ type: 'model_start' }, call, question, result(false, 'permission_required')]);
  const part = asked.parts.at(-1);
  const { state } = part;
  Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } });
  const { approvals } = fromUIMessages([{ role: 'user', parts: [{ type: 'text', text: 'Go' }] }, asked]);
  const after = async (end) => (await shown([call, end], structuredClone(asked))).parts.at(-1).state;
  return [state, approvals, await after(result(true)), await after(result(false, 'person'))];
};
told.page = version === 'v2' ? [] : await asking();
console.log(JSON.stringify(told));
