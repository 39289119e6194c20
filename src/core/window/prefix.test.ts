import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelMessage } from '../message.ts';
import type { ToolSchema } from '../tool.ts';
import { createPrefixWatch, prefixBreak, promptPrefix } from './prefix.ts';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const tool = (name: string, description = 'd'): ToolSchema => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object' } },
});

describe('the prefix contract', () => {
  it('holds while a conversation only grows, and names the first difference otherwise', () => {
    verifies('B4');
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.array(fc.string()), fc.nat(), (texts, more, pick) => {
        const watch = createPrefixWatch();
        const messages = texts.map(user);
        expect(watch.sent(messages, [])).toBeUndefined();
        // In place, as a projection grows, and as a copy that says the same.
        messages.push(...more.map(user));
        expect(watch.sent(messages, [])).toBeUndefined();
        expect(watch.sent(structuredClone(messages), [])).toBeUndefined();
        const at = pick % messages.length;
        const changed = messages.with(at, user(`${(messages[at] as { content: string }).content}!`));
        expect(watch.sent(changed, [])?.place).toContain(`message ${at + 1} `);
      }),
    );
  });

  it('names a tool, a missing message, a role and a call', () => {
    const watch = createPrefixWatch();
    watch.sent([user('a'), user('b')], [tool('ls'), tool('bash')]);
    expect(watch.sent([user('a'), user('b')], [tool('ls'), tool('bash', 'x')])?.place).toContain('bash');
    expect(watch.sent([user('a'), user('b')], [tool('ls')])?.place).toContain('bash');
    expect(watch.sent([user('a')], [tool('ls')])?.place).toContain('gone');
    expect(watch.sent([{ role: 'system', content: 'a' }], [tool('ls')])?.place).toContain('another kind');
    const call = { id: 'x', name: 'ls', arguments: { path: 'a' }, source: 'native' as const, repairs: [] };
    const calling = (args: object): ModelMessage => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ ...call, arguments: { ...args } }],
      finish: 'tool_calls',
    });
    watch.forget();
    watch.sent([calling({ path: 'a' })], []);
    expect(watch.sent([calling({ path: 'b' })], [])?.place).toContain('in its calls');
  });

  it('compares the heads of a session and of its continuation', () => {
    const head = promptPrefix('Be short.', [tool('ls'), tool('bash')]);
    expect(prefixBreak(head, promptPrefix('Be short.', [tool('ls'), tool('bash')]))).toBeUndefined();
    expect(prefixBreak(head, promptPrefix('Be long.', [tool('ls'), tool('bash')]))?.place).toBe('the instructions');
    expect(prefixBreak(head, promptPrefix('Be short.', [tool('ls'), tool('bash', 'x')]))?.place).toContain('bash');
    expect(prefixBreak(head, promptPrefix('Be short.', []))?.place).toContain('ls');
  });
});
