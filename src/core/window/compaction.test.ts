import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody } from '../events.ts';
import type { ModelMessage } from '../message.ts';
import { createProjection, type ProjectionOptions } from '../model-projection.ts';
import { projectForModel } from '../project.ts';
import { freesEnough, planCompaction, planFuller } from './compaction.ts';
import { compactionLines, compactionSentence } from './compaction-text.ts';
import { messageTokens } from './tokens.ts';

const projection: ProjectionOptions = { system: 'Be short.', results: 'full', summaryCharacters: 900 };
const size = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);
const numbered = (bodies: readonly EventBody[]): Event[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body }));

/** A conversation: each turn is a message, so many calls with results of so many words, and an answer. */
const conversation = (turns: readonly (readonly number[])[]): Event[] => {
  let id = 0;
  const bodies: EventBody[] = [];
  for (const [turn, results] of turns.entries()) {
    bodies.push({ type: 'user_message_added', content: `question ${turn}` });
    for (const words of results) {
      id += 1;
      const call = {
        id: `c${id}`,
        name: 'read_file',
        arguments: { path: `f${id}.txt` },
        source: 'native' as const,
        repairs: [],
      };
      bodies.push(
        {
          type: 'assistant_message_added',
          message: { role: 'assistant', content: '', tool_calls: [call], finish: 'tool_calls' },
        },
        { type: 'tool_started', tool_call_id: call.id },
        {
          type: 'tool_finished',
          tool_call_id: call.id,
          result: {
            success: true,
            data: `start${id} ${'word '.repeat(words)}`,
            error_message: null,
            error_type: 'none',
            metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 },
          },
        },
        { type: 'iteration_completed', iteration: 1 },
      );
    }
    bodies.push({
      type: 'assistant_message_added',
      message: { role: 'assistant', content: `answer ${turn}`, tool_calls: [], finish: 'stop' },
    });
  }
  return numbered(bodies);
};
const bodiesOf = (events: readonly Event[]): EventBody[] =>
  events.map(({ seq: _seq, at: _at, ...body }) => body as EventBody);
const options = (targetTokens: number) => ({
  projection,
  size,
  targetTokens,
  trace: (call: { arguments: object }) => ({ kind: 'read' as const, what: (call.arguments as { path: string }).path }),
  tasks: [{ id: 'task_1', content: 'finish it', status: 'in_progress' as const }],
});
const readAfter = (log: readonly Event[], event: EventBody): readonly ModelMessage[] =>
  projectForModel([...log, { seq: log.length + 1, at: 0, ...event }], projection);

