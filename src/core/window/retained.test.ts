import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, calledTool, said } from '../../../tests/support/event-bodies.ts';
import { rounds } from '../../../tests/support/long.ts';
import type { Event, EventBody } from '../events.ts';
import type { ToolResultMetadata } from '../tool-result.ts';
import { createRetainer, forgetFound } from './retained.ts';
import type { TraceOf } from './traced-calls.ts';

const numbered = (bodies: readonly EventBody[]): Event[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));
const call = (
  id: string,
  name: string,
  args: Record<string, string>,
  data?: string,
  denied?: string,
  metadata: Partial<ToolResultMetadata> = {},
): EventBody[] => [
  calledTool(id, name, args),
  denied === undefined
    ? { type: 'tool_started', tool_call_id: id }
    : { type: 'permission_resolved', tool_call_id: id, decision: 'deny', reason: denied },
  {
    type: 'tool_finished',
    tool_call_id: id,
    result: {
      success: data !== undefined,
      data: data ?? null,
      error_message: data === undefined ? 'no' : null,
      error_type: data === undefined ? 'permission_denied' : 'none',
      metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0, ...metadata },
    },
  },
];
const traceOf: TraceOf = ({ name, arguments: args }) => ({
  kind: name === 'edit_file' ? 'changed' : name === 'bash' ? 'ran' : 'read',
  what: String(args['path'] ?? args['command']),
  ...(name === 'head' ? { isPart: true as const } : {}),
});
const kept = (bodies: readonly EventBody[], maxCharacters = 10_000) => {
  const log = numbered(bodies);
  return createRetainer(log, traceOf)(log.length + 1, { trace: () => undefined, tasks: [], maxCharacters });
};

