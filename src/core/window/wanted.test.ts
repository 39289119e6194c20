/** What the person wants kept brings with it what they said about it, and the lines of files and results about it. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, calledTool, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { createRetainer } from './retained.ts';
import { createSaid } from './said.ts';

const FACTS: readonly (readonly [language: string, wish: string, facts: readonly string[]])[] = [
  [
    'another ending, and words that every sentence has',
    'the walnut allergy and the domain',
    ['Recipes with walnuts get a warning, because my sister is allergic.', 'The domain is omas-rezepte.example.'],
  ],
  ['a name', 'what I said about Edeltraud', ['I write a recipe box for my grandmother, and her name is Edeltraud.']],
  ['a number', 'port 8124', ['The replica of the shop listens at 8124.']],
  [
    'German',
    'die Allergie und die Domäne',
    ['Nüsse bekommen eine Warnung, weil meine Schwester allergisch ist.', 'Die Domäne heißt omas-rezepte.example.'],
  ],
  ['Russian', 'аллергия на орехи', ['Рецепты с орехами получают предупреждение.']],
  ['Chinese', '核桃过敏', ['含有核桃的食谱要加警告。']],
  ['what a call did', 'the port of the shop', ['Our port of the shop is 9090, so put 9090 into settings.json.']],
];
/** Facts too, each in words of its own: not all of them have room. */
const FILLERS = Array.from({ length: 60 }, (_, at) => {
  const name = (by: number): string =>
    `${'bdfgklmnprstvz'[(at * by) % 14]}${'aeiou'[at % 5]}r${'aeiou'[by % 5]}${'lmnrt'[(at + by) % 5]}o${at}`;
  return `The ${name(3)} and the ${name(5)} of ${name(11)} is what the ${name(13)} costs.`;
});
const QUESTIONS = [
  'What did I say about the helper?',
  'Was there something about the plan and the walnut?',
  'And the domain?',
];

describe.each(FACTS)('what is wanted brings what was said about it: %s', (_language, wish, facts) => {
  it.each([900, 1_500, 3_000])('in %i characters', (characters) => {
    verifies('B7');
    const messages = [...FILLERS.slice(0, 5), ...facts, ...FILLERS.slice(5), ...QUESTIONS];
    const worked = messages.map((text) =>
      text.includes('settings.json') ? 'settings.json\nport of the shop 9090' : '',
    );
    const lines = createSaid(messages, [wish], { worked })(characters).lines.join('\n');
    for (const fact of facts) expect(lines).toContain(fact);
  });

  it('and leaves the newest messages some room', () => {
    verifies('B7');
    const many = Array.from({ length: 80 }, (_, at) => `${facts[0]} This was note ${at} about it.`);
    const { lines } = createSaid([...many, ...FILLERS, 'The newest word is ibis.'], [wish])(1_500);
    expect(lines.at(-1)).toContain('ibis');
  });
});

const resultOf = (data: string) => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none' as const,
  metadata: { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 0 },
});
const filler = (at: number): string => `export const value_${at} = compute(${at}, "the usual thing");`;
const SHOWN: readonly (readonly [string, 'read' | 'ran' | 'looked_for'])[] = [
  ['a file that was read', 'read'],
  ['what a command printed', 'ran'],
  ['what a search found', 'looked_for'],
];

describe.each(SHOWN)('what is wanted brings the lines about it of %s', (_name, kind) => {
  const text = Array.from({ length: 80 }, (_, at) =>
    at === 40 ? 'the walnut table has 14 rows of allergens' : filler(at),
  ).join('\n');
  const bodies: EventBody[] = [
    said('Look into it.'),
    calledTool('c1', 'look', { path: 'data.ts' }),
    { type: 'tool_started', tool_call_id: 'c1' } as EventBody,
    { type: 'tool_finished', tool_call_id: 'c1', result: resultOf(text) },
    answered('Done.'),
    said('And now?'),
  ];
  const log = bodies.map((body, at): Event => ({ seq: at + 1, at: 0, ...body }));
  const retained = (focus: string | undefined): string =>
    createRetainer(log, () => ({ kind, what: 'data.ts' }))(6, {
      trace: () => ({ kind, what: 'data.ts' }),
      tasks: [],
      focus,
      maxCharacters: 3_000,
    }).text;

  it('within its share', () => {
    verifies('B7');
    expect(retained('the allergy to walnuts')).toContain('- data.ts:the walnut table has 14 rows of allergens');
    const part =
      /Lines of results about that:\n((?:- .*\n?)*)/.exec(retained('the usual thing that is computed'))?.[1] ?? '';
    expect(part).not.toBe('');
    expect(part.length).toBeLessThanOrEqual(300);
    expect(retained(undefined)).not.toContain('Lines of results about that');
  });
});
