/** An answer may lack what closes its marks, in every notation; what closes the arguments it may not, and nothing is lost. */
import { expect, test } from 'vitest';
import { readText } from '../src/cli/parse-faults.ts';
import { createParser, dialectNames, renderCall, type ToolDefinition } from '../src/dialects/index.ts';

const CALL = { name: 'read_file', arguments: { path: 'a.txt' } };
const tools: ToolDefinition[] = [
  { name: 'read_file', parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
];
const read = (text: string): 'made' | 'goes back' | 'lost' => {
  const parser = createParser({ dialect: 'auto', tools });
  const events = parser.push(text);
  const { events: last, result } = parser.end();
  const answer = { events: [...events, ...last], result, text: result.content, whole: text };
  const { calls, faults } = readText(answer, { dialect: 'auto', tools, source: text });
  if (calls.length > 0) expect(calls).toMatchObject([CALL]);
  return calls.length > 0 ? 'made' : faults.length > 0 ? 'goes back' : 'lost';
};
const DIALECTS = dialectNames().filter((name) => name !== 'auto' && name !== 'native');
/** Nothing of the notation stands behind the arguments. */
const ENDS_IN_ARGUMENTS = ['gigachat3', 'granite-20b-fc', 'mistral-args', 'functionary-v3.2', 'react'];

test.each(DIALECTS)(
  '%s: a shorter end is made or goes back, and no call without the end of its arguments',
  (dialect) => {
    const whole = renderCall(dialect, CALL).trimEnd();
    const value = whole.indexOf('a.txt') + 'a.txt'.length;
    const outcomes = Array.from({ length: whole.length - value }, (_, cut) => read(whole.slice(0, whole.length - cut)));
    expect(outcomes[0]).toBe('made');
    expect(outcomes).not.toContain('lost');
    expect(outcomes.at(-1)).toBe('goes back');
    expect(outcomes.join()).toMatch(/^(made,)+goes back(,goes back)*$/);
    if (ENDS_IN_ARGUMENTS.includes(dialect)) expect(outcomes[1]).toBe('goes back');
  },
);
