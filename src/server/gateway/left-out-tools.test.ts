/** Servers that leave the tools out of the prompt and say nothing: the model sees them all the same, on every wire. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf, WIRES, type WireCase } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ModelInfo, ModelRequest } from '../../core/model-port.ts';
import { estimateTokens } from '../../core/window/tokens.ts';

type Way = 'drops' | 'writes' | 'counts only what is new';
const isDescribed = ({ messages }: ModelRequest): boolean => JSON.stringify(messages).includes('<tools>');
const tokensOf = (way: Way, { messages, tools }: ModelRequest): number => {
  if (way === 'counts only what is new') return 2;
  const words = estimateTokens(JSON.stringify(messages.map(({ role, content }) => [role, content])));
  return words + (way === 'writes' ? estimateTokens(JSON.stringify(tools)) : 0);
};
const CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>';

/** A server that makes weather up where it sees no tools. */
const serverThat = (way: Way, info: Partial<ModelInfo> = {}) =>
  testServer(
    (request) => ({
      text:
        request.tools.length === 0 && !isDescribed(request)
          ? 'A title.'
          : isDescribed(request)
            ? CALL
            : 'Sunny, 31 °C.',
      usage: { prompt_tokens: tokensOf(way, request), completion_tokens: 6 },
    }),
    { models: [{ id: 'm', ...info }] },
  );
type Server = Awaited<ReturnType<typeof serverThat>>;

const asked = async (server: Server, wire: WireCase, stream: boolean, headers: Record<string, string> = {}) => {
  const response = await server.call('POST', wire.path, wire.body({ tools: true, stream }), headers);
  const body = await response.text();
  const told = stream ? wire.stream(framesOf(body)) : wire.whole(JSON.parse(body) as JsonObject);
  return { told, headers: response.headers };
};
const OSLO = [{ name: 'get_weather', args: { city: 'Oslo' } }];

describe.each(WIRES)('$name', (wire) => {
  it.each([false, true])('describes tools that the server leaves out, with stream: %s', async (stream) => {
    verifies('L1', 'L2');
    const server = await serverThat('drops');
    const first = await asked(server, wire, stream);
    expect(first.told.calls).toEqual(OSLO);
    // What a stream has shown cannot be taken back.
    expect(first.told.text.trim()).toBe(stream ? 'Sunny, 31 °C.' : '');
    if (!stream) expect(first.headers.get('x-halter-guard')).toBe('unseen');
    const second = await asked(server, wire, stream);
    expect(second.told).toMatchObject({ calls: OSLO, text: '' });
    expect(second.headers.get('x-halter-tools')).toBe('text');
    expect(server.provider.requests.map(isDescribed)).toEqual([false, true, true]);
    const { clients } = await server.json<{ clients: JsonObject[] }>('GET', '/api/gateway/clients');
    expect(JSON.stringify(clients)).toContain('"tools_unseen_described":1');
  });

  it.each<[string, Way, Partial<ModelInfo>, Record<string, string>]>([
    ['writes them', 'writes', {}, {}],
    ['counts only what is new', 'counts only what is new', {}, {}],
    ['says that the model takes them', 'drops', { tools: true }, {}],
    ['drops them while nobody looks', 'drops', {}, { 'x-halter-guards-off': 'tools_unseen' }],
  ])('leaves a server alone that %s', async (_, way, info, headers) => {
    const server = await serverThat(way, info);
    const { told } = await asked(server, wire, false, { ...headers });
    expect(told.text).toContain('Sunny, 31 °C.');
    expect(server.provider.requests.map(isDescribed)).toEqual([false]);
  });
});
