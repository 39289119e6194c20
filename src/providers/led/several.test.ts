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
