/** Whole conversations by chance: what belongs together of what the person said is never torn, in any room. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, calledTool, said } from '../../../tests/support/event-bodies.ts';
import { rounds, timeLimit } from '../../../tests/support/long.ts';
import { TEST_SEED } from '../../../tests/support/test-seed.ts';
import type { Event, EventBody } from '../events.ts';
import { LIMITS } from '../limits.ts';
import { createRetainer, type Retained } from './retained.ts';
import type { SaidChoice } from './said-choice.ts';

/** Something that was said. `together`: these messages stand all or not at all. `answers`: a short one, which is nothing alone. */
type Part = {
  bodies: EventBody[];
  together?: readonly string[];
  /** Right behind them, in words that are said elsewhere too. */
  takenBackBy?: string;
  answers?: { answer: string; question: string };
};

const SYLLABLES = ['ba', 'ko', 'ri', 'mu', 'te', 'za', 'lo', 'ny'];
/** A name that no other part has. */
const nameOf = (at: number): string => {
  const syllable = (place: number): string => SYLLABLES[Math.floor(at / 8 ** place) % 8] as string;
  const name = `${syllable(0)}${syllable(1)}${syllable(2)}n`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
};

const turn = (text: string, answer: string): EventBody[] => [said(text), answered(answer)];

const FACTS: readonly ((name: string, at: number) => string)[] = [
  (name, at) => `The key of the cellar is with ${name}, in drawer ${at}.`,
  (name) => `${name} is allergic to nuts.`,
  (name, at) => `Der Monteur ${name} kommt am ${at}. um neun.`,
  (name, at) => `Never touch the file src/${name.toLowerCase()}${at}.ts, whatever happens.`,
  (name) => `My uncle ${name} painted the sign.`,
];
const fact = (at: number, how: number): Part => {
  const text = (FACTS[how % FACTS.length] as (typeof FACTS)[number])(nameOf(at), at + 100);
  return { bodies: turn(text, 'Noted.') };
};

/** What was said, and what takes it back right after, of another name. */
const CORRECTIONS: readonly ((one: string, other: string) => readonly string[])[] = [
  (one, other) => [`The backup goes to host ${one}, every night at 2.`, `not ${one}, ${other}`],
  (one, other) => [`Der Monteur ${one} kommt am Dienstag.`, `nein, ${other}`],
  (one, other) => [`La clé est chez ${one}.`, `pardon, chez ${other}`],
  (one, other) => [`${one} has the lease of the kiosk.`, `wait, ${other} has it`, `no, ${one}, as I said`],
  (one, other) => [`${one} signs every release from now on.`, `actually ${other} signs them`],
  (one, other) => [`Das Lager leitet ${one}.`, `doch lieber ${other}`, `ach nein, ${one}`],
];
const corrected = (at: number, how: number): Part => {
  const texts = (CORRECTIONS[how % CORRECTIONS.length] as (typeof CORRECTIONS)[number])(nameOf(at), nameOf(at + 256));
  return { bodies: texts.flatMap((text) => turn(text, 'Noted.')), together: texts };
};

const CHOICES: readonly (readonly [first: string, second: string, item: number, again: number])[] = [
  ['1', 'no, 2', 0, 1],
  ['3', '2!', 2, 1],
  ['number 2', 'sorry, 3', 1, 2],
  ['2', 'nein, 1', 1, 0],
];
const chosen = (at: number, how: number): Part => {
  const [first, second, item, again] = CHOICES[how % CHOICES.length] as (typeof CHOICES)[number];
  const items = [0, 1, 2].map((n) => `${n + 1}) ${nameOf(at + n * 64).toLowerCase()}${at}.csv`);
  const asked = `Pick a file for shelf ${nameOf(at)} number ${at}.`;
  return {
    bodies: [...turn(asked, items.join('\n')), ...turn(first, 'As you like.'), ...turn(second, 'Then that one.')],
    together: [`${first} [after you said: ${items[item]}]`, `${second} [after you said: ${items[again]}]`],
  };
};

/** By other words than their marks: the whole list stands. */
const NAMED: readonly (readonly [first: string, second: string])[] = [
  ['die zweite', 'Ach nein, lieber die dritte.'],
  ['the first', 'sorry, the last one'],
  ['le deuxième', 'finalement le premier'],
];
const named = (at: number, how: number): Part => {
  const [first, second] = NAMED[how % NAMED.length] as (typeof NAMED)[number];
  const items = [0, 1, 2].map((n) => `${n + 1}. ${nameOf(at + n * 64)}`);
  return {
    bodies: [
      ...turn(`Three names for shelf ${nameOf(at)} ${at}, please.`, items.join('\n')),
      ...turn(first, 'Good.'),
      ...turn(second, 'As you like.'),
    ],
    together: [`${first} [after you said: ${items.join(' ')}]`],
    takenBackBy: second,
  };
};

