import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json.ts';
import { RequestFacts } from '../request-facts.ts';
import { chooseArguments, listedValues, namingWords } from './choose-arguments.ts';

const chosen = (request: string, properties: JsonObject, required: string[]): string[] => {
  const parameters = { type: 'object', properties, required };
  const tool = { type: 'function', function: { name: 'run', description: 'Run it.', parameters } } as const;
  return chooseArguments(tool, new RequestFacts(request)).named;
};
const text = { type: 'string' };
const whole = { type: 'integer' };

describe('the arguments of a call', () => {
  it.each<[string, string, boolean]>([
    ['Save it in csv format', 'format', true],
    ['Save it, format: csv', 'format', true],
    ['Save it and set the format to csv', 'format', true],
    ['Save it in the database.', 'database', false],
    ['Who found it, and in which year?', 'year', false],
    ['What is the format of the result?', 'format', false],
  ])('have an optional text only where a value of it is said: %s', (request, name, expected) => {
    expect(chosen(request, { [name]: text }, []).includes(name)).toBe(expected);
  });

  it.each<[string, JsonObject, string[], string[]]>([
    ['The crimes of Rome in 2020', { city: text, year: whole }, ['city'], ['city', 'year']],
    ['Walk 2000 steps', { steps: whole, year: whole }, ['steps'], ['steps']],
    ['Rain in Rome for the next week', { city: text, days: whole }, ['city'], ['city', 'days']],
    ['Rain in Rome', { city: text, days: whole }, ['city'], ['city']],
    [
      'Go to Rome on foot',
      { to: text, mode: { type: 'string', description: 'The way (car, foot, train)' } },
      ['to'],
      ['to', 'mode'],
    ],
  ])('have an optional value that is meant: %s', (request, properties, required, expected) => {
    expect(chosen(request, properties, required)).toEqual(expected);
  });
});

it.each<[string, JsonObject, string[], string[]]>([
  ['Trains to Bergen on May 3rd, 2031', { to: text, date: text }, ['to'], ['to', 'date']],
  ['Trains to Bergen on 2031-05-03', { to: text, start_date: text, end_date: text }, ['to'], ['to', 'start_date']],
  ['Trains to Bergen on May 3rd', { to: text, date: text }, ['to'], ['to']],
  ['Trains to Bergen', { to: text, date: text }, ['to'], ['to']],
  ['Trains on 2031-05-03', { date: text, return_date: text }, ['date'], ['date']],
  ['Trains in 2031', { date: text }, [], []],
])(
  'an optional date is had where the request has one left that says its year: %s',
  (request, properties, required, expected) => {
    expect(chosen(request, properties, required)).toEqual(expected);
  },
);

describe('a text that is handed over word by word', () => {
  it.each<[string, string, string | undefined]>([
    ['Read this aloud: we meet at noon.', 'text', 'we meet at noon'],
    ['Add an entry with content buy bread at nine', 'content', 'buy bread at nine'],
    ['Post it with the message: see you later.', 'message', 'see you later'],
    ['Send a message to Ann', 'message', undefined],
    ['What is the content of the jar?', 'content', undefined],
    ['Remind me at 10:30', 'text', undefined],
    ['Two things: this, and one more: that', 'text', undefined],
  ])('stands behind its own name, or a colon: %s', (request, name, expected) => {
    expect(new RequestFacts(request).following(namingWords(name))).toBe(expected);
  });
});

it('a value that another argument lists is not copied', () => {
  const units = { enum: ['celsius', 'fahrenheit'], type: 'string' };
  const facts = new RequestFacts('How warm is it in Tromso, in Celsius?');
  facts.reserveListed(['place', 'unit'], { place: text, unit: units });
  expect(facts.copy({ short: true })?.texts).toContain('Tromso');
  expect(facts.copy({ short: true })?.texts.join(' ')).not.toContain('Celsius');
});

describe('a span of time', () => {
  const days = { type: 'integer', description: 'Number of days' };
  it.each<[string, string, JsonObject, number | undefined]>([
    ['the next week', 'timeframe', days, 7],
    ['two weeks', 'days', whole, 14],
    ['for 3 days', 'days', whole, 3],
    ['for an hour', 'minutes', whole, 60],
    ['2 years', 'months', whole, 24],
    ['90 minutes', 'hours', { type: 'number' }, 1.5],
    ['90 minutes', 'hours', whole, undefined],
    ['a month', 'days', whole, undefined],
    ['next week or in 3 days', 'days', whole, undefined],
    ['the next week', 'count', whole, undefined],
    ['in the month of May', 'months', whole, undefined],
    ['in a year', 'year', whole, undefined],
  ])('“%s” as %s', (request, name, schema, expected) => {
    const type = schema['type'] === 'number' ? 'number' : 'integer';
    expect(new RequestFacts(request).duration(schema, type, name)?.value).toBe(expected);
  });
});

it.each<[string, string[]]>([
  ['The mode of transport (walk, bike, transit, drive)', ['walk', 'bike', 'transit', 'drive']],
  ['The category, e.g. crime, health, or public order.', ['crime', 'health', 'public order']],
  ['The place, e.g. Rome, Italy', []],
  ["One of 'low' and 'high', e.g. a, b, c", ['low', 'high']],
])('reads the examples of a description: %s', (description, expected) => {
  expect(listedValues({ type: 'string', description })).toEqual(expected);
});

it('leaves words of the argument out of its value', () => {
  const facts = new RequestFacts('Find theft crimes in Rome');
  expect(facts.copy({ short: true, own: new Set(namingWords('crime_type')) })?.texts).not.toContain('theft crimes');
  expect(facts.copy({ short: true, own: new Set(namingWords('crime_type')) })?.texts).toContain('theft');
});

it('leaves a year that another argument asks for out of a text, and no part of a formula', () => {
  const facts = new RequestFacts('The rate of Rome in 2020');
  facts.reserve(['year'], { year: whole });
  expect(facts.copy({ short: true })?.texts).not.toContain('2020');
  const formula = new RequestFacts('The slope of 3x + 1 at x of 1');
  formula.reserve(['x'], { x: whole });
  expect(formula.copy({})?.texts).toContain('3x + 1');
});
