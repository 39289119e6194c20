/** A turn that is nothing but thoughts: the call that they end in is made, one that they quote, show or refuse never is. */
import { describe, expect, test } from 'vitest';
import type { ToolSchema } from '../src/core/tool.ts';
import { dialectNames, renderCall } from '../src/dialects/index.ts';
import { readThoughtCall } from '../src/dialects/read-answer.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { LIBRARIES } from './support/answer-libraries.ts';
import { assembled, openedSession, say } from './support/assembled.ts';
import { completed } from './support/completed.ts';
import { inTurn } from './support/long.ts';

const NAME = 'read_file';
const ARGUMENTS = { path: 'a.txt' };
const JSON_TEXT = JSON.stringify({ name: NAME, arguments: ARGUMENTS });
const FORMS = [
  `[TOOL_CALLS]${NAME}[ARGS]${JSON.stringify(ARGUMENTS)}`,
  `<tool_call>${JSON_TEXT}</tool_call>`,
  `<function=${NAME}>${JSON.stringify(ARGUMENTS)}</function>`,
];
type Put = (call: string) => string;

const MADE: Record<string, Put> = {
  alone: (call) => call,
  'behind a sentence that says it': (call) => `I should look.\n${call}`,
  'behind words of its line that say it': (call) => `I need the file. ${call}`,
  'behind the name of a tool in code': (call) => `I use \`${NAME}\` now.\n${call}`,
  'behind a draft': (call) => `I could write ${call} first.\nLet me read it now.\n${call}`,
};

const NEVER_MADE: Record<string, Put> = {
  'refused in inline code': (call) => `I must never write \`${call}\``,
  'in inline code': (call) => `Let me read it. \`${call}\``,
  'in inline code of two marks': (call) => `Let me read it. Or: \`\`${call}\`\``,
  'in a fence that shows it': (call) => `The format is:\n\`\`\`\n${call}\n\`\`\``,
  'in a fence that is open': (call) => `The format is:\n\`\`\`\n${call}`,
  'in a fence of another kind': (call) => `Let me see.\n~~~\n${call}`,
  'in a talk that a fence holds': (call) => `It said:\n\`\`\`\nAssistant: Let me read it.\n${call}\n\`\`\``,
  'behind words that show it': (call) => `For example: ${call}`,
  'on its line behind words that show it': (call) => `For example:\n${call}`,
  'behind words that refuse it': (call) => `I will not run this: ${call}`,
  'on its line behind words that refuse it': (call) => `I will not run this.\n${call}`,
  'behind a refusal of the person': (call) => `The user said not to run this: ${call}`,
  'behind "must not"': (call) => `I could, but must not: ${call}`,
  'behind words that only suppose it': (call) => `One could do\n${call}`,
  'inside a sentence': (call) => `The file says ${call}`,
  'in a quotation': (call) => `> ${call}`,
  'before words': (call) => `${call} or perhaps not`,
  'before words that wait': (call) => `${call}\nI wait for the result.`,
  'beside another one': (call) => `I should look.\n${call}\n${call}`,
};

/** Where a turn has its thoughts, and no answer. */
const PLACES: Record<string, (thoughts: string) => ScriptedProviderTurn> = {
  'the field for thoughts': (reasoning) => ({ reasoning }),
  'thoughts that nothing closes': (thoughts) => ({ text: `<think>${thoughts}` }),
  'thoughts without an answer': (thoughts) => ({ text: `<think>${thoughts}</think>\n` }),
};
const TOOL: ToolSchema = {
  type: 'function',
  function: {
    name: NAME,
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
};

const run = async (turn: ScriptedProviderTurn) => {
  const provider = scriptedProvider([turn, { text: 'Done.' }, { text: 'Done.' }]);
  const session = await openedSession(await assembled({ modelProvider: provider }));
  const warnings: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warnings.push(update.code);
  });
  await say(session);
  const log = session.log();
  const said = log.flatMap((event) => (event.type === 'assistant_message_added' ? [event.message] : []));
  return {
    made: said.flatMap((message) => message.tool_calls).length,
    isTold:
      log.some(({ type }) => type === 'model_failed') ||
      warnings.some((code) => ['call_announced', 'call_in_text', 'empty_reply'].includes(code)),
    text: said.at(-1)?.content,
    asked: provider.requests.length,
  };
};

const gateway = async (turn: ScriptedProviderTurn) => {
  const provider = scriptedProvider([turn, { text: 'Done.' }], { models: [{ id: 'm' }] });
  const { calls, text, guards } = await completed(provider, { tools: [TOOL] });
  return { made: calls.length, isTold: guards.length > 0, text, asked: provider.requests.length };
};
const SURFACES = { run, gateway };
const formOf = (index: number): string => FORMS[index % FORMS.length] as string;

