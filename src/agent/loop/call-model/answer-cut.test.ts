import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../../../testing/index.ts';

const CALL = { name: 'get_current_time', arguments: {} };
const END: ScriptedProviderTurn = { text: 'It is late.' };

it.each<[string, ScriptedProviderTurn[], string[]]>([
  ['native calls', [{ calls: [CALL], finish: 'length' }, END], []],
  ['native calls behind words', [{ text: 'I look.', calls: [CALL], finish: 'length' }, END], []],
  ['a call as text', [{ text: `<tool_call>${JSON.stringify(CALL)}</tool_call>`, finish: 'length' }, END], []],
  ['the answer', [{ text: 'It is', finish: 'length' }], ['answer_cut']],
  ['the answer behind calls', [{ calls: [CALL] }, { text: 'It is', finish: 'length' }], ['answer_cut']],
])('at the token limit, an answer is said to be cut only where it is one: %s', async (_name, turns, expected) => {
  const session = await openedSession(await assembled({ modelProvider: scriptedProvider(turns) }));
  const warnings: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warnings.push(update.code);
  });
  await say(session);
  expect(warnings).toEqual(expected);
});
