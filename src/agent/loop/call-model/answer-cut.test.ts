import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../../tests/support/assembled.ts';
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

it.each<[string, ScriptedProviderTurn]>([
  ['nothing', { text: '', finish: 'length' }],
  ['thoughts', { reasoning: 'I should look what time', finish: 'length' }],
  ['a call in thoughts', { reasoning: 'I look.\n<tool_call>{"name": "get_curr', finish: 'length' }],
  ['its arguments in thoughts', { reasoning: '[TOOL_CALLS]get_current_time[ARGS]{"zone": "U', finish: 'length' }],
])('an answer of which the token limit left %s is none, and is said to be none', async (_name, turn) => {
  verifies('L8');
  const provider = scriptedProvider([{ ...turn, usage: { prompt_tokens: 1_100, completion_tokens: 300 } }]);
  const session = await openedSession(await assembled({ modelProvider: provider }));
  await say(session);
  const message = expect.stringContaining('answered nothing before its token limit was reached');
  expect(session.log()).toContainEqual(expect.objectContaining({ type: 'model_failed', message }));
  expect(provider.requests).toHaveLength(1);
});

it('a short answer at a limit of the server is cut, and says nothing of the window', async () => {
  const usage = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 20 });
  const cut = (size: number): ScriptedProviderTurn => ({
    text: 'It is late, and',
    finish: 'length',
    usage: usage(size),
  });
  const provider = scriptedProvider([cut(2_500), cut(2_530), cut(2_560)]);
  const session = await openedSession(await assembled({ modelProvider: provider }));
  const warnings: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warnings.push(update.code);
  });
  for (const text of ['And now?', 'And now?', 'And now?']) await say(session, text);
  expect(warnings).toEqual(['answer_cut', 'answer_cut', 'answer_cut']);
});

it.each<[string, ScriptedProviderTurn, string | undefined]>([
  [
    'broke off',
    { text: 'It is', error: { code: 'disconnected', message: 'The connection was lost' } },
    'The connection was lost. What came before is kept.',
  ],
  ['came whole', END, undefined],
])('why an answer broke off stands beside it: one that %s', async (_name, turn, expected) => {
  verifies('L8');
  const session = await openedSession(await assembled({ modelProvider: scriptedProvider([turn]) }));
  const said = nextEvent(session, 'assistant_message_added');
  await say(session);
  expect((await said).broken_by).toBe(expected);
});
