/** What a person reads of a call: in the question, in the session afterwards, and of one that was cancelled. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedProviderTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { turns } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { sentEvents } from '../support/sent-events.ts';
import { testServer } from '../support/test-server.ts';

const model = async (...turns: ScriptedProviderTurn[]) => {
  const server = await startScriptedServer({ turns: ({ number }) => turns[Math.min(number, turns.length - 1)] ?? {} });
  onTestFinished(() => server.close());
  return { server, reach: ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'] };
};
const call = (name: string, args: object): ScriptedProviderTurn => ({ calls: [{ name, arguments: { ...args } }] });
const asText = (name: string, args: object): ScriptedProviderTurn => ({
  text: JSON.stringify({ name, arguments: args }),
});

const essence = (result: unknown): string => JSON.stringify(result, ['success', 'data', 'error_message', 'error_type']);

const PRESETS = [
  { what: 'outside a preset', flags: [], preset: undefined, call },
  { what: 'in the preset zoo-keeper', flags: ['--preset', 'zoo-keeper'], preset: 'zoo-keeper', call: asText },
] as const;

describe.each(PRESETS)('$what', ({ flags, preset, call }) => {
  const isMine = turns(preset === undefined ? 0 : 1, PRESETS.length);
  const test = (name: string, run: () => Promise<void>): void => {
    if (isMine()) it(name, run, 120_000);
  };

  test('sessions show and export hold the display message of each call', async () => {
    verifies('Z11', 'B5');
    const { reach } = await model(call('ls', { path: '.' }), call('ls', { path: 'nowhere' }), { text: 'Done.' });
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    putFiles(cwd, { 'a.txt': 'a' });
    const ran = await runHalter(['run', 'look', '--session', 's', ...reach, ...flags], { cwd, home });
    expect(ran.code, ran.err).toBe(0);
    const shown = (await runHalter(['sessions', 'show', 's'], { cwd, home })).out;
    expect(shown).toMatch(
      /\[Tool: ls\]\n {2}Arguments: {"path":"\."}\n {2}Status: ✅ SUCCESS\n {2}Result:[\s\S]*a\.txt[\s\S]*\n {2}Execution Time: \d+ms\n/,
    );
    expect(shown).toMatch(/\[Tool: ls\]\n {2}Arguments: {"path":"nowhere"}\n {2}Status: ❌ not_found: .*nowhere/);
    for (const format of ['markdown', 'html']) {
      const text = (await runHalter(['sessions', 'export', 's', '--format', format], { cwd, home })).out;
      expect(text, format).toMatch(/\[Tool: ls\][\s\S]*✅ SUCCESS[\s\S]*a\.txt[\s\S]*Execution Time: \d+ms/);
    }
  });

  test('a cancelled command keeps what it printed and is called cancelled', async () => {
    verifies('Z11', 'L1');
    const { reach } = await model(call('bash', { command: 'echo printed before; sleep 600' }));
    const [cwd, home] = [scratchFolder(), scratchFolder()];
    const args = ['run', 'go', '--session', 's', '--allow', 'bash', '--format', 'stream-json', ...reach, ...flags];
    const running = startHalter(args, { cwd, home });
    await running.said('tool_output_delta');
    running.child.kill('SIGINT');
    const ran = await running.finished;
    expect(ran.code).toBe(130);
    const result = ran.lines().find(({ type }) => type === 'tool_result')?.['result'];
    expect(result).toMatchObject({ success: false, data: 'printed before\n', metadata: { reason: 'cancelled' } });
    const shown = (await runHalter(['sessions', 'show', 's'], { cwd, home })).out;
    expect(shown).toMatch(/Status: ❌ CANCELLED\n {2}Result: printed before\n/);
  });

  test('a question shows the arguments that the model sent, with what a reference stands for', async () => {
    verifies('E14', 'Z8');
    const turns = [
      call('read_file', { path: 'a.txt' }),
      call('write_file', { content: { $result: 'call_1' }, path: 'b.txt' }),
      { text: 'Done.' },
    ];
    const { reach } = await model(...turns);
    const cwd = scratchFolder();
    putFiles(cwd, { 'a.txt': 'what it holds' });
    const asking = ['--allow', 'read_file', '--format', 'stream-json', ...reach, ...flags];
    const ran = await runHalter(['run', 'copy', ...asking], { cwd });
    expect(ran.code).toBe(3);
    const asked = ran.lines().find(({ type }) => type === 'permission_request');
    expect(Object.keys(asked?.['arguments'] as object)).toEqual(['content', 'path']);
    expect(asked).toMatchObject({ arguments: { content: expect.stringContaining('what it holds'), path: 'b.txt' } });
    expect(asked?.['diff']).toContain('what it holds');
    expect(JSON.stringify(asked)).not.toContain('$result');

    const server = await testServer(turns, { preset, allow: ['read_file'] });
    fs.writeFileSync(path.join(server.folder, 'a.txt'), 'what it holds');
    const streamed = await server.call('POST', '/api/chat', {
      message: 'copy',
      mode: 'agent',
      stream: true,
      request_id: 'r',
    });
    for await (const { type, data } of sentEvents(streamed)) {
      if (type !== 'permission_request') continue;
      expect(data['arguments']).toMatchObject({ content: expect.stringContaining('what it holds') });
      await server.call('POST', '/api/chat/r/permission', { tool_call_id: data['tool_call_id'], decision: 'deny' });
    }
  });

  test('what is behind a link that leads outside is refused alike, whether it is there or not', async () => {
    verifies('S10');
    const [cwd, outside] = [scratchFolder(), scratchFolder()];
    putFiles(outside, { 'there.txt': 'secret' });
    fs.symlinkSync(outside, path.join(cwd, 'out'));
    const wordsOf = async (name: string, args: object): Promise<string[]> => {
      const told = await runHalter(['tools', 'call', name, JSON.stringify(args), '--yolo'], { cwd });
      if (name !== 'read_file' && name !== 'write_file') return [essence(told.json())];
      const { reach } = await model(call(name, args), { text: 'Done.' });
      const ran = await runHalter(['run', 'go', '--yolo', '--format', 'json', ...reach, ...flags], { cwd });
      const [done] = ran.json()['tool_calls'] as { result: Record<string, unknown> }[];
      return [essence(done?.result), essence(told.json())];
    };
    const edit = { old_text: 'a', new_text: 'b' };
    const rows: [string, object][] = [
      ['read_file', {}],
      ['ls', {}],
      ['write_file', { content: 'x' }],
      ['edit_file', edit],
      ['insert_lines', { line_start: 1, line_end: 1, new_content: 'x' }],
      ['replace_lines', { line_start: 1, line_end: 1, new_content: 'x' }],
    ];
    for (const [name, args] of rows) {
      const there = await wordsOf(name, { ...args, path: 'out/there.txt' });
      const none = await wordsOf(name, { ...args, path: 'out/nothere.txt' });
      expect(there.join('\n'), name).toContain('leads outside the workspace');
      expect(
        none.map((text) => text.replaceAll('nothere', 'there')),
        name,
      ).toEqual(there);
    }
    expect(fs.readdirSync(outside)).toEqual(['there.txt']);
  });

  test('get_file_tree holds 5,000 paths', async () => {
    verifies('Z1');
    const names = Array.from({ length: 5_001 }, (_, index) => `folder/of/files/file-${10_000 + index}.txt`);
    const cwd = scratchFolder();
    putFiles(cwd, Object.fromEntries(names.map((name) => [name, ''])));
    const told = await runHalter(['tools', 'call', 'get_file_tree', '{}'], { cwd });
    expect(JSON.parse(told.json()['data'] as string)).toEqual(names.slice(0, 5_000));
    expect(told.json()['metadata']).toMatchObject({ truncated: expect.stringContaining('the first 5,000 paths') });
    const server = await testServer([call('get_file_tree', {}), { text: 'Done.' }], {
      preset,
      models: [{ id: 'm', context_length: 262_144 }],
    });
    putFiles(server.folder, Object.fromEntries(names.map((name) => [name, ''])));
    const body = { tool_name: 'get_file_tree', arguments: {} };
    const executed = await server.json<{ result: string }>('POST', '/api/tools/execute', body);
    expect(JSON.parse(executed.result)).toHaveLength(5_000);
    const reply = await server.json<{ tool_events: { result: { data: string } }[] }>('POST', '/api/chat', {
      message: 'What is here?',
      mode: 'agent',
    });
    expect(JSON.parse(reply.tool_events[0]?.result.data ?? '')).toHaveLength(5_000);
  });
});
