import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { AskedSessions } from './asked-sessions.ts';

describe('the sessions that messages are kept for', () => {
  it('are asked after once, and again where one left the list or nobody could say', () => {
    verifies('L8');
    const asked = new AskedSessions();
    expect(asked.next(['one', 'two', 'one'], ['two'])).toEqual({ there: ['two'], ask: ['one'] });
    expect(asked.next(['one', 'two'], ['two', 'three'])).toEqual({ there: ['two'], ask: [] });
    expect(asked.next(['one', 'two'], ['three'])).toEqual({ there: [], ask: ['two'] });
    asked.heard('two', 'gone');
    asked.heard('one', 'there');
    expect(asked.next(['one', 'two'], [])).toEqual({ there: [], ask: [] });
    asked.heard('one', 'unknown');
    expect(asked.next(['one', 'two'], [])).toEqual({ there: [], ask: ['one'] });
    asked.heard('one', 'refused');
    expect(asked.next(['one', 'two'], [])).toEqual({ there: [], ask: ['one'] });
  });

  it('are asked after a few at once, the others with the next change', () => {
    const meant = Array.from({ length: 50 }, (_, index) => `s${index}`);
    const asked = new AskedSessions();
    const rounds = Array.from({ length: 4 }, () => asked.next(meant, []).ask.length);
    expect(rounds).toEqual([20, 20, 10, 0]);
  });
});
