import { describe, expect, it } from 'vitest';
import { csvOf } from './csv.ts';
import { fileName } from './file-name.ts';

describe('a table that is copied', () => {
  it('is comma-separated values, quoted where they must be', () => {
    expect(
      csvOf([
        ['a', 'b'],
        ['one, two', 'say "hi"'],
        ['line\nbreak', ' -5 '],
      ]),
    ).toBe('a,b\r\n"one, two","say ""hi"""\r\n"line\nbreak",-5\r\n');
  });

  it('holds no formula that a spreadsheet would run', () => {
    expect(csvOf([['=HYPERLINK("http://x.test")', '@SUM(A1)', '+cmd', '-cmd', '+5', '-0.5', '-']])).toBe(
      `"'=HYPERLINK(""http://x.test"")",'@SUM(A1),'+cmd,'-cmd,+5,-0.5,-\r\n`,
    );
  });
});

describe('code that is downloaded', () => {
  it.each([
    ['typescript', 'code.ts'],
    ['py', 'code.py'],
    ['', 'code.txt'],
    ['Dockerfile', 'Dockerfile'],
    ['../../x', 'code.txt'],
    ['constructor', 'code.txt'],
  ])('of %j is called %s', (language, name) => {
    expect(fileName(language)).toBe(name);
  });
});
