/** One request through the gateway to a model server whose answer ends as the test says. */
import type { JsonObject } from '../../src/core/json.ts';
import { parseJsonLeniently } from '../../src/dialects/index.ts';
import { createProvider, type ProviderOptions } from '../../src/providers/index.ts';
import { type ScriptedResponse, scriptedNetwork } from '../../src/testing/scripted-server/network.ts';
import { isChat, quiet } from '../../src/testing/scripted-server/table.ts';
import { testServer } from './test-server.ts';
import { framesOf, NAME, type Told, type Wanted, type WireCase } from './wire-cases.ts';
import { grammarFaults } from './wire-grammar.ts';

/** Of a call in the field for calls, and of one that is written in the text. */
export const HALF = '{"city": "Par';
export const WRITTEN = `<tool_call>{"name": "${NAME}", "arguments": ${HALF}`;

export type Upstream = { text?: string; args?: string; finish: string | null; end?: ScriptedResponse['end'] };
export type Protocol = 'openai' | 'ollama';

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const openAi = ({ text, args, finish, end }: Upstream, isStream: boolean): ScriptedResponse => {
  const calls =
    args === undefined ? {} : { tool_calls: [{ index: 0, id: 'a', function: { name: NAME, arguments: args } }] };
  const said = { role: 'assistant', ...(text === undefined ? {} : { content: text }), ...calls };
  if (!isStream) return { chunks: [JSON.stringify({ choices: [{ index: 0, message: said, finish_reason: finish }] })] };
  const chunks = [event({ choices: [{ index: 0, delta: said, finish_reason: null }] })];
  if (end === undefined)
    chunks.push(event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }), 'data: [DONE]\n\n');
  return { headers: { 'content-type': 'text/event-stream' }, chunks, end };
};
const ollama = ({ text = '', args, finish, end }: Upstream): ScriptedResponse => {
  const calls = args === undefined ? {} : { tool_calls: [{ function: { name: NAME, arguments: args } }] };
  const line = { model: 'm', message: { role: 'assistant', content: text, ...calls } };
  const last = { model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: finish };
  return { chunks: [line, ...(end === undefined ? [last] : [])].map((one) => `${JSON.stringify(one)}\n`), end };
};

/** As halter's own repair does, which closes what is open. */
const closing: ProviderOptions['repairArguments'] = (text) => {
  const read = parseJsonLeniently(text);
  return read.ok ? { ok: true, value: read.value as JsonObject, repairs: read.repairs } : read;
};

const serverThat = (protocol: Protocol, answers: (number: number) => Upstream) => {
  let asked = 0;
  const network = scriptedNetwork(({ url, body: sent }) => {
    if (url.endsWith('/models')) return { chunks: ['{"data":[{"id":"m"}]}'] };
    if (url.endsWith('/api/tags')) return { chunks: ['{"models":[{"name":"m","model":"m"}]}'] };
    if (url.endsWith('/api/show')) return { chunks: ['{"capabilities":["completion","tools"]}'] };
    if (!isChat(url)) return undefined;
    const body = JSON.parse(Buffer.from(sent as Uint8Array).toString()) as JsonObject;
    asked += 1;
    return protocol === 'ollama' ? ollama(answers(asked)) : openAi(answers(asked), body['stream'] !== false);
  });
  return testServer([], {
    modelProvider: createProvider(protocol, { ...quiet([]), network, repairArguments: closing }),
  });
};

export type Heard = Told & {
  faults: string[];
  reason: unknown;
  /** That ended the answer, where the wire names it. */
  stopSequence?: string | undefined;
  guards: string;
  status: number;
};

export const talk = async (
  protocol: Protocol,
  wire: WireCase,
  stream: boolean,
  given: Upstream | ((number: number) => Upstream),
  wanted: Wanted = { tools: true },
): Promise<Heard> => {
  const server = await serverThat(protocol, typeof given === 'function' ? given : () => given);
  const counts =
    wire.path.endsWith('completions') && stream ? { fields: { stream_options: { include_usage: true } } } : {};
  const response = await server.call('POST', wire.path, wire.body({ ...wanted, stream, ...counts }));
  const body = await response.text();
  const guards = response.headers.get('x-halter-guards') ?? '';
  const { status } = response;
  if (status !== 200) {
    const error = wire.errorOf(JSON.parse(body) as JsonObject);
    return {
      text: '',
      reasoning: '',
      calls: [],
      finish: undefined,
      error,
      faults: [],
      reason: undefined,
      guards,
      status,
    };
  }
  const told = stream ? wire.stream(framesOf(body)) : wire.whole(JSON.parse(body) as JsonObject);
  const reason = /"incomplete_details":\{"reason":"(\w+)"/.exec(body)?.[1];
  const stopSequence = /"stop_sequence":"(\w+)"/.exec(body)?.[1];
  return { ...told, faults: grammarFaults(wire.path, body, stream), reason, stopSequence, guards, status };
};
