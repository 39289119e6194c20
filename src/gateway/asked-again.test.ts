/** What the gateway asks its model again about, and what the client gets then: whole, and in a stream of small pieces. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { completed } from '../../tests/support/completed.ts';
import type { ToolSchema } from '../core/tool.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../testing/index.ts';
import type { GatewayToolWay } from './asking.ts';

const TOOLS: ToolSchema[] = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
    },
  },
];
const CALL = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const MADE = [{ name: 'get_weather', arguments: { city: 'Oslo' } }];

/** The pieces of a stream hold so many characters; undefined: the caller waits for the whole answer. */
const SIZES = [1, 5, 1_000, undefined];

const talk = async (
  says: readonly (string | ScriptedProviderTurn)[],
  size: number | undefined,
  way: Partial<Pick<GatewayToolWay, 'dialect' | 'reads'>> = {},
) => {
  const turns = says.map((said): ScriptedProviderTurn => {
    if (typeof said !== 'string') return said;
    return { text: said.match(new RegExp(`[\\s\\S]{1,${size ?? 1_000}}`, 'g')) ?? [] };
  });
  const provider = scriptedProvider(turns, { models: [{ id: 'm' }] });
  const done = await completed(provider, {
    way: { provider, toolMode: 'injected', dialect: 'auto', ...way },
    messages: [{ role: 'user', content: 'Weather?' }],
    tools: TOOLS,
    ...(size === undefined ? { whole: true } : {}),
  });
  const { text, calls, finish, guards, requests, parts } = done;
  const heard = parts.filter(({ type }) => type === 'text').map(({ delta }) => delta);
  expect(heard.join(''), 'what was told is what is given').toBe(text);
  expect(provider.requests[0]).toMatchObject({ tools: [], tools_in_text: true });
  const last = JSON.stringify(provider.requests.at(-1)?.messages.slice(-2) ?? []);
  return {
    text,
    calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    finish,
    guards,
    requests,
    last,
  };
};
const cut = (text: string): ScriptedProviderTurn => ({ text, finish: 'length' });

