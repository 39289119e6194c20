import { describe, expect, it } from 'vitest';
import { riskNameOf, riskWordsOf } from './risk-words.ts';

const command = { arguments: { command: 'ls -la' }, risk: 'high' } as const;

describe('the risk of a call, in words', () => {
  it('says of a command that is known to read or print alone that it does no more', () => {
    const reading = { ...command, onlyReads: true };
    expect([riskNameOf(reading), riskWordsOf(reading)]).toEqual([
      'READS ONLY',
      'runs a command that only reads or prints',
    ]);
    expect([riskNameOf(command), riskWordsOf(command)]).toEqual(['HIGH', 'runs this command']);
  });

  it('names the host that is reached, whatever else is known', () => {
    expect(riskWordsOf({ arguments: { url: 'https://a.test/x' }, risk: 'medium' })).toBe('reaches a.test');
  });

  it('takes a call of which nothing is known for one of high risk', () => {
    expect(riskNameOf({ arguments: {} })).toBe('HIGH');
  });
});
