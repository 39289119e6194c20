/** Everything that a yes would write reaches whoever is asked, on every surface; what is left out is said. */
import { describe, expect, it } from 'vitest';
import { createTranslator } from '../src/acp/updates.ts';
import type { EventOf } from '../src/core/events.ts';
import { MCP_LIMITS } from '../src/mcp/limits.ts';
import { questionText } from '../src/mcp/served-question.ts';
import { BUILT_IN_TOOLS } from '../src/tools/index.ts';
import { verifies } from './requirements.ts';
import { putFiles } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const numbered = (word: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index};\n`).join('');
const CHANGES: readonly [name: string, before: string | undefined, after: string][] = [
  ['a new file of 300 lines', undefined, numbered('new', 300)],
  ['260 lines in the place of 260', numbered('old', 260), numbered('new', 260)],
  ['a line of 5,000 characters', 'x\n', `${'a'.repeat(4_990)}-the-end;\n`],
  ['3,000 lines', 'x\n', numbered('new', 3_000)],
];
type Asked = EventOf<'permission_requested'>;
type Call = { id: string; name: string; arguments: { path: string; content: string } };

/** The question as the server's own stream tells it, from a real call in a real folder. */
const askedOver = async (before: string | undefined, after: string): Promise<{ asked: Asked; call: Call }> => {
  const args = { path: 'a.txt', content: after };
  const server = await testServer([{ calls: [{ name: 'write_file', arguments: args }] }, { text: 'Done.' }]);
  if (before !== undefined) putFiles(server.folder, { 'a.txt': before });
  const { id } = await server.json<{ id: string }>('POST', '/api/sessions', {});
  await server.call('POST', `/api/sessions/${id}/commands`, { type: 'send_message', content: 'Write it.' });
  const stream = await server.call('GET', `/api/sessions/${id}/events?form=updates`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const line = /^data: (.*"type":"permission_requested".*)\n/m.exec(text)?.[1];
    if (line === undefined) continue;
    const asked = JSON.parse(line) as Asked;
    return { asked, call: { id: asked.tool_call_id, name: 'write_file', arguments: args } };
  }
  throw new Error(`nothing was asked: ${text}`);
};

const inEditor = ({ asked, call }: { asked: Asked; call: Call }): string => {
  const facts = {
    tools: BUILT_IN_TOOLS,
    root: '/work',
    sandbox: 'unsandboxed',
    contextTokens: undefined,
    replay: false,
  };
  const translator = createTranslator(facts);
  const called = { ...call, source: 'native' as const, repairs: [] };
  const message = { role: 'assistant' as const, content: '', tool_calls: [called], finish: 'tool_calls' as const };
  translator.translate({ seq: 1, at: 0, type: 'assistant_message_added', message });
  return JSON.stringify(translator.question(asked).call);
};
const changedIn = (before = '', after = ''): string[] => {
  const [old, fresh] = [before, after].map((text) => text.split('\n').filter((line) => line !== ''));
  return [...(old ?? []), ...(fresh ?? [])];
};

describe.each(CHANGES)('%s', (_, before, after) => {
  it('is in the question of the server, of an editor and of a client of halter as a server, or how much is missing', async () => {
    verifies('Z9', 'S6');
    const question = await askedOver(before, after);
    const shownBy = {
      http: JSON.stringify(question.asked.preview),
      editor: inEditor(question),
      client: questionText('write_file', question.call.arguments, {
        because: 'it writes',
        rule: 'write_file',
        ...(question.asked.preview ? { preview: question.asked.preview } : {}),
      }),
    };
    const fresh = changedIn('', after);
    const all = changedIn(before, after);
    const missing = (text: string, lines: readonly string[]): string[] => lines.filter((line) => !text.includes(line));
    expect([missing(shownBy.http, all), missing(shownBy.editor, all)]).toEqual([[], []]);
    const isCut = missing(shownBy.client, fresh).length > 0;
    expect(isCut).toBe(JSON.stringify(question.call.arguments, null, 2).length > MCP_LIMITS.mcpPermissionCharacters);
    if (isCut) expect(shownBy.client.split('\n\n')[1]).toMatch(/^This is not all of it: 20,000 of [\d,]+ characters/);
  });
});

it('hides nothing in the arguments that a client is asked about', () => {
  verifies('S6');
  const args = { command: 'ls \u202e\u{e0041}\u001b[2J' };
  const text = questionText('ba\u200bsh', args, {
    because: 'x\u2066',
    rule: 'bash',
    preview: { summary: 'runs \u200bls' },
  });
  for (const shown of ['ba\\u{200B}sh', 'x\\u{2066}', 'runs \\u{200B}ls', '\\u{202E}\\u{E0041}'])
    expect(text).toContain(shown);
  expect(text).not.toMatch(/[\u200b\u202e\u2066]/);
});
