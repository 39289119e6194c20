import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { ANNOUNCED, ASKED } from '../../../../tests/support/announcements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { inTurn } from '../../../../tests/support/long.ts';
import { dialectNames, renderCall } from '../../../dialects/index.ts';
import { scriptedProvider } from '../../../testing/index.ts';

it.each([
  ['announces a step', ANNOUNCED, 2],
  ['asks the person', ASKED, 1],
] as const)('an answer that %s is asked for as often as it should be', async (_what, answers, requests) => {
  let text = '';
  const provider = scriptedProvider(({ messages }) => {
    const last = messages.at(-1);
    return { text: last?.role === 'user' && last.content === 'go' ? text : 'Done.' };
  });
  const session = await openedSession(await assembled({ modelProvider: provider }));
  for (const answer of answers) {
    const before = provider.requests.length;
    text = answer;
    await say(session);
    expect(provider.requests.length - before, answer).toBe(requests);
  }
});

const CALL = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
it.each([
  ['asks the person', `Do you want me to read it?\n\n${CALL}\n\nShall I run it?`, 1],
  ['asks in front of it', `Should I read it? This is the call:\n\n${CALL}\n\nIt only reads.`, 1],
  ['asks nothing', `I read it:\n\n${CALL}\n\nLet me know if you need more.`, 2],
])(
  'an answer with a call among words that %s is asked about as often as it should be',
  async (_what, text, requests) => {
    const provider = scriptedProvider(({ messages }) => {
      const last = messages.at(-1);
      return { text: last?.role === 'user' && last.content === 'go' ? text : 'Done.' };
    });
    const session = await openedSession(await assembled({ modelProvider: provider }));
    await say(session);
    expect(provider.requests).toHaveLength(requests);
  },
);

const DOCUMENTED = [
  'The three families write a call differently.',
  '',
  '### Hermes',
  '',
  `\`\`\`\n<tool_call>\n${CALL}\n</tool_call>\n\`\`\``,
  '',
  '### Bare',
  '',
  `\`\`\`json\n${CALL}\n\`\`\``,
  '',
  'All of them hold a name and arguments; a server has to read each.',
].join('\n');
const LONG = `${'It is a long explanation of each part. '.repeat(4).trim()}\n\nYour parser should accept:\n\n\`\`\`json\n${CALL}\n\`\`\``;

const MEANT_SO = 'The above is what you asked me to write.';
const NO_CALL = 'I did not mean a call; it is just the JSON you wanted.';
const MARKED = `Let me look.\n<tool_call>${CALL}</tool_call>\nThat is the line.`;
const CALL_FOR_YOU = `You asked for this line.\n${CALL}`;
const BARE = '{"path": "a.txt", "content": "b"}';
const FENCED = `\`\`\`json\n${BARE}\n\`\`\``;
const WORDED = `You asked for this line.\n\n\`\`\`json\n${CALL}\n\`\`\``;
const WAITED = `I look:\n\n${CALL}\n\nOne moment.`;

