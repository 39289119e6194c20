import { expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { EventOf } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import { BUILT_IN_TOOLS } from '../tools/index.ts';
import { diffTexts, unifiedDiff } from '../tools/support/diff.ts';
import { createTranslator } from './updates.ts';

const asked = (name: string, args: JsonObject, more: Partial<EventOf<'permission_requested'>> = {}) => {
  const translator = createTranslator({
    tools: BUILT_IN_TOOLS,
    root: '/project',
    sandbox: 'unsandboxed',
    contextTokens: undefined,
    replay: false,
  });
  const call = { id: 'c', name, arguments: args, source: 'native' as const, repairs: [] };
  const message = { role: 'assistant' as const, content: '', tool_calls: [call], finish: 'tool_calls' as const };
  translator.translate({ seq: 1, at: 0, type: 'assistant_message_added', message });
  const rule = { tool: name };
  const question = { type: 'permission_requested' as const, tool_call_id: 'c', risk: 'high' as const, rule, ...more };
  const { call: shown, options } = translator.question(question);
  return { title: shown.title, said: JSON.stringify(shown.content), options: options.map((option) => option.name) };
};

it('the question of an editor says why it is asked and how commands are contained', () => {
  verifies('S15');
  expect(asked('write_file', { path: 'a', content: '' }).said).toContain('Sandbox: unsandboxed');
  expect(asked('bash', { command: 'ls' }, { because: 'no rule covers it' }).said).toContain(
    'Asked because: no rule covers it',
  );
});

it('the question of an editor shows what cannot be seen', () => {
  verifies('S6');
  const { title, said } = asked(
    'bash',
    { command: 'ls \u202e\n\u{e0041}' },
    { preview: { summary: 'runs \u200bls' }, because: 'x\u2066' },
  );
  expect(title).toBe('bash ls \\u{202E}\\n\\u{E0041}');
  expect(JSON.parse(said)).toMatchObject([
    { content: { text: 'runs \\u{200B}ls' } },
    {
      content: {
        text: 'Asked because: x\\u{2066}\nSandbox: unsandboxed\nThe arguments hold characters that cannot be seen: \\u{202E} \\u{E0041}',
      },
    },
  ]);
});

it.each([
  ['gains its last line end', 'a\nb', 'a\nb\n'],
  ['loses its last line end', 'a\nb\n', 'a\nb'],
  ['gains carriage returns', 'a\nb\n', 'a\r\nb\r\n'],
  ['loses some carriage returns', 'a\r\nb\n', 'a\nb\n'],
  ['becomes empty', 'a\n', ''],
  ['has a line', 'a\nb\n', 'a\nc\n'],
])('an editor is told the two sides of a file that %s', (_what, oldText, newText) => {
  verifies('H7');
  const preview = { summary: 'write a', diff: unifiedDiff('a', diffTexts(oldText, newText), false) };
  const { said } = asked('write_file', { path: 'a', content: newText }, { preview });
  expect(JSON.parse(said)[1]).toEqual({ type: 'diff', path: '/project/a', oldText, newText });
});

it('the question of an editor offers the rule that would be kept, and only what counts', () => {
  verifies('S28', 'S29');
  const rule = { tool: 'web_fetch', pattern: 'https://docs.example/**' };
  const url = 'https://docs.example/a';
  expect(asked('web_fetch', { url }, { rule }).options).toEqual([
    'Allow once',
    'Allow web_fetch(https://docs.example/**) for this session',
    'Always allow web_fetch(https://docs.example/**) here',
    'Deny',
  ]);
  expect(asked('write_file', { path: 'a' }, { rule: { tool: 'write_file', pattern: '=a' } }).options[2]).toBe(
    'Always allow write_file(a) here',
  );
  expect(asked('bash', { command: 'ls (' }, { asks_each_time: true }).options).toEqual(['Allow once', 'Deny']);
});
