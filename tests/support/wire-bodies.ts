/** Small requests of each wire, and what a model is asked when they are sent. */
import type { JsonObject } from '../../src/core/json.ts';
import type { ModelRequest } from '../../src/core/model-port.ts';
import { scriptedProvider } from '../../src/testing/index.ts';
import { errorIn, shapeOfPath } from './error-shapes.ts';
import { testServer } from './test-server.ts';

export const CHAT = '/v1/chat/completions';
export const RESPONSES = '/v1/responses';
export const MESSAGES = '/v1/messages';
export const OLLAMA = '/api/chat';
export const GENERATE = '/api/generate';

export const user = { role: 'user', content: 'Hello' };
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
export const NAMES = ['look', 'find'];
/** A request of each wire, with two tools where `tools`. */
export const BODIES: Readonly<Record<string, (fields: JsonObject, tools?: boolean) => JsonObject>> = {
  [CHAT]: (fields, tools) => ({
    model: 'm',
    messages: [user],
    ...(tools ? { tools: NAMES.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } })) } : {}),
    ...fields,
  }),
  [RESPONSES]: (fields, tools) => ({
    model: 'm',
    input: [user],
    ...(tools ? { tools: NAMES.map((name) => ({ type: 'function', name, parameters: SCHEMA })) } : {}),
    ...fields,
  }),
  [MESSAGES]: (fields, tools) => ({
    model: 'm',
    max_tokens: 100,
    messages: [user],
    ...(tools ? { tools: NAMES.map((name) => ({ name, input_schema: SCHEMA })) } : {}),
    ...fields,
  }),
  [OLLAMA]: (fields) => ({ model: 'm', stream: false, messages: [user], ...fields }),
  [GENERATE]: (fields) => ({ model: 'm', stream: false, prompt: 'Hello', ...fields }),
};

const CALL = '<tool_call>{"name": "look", "arguments": {"city": "Paris"}}</tool_call>';
export const send = async (path: string, body: JsonObject, text = CALL) => {
  const asked: ModelRequest[] = [];
  const provider = scriptedProvider(
    (request) => {
      asked.push(request);
      return { text };
    },
    { models: [{ id: 'm', vision: true, context_length: 8_192 }] },
  );
  const server = await testServer([], { modelProvider: provider });
  const response = await server.call('POST', path, body);
  const reply = (await response.json()) as JsonObject;
  const said = response.status === 200 ? '' : errorIn(shapeOfPath(path), reply);
  return { status: response.status, said, reply, asked, dropped: response.headers.get('x-halter-dropped') ?? '' };
};
