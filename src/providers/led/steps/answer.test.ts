import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { parseGbnf, sampleGbnf } from '../../../../tests/support/gbnf-sampler.ts';
import type { ToolMessage } from '../../../core/message.ts';
import { LED_LIMITS } from '../limits.ts';
import { describeFailure, joinAnswer, leadInGrammar, quoteResult } from './answer.ts';

const message = (result: Partial<ToolMessage['result']>): ToolMessage => ({
  role: 'tool',
  tool_call_id: '1',
  name: 'read_file',
  content: '',
  result: {
    success: false,
    data: null,
    error_message: 'there is no such file',
    error_type: 'not_found',
    metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 },
    ...result,
  },
});

describe('an answer that quotes', () => {
  it('holds every entry of a list, whatever it is', () => {
    verifies('K8');
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[^\n]{1,20}$/), { minLength: 1, maxLength: 20 }), (names) => {
        const text = joinAnswer('Here:', quoteResult(JSON.stringify(names)));
        for (const name of names) expect(text).toContain(name);
      }),
    );
  });

  it('puts one line behind the opening words and more below', () => {
    expect(joinAnswer('Here is the time:', quoteResult('2026-11-22T10:00:00Z'))).toBe(
      'Here is the time: 2026-11-22T10:00:00Z',
    );
    expect(joinAnswer('Here:', quoteResult('a\nb\n'))).toBe('Here:\n\n```\na\nb\n```');
    expect(joinAnswer('Here:', quoteResult('[]'))).toBe('Here: (none)');
    expect(joinAnswer('Here:', quoteResult(''))).toBe('Here: (nothing)');
    expect(quoteResult('[{"id":"task_1","status":"pending"}]')).toEqual(['- id: task_1, status: pending']);
  });

  it('is cut where it is long, and says so', () => {
    const lines = quoteResult(Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n'));
    expect(lines.length).toBeLessThanOrEqual(LED_LIMITS.ledQuoteLines + 3);
    expect(lines.at(-1)).toMatch(/^… [\d,]+ more lines$/);
  });

  it('lists the whole entries of a list that was cut for the window, and says that it was', () => {
    verifies('K8');
    const note = '[cut: the first 20 of 90 characters; the whole is in @results/call_1.txt]';
    expect(quoteResult(`["a.ts","b.ts","src/c\n${note}`)).toEqual(['- a.ts', '- b.ts', note]);
  });

  it('shows the beginning of a line that is too long by itself', () => {
    verifies('K8');
    const [first = '', last] = quoteResult(`${'x'.repeat(10_000)}\nend`);
    expect(first).toMatch(/^x{1000,} …$/);
    expect(last).toBe('… 1 more line');
  });

  it('tells a failure and a denial apart', () => {
    expect(describeFailure(message({}))).toBe('`read_file` did not work (not_found): there is no such file');
    expect(describeFailure(message({ error_type: 'permission_denied', error_message: 'not now' }))).toBe(
      '`read_file` was not permitted: not now',
    );
  });

  it('opens with words of the tool alone', () => {
    const tool = {
      type: 'function' as const,
      function: { name: 'list_files', description: 'List the paths of 3 files. More.', parameters: {} },
    };
    const rules = parseGbnf(leadInGrammar(tool) ?? '');
    let state = 5;
    const draw = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    for (let count = 0; count < 50; count += 1) {
      expect(sampleGbnf(rules, draw)).toMatch(/^Here (is|are) the (?:(?:list|files|paths|of|in|the|all|and) ?)+:$/);
    }
    expect(leadInGrammar(undefined)).toBeUndefined();
  });
});
