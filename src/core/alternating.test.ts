import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { seededRandom } from '../../tests/support/seeded-random.ts';
import { alternating, INTERRUPTED, STEERED, UNANSWERED } from './alternating.ts';
import type { ModelMessage } from './message.ts';

const user = (content: string, more = {}): ModelMessage => ({ role: 'user', content, ...more });
const says = (content: string): ModelMessage => ({ role: 'assistant', content, tool_calls: [], finish: 'stop' });
const calls: ModelMessage = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c1', name: 'ls', arguments: {}, source: 'native', repairs: [] }],
  finish: 'tool_calls',
};
const metadata = { execution_time_ms: 0, data_size_bytes: 1, timestamp: 0 };
const result: ModelMessage = {
  role: 'tool',
  tool_call_id: 'c1',
  name: 'ls',
  content: 'a',
  result: { success: true, data: 'a', error_message: null, error_type: 'none', metadata },
};
const system: ModelMessage = { role: 'system', content: 'Help.' };

/** As the strictest templates want it. */
const complaint = (messages: readonly ModelMessage[]): string | undefined => {
  let expected = 'user';
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') {
      if (index > 0) return 'a system message in the middle';
      continue;
    }
    if (message.role === 'tool' || (message.role === 'assistant' && message.tool_calls.length > 0)) continue;
    if (message.role === 'user' && message.of_results) continue;
    if (message.role !== expected) return `message ${index} is of ${message.role}`;
    expected = message.role === 'user' ? 'assistant' : 'user';
  }
  return undefined;
};

describe('what goes to a model', () => {
  it('is left as it is where it takes turns', () => {
    const messages = [system, user('a'), calls, result, says('b'), user('c')];
    expect(alternating(messages)).toBe(messages);
  });

  it.each([
    ['unanswered messages', [user('a'), user('b'), user('c')], `a\n\n${UNANSWERED}\n\nb\n\n${UNANSWERED}\n\nc`],
    ['a run that broke off behind results', [user('a'), calls, result, user('b')], INTERRUPTED],
    ['what is said while a run goes on', [user('a'), calls, result, user('b', { steers: true })], STEERED],
    ['pictures of results', [user('a'), calls, result, user('pictures', { of_results: true }), user('b')], INTERRUPTED],
    ['an answer at the beginning', [says('a'), user('b')], 'begins here'],
    ['two answers in a row', [user('a'), says('b'), says('c')], 'b\n\nc'],
    ['a system message in the middle', [user('a'), system, user('b')], 'Help.'],
  ])('takes turns also with %s', (_, messages, expected) => {
    const turns = alternating([system, ...messages]);
    expect(complaint(turns)).toBeUndefined();
    expect(turns.map(({ content }) => content).join('\n---\n')).toContain(expected);
  });

  it('takes turns whatever the log holds, loses no word, and only grows', () => {
    verifies('B4');
    const random = seededRandom();
    for (let round = 0; round < 300; round += 1) {
      const messages: ModelMessage[] = random() < 0.7 ? [system] : [];
      let before: readonly ModelMessage[] = [];
      for (let index = 0; index < 12; index += 1) {
        const kinds = [
          [user(`u${index}`)],
          [says(`s${index}`)],
          [calls, result],
          [user(`t${index}`, { steers: true })],
        ];
        messages.push(...(kinds[Math.floor(random() * kinds.length)] as ModelMessage[]));
        const turns = alternating(messages);
        expect(complaint(turns), JSON.stringify(messages)).toBeUndefined();
        const text = turns.map(({ content }) => content).join('\n');
        for (const { content } of messages) expect(text).toContain(content);
        const known = before.map(({ content }) => content).join('\n');
        expect(text.slice(0, known.length)).toBe(known);
        before = [...turns];
      }
    }
  });
});