const TAKEN_BACK: readonly (readonly [first: string, second: string])[] = [
  ['ja, mach', 'doch nicht'],
  ['oui, fais', 'finalement non'],
  ['sure', 'wait, no'],
  ['yes please', 'actually not'],
];
const takenBack = (at: number, how: number): Part => {
  const [first, second] = TAKEN_BACK[how % TAKEN_BACK.length] as (typeof TAKEN_BACK)[number];
  const question = `Shall ${nameOf(at)} take the sign of ${nameOf(at + 128)} down?`;
  return {
    bodies: [
      ...turn(`Look at sign ${at} of ${nameOf(at)}.`, question),
      ...turn(first, `Good, ${nameOf(at)} does.`),
      ...turn(second, 'Then not.'),
    ],
    together: [`${first} [after you said: ${question}]`],
    takenBackBy: second,
  };
};

const ANSWERS: readonly string[] = ['yes', 'nein', 'only on Mondays', 'at six', 'oui', '👎', 'the old one'];
const asked = (at: number, how: number): Part => {
  const answer = ANSWERS[how % ANSWERS.length] as string;
  const question = `Shall ${nameOf(at)} open the shop of ${nameOf(at + 128)} when it rains?`;
  return {
    bodies: [...turn(`Plan week ${at} of ${nameOf(at)}.`, question), ...turn(answer, 'Good.')],
    answers: { answer, question },
  };
};

const denied = (at: number): Part => {
  const id = `d${at}`;
  return {
    bodies: [
      said(`Clean up the folder of ${nameOf(at)}.`),
      calledTool(id, 'bash', { command: `rm -r ${nameOf(at).toLowerCase()}` }),
      { type: 'permission_resolved', tool_call_id: id, decision: 'deny', reason: `keep ${nameOf(at)}` },
      finished(id, null),
      answered('Then not.'),
    ],
  };
};
const finished = (id: string, data: string | null): EventBody => ({
  type: 'tool_finished',
  tool_call_id: id,
  result: {
    success: data !== null,
    data,
    error_message: data === null ? 'no' : null,
    error_type: data === null ? 'permission_denied' : 'none',
    metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 },
  },
});

const file = (at: number): Part => {
  const id = `f${at}`;
  const path = `src/part${at}.ts`;
  return {
    bodies: [
      said(`Read ${path} and tell me what it does.`),
      calledTool(id, 'read_file', { path }),
      { type: 'tool_started', tool_call_id: id },
      finished(id, `export const limit${at} = ${at};\n${'// a line\n'.repeat(at % 20)}`),
      answered(`It holds a limit of ${at}.`),
    ],
  };
};
const pasted = (at: number, how: number): Part => ({
  bodies: turn(
    `Here is the mail of ${nameOf(at)}. ${`It was a day like others in week ${at}. `.repeat(10 + (how % 150))}She wants ${at} boxes.`,
    'I see.',
  ),
});
const question = (at: number): Part => ({ bodies: turn(`Who is ${nameOf(at + 32)}?`, 'I do not know.') });

const PARTS = [fact, corrected, chosen, asked, denied, file, pasted, question, named, takenBack];
const conversation = fc
  .array(fc.tuple(fc.nat({ max: PARTS.length - 1 }), fc.nat({ max: 200 })), { minLength: 1, maxLength: 40 })
  .map((chosenParts) =>
    chosenParts.map(([kind, how], at) => ({ ...(PARTS[kind] as (typeof PARTS)[number])(at, how), at })),
  );
const room = fc.record({
  maxCharacters: fc.constantFrom(300, 600, 1_100, 2_500, 5_000, LIMITS.compactionRetainedCharacters),
  saidCharacters: fc.option(fc.integer({ min: 60, max: 8_000 }), { nil: undefined }),
  /** So much of the conversation was there when room was made before. */
  before: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  /** Since then the room became so much larger. */
  grows: fc.constantFrom(1, 1.2, 1.45),
  /** So many of the last messages stay in the window. */
  stay: fc.nat({ max: 3 }),
  focus: fc.option(
    fc.nat({ max: 30 }).map((at) => `${nameOf(at)} and the key`),
    { nil: undefined },
  ),
});
type Room = { maxCharacters: number; saidCharacters?: number | undefined; focus?: string | undefined };

const numbered = (bodies: readonly EventBody[]): Event[] => bodies.map((body, at) => ({ seq: at + 1, at: 0, ...body }));
const retainedOf = (log: readonly Event[], keptFrom: number, how: Room, saidBefore?: SaidChoice): Retained =>
  createRetainer(log, ({ name, arguments: args }) => ({
    kind: name === 'bash' ? 'ran' : 'read',
    what: String(args['path'] ?? args['command']),
  }))(keptFrom, { trace: () => undefined, tasks: [], ...how, saidBefore });

