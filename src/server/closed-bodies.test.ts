import { expect, it } from 'vitest';
import { testServer } from '../../tests/support/test-server.ts';
import type { JsonValue } from '../core/json.ts';
import { checkBody } from './read-body.ts';
import { ROUTES } from './routes/index.ts';

const FOREIGN = { no_such_field: 1 };
const bodies = ROUTES.filter(({ body, errors }) => body !== undefined && errors === undefined);

it.each(bodies.map((route) => [`${route.method} ${route.path}`, route] as const))(
  'refuses a field that is none: %s',
  (_, { body = {} }) => {
    const branches = Array.isArray(body['oneOf'])
      ? (body['oneOf'] as { properties: { type: { const: string } } }[])
      : [];
    const given =
      branches.length === 0
        ? [FOREIGN]
        : branches.map(({ properties }) => ({ type: properties.type.const, ...FOREIGN }));
    for (const value of given) expect(() => checkBody(body, value)).toThrow(/no_such_field is not allowed/);
  },
);

const COMMANDS = '/api/sessions/:id/commands';
it.each([
  [COMMANDS, { type: 'resolve_permission', tool_call_id: 'c', decision: 'deny', rule: { tool: 'ls', bound_to: 'x' } }],
  [COMMANDS, { type: 'send_message', content: [{ type: 'text', text: 'x', trusted: true }] }],
  [COMMANDS, { type: 'send_message', content: [{ type: 'text', text: 'x', file: { path: 'a', hash: 'b', x: 1 } }] }],
  [COMMANDS, { type: 'change_settings', settings: { mode: 'yolo' } }],
  ['/api/sessions', { settings: { allow: ['*'] } }],
])('refuses it at any depth: %s %j', (path, value) => {
  const route = bodies.find((each) => each.path === path && each.method === 'POST');
  expect(() => checkBody(route?.body ?? {}, value)).toThrow(/does not fit/);
});

it.each<[string, JsonValue]>([
  [COMMANDS, { type: 'answer_server', question_id: 'q', action: 'accept', content: { anything: 1 } }],
  [
    COMMANDS,
    {
      type: 'send_message',
      content: [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'x', shown: '[a]', untrusted_content: true },
        { type: 'text', text: 'x', shown: '[a]', file: { path: 'a', hash: 'b' } },
        { type: 'image', mime_type: 'image/png', data_base64: '', name: 'a' },
      ],
    },
  ],
  ['/api/mcp/servers', { name: 'a', server: { command: 'x', args: [], env: { A: 'b' } } }],
  ['/api/tools/execute', { tool_name: 'ls', arguments: { path: '.' } }],
])('takes what the page and the documents send: %s %j', (path, value) => {
  const route = bodies.find((each) => each.path === path && each.method === 'POST');
  expect(() => checkBody(route?.body ?? {}, value)).not.toThrow();
});

it('says which field it was, and begins no session', async () => {
  const server = await testServer([]);
  const answer = await server.call('POST', '/api/sessions', { model: 'm', allow: ['*'] });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('allow is not allowed')]);
});
