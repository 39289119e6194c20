/** Requests for several calls: what is said once belongs to each, what is listed or said again goes one to each. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import type { ToolSchema } from '../../core/tool.ts';
import { tasksOf } from './several/tasks.ts';
import { variantsOf } from './several/variants.ts';

const tool = (name: string, description: string, types: Record<string, string>, required?: string[]): ToolSchema => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(types).map(([key, type]) => [
          key,
          type.endsWith('[]') ? { type: 'array', items: { type: type.slice(0, -2) } } : { type },
        ]),
      ) as JsonObject,
      required: required ?? Object.keys(types),
    },
  },
});
const weather = tool('get_weather', 'Get the weather of a city.', { city: 'string' });
const read = tool('read_document', 'Read a document.', { path: 'string' });
const area = tool('rectangle_area', 'Calculate the area of a rectangle.', { length: 'number', width: 'number' });
const distance = tool('distance', 'Measure the distance between two cities.', { from: 'string', to: 'string' });
const mean = tool('mean', 'Calculate the mean of numbers.', { numbers: 'number[]' });
const season = tool('season', 'Look up the season of a team.', { team: 'string', year: 'integer' });
const play = tool('play_music', 'Play music of an artist for some minutes.', { artist: 'string', minutes: 'integer' });

const factorial = tool('factorial', 'The factorial of a number.', { number: 'integer' });
const growth = tool('grow', 'The future value of a sum.', { sum: 'number', rate: 'number', years: 'integer' });
const rate = tool('exchange', 'The exchange rate.', { base: 'string', target: 'string' });
const colour = tool('colour', 'Information about a colour.', { name: 'string' });
const index = tool('mass_index', 'The body mass index.', { weight: 'number', height: 'number' });
const cases = tool('find_case', 'Find a case.', { case_number: 'string' });
const rooms = tool('find_rooms', 'Find rooms.', { hotel: 'string', start_date: 'string', end_date: 'string' });
const prices = tool('prices', 'The prices of a day.', { date: 'string' });
const page = tool('page', 'Make a page.', { title: 'string', text: 'string' });

/** "Team0, Team1, and Team2" */
const many = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${index === count - 1 ? 'and ' : ''}${name}${index}`).join(', ');

describe('the requests of several calls of one tool', () => {
  it.each<[string, ToolSchema, string[]]>([
    ['Weather in Paris and Rome?', weather, ['Weather in Paris?', 'Weather in Rome?']],
    [
      'Weather in Paris, Rome and in New York, please',
      weather,
      ['Weather in Paris, please', 'Weather in Rome, please', 'Weather in New York, please'],
    ],
    ['Weather in Boston, MA and Austin, TX', weather, ['Weather in Boston, MA', 'Weather in Austin, TX']],
    ['Wetter in Paris und Rom?', weather, ['Wetter in Paris?', 'Wetter in Rom?']],
    ['Show a.txt and docs/b.md', read, ['Show a.txt', 'Show docs/b.md']],
    [
      'Area of a rectangle with length 3 and width 4, and of one with length 5 and width 6',
      area,
      ['Area of a rectangle with length 3 and width 4', 'Area of a rectangle with length 5 and width 6'],
    ],
    [
      'Distance from Oslo to Bergen and from Rome to Milan',
      distance,
      ['Distance from Oslo to Bergen', 'Distance from Rome to Milan'],
    ],
    ['The mean of [1, 2] and of [3, 4, 5]', mean, ['The mean of [1, 2]', 'The mean of [3, 4, 5]']],
    [
      'The Lakers and Bulls in 2018 and 2020',
      season,
      ['The Lakers in 2018', 'The Lakers in 2020', 'The Bulls in 2018', 'The Bulls in 2020'],
    ],
    [
      'Play Miles Davis and Nina Simone for 20 and 15 minutes respectively',
      play,
      ['Play Miles Davis for 20 minutes respectively', 'Play Nina Simone for 15 minutes respectively'],
    ],
    ['What is the size of 3 and 4, 5 and 12?', area, ['What is the size of 3 and 4?', 'What is the size of 5 and 12?']],
    [
      'The factorial of 5, the factorial of 7, and the factorial of 9',
      factorial,
      ['The factorial of 5', 'The factorial of 7', 'The factorial of 9'],
    ],
    [
      'Grow 1000 by 5 % for 1, 5 and 10 years',
      growth,
      [1, 5, 10].map((years) => `Grow 1000 by 5 % for ${years} years`),
    ],
    [
      'Rates of these pairs: USD to AUD and USD to CAD',
      rate,
      ['Rates of these pairs: USD to AUD', 'Rates of these pairs: USD to CAD'],
    ],
    [
      'The distance between Mars and Venus and between Mars and Jupiter',
      distance,
      ['The distance between Mars and Venus', 'The distance between Mars and Jupiter'],
    ],
    [
      'Colour values of navy, purple and maroon',
      colour,
      ['Colour values of navy', 'Colour values of purple', 'Colour values of maroon'],
    ],
    [
      'Ann, who weighs 60 kg and is 1.7 m tall, and Bob, who weighs 80 kg and is 1.8 m tall: what is their index?',
      index,
      [
        'Ann, who weighs 60 kg and is 1.7 m tall: what is their index?',
        'and Bob, who weighs 80 kg and is 1.8 m tall: what is their index?',
      ],
    ],
    ['Look up cases number 28473 and 64725', cases, ['Look up cases number 28473', 'Look up cases number 64725']],
    [
      "Rooms in 'Queens' from March 10, 2022 to March 20, 2022 and in 'Royal' from April 5, 2022 to April 9, 2022",
      rooms,
      [
        "Rooms in 'Queens' from March 10, 2022 to March 20, 2022",
        "Rooms in 'Royal' from April 5, 2022 to April 9, 2022",
      ],
    ],
    ['Prices on 2022-01-01 and 2022-02-01', prices, ['Prices on 2022-01-01', 'Prices on 2022-02-01']],
  ])('%s', (request, of, expected) => {
    expect(variantsOf(request, of)).toEqual(expected);
  });

  it.each<[string, ToolSchema]>([
    ['The distance between Oslo and Bergen', distance],
    ['The distance between New York, NY and Los Angeles, CA', distance],
    ['Area of a rectangle with length 3 and width 4', area],
    ['The mean of 3, 4 and 5', mean],
    ['Weather in Hyderabad, India, in Celsius', weather],
    ['Weather in Tel Aviv, and say it in Fahrenheit please', weather],
    ['I like Simon and Garfunkel. Weather in Oslo?', tool('noop', 'Do nothing.', {})],
    ["Set the title to 'Tea' and the text to leaves", page],
    [`The ${many('Team', 30)} in ${many('200', 9)}`, season],
  ])('is one call: %s', (request, of) => {
    expect(variantsOf(request, of)).toEqual([request]);
  });
});

describe('the tasks of a request', () => {
  const meter = { add() {} };
  const context = { port: { takes: 'schema' }, meter, signal: new AbortController().signal } as unknown as Parameters<
    typeof tasksOf
  >[0];
  const tasks = async (request: string, tools: readonly ToolSchema[]): Promise<[string, string][]> =>
    (await tasksOf(context, request, tools)).map((task) => [task.tool.function.name, task.request]);
  const ALL = [weather, area, read, distance];

  it('gives each tool the words that are about it', async () => {
    expect(await tasks('Get the weather in Oslo, then calculate the area of a 3 by 4 rectangle.', ALL)).toEqual([
      ['get_weather', 'Get the weather in Oslo'],
      ['rectangle_area', 'then calculate the area of a 3 by 4 rectangle.'],
    ]);
  });

  it('takes the same tool twice where all its values are said again', async () => {
    const request = 'Calculate the area of a 3 by 4 rectangle. After that, calculate the area of a 5 by 6 rectangle.';
    expect(await tasks(request, ALL)).toEqual([
      ['rectangle_area', 'Calculate the area of a 3 by 4 rectangle.'],
      ['rectangle_area', 'After that, calculate the area of a 5 by 6 rectangle.'],
    ]);
  });

  it.each([
    [
      'Two balls fall. The first ball falls for 3 s and the second ball falls for 5 s. How far does each fall?',
      [
        'Two balls fall. The first ball falls for 3 s How far does each fall?',
        'Two balls fall. and the second ball falls for 5 s. How far does each fall?',
      ],
    ],
    [
      'One ball falls for 3 s. It is red. Another falls for 5 s. How far do balls fall?',
      ['One ball falls for 3 s. It is red. How far do balls fall?', 'Another falls for 5 s. How far do balls fall?'],
    ],
    ['A ball falls for 3 s, 6 m from the first tree. How far does the ball fall the second time?', undefined],
  ])('is one task for each thing that is counted: %s', async (request, expected) => {
    const fall = tool('ball_fall', 'How far a ball falls.', { seconds: 'number' });
    expect((await tasks(request, [fall])).map(([, own]) => own)).toEqual(expected ?? [request]);
  });

  it.each([
    'Delete the first document, a.txt, and read the second document, b.txt.',
    'Read the first document, a.txt, and delete the second document, b.txt.',
    'Two documents: the first is a.txt, the second is b.txt. Read the document of the first and delete the second.',
    'The first document is a.txt and the second document is b.txt. Delete one of them.',
  ])('does not do to each thing what is asked of one: %s', async (request) => {
    const remove = tool('delete_document', 'Delete a document.', { path: 'string' });
    const found = await tasks(request, [read, remove]);
    expect(found.filter(([name]) => name === 'delete_document').length).toBeLessThan(2);
    expect(found.filter(([name, own]) => name === 'read_document' && /^(?:and )?delete/iu.test(own))).toEqual([]);
  });

  it('asks of some of the things nothing of each', async () => {
    const fall = tool('ball_fall', 'How far a ball falls.', { seconds: 'number' });
    const request = 'The first ball falls for 3 s and the second ball for 5 s. How far does one of them fall?';
    expect((await tasks(request, [fall])).map(([, own]) => own).join(' ')).not.toMatch(/them.*them/);
  });

  it('takes a number that an optional argument claims for no call of its own', async () => {
    const fall = tool('ball_fall', 'How fast a ball falls.', { height: 'number', gravity: 'number' }, ['height']);
    const request = 'How fast does a ball fall from a height of 5 m? Assume a gravity of 9.8 for the ball to fall.';
    expect(await tasks(request, [fall])).toHaveLength(1);
  });

  it('is one task for each value of a list of any length', async () => {
    const found = await tasks(`Get the weather in ${many('Town', 12)}`, ALL);
    expect(found.map(([, request]) => request)).toEqual(
      Array.from({ length: 12 }, (_, index) => `Get the weather in Town${index}`),
    );
  });

  it('leaves out none of the words of a request of many clauses', async () => {
    const clauses = Array.from({ length: 20 }, (_, index) => `Calculate the area of a ${index + 2} by 4 rectangle.`);
    const found = (await tasks(clauses.join(' '), ALL)).map(([, request]) => request).join(' ');
    for (const clause of clauses) expect(found).toContain(clause);
  });

  it.each([
    'Get the weather in Oslo, and tell me what to wear.',
    'Read the document notes.md and say what it is about',
  ])('is one task where the rest is about no tool: %s', async (request) => {
    expect(await tasks(request, ALL)).toHaveLength(1);
  });

  it('is none where no tool is meant', async () => {
    expect(await tasks('Hello there, and how are you?', ALL)).toEqual([]);
  });
});