describe.each(SIZES)('in pieces of %s', (size) => {
  it.each<[string, (string | ScriptedProviderTurn)[], string]>([
    ['a tool that there is not', ['<tool_call>{"name": "fly", "arguments": {}}</tool_call>'], ''],
    ['the same behind words', ['Hm.\n<tool_call>{"name": "fly", "arguments": {}}</tool_call>'], 'Hm.'],
    ['arguments that do not fit', ['<tool_call>{"name": "get_weather", "arguments": {"days": 3}}</tool_call>'], ''],
    ['such a call in the field for calls', [{ calls: [{ name: 'get_weather', arguments: { days: 3 } }] }], ''],
    ['a call that was cut', [cut('<tool_call>{"name": "get_weather", "argu')], ''],
    ['half a call behind words', [cut(`Ok.\n\n${CALL.slice(0, 40)}`)], 'Ok.'],
  ])('what the model says after a correction is the answer: %s', async (_what, says, before) => {
    verifies('B2');
    const { text, calls, finish } = await talk([...says, 'Which city do you mean?'], size);
    expect(text.trim()).toBe(`${before}\n\nWhich city do you mean?`.trim());
    expect([calls, finish]).toEqual([[], 'stop']);
  });

  it.each([
    ['JSON', CALL],
    ['a call with marks', `<tool_call>${CALL}</tool_call>`],
    ['a fence', `\`\`\`json\n${CALL}\n\`\`\``],
  ])('a draft in thoughts that the prompt opened loses nothing of the answer behind them: %s', async (_what, draft) => {
    verifies('B2');
    const thoughts = `I could write\n${draft}\nbut I know it.`;
    const { text, calls } = await talk([`${thoughts}\n</think>\n\nIt is sunny.`], size);
    expect([text, calls]).toEqual([
      size === undefined ? 'It is sunny.' : 'I could write\n</think>\n\nIt is sunny.',
      [],
    ]);
    const made = await talk([`${thoughts}\n</think>\n\nI look.\n<tool_call>${CALL}</tool_call>`], size);
    expect([made.text.trim().split('\n').at(-1), made.calls]).toEqual(['I look.', MADE]);
  });

  it.each([
    ['declines', 'No call was meant.', ''],
    ['declines shortly', 'No call.', ''],
    ['says more', 'Mind the commas, too.', '\n\nMind the commas, too.'],
  ])('an answer that documents calls stays, where the model %s when it is asked', async (_what, second, more) => {
    verifies('B2');
    const first = `The families differ. A server has to read them.\n\n### Bare\n\n\`\`\`json\n${CALL}\n\`\`\``;
    const { text, calls, requests } = await talk([first, second], size);
    expect([text, calls, requests]).toEqual([`${first}${more}`, [], 2]);
  });

  it('keeps the calls that fit beside one that does not, where it answers in words', async () => {
    const bad = '<tool_call>{"name": "fly", "arguments": {}}</tool_call>';
    const { text, calls } = await talk([`<tool_call>${CALL}</tool_call>${bad}`, 'I cannot fly.'], size);
    expect([text, calls]).toEqual(['I cannot fly.', MADE]);
  });

  it.each([
    `${CALL}\n\nI will tell you soon.`,
    `\`\`\`json\n${CALL}\n\`\`\`\nThat is the call.`,
    `I call it now: ${CALL}`,
    `For the weather:\n${CALL}\nI wait for it.`,
    `A call looks like this:\n<tool_call>${CALL}</tool_call>`,
  ])('asks about a call among words once, and makes it: %j', async (said) => {
    verifies('B2', 'K5');
    const made = await talk([said, `<tool_call>${CALL}</tool_call>`], size);
    expect([made.calls, made.requests, made.finish]).toEqual([MADE, 2, 'tool_calls']);
    expect(made.text).not.toContain('"name"');
    expect(made.last).toContain('what may be a call to');
    expect(made.last).toContain('That is the call.'.repeat(Number(said.includes('That is the call.'))));
    const words = await talk([said, 'It is sunny.'], size);
    expect(words).toMatchObject({ calls: [], requests: 2, finish: 'stop' });
    expect(words.guards).toEqual(['announcement_nudged', 'call_in_text_noticed']);
    expect(words.text.endsWith('It is sunny.')).toBe(true);
    const nothing = await talk([said, { text: '' }], size);
    expect([nothing.calls, nothing.text.slice(0, 10)]).toEqual([[], said.slice(0, 10)]);
    expect(nothing.text).toContain('Oslo');
  });

  it('asks nothing where the answer asks the person', async () => {
    const said = `Shall I call it?\n${CALL}\nSay yes or no.`;
    expect(await talk([said], size)).toMatchObject({ text: said, requests: 1, guards: ['call_in_text_noticed'] });
  });

  it.each([
    ['12: [TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}\n13: end', '13: end'],
    ['For example:\n<function=get_weather>{"city": "Oslo"}</function>\nThat is Llama 3.', 'That is Llama 3.'],
    ['The page says:\n> <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>\nEnd.', 'End.'],
  ])('leaves a sample in the text: %j', async (said, end) => {
    verifies('K5');
    const { text, calls, requests, guards } = await talk([said], size);
    expect([calls, requests, guards]).toEqual([[], 1, ['call_in_text_noticed']]);
    expect(text.startsWith(said.split('\n')[0]?.slice(0, 3) ?? '')).toBe(true);
    for (const piece of ['get_weather', 'Oslo', end]) expect(text).toContain(piece);
  });

  it.each(['{"name": "fly", "arguments": {}}', 'So:\n{"name": "fly", "arguments": {}}'])(
    'a call to no tool may be data: it stays, with a header (%j)',
    async (said) => {
      const { text, guards, requests } = await talk([said], size);
      expect([text, guards, requests]).toEqual([said, ['call_in_text_noticed'], 1]);
    },
  );

  it.each([
    [
      'two calls',
      '{"tool": "get_weather", "args": {"city": "Oslo"}}\n{"tool": "get_weather", "args": {"city": "Oslo"}}',
    ],
    ['another notation', `<tool_call>${CALL}</tool_call>`],
    ['marks', '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}'],
    ['words before it', 'I call it now: {"tool": "get_weather", "args": {"city": "Oslo"}}'],
    ['a tool that there is not', '{"tool": "fly", "args": {}}'],
  ])('in edison asks for a call that is not exact: %s', async (_what, said) => {
    verifies('K5');
    const right = '{"tool": "get_weather", "args": {"city": "Oslo"}}';
    const { calls, requests, text } = await talk([said, right], size, { dialect: 'edison' });
    expect([calls, requests]).toEqual([MADE, 2]);
    expect(text).not.toMatch(/[{<[]/);
  });

  it.each([`<tool_call>${CALL}</tool_call>`, 'Ok.\n[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}'])(
    'in plain-json makes calls with marks, and takes them out of the text: %j',
    async (said) => {
      verifies('K5');
      const { calls, text } = await talk([said], size, { dialect: 'plain-json' });
      expect([calls, text.trim()]).toEqual([MADE, said.startsWith('Ok.') ? 'Ok.' : '']);
    },
  );
});
