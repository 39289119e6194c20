import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import type { Event, EventBody } from '../../core/events.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { searchSessionTool } from './search-this-session.ts';

const log = (texts: readonly string[]): Event[] =>
  texts.map(
    (content, index) => ({ seq: index + 1, at: 0, type: 'user_message_added', content }) satisfies Event & EventBody,
  );
const search = async (texts: readonly string[], query: string) => {
  const tool = searchSessionTool(() => log([...texts, `What was it about ${query}?`]));
  return tool.run({ query }, {} as never);
};
const ROUTINE = ['Read the next part and tell me what the code of it does.', 'And the part after that, the same way.'];

describe('search_session', () => {
  it.each([
    ['English, another ending', 'The deployments go out on Friday.', 'deployment'],
    ['English, a whole question', 'The release is called heron-7.', 'What is the name that the release is called by?'],
    ['accents left out', 'Le café ouvre à huit heures, dit René.', 'cafe rene'],
    ['an accent written in two signs', 'Das Pa\u0308ckchen liegt bei Jürgen.', 'Päckchen'],
    ['German, another case', 'Die STRASSE heißt Am Weiher.', 'straße'],
    ['Russian, another ending', 'Тестовый сервер называется сокол.', 'тестового сервера'],
    ['Chinese, other words between', '这次发布的代号是苍鹭。', '发布代号'],
    ['Japanese', '本番の合言葉は青い鷺です。', '合言葉'],
    ['Thai', 'เซิร์ฟเวอร์ทดสอบชื่อเหยี่ยว', 'ชื่อเหยี่ยว'],
    ['Arabic', 'اسم خادم الاختبار هو الصقر', 'الصقر'],
    ['Hindi', 'परीक्षण सर्वर का नाम बाज़ है', 'बाज़'],
    ['one sign', '密码是鹭', '鹭'],
    ['a name in code', 'export const REPLICA_PORT = 8124;', 'replica_port'],
    ['a pictograph', 'A 🐢 means wait.', '🐢'],
    ['a pictograph of several signs among words', 'The sign ⚠️ means stop.', 'what does ⚠ mean'],
    ['an operator', 'We write ⊕= for that.', '⊕='],
    ['punctuation alone', 'The mark is --- in that format.', '---'],
    ['an amount', 'It costs 12 € a seat.', '€'],
    ['words as they stand together', 'It is ready for review, not review for ready.', 'ready for review'],
  ])('finds %s', async (_case, text, query) => {
    verifies('B7');
    const found = await search([...ROUTINE, text, ...ROUTINE], query);
    const [first = ''] = String(typeof found === 'object' && 'data' in found ? found.data : found).split('\n');
    expect(first).toContain(text.replaceAll(/\s+/g, ' '));
  });

  it('shows with a question of the model what the person answered', async () => {
    verifies('B7');
    const bodies = [
      'Should we name the table `duties`?',
      'I would name it `duties`. Shall I?',
      'No, `schichten`.',
      'Done.',
    ];
    const events = bodies.map(
      (content, at): Event => ({
        seq: at + 1,
        at: 0,
        ...(at % 2
          ? { type: 'assistant_message_added', message: { role: 'assistant', content, tool_calls: [], finish: 'stop' } }
          : { type: 'user_message_added', content }),
      }),
    );
    const tool = searchSessionTool(() => [...events, { seq: 9, at: 0, type: 'user_message_added', content: 'And?' }]);
    const { data } = (await tool.run({ query: 'table name duties' }, {} as never)) as { data: string };
    expect(data).toContain('[event 3, user, to that] No, `schichten`.');
    expect(data.match(/schichten/g)).toHaveLength(1);
  });

  it('shows of a long text whole words around the place, and marks where it was cut', async () => {
    verifies('B7');
    const around = Array.from({ length: 400 }, (_, at) => `word${at}x`);
    const text = around.toSpliced(200, 0, 'the heron sleeps here').join(' ');
    const found = await search([text], 'heron sleeps');
    const [, excerpt = ''] = /\] (.*)$/.exec((found as { data: string }).data) ?? [];
    expect(excerpt).toMatch(/^…word\d+x .* the heron sleeps here .* word\d+x…$/);
    const whole = await search(['Only the heron.'], 'heron');
    expect((whole as { data: string }).data).toMatch(/\] Only the heron\.$/);
  });

  const rowsOf = (noun: string): string =>
    Array.from(
      { length: 300 },
      (_, at) => `${noun} ${at} lies at river ${at}, with ${at % 7} mills and a bridge.`,
    ).join(' ');
  it.each([
    ['words that stand together far from the beginning', rowsOf('lake'), 'river 203 mills', ['river 203', 'mills']],
    [
      'a word that stands apart from the others',
      `${rowsOf('lake')} Oskar has the key. ${rowsOf('moor')}`,
      'Oskar moor 290',
      ['Oskar', 'moor 290 '],
    ],
    ['the last words of a text', `${rowsOf('lake')} The heron sleeps.`, 'heron', ['The heron sleeps.']],
    [
      'words behind signs that are folded to more',
      `${'한국어 문장은 여기에 있습니다. '.repeat(300)}heron sleeps ${'ﬃ '.repeat(900)}`,
      'heron',
      ['heron'],
    ],
    ['words behind many accents', `${'Ệ ǖ ṩ '.repeat(900)}heron sleeps${' word'.repeat(900)}`, 'heron', ['heron']],
    [
      'three words, each apart',
      `Ada ${rowsOf('a')} Bola ${rowsOf('b')} Chike ${rowsOf('c')}`,
      'Ada Bola Chike',
      ['Ada', 'Bola', 'Chike'],
    ],
  ])('shows of a long text %s', async (_what, text, query, words) => {
    verifies('B7');
    const { data } = (await search([text], query)) as { data: string };
    for (const word of words) expect(data).toContain(word);
    expect(data.length).toBeLessThan(700);
  });

  it('shows the rarest word of many hits first, and never the question itself', async () => {
    const found = await search([...ROUTINE, 'The part of the zebra.', ...ROUTINE, ...ROUTINE], 'the part zebra');
    const lines = String((found as { data: string }).data).split('\n');
    expect(lines[0]).toContain('zebra');
    expect(lines.some((line) => line.includes('What was it about'))).toBe(false);
  });

  it.each([
    ['key30', 'In step 30 we use key30'],
    ['val30-x', 'In step 30 we use key30'],
    ['what is key30', 'In step 30 we use key30'],
    ['handler 20', 'The limit for handler 20 is 140.'],
    ['limit handler 7', 'The limit for handler 7 is 49.'],
  ])('finds %s as it stands among many that are nearly the same', async (query, wanted) => {
    verifies('B7');
    const texts = Array.from({ length: 60 }, (_, at) => [
      `In step ${at} we use key${at}, and key${at} is val${at}-x.`,
      `The limit for handler ${at} is ${at * 7}.`,
    ]).flat();
    const found = await search([...texts, ...ROUTINE], query);
    expect((found as { data: string }).data.split('\n')[0]).toContain(wanted);
  });

  it('shows no earlier search, and what the person said before what others said', async () => {
    const answer = (seq: number, content: string, id?: string): Event => ({
      seq,
      at: 0,
      type: 'assistant_message_added',
      message: {
        role: 'assistant',
        content,
        tool_calls: id
          ? [{ id, name: 'search_session', arguments: { query: 'key30' }, source: 'native', repairs: [] }]
          : [],
        finish: 'stop',
      },
    });
    const [said, asked] = log(['We use key30 here.', 'What was key30?']) as [Event, Event];
    const metadata = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 };
    const result = { success: true, data: 'key30 key30', error_message: null, error_type: 'none', metadata } as const;
    const events: Event[] = [
      said,
      answer(2, 'You use key30 there.'),
      answer(3, '', 'a'),
      { seq: 4, at: 0, type: 'tool_finished', tool_call_id: 'a', result },
      { ...asked, seq: 5 },
    ];
    const found = await searchSessionTool(() => events).run({ query: 'key30' }, {} as never);
    expect((found as { data: string }).data.split('\n')).toEqual([
      '[event 1, user] We use key30 here.',
      '[event 2, assistant] You use key30 there.',
    ]);
  });

  it('puts the words as they stand before the same words apart', async () => {
    const found = await search(['To be sent: red and green.', 'The green of it is red.', ...ROUTINE], 'red and green');
    expect((found as { data: string }).data.split('\n')[0]).toContain('To be sent');
  });

  it('shows the place in a long text, and says where there is none', async () => {
    const long = `${'Fill é '.repeat(5_000)} the token is ostrich. ${'Fill é '.repeat(5_000)}`;
    const found = await search([long], 'ostrich');
    expect((found as { data: string }).data).toContain('the token is ostrich');
    expect(await search(ROUTINE, 'ostrich')).toMatchObject({ error_type: 'not_found' });
    expect(await search(ROUTINE, '???')).toMatchObject({ error_type: 'not_found' });
  });
});