describe('making room', () => {
  it('cuts a result that is too large by itself, and none that comes after it', () => {
    verifies('B7');
    const first = conversation([[8_000]]);
    const cut = planCompaction(first, { ...options(500), limitTokens: 2_000 })?.event;
    expect(cut?.results_characters).toBeLessThan(16_000);
    // Room is made again while results of the next turn stand in the prompt.
    const both = conversation([[8_000], [600, 600, 600, 600]]);
    const log = [...both.slice(0, first.length), ...(cut ? [cut] : []), ...both.slice(first.length)] as EventBody[];
    const again = planCompaction(numbered(log), { ...options(800), limitTokens: 2_000 });
    expect(again?.event.results_characters).toBeUndefined();
    const messages = readAfter(numbered(log), again?.event as EventBody);
    expect(messages.some(({ content }) => String(content).includes(`start5 ${'word '.repeat(600)}`))).toBe(true);
  });

  it('brings back between two turns what had no room in the middle of one, once', () => {
    verifies('B7');
    const facts = Array.from(
      { length: 20 },
      (_, at) => `The service number ${at} of the shop listens on port ${7_000 + at}.`,
    );
    const log: EventBody[] = [
      ...facts.map((content): EventBody => ({ type: 'user_message_added', content })),
      ...bodiesOf(conversation([[400]])),
    ];
    const little = { ...options(300), limitTokens: 1_200, retainedCharacters: 600 };
    const made = planCompaction(numbered(log), little)?.event as EventBody;
    const asked: EventBody = { type: 'user_message_added', content: 'Thanks. And now?' };
    const usual = { ...options(300), limitTokens: 1_200, retainedCharacters: 4_000, wordsTokens: 1_200 };
    const fuller = planFuller(numbered([...log, made, asked]), usual);
    const held = (event: EventBody | undefined): number => {
      const text = JSON.stringify(readAfter(numbered(log), event as EventBody));
      return facts.filter((fact) => text.includes(fact)).length;
    };
    expect(held(made)).toBeLessThan(10);
    expect(held(fuller?.event)).toBe(20);
    expect(fuller?.after).toBeLessThanOrEqual(1_200);
    expect(planFuller(numbered([...log, made, asked, fuller?.event as EventBody, asked]), usual)).toBeUndefined();
  });

  it.each([
    ['little', [300, 280]],
    ['much', [700, 650]],
    ['one file alone', [1_500]],
  ])('keeps what the person said beside results of the present turn that have no room: %s', (_name, words) => {
    verifies('B7');
    const facts = Array.from({ length: 12 }, (_, at) => `Service ${at} of the shop listens on port ${7_000 + at}.`);
    const chores = ['queue', 'retry', 'tenants', 'vat', 'cursor', 'ledger'].map(
      (what) => `Explain the ${what} at length.`,
    );
    const log: EventBody[] = [
      ...[...facts, ...chores].map((content): EventBody => ({ type: 'user_message_added', content })),
      ...bodiesOf(conversation([words]).slice(0, -1)),
    ];
    const head = 1_650;
    const made = planCompaction(numbered(log), {
      ...options(2_200),
      size: (messages) => head + size(messages),
      headTokens: head,
      limitTokens: 2_500,
      wordsTokens: 2_500,
      workTokens: 2_700,
      retainedCharacters: 2_700,
    });
    const text = JSON.stringify(made?.messages);
    expect(facts.filter((fact) => !text.includes(fact))).toEqual([]);
    expect(made?.after).toBeLessThanOrEqual(2_700);
    // What is left of the room belongs to the results.
    expect(made?.after).toBeGreaterThan(2_300);
  });

  it.each([
    ['a question about what was read last', 'Now tell me more of it.', true],
    ['work on another file', 'Read other.txt', false],
  ])('leaves what is being worked with, and brings the rest to its aim: %s', (_name, message, isKept) => {
    verifies('B7');
    const before = conversation([[600], [600], [600], [600], [600]]);
    const log = numbered([...before, { type: 'user_message_added', content: message }]);
    const plan = planCompaction(log, { ...options(500), limitTokens: 2_000 });
    const text = JSON.stringify(readAfter(log, plan?.event as EventBody));
    expect(text.includes(`start5 ${'word '.repeat(600)}`)).toBe(isKept);
    expect(text).not.toContain('start4 word');
    expect(plan?.after).toBeLessThan(isKept ? 1_500 : 700);
  });

  it('leaves the results of the turn that it is made in, where they fit', () => {
    verifies('B7');
    const log = conversation([[600], [600], [300, 300, 300]]).slice(0, -2);
    const plan = planCompaction(log, { ...options(500), limitTokens: 2_000 });
    const text = JSON.stringify(readAfter(log, plan?.event as EventBody));
    for (const number of [3, 4, 5]) expect(text).toContain(`start${number} ${'word '.repeat(300)}`);
    expect(text).not.toContain('start2 word');
  });

  it('drops the oldest results first and keeps the newest', () => {
    verifies('B7');
    const log = conversation([[800], [800], [800]]);
    const plan = planCompaction(log, options(2_000));
    expect(plan?.event).toMatchObject({ kept_from_seq: 0, summary: '' });
    const contents = readAfter(log, plan?.event as EventBody).map(({ content }) => String(content));
    expect(contents.join('\n')).not.toContain('start1');
    expect(contents.join('\n')).toContain('f1.txt');
    expect(contents.join('\n')).toContain('start3');
  });

  it('makes a summary of old turns where that is not enough, with files and open tasks', () => {
    const log = conversation([[30], [30], [30], [30], [30]]);
    const plan = planCompaction(log, options(1));
    const [, first] = readAfter(log, plan?.event as EventBody);
    expect(first?.content).toContain('word for word:\n- question 0\n- question 1');
    expect(first?.content).toContain('- f2.txt: read, 1 line\n- f1.txt: read, 1 line');
    expect(first?.content).toContain('Open tasks:\n- task_1 finish it (in_progress)');
    expect(first?.content).toMatch(/question 4$/);
  });

  it('finds nothing to drop in a short conversation', () => {
    expect(planCompaction(conversation([[]]), options(1))).toBeUndefined();
    expect(planCompaction([], options(1))).toBeUndefined();
  });

  it.each([
    [5, [300, 300, 300]],
    [120, [900, 900]],
    [60, [200, 200, 200, 200]],
  ])('makes enough room where leaving all that is worked with frees too little: %i words before', (words, results) => {
    verifies('B7');
    const log = conversation([[words], results]).slice(0, -1);
    const before = size(projectForModel(log, projection));
    for (const percent of [85, 90, 95, 99]) {
      const workTokens = (before * percent) / 100;
      const plan = planCompaction(log, { ...options(workTokens * 0.4), limitTokens: workTokens * 0.7, workTokens });
      expect(plan && freesEnough(plan)).toBe(true);
    }
  });

  it('keeps every call paired, the last message and the instructions, however often it is done', () => {
    verifies('B4', 'B7');
    const turns = fc.array(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        turns,
        fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 3 }),
        (shape, targets) => {
          let log = conversation(shape);
          const whole = projectForModel(log, projection);
          for (const target of targets) {
            const plan = planCompaction(log, options(target));
            if (plan === undefined) continue;
            const before = size(projectForModel(log, projection));
            log = [...log, { seq: log.length + 1, at: 0, ...plan.event }];
            const messages = projectForModel(log, projection);
            expect(size(messages)).toBe(plan.after);
            expect(plan.after).toBeLessThan(before);
            expect(messages[0]).toEqual(whole[0]);
            expect(messages.at(-1)).toEqual(whole.at(-1));
            const called = messages.flatMap((message) =>
              message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [],
            );
            const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
            expect(answered).toEqual(called);
            expect(messages[1]?.role).toBe('user');
          }
        },
      ),
    );
  });

  it('reads the same event by event as all at once', () => {
    const log = conversation([[400, 400], [400], [400]]);
    const plan = planCompaction(log, options(100));
    const bodies: EventBody[] = [
      ...log.map(({ seq: _seq, at: _at, ...body }) => body as EventBody),
      plan?.event as EventBody,
      { type: 'user_message_added', content: 'and now?' },
    ];
    const one = createProjection(projection);
    for (const event of numbered(bodies)) {
      one.add(event);
      one.messages();
    }
    expect(one.messages()).toEqual(projectForModel(numbered(bodies), projection));
    expect(one.messages().at(-1)).toEqual({ role: 'user', content: 'and now?' });
  });
});

