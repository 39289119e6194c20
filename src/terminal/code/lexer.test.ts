import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageNamed, languageOfFile } from './languages.ts';
import { CodeLexer, type Token } from './lexer.ts';

const NAMES = [
  'ts',
  'python',
  'sh',
  'go',
  'rust',
  'c',
  'java',
  'ruby',
  'php',
  'lua',
  'sql',
  'css',
  'html',
  'json',
  'yaml',
  'toml',
  'dockerfile',
  'make',
];
const lexer = (name: string): CodeLexer => {
  const language = languageNamed(name);
  if (language === undefined) throw new Error(name);
  return new CodeLexer(language);
};
const kinds = (name: string, ...lines: string[]): [string, string | undefined][] => {
  const each = lexer(name);
  return lines
    .flatMap((line) => each.line(line))
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, kind }) => [text, kind]);
};
const joined = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');

describe('colours for code', () => {
  it('changes no character, whatever the line and the language, and peeking changes nothing for the next one', () => {
    const line = fc.array(
      fc.constantFrom(
        '"',
        "'",
        '`',
        '\\',
        '/*',
        '*/',
        '//',
        '#',
        '--',
        '"""',
        '1',
        'a',
        'if',
        ' ',
        '(',
        '🎉',
        'é',
        '<',
        ':',
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.array(line, { maxLength: 6 }), (name, lines) => {
        const [one, other] = [lexer(name), lexer(name)];
        for (const words of lines) {
          const text = words.join('');
          expect(joined(other.peek(text))).toBe(text);
          expect(one.line(text)).toEqual(other.line(text));
          expect(joined(one.peek(text))).toBe(text);
        }
      }),
    );
  });

  it('knows words, texts, numbers, names and comments', () => {
    expect(kinds('ts', 'const answer = "a \\" b"; // done')).toEqual([
      ['const', 'keyword'],
      [' answer = ', undefined],
      ['"a \\" b"', 'string'],
      ['; ', undefined],
      ['// done', 'comment'],
    ]);
    expect(kinds('python', 'def walk(n): return 0x1f')).toEqual([
      ['def', 'keyword'],
      ['walk', 'name'],
      ['(n): ', undefined],
      ['return', 'keyword'],
      ['0x1f', 'number'],
    ]);
    expect(kinds('json', '{"name": "halter"}')).toContainEqual(['"name"', 'name']);
    expect(kinds('yaml', "title: it's fine # yes")).toEqual([
      ['title', 'name'],
      [": it's fine ", undefined],
      ['# yes', 'comment'],
    ]);
    expect(kinds('html', '<p class="x">it</p>')).toContainEqual(['p', 'keyword']);
    expect(kinds('sql', 'select 1')).toContainEqual(['select', 'keyword']);
  });

  it('goes on in a text or comment of several lines, and only there', () => {
    expect(kinds('ts', 'a /* one', 'two', 'three */ b')).toEqual([
      ['a ', undefined],
      ['/* one', 'comment'],
      ['two', 'comment'],
      ['three */', 'comment'],
      [' b', undefined],
    ]);
    expect(kinds('ts', 'a "not closed', 'b')).toEqual([
      ['a ', undefined],
      ['"not closed', 'string'],
      ['b', undefined],
    ]);
  });

  it('takes a language by its name and by the name of a file', () => {
    expect(languageNamed('TypeScript title="x"')).toBe(languageOfFile('src/a.ts'));
    expect(languageOfFile('deep/Dockerfile')).toBeDefined();
    expect(languageNamed('no-such-language')).toBeUndefined();
    expect(languageNamed('')).toBeUndefined();
    expect(languageOfFile('README')).toBeUndefined();
  });
});
