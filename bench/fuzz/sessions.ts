/**
 * A session's file, damaged at any byte: reading and opening it never throw, and lose the damaged lines alone; what is
 * made of the events that are left never throws either. A file of a newer halter is refused and left as it is.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Event } from '../../src/core/events.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { projectForModel, projectForPerson } from '../../src/core/project.ts';
import { activePath } from '../../src/core/session-tree.ts';
import { fold } from '../../src/core/step.ts';
import { SessionFiles } from '../../src/storage/session-files.ts';
import { encodeSession } from '../../src/storage/session-format.ts';
import { damage } from './damage.ts';
import { type FuzzPart, generator } from './part.ts';

const result = (data: string) => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none' as const,
  metadata: { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 1 },
});
const turn = (number: number): object[] => [
  { type: 'user_message_added', content: `question ${number} é✓😀\u2028` },
  {
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: '',
      finish: 'tool_calls',
      tool_calls: [
        { id: `c${number}`, name: 'read_file', arguments: { path: 'a.txt' }, source: 'native', repairs: [] },
      ],
    },
  },
  {
    type: 'policy_evaluated',
    tool_call_id: `c${number}`,
    verdict: 'allow',
    risk: 'medium',
    exclusive: false,
    arguments: { path: 'a.txt' },
    because: 'a rule',
  },
  { type: 'tool_started', tool_call_id: `c${number}` },
  { type: 'tool_finished', tool_call_id: `c${number}`, result: result(`line ${number}\n`) },
  { type: 'iteration_completed', iteration: 1 },
  {
    type: 'assistant_message_added',
    message: { role: 'assistant', content: `answer ${number}`, finish: 'stop', tool_calls: [] },
  },
  { type: 'run_completed', sources: ['read_file'] },
];
const EVENTS: readonly Event[] = [
  { type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' },
  ...[1, 2, 3].flatMap(turn),
].map((body, index) => ({ seq: index + 1, at: index, ...body }) as Event);

/** The lines that no damaged byte lies in; one is damaged too where the newline before it is. */
const untouched = (bytes: Buffer, from: number, to: number): Set<number> => {
  const whole = new Set<number>();
  let start = 0;
  for (let line = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    if (end < from || start > to) whole.add(line);
    start = end + 1;
  }
  return whole;
};

export const sessionsFuzz: FuzzPart = {
  count: 50_000,
  async run({ count, seed }) {
    const folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'halter-fuzz-'));
    try {
      const random = generator(seed);
      const file = path.join(folder, 's.jsonl');
      const bytes = Buffer.from(encodeSession('s', 1, EVENTS));
      const store = new SessionFiles({ folder });
      const wrong: string[] = [];
      let [kept, refused, made] = [0, 0, 0];
      for (let index = 0; index < count; index += 1) {
        const damaged = damage(bytes, random);
        const note = (what: string): number =>
          wrong.push(
            `bytes ${damaged.from} to ${damaged.to}: ${what}: ${JSON.stringify(damaged.bytes.subarray(Math.max(0, damaged.from - 40), damaged.to + 60).toString())}`,
          );
        fs.writeFileSync(file, damaged.bytes);
        try {
          const read = await store.read('s');
          if (!read.ok) {
            refused += 1;
            if (read.error.reason !== 'newer_version') note(`refused: ${read.error.message}`);
            else if (!fs.readFileSync(file).equals(damaged.bytes)) note('a newer file was changed');
            continue;
          }
          const { events } = read.value;
          const found = new Set(events.map((event) => JSON.stringify(event)));
          const whole = untouched(bytes, damaged.from, damaged.to);
          const missing = EVENTS.filter((event, at) => whole.has(at + 1) && !found.has(JSON.stringify(event)));
          if (missing.length > 0) note(`lost ${missing.map(({ seq }) => seq).join(', ')}, which nothing had touched`);
          kept += events.length;
          if (index % 4 === 0) {
            const opened = await store.open('s');
            if (opened.ok) await opened.value.log.close();
            else note(`not opened: ${opened.error.message}`);
            for (const name of fs.readdirSync(folder)) if (name.includes('.torn-')) fs.rmSync(path.join(folder, name));
          }
          made += 1;
          const going = activePath(events);
          fold(DEFAULT_LIMITS, events);
          projectForModel(going, { system: 'be brief', results: 'summary', summaryCharacters: 200 });
          projectForPerson(going);
        } catch (error) {
          note(
            `threw ${error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 3).join(' ') : String(error)}`,
          );
        }
      }
      const part = (100 * kept) / (EVENTS.length * Math.max(1, made));
      return {
        held: wrong.length === 0 && part > 50,
        lines: [
          ...wrong.slice(0, 20),
          `${count} damaged files: ${wrong.length} went wrong, ${refused} were a newer halter's; ${part.toFixed(1)} % of the events were read`,
        ],
      };
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};