it('says that something came back only where the prompt is larger by what came back', () => {
  const report = { before_tokens: 2_394, after_tokens: 2_402, turns: 267, results: 0 };
  const event = { type: 'context_compacted', summary: '', kept_from_seq: 1, report } as const;
  expect(compactionSentence(event)).not.toContain('came back');
  expect(compactionSentence({ ...event, report: { ...report, after_tokens: 4_000 } })).toContain('came back');
});

it.each([
  [{ messages: 32, shortened: 6, decisions: 1 }, 'Kept of it: 32 messages of yours (6 shortened) and 1 decision.', 9],
  [{ messages: 32, shortened: 0, decisions: 0 }, 'Kept of it: 32 messages of yours.', 9],
  [{ messages: 0, shortened: 0, decisions: 2 }, 'Kept of it: 2 decisions.', 41],
  [{ messages: 0, shortened: 0, decisions: 0 }, '', 41],
  [{ messages: 41, shortened: 0, decisions: 1 }, 'Kept of it: 41 messages of yours and 1 decision.', 0],
])('says what was kept and of how many messages nothing was, each in a sentence: %j', (kept, sentence, dropped) => {
  verifies('B7');
  const report = { before_tokens: 8_000, after_tokens: 4_000, turns: 41, results: 2, ...kept };
  const event = { type: 'context_compacted' as const, summary: '', kept_from_seq: 9, report };
  const said = compactionSentence(event).split(/(?<=[.;]) /);
  expect(said.filter((one) => one.startsWith('Kept'))).toEqual(sentence === '' ? [] : [sentence]);
  expect(said.filter((one) => one.includes('Nothing'))).toEqual(
    dropped === 0 ? [] : [`Nothing was kept of ${dropped} older messages of yours.`],
  );
});