describe('what is kept of turns that are left out', () => {
  it('is every message word for word where there is room', () => {
    verifies('B7');
    const { text, counts } = kept([said('My name is Ada.'), said('The port is 8124, not 8123.')]);
    expect(text).toContain('- My name is Ada.\n- The port is 8124, not 8123.');
    expect(counts).toMatchObject({ messages: 2, shortened: 0 });
  });

  it('is what a plan of its own would keep, whatever was planned before over the same conversation', () => {
    verifies('B7');
    const bodies = [
      said('The port is 8124.'),
      ...call('a', 'read_file', { path: 'a.md' }, 'The walnut allergy is of Ada Lovelace.'),
      said('The host is heron.'),
    ];
    const log = numbered(bodies);
    const seen: [events: readonly Event[], what: string, focus?: string][] = [
      [log, 'a.md'],
      [[...log, { seq: 99, at: 0, ...said('The name is Ada.') }], 'a.md'],
      [log, 'b.md'],
      [log, 'b.md', 'the walnut allergy'],
      [log.slice(0, 1), 'a.md'],
      [log, 'a.md'],
    ];
    const planned = ([events, what, focus]: (typeof seen)[number]): string =>
      createRetainer(events, () => ({ kind: 'read', what }))(100, {
        trace: () => undefined,
        tasks: [],
        maxCharacters: 10_000,
        focus,
      }).text;
    const alone = seen.map(([events, ...rest]) => planned([structuredClone(events), ...rest]));
    expect(seen.map(planned)).toEqual(alone);
    expect(new Set(alone).size).toBe(5);
  });

  /** All plans over a log that grows in place, and the same over copies that nothing was planned over. */
  const whileGrowing = (bodies: readonly EventBody[], keptFrom: number, focus?: string) => {
    const log: Event[] = [];
    const planned = (events: readonly Event[]): string =>
      createRetainer(events, traceOf)(keptFrom, {
        trace: () => undefined,
        tasks: [],
        maxCharacters: 10_000,
        focus,
      }).text;
    return numbered(bodies).map((event) => {
      log.push(event);
      return { live: planned(log), fresh: planned(structuredClone(log)) };
    });
  };
  const allergy = Array.from({ length: 12 }, (_, at) => `${at + 1}: value${at} = read(${at})`)
    .concat('13: The walnut allergy of Ada is on port 8124')
    .join('\n');
  it.each<
    [what: string, bodies: EventBody[], keptFrom: number, focus: string | undefined, words: string, stands: boolean]
  >([
    [
      'a file that was changed since',
      [
        said('Look.'),
        ...call('a', 'read_file', { path: 'a.md' }, allergy),
        said('Go on.'),
        { type: 'user_message_added', content: 'And now?', files_changed: [{ path: 'a.md', hash: null }] },
      ],
      5,
      'the walnut allergy',
      'a.md:13: The walnut allergy of Ada is on port 8124',
      false,
    ],
    [
      'what the answer before a choice asked',
      [
        said('Which store?'),
        answered(`${'There is much to say about stores of data. '.repeat(20)}SQLite or PostgreSQL?`),
        said('The second one.'),
      ],
      3,
      undefined,
      'SQLite or PostgreSQL?',
      true,
    ],
  ])('knows the log as it is now, where it grew in place: %s', (_what, bodies, keptFrom, focus, words, stands) => {
    verifies('B7');
    const plans = whileGrowing(bodies, keptFrom, focus);
    for (const { live, fresh } of plans) expect(live).toBe(fresh);
    expect(plans.slice(-2).map(({ live }) => live.includes(words))).toEqual([!stands, stands]);
  });

  it('knows any log as it is now, where it grew in place', () => {
    const step = fc.constantFrom<EventBody[][]>(
      [said('The port is 8124.')],
      [said('The second one.')],
      [answered('There is much to say about stores. SQLite or PostgreSQL?')],
      call('a', 'read_file', { path: 'a.md' }, allergy),
      call('b', 'edit_file', { path: 'a.md', old_text: 'walnut', new_text: 'hazelnut' }, 'ok'),
      call('c', 'bash', { command: 'npm test' }, '3 passed'),
      [{ type: 'user_message_added', content: 'And now?', files_changed: [{ path: 'a.md', hash: null }] }],
      [{ type: 'context_compacted', kept_from_seq: 1, results_from_seq: 1, summary: '', focus: 'the walnut allergy' }],
    );
    const steps = fc.array(step, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 24 }), (bodies, keptFrom) => {
        for (const { live, fresh } of whileGrowing(bodies.flat(), keptFrom)) expect(live).toBe(fresh);
      }),
      { numRuns: rounds(40, 1_000) },
    );
  });

  it('is held in memory until room is made, and no longer', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const [first, ...later] = numbered([said('The port is 8124.'), said('Go on.')]);
    const log = [first as Event, ...later.splice(0)];
    const second = new WeakRef(log[1] as Event);
    createRetainer(log, traceOf)(9, { trace: traceOf, tasks: [], maxCharacters: 10_000 });
    log.length = 1;
    const isHeld = async (): Promise<boolean> => {
      await setImmediate();
      collect();
      return second.deref() !== undefined;
    };
    expect(await isHeld()).toBe(true);
    forgetFound(log);
    expect(await isHeld()).toBe(false);
  });

  it('is of pasted lines, where they have no room, some of them whole', () => {
    verifies('B7');
    const lines = Array.from({ length: 90 }, (_, at) => `10:${10 + (at % 50)} worker-${at % 7} took job ${at * 977}`);
    const { text } = kept([said(`Look at this:\n${lines.join('\r\n')}`), said('And now the rest.')], 1_600);
    const part = /- (?:Look at this|…)[\s\S]*?(?=\n- )/.exec(text)?.[0] ?? '';
    const shown = part
      .slice(2)
      .split('\n')
      .map((line) => line.replaceAll(/ ?… ?/gu, '').trim());
    const rows = shown.filter((line) => line !== '' && line !== 'Look at this:');
    expect(rows.length).toBeGreaterThan(2);
    // Each row stands whole, in a line of its own.
    expect(rows.filter((row) => !lines.includes(row))).toEqual([]);
  });

  const PASTES: readonly (readonly [kind: string, rows: readonly string[]])[] = [
    ['CSV', Array.from({ length: 60 }, (_, at) => `${at};Zenobia ${at * 7};allergic to latex;old`)],
    [
      'CSV without numbers',
      Array.from({ length: 60 }, (_, at) => `${'abcdefghij'[at % 10]}x${'klmnopqrst'[at % 7]};Zenobia;apples`),
    ],
    ['TSV', Array.from({ length: 60 }, (_, at) => `${at}\tZenobia\t${at * 7}`)],
    [
      'code',
      Array.from({ length: 20 }, (_, at) => [
        `function f${at}(a) {`,
        `  if (a > ${at}) {`,
        `    return a * ${at};`,
        '  }',
        '}',
      ]).flat(),
    ],
    [
      'Python',
      Array.from({ length: 20 }, (_, at) => [`def f${at}(a):`, `    if a > ${at}:`, `        return a * ${at}`]).flat(),
    ],
    [
      'YAML',
      Array.from({ length: 30 }, (_, at) => [
        `host${at}:`,
        `  port: ${8000 + at}`,
        '  tags:',
        `    - blue${at}`,
      ]).flat(),
    ],
    [
      'a traceback',
      Array.from({ length: 30 }, (_, at) => [
        `  File "src/m${at}.py", line ${at * 3}, in f${at}`,
        `    return g${at}(x)`,
      ]).flat(),
    ],
    [
      'a diff',
      Array.from({ length: 30 }, (_, at) => [
        `-const limit${at} = ${at};`,
        `+const limit${at} = ${at + 1};`,
        ` unchanged${at}`,
      ]).flat(),
    ],
    ['a chat', Array.from({ length: 40 }, (_, at) => `[12:${10 + at}] Bo: valve V-${at} is open`)],
    ['a list', Array.from({ length: 40 }, (_, at) => `- buy ${at} apples of the kind number ${at * 3}`)],
  ];
  it.each(PASTES.flatMap(([kind, rows]) => [10_000, 2_200, 1_000].map((room) => [kind, room, rows] as const)))(
    'has the lines of what was pasted as lines: %s in %i characters',
    (_kind, room, rows) => {
      verifies('B7');
      const message = `Here it is:\n${rows.join('\n')}\n\nKeep that.`;
      const { text } = kept([said('The port is 8124.'), said(message), said('And now the rest.')], room);
      const [, part = ''] = /The user said, word for word:\n((?:(?:- | {2}).*\n)*)/.exec(text) ?? [];
      const lines = part.split('\n').filter((line) => line !== '' && !line.startsWith('- '));
      const shown = lines.map((line) => line.slice(2).replace(/(?: …|^…)$/u, '')).filter((line) => line !== '');
      expect(shown.filter((line) => !rows.includes(line) && line !== 'Keep that.')).toEqual([]);
      if (room >= 2_200) expect(shown.length).toBeGreaterThan(5);
      if (room === 10_000) expect(shown).toEqual([...rows, 'Keep that.']);
      expect(text.split('\n').filter((line) => line.startsWith('- buy') || line === 'Keep that.')).toEqual([]);
    },
  );

  it.each([
    ['Chinese', '请再看一遍第三部分，然后告诉我它做什么。', '预发布主机叫苍鹭十七号。'],
    ['Japanese', 'もう一度その部分を見て、何をするか教えてください。', '本番の合言葉は青い鷺です。'],
    ['Thai', 'ช่วยดูส่วนนี้อีกครั้งแล้วบอกว่ามันทำอะไร ', 'เซิร์ฟเวอร์ทดสอบชื่อเหยี่ยวสิบเจ็ด'],
    ['Russian', 'Посмотри ещё раз эту часть и расскажи, что она делает. ', 'Тестовый сервер называется сокол-17. '],
    ['Hindi', 'कृपया यह भाग फिर से देखो और बताओ कि यह क्या करता है। ', 'परीक्षण सर्वर का नाम बाज़ सत्रह है। '],
    ['Arabic', 'انظر إلى هذا الجزء مرة أخرى وأخبرني ماذا يفعل. ', 'اسم خادم الاختبار هو الصقر سبعة عشر. '],
  ])('holds of many messages in %s the one sentence that stands out', (_language, routine, fact) => {
    const bodies = [said(routine), said(routine + fact + routine), ...Array.from({ length: 300 }, () => said(routine))];
    const { text } = kept(bodies);
    expect(text).toContain(fact.trim());
    expect(text.length).toBeLessThan(10_500);
  });

  it('never holds more than it may, however little a message is divided', () => {
    for (const long of ['x'.repeat(50_000), '很'.repeat(50_000), `${'word '.repeat(9_000)}`, '😀'.repeat(20_000)]) {
      const { text } = kept([said(long), said('Then this.'), said(long)], 6_000);
      expect(text.length).toBeLessThan(6_500);
      expect(text).toContain('Then this.');
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it('is of older messages, where there are too many, the sentences that stand out', () => {
    const routine = (at: number) => said(`Please look at part ${at} again. Then tell me what it does, as before.`);
    const fact = said(
      'Please look at part 3 again. The staging host is falcon-17. Then tell me what it does, as before.',
    );
    const bodies = [routine(1), fact, ...Array.from({ length: 400 }, (_, at) => routine(at))];
    const { text, counts } = kept(bodies);
    expect(text).toContain('The staging host is falcon-17.');
    expect(text).toContain('part 399 again. Then tell me');
    expect(text.length).toBeLessThan(10_500);
    expect(counts.shortened).toBeGreaterThan(0);
  });

  it.each([
    [
      'a path in every other sentence',
      (at: number) =>
        `The limit for handler ${at} is ${at * 7}. Please set that in src/f${at % 20}.ts and mention it in docs/limits.md.`,
      (at: number) => `The limit for handler ${at} is ${at * 7}.`,
    ],
    [
      'a link in every other sentence',
      (at: number) =>
        `Look at https://example.org/wiki/${at % 9} first. The owner of module ${'abcdefghij'[at % 10]}${at} is Name${at}x. Then go on with "the next part" as before.`,
      (at: number) => `is Name${at}x.`,
    ],
  ])('is of messages of one form the sentence that differs: %s', (_case, message, fact) => {
    verifies('B7');
    const all = Array.from({ length: 40 }, (_, at) => at + 100);
    const { text } = kept(
      all.map((at) => said(message(at))),
      3_600,
    );
    expect(all.filter((at) => !text.includes(fact(at)))).toEqual([]);
    expect(text.length).toBeLessThan(3_900);
  });

  it('is of a very long message what fits a thousand characters', () => {
    const filler = 'It was a day like the others, and nothing much was going on. ';
    const { text } = kept([
      said(`${filler.repeat(60)}The budget is 4,200 euros. ${filler.repeat(60)}`),
      said('Go on.'),
    ]);
    expect(text).toContain('The budget is 4,200 euros.');
    expect(text.length).toBeLessThan(2_000);
  });

  it.each([
    ['node', '✖ limit2 (1.2ms)\nℹ tests 1\nℹ pass 0\nℹ fail 1\nℹ duration_ms 93', 'ℹ pass 0; ℹ fail 1'],
    [
      'vitest',
      ' Test Files  1 failed | 2 passed (3)\n      Tests  3 failed | 9 passed (12)',
      'Tests 3 failed | 9 passed (12)',
    ],
    ['pytest', 'E  assert 1 == 2\n==== 1 failed, 4 passed in 0.12s ====', '1 failed, 4 passed in 0.12s'],
    ['cargo', 'running 4 tests\ntest result: FAILED. 3 passed; 1 failed; 0 ignored', '3 passed; 1 failed; 0 ignored'],
    ['go', 'ok  \texample.org/a\t0.2s\nFAIL\texample.org/b\t0.31s', 'FAIL example.org/b 0.31s'],
    ['eslint', '✖ 3 problems (1 error, 2 warnings)', '3 problems (1 error, 2 warnings)'],
  ])('tells of a command how its tests came out: %s', (_runner, output, ending) => {
    verifies('B7');
    const { text } = kept([
      said('Test it.'),
      ...call('c1', 'bash', { command: 'npm test 2>&1 | tail' }, output),
      said('Go on.'),
    ]);
    const line = text.split('\n').find((one) => one.startsWith('- npm test 2>&1 | tail'));
    expect(line).toContain(ending);
    expect(line?.length).toBeLessThan(160);
  });

  it('says no more than the command where its output counts nothing', () => {
    const { text } = kept([
      said('Look.'),
      ...call('c1', 'bash', { command: 'ls src' }, 'error-page.ts\npassed.ts\n2 files'),
      said('Go on.'),
    ]);
    expect(text.split('\n')).toContain('- ls src');
  });

  it('names the messages that stand in part', () => {
    verifies('B7');
    const log = numbered([
      said(`Here is the mail. ${'It was a day like the others. No. '.repeat(300)}`),
      said('Go on.'),
    ]);
    const { shortened, counts } = createRetainer(log, () => undefined)(log.length + 1, {
      trace: () => undefined,
      tasks: [],
      maxCharacters: 4_000,
    });
    expect(counts).toMatchObject({ messages: 2, shortened: 1 });
    expect(shortened).toEqual([expect.stringMatching(/^Here is the mail\. It was .*…$/)]);
  });

  const part = (total: number, ...ranges: [number, number][]) => ({ lines_shown: { total, ranges } });
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}: text`).join('\n');
  type Reading = [name: string, data: string, metadata?: Partial<ToolResultMetadata>];
  it.each<[string, Reading[], string]>([
    ['the whole', [['read_file', lines(60)]], 'read, 60 lines'],
    ['one line', [['read_file', lines(1)]], 'read, 1 line'],
    ['an empty file', [['read_file', '']], 'read'],
    ['a part, under a line of ours', [['read_file', `[…]\n${lines(40)}`, part(60, [1, 40])]], 'read, 40 of 60 lines'],
    [
      'parts that overlap',
      [
        ['read_file', lines(40), part(60, [1, 40])],
        ['read_file', lines(15), part(60, [31, 45])],
      ],
      'read, 45 of 60 lines',
    ],
    [
      'parts that make the whole',
      [
        ['read_file', lines(25), part(60, [36, 60])],
        ['read_file', lines(35), part(60, [1, 35])],
      ],
      'read, 60 lines',
    ],
    [
      'a part of what was longer before',
      [
        ['read_file', lines(90)],
        ['read_file', lines(10), part(80, [1, 10])],
      ],
      'read, 10 of 80 lines',
    ],
    ['the beginning by a command', [['head', lines(20)]], 'read, 20 lines of it'],
    [
      'the beginning by a command, and then the whole',
      [
        ['read_file', lines(60)],
        ['head', lines(20)],
      ],
      'read, 60 lines',
    ],
    ['a result that was cut', [['read_file', lines(30), { truncated: 'both ends' }]], 'read, 30 lines of it'],
  ])('says how much of a file was read: %s', (_case, readings, form) => {
    const { text } = kept([
      said('go'),
      ...readings.flatMap(([name, data, metadata], at) =>
        call(String(at), name, { path: 'handlers.txt' }, data, undefined, metadata),
      ),
    ]);
    expect(text.match(/- handlers\.txt: (.*)/)?.[1]).toBe(form);
  });

  it('is a denial with its reason, a file with what was done to it, and lines that are like no other', () => {
    const file = (port: string) =>
      Array.from({ length: 40 }, (_, at) => `${at + 1}: export const value${at} = read(${at});`)
        .concat(port)
        .join('\n');
    const { text } = kept([
      said('go'),
      ...call('1', 'read_file', { path: 'a.ts' }, file('41: export const REPLICA_PORT = 5433;')),
      ...call('2', 'read_file', { path: 'b.ts' }, file('41: // owned by team-blue')),
      ...call('3', 'edit_file', { path: 'a.ts', old_text: 'one', new_text: 'two' }, 'ok'),
      ...call('4', 'bash', { command: 'rm -rf build' }, undefined, 'keep the build folder'),
      ...call('5', 'bash', { command: 'npm test' }, 'ok'),
    ]);
    expect(text).toContain('denied bash {"command":"rm -rf build"}: keep the build folder');
    expect(text).toContain('- a.ts: changed, "one" to "two"');
    expect(text).toContain('- b.ts: read, 41 lines');
    expect(text).toContain('a.ts:41: export const REPLICA_PORT = 5433;');
    expect(text).toContain('b.ts:41: // owned by team-blue');
    expect(text).toContain('- npm test');
  });

  it('says of a file that it was changed only where the change was made and stands', () => {
    verifies('B7');
    const edit = (id: string, path: string, data?: string) =>
      call(id, 'edit_file', { path, old_text: 'one', new_text: id }, data);
    const [asked, begun] = edit('8', 'broken-off.ts');
    const { text } = kept([
      said('go'),
      ...edit('1', 'missed.ts'),
      ...call('2', 'edit_file', { path: 'denied.ts', old_text: 'a', new_text: 'b' }, undefined, 'leave it'),
      ...edit('3', 'again.ts', 'ok'),
      ...edit('4', 'again.ts'),
      ...call('5', 'read_file', { path: 'gone.ts' }),
      ...call('6', 'bash', { command: 'npm test' }),
      { type: 'change_recorded', tool_call_id: '7', path: 'undone.ts', before: 'x', after: 'y', kept: true },
      ...edit('7', 'undone.ts', 'ok'),
      { type: 'change_undone', change_seq: 20, path: 'undone.ts', how: 'restored' },
      asked as EventBody,
      begun as EventBody,
    ]);
    expect(text).toContain('- again.ts: changed, "one" to "3"');
    for (const path of ['missed.ts', 'gone.ts', 'undone.ts', 'broken-off.ts', 'denied.ts:'])
      expect(text).not.toContain(path);
    expect(text).toContain('- npm test (failed)');
  });
});

describe('what is said again and again', () => {
  const lines = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('- '));

  it('stands once where it is said one time after the other, and counts as kept', () => {
    verifies('B7');
    const again = Array.from({ length: 30 }, () => said('Go on with the next part.'));
    const { text, counts, isComplete } = kept([said('The port is 8124.'), ...again, said('Stop.')]);
    expect(lines(text)).toEqual(['- The port is 8124.', '- Go on with the next part.', '- Stop.']);
    expect(counts).toMatchObject({ messages: 32, shortened: 0 });
    expect(isComplete).toBe(true);
  });

  it('stands in its place each time where something else was said in between', () => {
    const { text, counts } = kept([said('Use tabs.'), said('Use spaces.'), said('Use tabs.')]);
    expect(lines(text)).toEqual(['- Use tabs.', '- Use spaces.', '- Use tabs.']);
    expect(counts.messages).toBe(3);
  });
});
