import { describe, expect, it } from 'vitest';
import { createCompletion } from './completion.ts';

const sources = {
  listFiles: async () => ['src/a.ts', 'src/b.ts'],
  listModels: async () => ['test', 'test-2', 'other'],
};
const completion = createCompletion(sources, () => 0);
const listed = async (typed: string, force = false): Promise<string[]> => {
  const { signal } = new AbortController();
  const found = await completion.getSuggestions([typed], 0, typed.length, { signal, force });
  return (found?.items ?? []).map(({ value }) => value);
};
/** The line after an entry was taken from a list that was made for `listedFor`. */
const taken = (typed: string, value: string, listedFor = typed): string | undefined =>
  completion.applyCompletion([typed], 0, typed.length, { value, label: value }, listedFor).lines[0];

describe('what the prompt offers', () => {
  it('is the commands that begin so, and files after an @', async () => {
    expect(await listed('/he')).toEqual(['/help']);
    expect(await listed('/')).toContain('/model');
    expect(await listed('look at @b')).toEqual(['@src/b.ts']);
    expect(await listed('no command')).toEqual([]);
  });

  it('is what a command takes, unless it is typed whole or not begun', async () => {
    expect(await listed('/model oth')).toEqual(['other']);
    expect(await listed('/model est')).toEqual(['test', 'test-2']);
    expect(await listed('/model test')).toEqual([]);
    expect(await listed('/model ')).toEqual([]);
    expect(await listed('/model ', true)).toEqual(['test', 'test-2', 'other']);
    expect(taken('/model oth', 'other')).toBe('/model other');
    expect(taken('/model tx', 'other', '/model t')).toBe('/model tx');
  });

  it('takes the place of what is typed', () => {
    expect(taken('/he', '/help')).toBe('/help');
    expect(taken('look at @b', '@src/b.ts')).toBe('look at @src/b.ts ');
  });

  it('fits what was typed since the list was made, or changes nothing', () => {
    expect(taken('/h', '/help', '/')).toBe('/help');
    expect(taken('/t', '/help', '/')).toBe('/t');
    expect(taken('look at @src/b', '@src/b.ts', '@')).toBe('look at @src/b.ts ');
  });
});
