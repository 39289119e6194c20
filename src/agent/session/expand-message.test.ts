import { describe, expect, it } from 'vitest';
import { failure } from '../../core/outcome.ts';
import { expandMessage } from './expand-message.ts';

const problemsOf = async (text: string): Promise<string[]> => {
  const missing = async () => failure('not_found', 'There is no such file.');
  const { content, problems } = await expandMessage(text, {
    workspace: { stat: missing, readFile: missing, fileName: (path) => path },
    executeTool: async () => {
      throw new Error('nothing is there to be read');
    },
  });
  expect(content).toBe(text);
  return problems;
};

describe('a name with @ that no file has', () => {
  it.each([
    ['Her handle is @ingrid-vdb.', '@ingrid-vdb'],
    ['Ask @ingrid, or @kemal!', '@ingrid, @kemal'],
    ['Ask @ingrid…', '@ingrid'],
    ['请问 @ingrid。', '@ingrid'],
    ['Read @docs and notes, please', '@docs'],
    ['@A @B @C @D @E', '@A, @B, @C and 2 more'],
  ])('is told of in one line, for it may be a handle: %s', async (text, names) => {
    expect(await problemsOf(text)).toEqual([`${names} named no file; what was written was sent as it is`]);
  });

  it.each([
    ['Look at @docs/none.md.', '@docs/none.md'],
    ['Look at @none.md, please.', '@none.md'],
    ['Look at @src/none!', '@src/none'],
  ])('is said to be none where it looks like one: %s', async (text, name) => {
    expect(await problemsOf(text)).toEqual([`${name} is no file of this folder; it was sent as it is`]);
  });
});