describe.each(Object.entries(SURFACES))('of a turn in the %s', (surface, ask) => {
  const isRun = surface === 'run';

  test.each(Object.entries(MADE))('the call that thoughts end in is made: %s', async (_what, put) => {
    verifies('L10');
    for (const [index, place] of Object.values(PLACES).entries()) {
      const { made, text, asked } = await ask(place(put(formOf(index))));
      expect([made, text, asked]).toEqual([1, isRun ? 'Done.' : '', isRun ? 2 : 1]);
    }
  });

  test.each(Object.entries(NEVER_MADE))('a call in thoughts is asked about, and not made: %s', async (_what, put) => {
    verifies('L10');
    for (const [index, place] of Object.values(PLACES).entries())
      expect(await ask(place(put(formOf(index)))), `${index}`).toEqual({
        made: 0,
        isTold: true,
        text: 'Done.',
        asked: 2,
      });
  });

  test('thoughts that the token limit cut make no call', async () => {
    verifies('L10');
    for (const [index, place] of Object.values(PLACES).entries()) {
      const { made, isTold } = await ask({ ...place(`I should look.\n${formOf(index)}`), finish: 'length' });
      expect([made, isTold], `${index}`).toEqual([0, true]);
    }
  });
});

test('who is asked about a call in its thoughts makes it, and it runs once', async () => {
  verifies('L10');
  const held = { reasoning: `The format is:\n${FORMS[1]}` };
  const made = { reasoning: `I should look.\n${FORMS[1]}` };
  const provider = scriptedProvider([held, made, { text: 'Done.' }]);
  const session = await openedSession(await assembled({ modelProvider: provider }));
  await say(session);
  const said = session.log().flatMap((event) => (event.type === 'assistant_message_added' ? [event.message] : []));
  expect(said.flatMap((message) => message.tool_calls)).toHaveLength(1);
  const asked = provider.requests[1]?.messages.at(-1)?.content;
  expect(asked).toContain('Your thoughts hold what may be a call to read_file');
  expect(asked).toContain('If nothing is to be run, answer in words.');
});

describe.each(LIBRARIES)('with %s', (_library, ask) => {
  test.each(Object.entries({ ...MADE, ...NEVER_MADE }))('a call in thoughts: %s', async (what, put) => {
    verifies('L10');
    const wanted = what in MADE ? [JSON.stringify(ARGUMENTS)] : [];
    for (const [index, how] of (['whole', 'stream'] as const).entries()) {
      const { made, unmade } = await ask(`<think>${put(formOf(index))}`, how);
      expect([made, unmade], how).toEqual([wanted, []]);
    }
  });
});

test.each(['<think>', '<thinking>', '<reasoning>', '<|begin_of_thought|>', '◁think▷', '<mm:think>'])(
  'thoughts behind %s that nothing closes are thoughts',
  async (mark) => {
    verifies('L10');
    for (const [index, ask] of [run, gateway].entries()) {
      expect(await ask({ text: `${mark}I will not run this: ${formOf(index)}` })).toMatchObject({
        made: 0,
        isTold: true,
      });
      expect(await ask({ text: `${mark}I should look.\n${formOf(index)}` })).toMatchObject({ made: 1 });
    }
  },
);

describe('in every notation', () => {
  const context = { tools: [TOOL], isTool: (name: string) => name === NAME, mayGuess: () => false };
  const written = dialectNames()
    .filter((dialect) => dialect !== 'native')
    .map((dialect) => [dialect, renderCall(dialect, { id: 'c', name: NAME, arguments: ARGUMENTS })] as const);

  test('thoughts that are a call make it, and no cut ones do', () => {
    verifies('L10');
    for (const [dialect, call] of written) {
      expect(readThoughtCall(call, context).call, dialect).toMatchObject({ name: NAME, arguments: ARGUMENTS });
      expect(readThoughtCall(call, { ...context, isCut: true }).call, dialect).toBeUndefined();
    }
  });

  test('behind a sentence that says it, a call is made or the model is asked', () => {
    verifies('L10');
    for (const [dialect, call] of written) {
      const { call: made, held } = readThoughtCall(`I should look.\n${call}`, context);
      expect([made?.name, held?.calls[0]?.name], dialect).toContain(NAME);
    }
  });

  // A fence is this notation's own mark.
  const isOwnFence = (what: string, dialect: string): boolean =>
    dialect === 'gemma3-tool-code' && what.startsWith('in inline code');
  test.each(inTurn(Object.entries(NEVER_MADE), 0, 2))('no call is made that stands %s', (what, put) => {
    verifies('L10');
    for (const [dialect, call] of written)
      if (!isOwnFence(what, dialect)) expect(readThoughtCall(put(call), context).call, dialect).toBeUndefined();
  });
});