/** The lines of what the person said. */
const saidLines = ({ text }: Retained): string[] => {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('The user said, word for word'));
  if (from < 0) return [];
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => !line.startsWith('- '));
  return rest.slice(0, to < 0 ? rest.length : to).map((line) => line.slice(2));
};
const isSaidAs = (line: string, message: string): boolean => line === message || line.startsWith(`${message} [`);

/** Each torn thing, in words. Of a part the messages before `keptFrom` are left out, and the others stand anyway. */
const faultsIn = (parts: readonly Part[], lines: readonly string[], keptFrom: number): string[] => {
  const faults: string[] = [];
  const seconds = new Map<string, number>();
  let seq = 1;
  for (const { bodies, together = [], takenBackBy } of parts) {
    const starts = bodies.flatMap(({ type }, at) => (type === 'user_message_added' ? [seq + at] : []));
    seq += bodies.length;
    const last = starts.pop() as number;
    const seqs = takenBackBy === undefined ? [...starts, last] : starts;
    const stands = (message: string, at: number): boolean =>
      (seqs.at(at - together.length) as number) >= keptFrom || lines.some((line) => isSaidAs(line, message));
    const kept = together.filter(stands);
    const torn = together.filter((message, at) => !stands(message, at));
    if (kept.length > 0 && torn.length > 0)
      faults.push(`kept: ${JSON.stringify(kept)} left out: ${JSON.stringify(torn)}`);
    if (takenBackBy === undefined) continue;
    if (last < keptFrom) seconds.set(takenBackBy, (seconds.get(takenBackBy) ?? 0) + (kept.length > 0 ? 1 : 0));
    else if (kept.length === 0) faults.push(`stays: ${takenBackBy} left out: ${together.join()}`);
  }
  for (const [message, times] of seconds) {
    const kept = lines.filter((line) => isSaidAs(line, message)).length;
    if (kept !== times) faults.push(`${message}: stands ${kept} times, what it takes back ${times} times`);
  }
  const whole = new Set(
    parts.flatMap(({ answers: own }) => (own ? [`${own.answer} [after you said: ${own.question}]`] : [])),
  );
  for (const line of lines) {
    if (/^\S{1,3}$/u.test(line)) faults.push(`without what it answers: ${line}`);
    else if (ANSWERS.some((answer) => isSaidAs(line, answer)) && !whole.has(line))
      faults.push(`without its question: ${line}`);
  }
  return faults;
};

/** More often than it was said. */
const doubled = (log: readonly Event[], lines: readonly string[]): string[] =>
  [...new Set(lines)].filter((line) => {
    const times = log.filter((event) => event.type === 'user_message_added' && isSaidAs(line, String(event.content)));
    return lines.filter((one) => one === line).length > Math.max(1, times.length);
  });

describe('what stands of a whole conversation', () => {
  it(
    'is never torn',
    () => {
      verifies('B7');
      const property = fc.property(conversation, room, (parts, { before, stay, grows, ...usual }) => {
        const bodies = parts.flatMap((part) => part.bodies);
        const log = numbered(bodies);
        const starts = log.flatMap(({ type, seq }) => (type === 'user_message_added' ? [seq] : []));
        const keptFrom = stay === 0 ? log.length + 1 : (starts.at(-stay) ?? log.length + 1);
        let saidBefore: SaidChoice | undefined;
        if (before !== undefined) {
          const at = starts[Math.floor(before * (starts.length - 1))] as number;
          saidBefore = retainedOf(
            log.filter(({ seq }) => seq < at),
            at,
            usual,
          ).said;
        }
        const how = { ...usual, saidCharacters: usual.saidCharacters && Math.floor(usual.saidCharacters * grows) };
        const kept = retainedOf(log, keptFrom, how, saidBefore);
        const lines = saidLines(kept);
        expect(faultsIn(parts, lines, keptFrom)).toEqual([]);
        expect(doubled(log, lines)).toEqual([]);
        const again = retainedOf(numbered(bodies), keptFrom, how, saidBefore);
        expect(again.text).toBe(kept.text);
        if (kept.said) expect(saidLines(retainedOf(numbered(bodies), keptFrom, how, kept.said))).toEqual(lines);
        const words = lines.map((line) => line.replace(/ \[after you said: .*\]$/u, '')).join('').length;
        expect(words).toBeLessThanOrEqual(Math.max(6_000, how.saidCharacters ?? 0));
      });
      fc.assert(property, { seed: TEST_SEED, numRuns: rounds(150, 20_000) });
    },
    timeLimit(60_000),
  );
});
