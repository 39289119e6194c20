/** The rule that comes with a lasting yes, over every surface that can send one: what was offered, or a pattern of that tool. */
import { describe, expect, it } from 'vitest';
import type { Command } from '../src/core/events.ts';
import { scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { assembled, nextEvent, openedSession } from './support/assembled.ts';
import { testServer } from './support/test-server.ts';

type Call = { name: string; arguments: Record<string, string> };
/** Answers each rule in its turn until one is taken; tells which were and what is allowed then. */
type Surface = (call: Call, rules: readonly unknown[]) => Promise<{ taken: boolean[]; allowed: unknown[] }>;

const remembered = (tool_call_id: string, rule: unknown) =>
  ({ type: 'resolve_permission', tool_call_id, decision: 'remember', rule }) as Command;
const turns = (call: Call) => [{ calls: [{ id: 'c1', ...call }] }, { text: 'done' }];

const SURFACES: readonly [name: string, Surface][] = [
  [
    'command of a session',
    async (call, rules) => {
      const halter = await assembled({ modelProvider: scriptedProvider(turns(call)) });
      const session = await openedSession(halter);
      const asked = nextEvent(session, 'permission_requested');
      await session.send({ type: 'send_message', content: 'go' });
      const { tool_call_id } = await asked;
      const taken: boolean[] = [];
      for (const rule of rules) taken.push((await session.send(remembered(tool_call_id, rule))).ok);
      await session.send({ type: 'cancel' });
      await session.idle();
      return { taken, allowed: halter.rules().allow.map(({ tool, pattern }) => [tool, pattern]) };
    },
  ],
  [
    'HTTP',
    async (call, rules) => {
      const server = await testServer(turns(call));
      const { id } = await server.json<{ id: string }>('POST', '/api/sessions');
      const { face } = await server.app.server.sessions.open(id);
      const asked = nextEvent(face, 'permission_requested');
      await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'go' });
      const { tool_call_id } = await asked;
      const taken: boolean[] = [];
      for (const rule of rules) {
        const reply = await server.call('POST', `/api/sessions/${id}/commands`, remembered(tool_call_id, rule));
        taken.push(reply.ok);
      }
      await face.send({ type: 'cancel' });
      await face.idle();
      return { taken, allowed: server.halter.rules().allow.map(({ tool, pattern }) => [tool, pattern]) };
    },
  ],
];

const COMMAND: Call = { name: 'bash', arguments: { command: 'mkdir out/a' } };
const FETCH: Call = { name: 'web_fetch', arguments: { url: 'https://docs.example/a' } };
const WRITE: Call = { name: 'write_file', arguments: { path: 'notes/a.txt', content: 'x' } };

const REFUSED: readonly [Call, readonly unknown[]][] = [
  [
    COMMAND,
    [
      { tool: '*' },
      { tool: 'b*' },
      { tool: '*', pattern: 'mkdir *' },
      { tool: 'bash' },
      { tool: 'bash', pattern: '*' },
      { tool: 'bash', pattern: '** *' },
      { tool: 'bash', pattern: '?* *' },
      { tool: 'bash', pattern: 'm* *' },
      { tool: 'bash', pattern: '' },
      { tool: 'folder:read' },
      { tool: 'bash', pattern: 'mkdir *', bound_to: 'x' },
      { tool: 'bash', pattern: ['mkdir *'] },
      'bash(mkdir *)',
      null,
      [],
    ],
  ],
  [FETCH, [{ tool: 'web_*' }, { tool: '*', pattern: 'https://docs.example/**' }]],
  [WRITE, [{ tool: '*' }, { tool: 'write_*' }, { tool: '*_file', pattern: 'notes/**' }, { tool: 'edit_file' }]],
];

const TAKEN: readonly [Call, { tool: string; pattern?: string }][] = [
  [COMMAND, { tool: 'bash', pattern: '=mkdir out/a' }],
  [COMMAND, { tool: 'bash', pattern: 'mkdir *' }],
  [COMMAND, { tool: 'bash', pattern: 'mkdir out/*' }],
  [FETCH, { tool: 'web_fetch', pattern: 'https://docs.example/**' }],
  [FETCH, { tool: 'web_fetch', pattern: 'https://*.example/**' }],
  [WRITE, { tool: 'write_file' }],
  [WRITE, { tool: 'write_file', pattern: 'notes/**' }],
  [WRITE, { tool: 'write_file', pattern: '**/*.txt' }],
];

describe.each(SURFACES)('a rule that comes with an answer: %s', (_, answer) => {
  it.each(REFUSED)('refuses what is wider than an answer may be: %j', async (call, rules) => {
    verifies('S28');
    const { taken, allowed } = await answer(call, rules);
    expect(rules.filter((__, index) => taken[index])).toEqual([]);
    expect(allowed).toEqual([]);
  });

  it.each(TAKEN)('takes what was offered, or a pattern of the tool that names something: %j %j', async (call, rule) => {
    expect(await answer(call, [rule])).toEqual({ taken: [true], allowed: [[rule.tool, rule.pattern]] });
  });
});
