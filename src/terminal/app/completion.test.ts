import { describe, expect, it } from 'vitest';
import { createCompletion } from './completion.ts';

const sources = {
  listFiles: async () => ['src/a.ts', 'src/b.ts'],
  listModels: async () => ['test', 'test-2', 'other'],
};
let isSending = false;
const completion = createCompletion(
  sources,
  () => 0,
  () => isSending,
);
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

  it('is a name that is read back whole, also where it is begun in quotes', async () => {
    const named = createCompletion(
      { listFiles: async () => ['docs and notes/a file (1).md'] },
      () => 0,
      () => false,
    );
    const value = '@"docs and notes/a file (1).md"';
    for (const typed of ['see @docs', 'see @"docs and']) {
      const found = await named.getSuggestions([typed], 0, typed.length, { signal: new AbortController().signal });
      expect(found?.items.map((item) => item.value)).toEqual([value]);
      expect(taken(typed, value)).toBe(`see ${value} `);
    }
  });

  it('takes the place of what is typed', () => {
    expect(taken('/he', '/help')).toBe('/help');
    expect(taken('look at @b', '@src/b.ts')).toBe('look at @src/b.ts ');
  });

  it('names what other programs call a command, once it is begun', async () => {
    expect(await listed('/cl')).toEqual(['/clear']);
    expect(await listed('/clear')).toEqual(['/clear']);
    expect(await listed('/resume')).toEqual(['/resume']);
    expect(await listed('/qu')).toContain('/quit');
    expect(await listed('/')).not.toContain('/quit');
  });

  it('is not run with Enter in the place of a whole word', () => {
    const sentOrNot = (typed: string, value: string): string[] =>
      [false, true].map((enter) => {
        isSending = enter;
        const line = taken(typed, value) ?? '';
        isSending = false;
        return line;
      });
    expect(sentOrNot('/status', '/status-line')).toEqual(['/status-line', '/status']);
    expect(sentOrNot('/deploy', '/deploy-all')).toEqual(['/deploy-all', '/deploy']);
    expect(sentOrNot('/he', '/help')).toEqual(['/help', '/help']);
    expect(sentOrNot('/status-', '/status-line')).toEqual(['/status-line', '/status-line']);
    expect(sentOrNot('/', '/help')).toEqual(['/help', '/help']);
  });

  it('fits what was typed since the list was made, or changes nothing', () => {
    expect(taken('/h', '/help', '/')).toBe('/help');
    expect(taken('/t', '/help', '/')).toBe('/t');
    expect(taken('look at @src/b', '@src/b.ts', '@')).toBe('look at @src/b.ts ');
  });
});