/** Everything in which a word can come before the model, in a session as it is kept. */
describe('search_session finds what a model was shown', () => {
  const LONG = Array.from({ length: 1_500 }, (_, line) =>
    line === 700 ? 'the frobnicator is at 523' : `entry of the log, number x${line}y`,
  ).join('\n');
  const tool = (name: string, run: () => string | Promise<never> | Record<string, unknown>) =>
    defineTool({ name, description: 'x', risk: 'safe', parameters: { type: 'object' }, run: run as () => string });
  const own = [
    tool('page', () => LONG),
    tool('fails', () => {
      throw new Error('the ostrich is closed');
    }),
    defineTool({
      name: 'drawn',
      description: 'x',
      risk: 'safe',
      parameters: { type: 'object' },
      run: () => 'for programs alone',
      toModelOutput: () => 'a drawing of a walrus',
    }),
  ];
  const makes = (name: string, args = {}) => ({ calls: [{ name, arguments: args }] });

  it.each([
    ['the middle of a result that was put aside', 'frobnicator', /@results\/\S+ line 701\] .*frobnicator is at 523/],
    ['a number in it', '523', /frobnicator is at 523/],
    ['what the person said', 'herring', /user\] .*eats herring/],
    ['what a failed call said', 'ostrich', /tool\] .*ostrich is closed/],
    ['what stood beside the output of a command that failed', 'wombat', /tool\] .*wombat/],
    ['what its tool tells the model', 'walrus', /tool\] .*drawing of a walrus/],
    ['the arguments of a call', 'echo wombat', /call\] bash .*echo wombat/],
    ['an answer', 'heron', /assistant\] .*heron/],
  ])('%s', async (_name, query, wanted) => {
    verifies('B7');
    const modelProvider = scriptedProvider(
      [
        makes('page'),
        makes('fails'),
        makes('drawn'),
        makes('bash', { command: 'echo wombat; exit 3' }),
        { text: 'I saw a heron.' },
        makes('search_session', { query }),
        { text: 'done' },
      ],
      { models: [{ id: 'test-model', context_length: 8_192 }] },
    );
    const agent = await assembled({ modelProvider, mode: 'yolo', plugins: { tools: own } as never });
    const session = await openedSession(agent);
    await say(session, 'The seal eats herring.');
    await say(session, 'And what was that?');
    const results = session.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result] : []));
    expect(String(results.at(-1)?.data)).toMatch(wanted);
  });
});