it.each([
  ['declines', DOCUMENTED, 'No call was meant.', DOCUMENTED],
  ['declines shortly', LONG, 'No call.', LONG],
  ['gives its answer again', DOCUMENTED, DOCUMENTED.replaceAll(/<.*\n|```.*\n/g, ''), DOCUMENTED],
  ['says more', LONG, 'Mind the commas, too.', `${LONG}\n\nMind the commas, too.`],
  ['says that it was meant so', `Here it is:\n${CALL}`, MEANT_SO, `Here it is:\n${CALL}\n\n${MEANT_SO}`],
  ['says that it was no call', CALL_FOR_YOU, NO_CALL, `${CALL_FOR_YOU}\n\n${NO_CALL}`],
  ['says that marks were meant so', MARKED, MEANT_SO, `${MARKED}\n\n${MEANT_SO}`],
  ['answers in the place of a call', WAITED, 'It is noon.', `${WAITED}\n\nIt is noon.`],
  ['explains JSON that fits a tool', BARE, MEANT_SO, BARE],
  ['declines JSON that fits a tool', BARE, 'No call.', BARE],
  ['explains JSON in a fence', FENCED, MEANT_SO, FENCED],
  ['explains JSON in a fence of no language', FENCED.replace('json', ''), NO_CALL, FENCED.replace('json', '')],
  ['declines JSON in a fence', FENCED, 'No call.', FENCED],
  ['explains JSON in a fence behind words', WORDED, MEANT_SO, `${WORDED}\n\n${MEANT_SO}`],
  ['declines a call', `I look:\n\n${CALL}\n\nOne moment.`, 'No call.', `I look:\n\n${CALL}\n\nOne moment.`],
])(
  'an answer with samples of calls is not lost where the model %s when it is asked about them',
  async (_what, first, second, kept) => {
    const provider = scriptedProvider([{ text: first }, { text: second }]);
    const session = await openedSession(await assembled({ modelProvider: provider }));
    const shown: string[] = [];
    session.subscribe((update) => {
      if (update.type === 'text_delta') shown.push(update.delta);
    });
    await say(session);
    const said = session.log().findLast((event) => event.type === 'assistant_message_added');
    expect(said?.type === 'assistant_message_added' && said.message.content.trim()).toBe(kept.trim());
    expect(shown.join('').trim()).toBe(kept.trim());
  },
);

it.each([
  ['edison', '{"tool": "read_file", "args": {"path": "a.txt"}}', '"args"'],
  ['mistral-args', '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}', '[TOOL_CALLS]'],
  ['hermes', `<tool_call>${CALL}</tool_call>`, '<tool_call>'],
  ['auto', CALL, '<tool_call>'],
] as const)('the model is asked about a sample in the notation that it writes: %s', async (dialect, call, mark) => {
  const provider = scriptedProvider([{ text: `For example:\n\n${call}` }, { text: 'No call.' }]);
  const session = await openedSession(await assembled({ modelProvider: provider, dialect }));
  await say(session);
  const asked = String(provider.requests[1]?.messages.at(-1)?.content);
  expect(asked).toContain('answer with nothing but:');
  expect(asked).toContain(mark);
});

/** In the middle of a sentence, where nobody quotes a call and nothing says that it is one. */
const IN_A_SENTENCE: readonly (readonly [place: string, put: (call: string) => string])[] = [
  ['between', (call) => `First ${call} and then I summarise.`],
  ['at the end', (call) => `The folder ${call}.`],
  ['in another language', (call) => `Der Ordner ${call} enthält viel.`],
];
const QUOTED: typeof IN_A_SENTENCE = [
  ['in quotation marks', (call) => `It wrote "${call}" in the log.`],
  ['as an example', (call) => `For example ${call} reads the file.`],
];
const OTHERWISE: Readonly<Record<string, string>> = {
  auto: 'none is named',
  native: 'calls are no text',
  inkling: 'its calls begin outside of their marks',
  muse: 'a function in a sentence is code',
  pythonic: 'a function in a sentence is code',
  react: 'its calls are lines',
  'command-r-plus': 'its calls are fences',
};
const NAMED_DIALECTS = dialectNames().filter((name) => OTHERWISE[name] === undefined);

describe.each(NAMED_DIALECTS.map((dialect, index) => [dialect, index] as const))(
  'where %s was named',
  (dialect, index) => {
    const call = renderCall(dialect, { id: 'call_1', name: 'read_file', arguments: { path: 'a.txt' } }).trim();
    const answered = async (first: string, second: string): Promise<{ text: unknown; requests: number }> => {
      const provider = scriptedProvider([{ text: first }, { text: second }]);
      const session = await openedSession(await assembled({ modelProvider: provider, dialect }));
      await say(session);
      const said = session.log().findLast((event) => event.type === 'assistant_message_added');
      const text = said?.type === 'assistant_message_added' ? said.message.content.trim() : said;
      return { text, requests: provider.requests.length };
    };

    it.each(inTurn(IN_A_SENTENCE, index % 6, 6))(
      'a call %s is no part of the answer once the model said something else instead',
      async (_place, put) => {
        verifies('K5', 'L4');
        expect(await answered(put(call), 'Done.')).toEqual({ text: 'Done.', requests: 2 });
      },
    );

    it.each(inTurn(IN_A_SENTENCE, (index + 3) % 6, 6))(
      'a call %s stays where the model says that it is none',
      async (_place, put) => {
        expect(await answered(put(call), 'No call.')).toEqual({ text: put(call), requests: 2 });
      },
    );

    it.each(inTurn(QUOTED, index % 4, 4))('a call %s stays in the answer', async (_place, put) => {
      expect((await answered(put(call), 'Done.')).text).toMatch(/read_file/);
    });
  },
);