describe('what a person reads of a compaction', () => {
  const report = { before_tokens: 2_400, after_tokens: 2_400, turns: 64, results: 3 };
  const event = { type: 'context_compacted' as const, summary: '', kept_from_seq: 1, report };

  it('does not say that there is nothing where much is left out already', () => {
    verifies('B7');
    const focus = 'the name of the report tool';
    expect(compactionSentence({ ...event, focus })).toMatch(
      /^There was nothing more to drop\. Left out so far: 64 turns/,
    );
    const none = { ...event, focus, report: { ...report, turns: 0, results: 0 } };
    expect(compactionSentence(none)).toMatch(/^There was nothing to drop\./);
  });

  it('promises of the words that came with the request no more than is done with them', () => {
    const said = compactionSentence({ ...event, focus: 'the name of the report tool' });
    expect(said).toContain('The model is told to keep in mind: the name of the report tool.');
    expect(said).not.toContain('word for word');
  });

  it('names the notes that failed, and the messages that were shortened', () => {
    const failed = { ...event, report: { ...report, notes_failed: true as const } };
    expect(compactionSentence(failed)).toContain(
      "The model's notes could not be used, so rules alone chose what is kept.",
    );
    expect(compactionSentence({ ...failed, notes: { facts: ['The port is 8149.'] } })).toContain(
      "The model's notes could not be used, so its older notes stand",
    );
    expect(compactionSentence(event)).not.toContain('notes');
    const shortened = {
      ...report,
      messages: 64,
      shortened: 1,
      shortened_messages: ['Here is the mail of the customer…'],
    };
    expect(compactionLines({ ...event, report: shortened })).toContain('Shortened: Here is the mail of the customer…');
  });

  it('shows the notes of the model: their beginning in the sentence, all of them in the lines', () => {
    verifies('B7');
    const facts = Array.from({ length: 8 }, (_, at) => `finding ${at} of the parser, in src/parser-${at}.js`);
    const noted = { ...event, notes: { goal: 'a faster parser', decisions: ['tabs stay'], facts } };
    const said = compactionSentence(noted);
    expect(said).toContain('The model wrote notes of it: goal: a faster parser; decided: tabs stay; noted: finding 0');
    expect(said.length).toBeLessThan(compactionSentence(event).length + 300);
    expect(compactionLines(noted).join('\n')).toContain('finding 7 of the parser');
    // Those of an earlier time were told then.
    const kept = {
      ...noted,
      report: { ...event.report, before_tokens: 9, after_tokens: 4, turns: 1, results: 0, notes_kept: true as const },
    };
    expect(compactionSentence(kept)).not.toContain('notes');
  });

  it('names the messages of which nothing was kept, the weightiest first', () => {
    verifies('B7');
    const dropped_messages = ['Good morning.', 'The colours are fine.', 'Read src/a.js', 'Read src/b.js'];
    const dropped = { ...event, report: { ...report, messages: 60, dropped_messages } };
    expect(compactionSentence(dropped)).toContain(
      'Nothing was kept of 4 older messages of yours: "Good morning.", "The colours are fine.", "Read src/a.js" and 1 more.',
    );
    for (const words of dropped_messages) expect(compactionLines(dropped)).toContain(`Not kept: ${words}`);
  });
});

it.each([
  ['too long', 'word '.repeat(4_000)],
  ['short', 'word'],
])('what was kept still stands where the message behind it, %s, was refused', (_how, refused) => {
  verifies('B7');
  const log = conversation([[300], [300]]);
  const at = log.length + 1;
  const kept = 'Kept: the port is 7431.';
  const projected = createProjection(projection);
  for (const event of [
    ...log,
    ...numbered([
      { type: 'user_message_added', content: refused },
      { type: 'context_compacted', kept_from_seq: at, results_from_seq: at, summary: kept },
      { type: 'model_failed', code: 'context_overflow', message: 'too long' },
      { type: 'user_message_added', content: 'and now?' },
    ]).map((event) => ({ ...event, seq: event.seq + log.length })),
  ])
    projected.add(event);
  const [, first, last] = projected.messages();
  expect(first?.content).toMatch(new RegExp(`^${kept}\n\nword`));
  expect(last?.content).toBe('and now?');
});

it.each([
  ['cut', /cut a prompt and did not say so; its window is taken to be 6,000 tokens\./],
  ['shown', /learned from the server's answers: 6,000 tokens\./],
  ['guessed', /did not say how much it holds; its window is taken to be 6,000 tokens\./],
] as const)('tells in a transcript how the window was learned that room was made for: %s', (how, text) => {
  verifies('B7');
  const report = { before_tokens: 9_000, after_tokens: 4_000, turns: 2, results: 0, window_tokens: 6_000 };
  const event = { type: 'context_compacted', summary: '', kept_from_seq: 3 } as const;
  expect(compactionLines({ ...event, report: { ...report, window_learned: how } }).join('\n')).toMatch(text);
  expect(compactionLines({ ...event, report }).join('\n')).not.toMatch(text);
});
