import { describe, expect, it } from 'vitest';
import { changesOfAnswerLeft, remainingSentence, undoneTogether } from './changes.ts';
import type { Event, EventBody } from './events.ts';

const log = (...bodies: readonly EventBody[]): Event[] =>
  bodies.map((body, index) => ({ seq: index + 1, at: index, ...body }));
const asked = (content: string, steers?: true): EventBody => ({
  type: 'user_message_added',
  content,
  ...(steers ? { steers } : {}),
});
const changed = (path: string, tool_call_id = path): EventBody => ({
  type: 'change_recorded',
  tool_call_id,
  path,
  before: 'old',
  after: 'new',
  kept: true,
});
const undone = (change_seq: number, path: string): EventBody => ({
  type: 'change_undone',
  change_seq,
  path,
  how: 'restored',
});
const said = (...bodies: readonly EventBody[]): string | undefined =>
  remainingSentence(changesOfAnswerLeft(log(...bodies)));

describe('after a change was taken back', () => {
  it('the others of the same answer are counted and named', () => {
    const three = [asked('go'), changed('a.ts'), changed('b.ts'), changed('a.ts')];
    expect(said(...three, undone(4, 'a.ts'))).toBe('2 earlier changes of this answer remain (b.ts, a.ts).');
    expect(said(...three, undone(4, 'a.ts'), undone(3, 'b.ts'))).toBe(
      '1 earlier change of this answer remains (a.ts).',
    );
    expect(said(...three, undone(4, 'a.ts'), undone(3, 'b.ts'), undone(2, 'a.ts'))).toBeUndefined();
  });

  it('a message in the middle of a run belongs to its answer, and an earlier answer is another one', () => {
    const two = [asked('one'), changed('a.ts'), asked('two'), changed('b.ts'), asked('faster', true), changed('c.ts')];
    expect(said(...two, undone(6, 'c.ts'))).toContain('(b.ts)');
    expect(said(...two, undone(6, 'c.ts'), undone(4, 'b.ts'))).toBeUndefined();
  });

  it('of many files the first are named', () => {
    const paths = ['1', '2', '3', '4', '5', '6', '7'];
    expect(said(asked('go'), ...paths.map((path) => changed(path)), undone(8, '7'))).toBe(
      '6 earlier changes of this answer remain (6, 5, 4, 3 and 2 more files).',
    );
  });

  it('what one command took back is said in one sentence, by file', () => {
    const of = (...paths: string[]) =>
      undoneTogether(paths.map((path, index) => ({ type: 'change_undone', change_seq: index, path, how: 'restored' })));
    expect(of('a.ts')).toBeUndefined();
    expect(of('a.ts', 'a.ts')).toBe('2 changes of a.ts were taken back.');
    expect(of('a.ts', 'b.ts', 'a.ts')).toBe('2 changes of a.ts and 1 change of b.ts were taken back.');
    expect(of('1', '2', '3', '4', '5', '6')).toBe(
      '1 change of 1, 1 change of 2, 1 change of 3, 1 change of 4 and those of 2 more files were taken back.',
    );
  });
});
