import { expect, it } from 'vitest';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { mcpAddCommand } from './mcp.ts';

it('says what an entry of the same name was that it replaces, and no more', async () => {
  const env = { HOME: scratchFolder() };
  const add = async (...words: string[]): Promise<string> => {
    const io = fakeIo({ env });
    expect(await mcpAddCommand.execute({ words, flags: { env: ['KEY=hidden'] }, io } as never)).toBe(0);
    return io.err();
  };
  expect(await add('notes', 'first-server', '--here')).toBe('');
  expect(await add('other', 'second-server')).toBe('');
  const said = await add('notes', 'third-server');
  expect(said).toMatch(/^halter: notes stood in your list and was replaced; it was: .*first-server.*--here/);
  expect(said).not.toContain('hidden');
});
