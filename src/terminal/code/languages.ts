/** What the lexer has to know of a language: its words, its comments and its texts. Kept small; the rest is plain. */

/** A text or a comment between two marks. */
export type Quoted = {
  open: string;
  close: string;
  kind: 'string' | 'comment';
  /** A back slash takes its meaning from the next character. */
  escapes?: boolean;
  /** It goes on over the end of the line. */
  long?: boolean;
};

export type Language = {
  words: ReadonlySet<string>;
  /** Marks of comments up to the end of the line. */
  line: readonly string[];
  quoted: readonly Quoted[];
  /** Words count in any case. */
  caseless?: boolean;
  /** A key stands before this sign: `:` of YAML and JSON, `=` of TOML. */
  key?: ':' | '=';
  /** Names of tags, as in HTML. */
  tags?: boolean;
  /** Characters of names besides letters, digits and the underscore. */
  nameSigns?: string;
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const text = (open: string, more: Partial<Quoted> = {}): Quoted => ({
  open,
  close: open,
  kind: 'string',
  escapes: true,
  ...more,
});
const DOUBLE = text('"');
const SINGLE = text("'");
const block = (open: string, close: string): Quoted => ({ open, close, kind: 'comment', long: true });
const C_COMMENT = block('/*', '*/');

const curly = (keywords: string, quoted: readonly Quoted[] = [DOUBLE, SINGLE]): Language => ({
  words: words(keywords),
  line: ['//'],
  quoted: [C_COMMENT, ...quoted],
});

const JAVASCRIPT: Language = {
  ...curly(
    'abstract any as asserts async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown using var void while with yield',
    [DOUBLE, SINGLE, text('`', { long: true })],
  ),
  nameSigns: '$',
};
const PYTHON: Language = {
  words: words(
    'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
  line: ['#'],
  quoted: [text('"""', { long: true }), text("'''", { long: true }), DOUBLE, SINGLE],
};
const SHELL: Language = {
  words: words(
    'alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if in local read readonly return select set shift source then trap unset until while',
  ),
  line: ['#'],
  quoted: [text('"', { long: true }), text("'", { long: true, escapes: false })],
  nameSigns: '-',
};
const GO = curly(
  'any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint var',
  [DOUBLE, SINGLE, text('`', { long: true, escapes: false })],
);
const RUST = curly(
  'as async await bool box break const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 unsafe use usize where while',
  [text('"', { long: true })],
);
const C = {
  ...curly(
    'alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while #define #else #elif #endif #if #ifdef #ifndef #include #pragma',
  ),
  nameSigns: '#',
};
const JAVA = curly(
  'abstract as async await bool boolean break byte case catch char class companion const continue data default do double else enum extends extension false final finally float for fun func get guard if implements import in init instanceof int interface internal is let long mutating namespace native new nil null object out override package private protected public readonly record ref return sealed self set short static string struct super switch synchronized this throw throws trait true try typealias using val var vararg virtual void volatile when where while yield',
  [text('"""', { long: true }), DOUBLE, SINGLE],
);
const RUBY: Language = {
  words: words(
    'alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or private protected public raise redo require rescue retry return self super then true undef unless until when while yield',
  ),
  line: ['#'],
  quoted: [DOUBLE, SINGLE],
  nameSigns: '?!',
};
const PHP: Language = {
  words: words(
    'abstract and array as break case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof interface isset list match namespace new null or print private protected public readonly require return static string switch this throw trait true try unset use var void while yield',
  ),
  line: ['//', '#'],
  quoted: [C_COMMENT, DOUBLE, SINGLE],
  nameSigns: '$',
};
const LUA: Language = {
  words: words(
    'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
  ),
  line: ['--'],
  quoted: [block('--[[', ']]'), { open: '[[', close: ']]', kind: 'string', long: true }, DOUBLE, SINGLE],
};
const SQL: Language = {
  words: words(
    'add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with',
  ),
  line: ['--'],
  quoted: [C_COMMENT, text("'", { escapes: false, long: true }), text('"', { escapes: false })],
  caseless: true,
};
const CSS: Language = {
  words: words('@charset @container @font-face @import @keyframes @layer @media @property @supports !important'),
  line: [],
  quoted: [C_COMMENT, DOUBLE, SINGLE],
  key: ':',
  nameSigns: '-@!',
};
const HTML: Language = { words: words(''), line: [], quoted: [block('<!--', '-->'), DOUBLE, SINGLE], tags: true };
const JSON_TEXT: Language = { words: words('true false null'), line: ['//'], quoted: [C_COMMENT, DOUBLE], key: ':' };
const YAML: Language = {
  words: words('true false null yes no on off'),
  line: ['#'],
  quoted: [DOUBLE, text("'", { escapes: false })],
  key: ':',
  nameSigns: '-./',
};
const TOML: Language = {
  words: words('true false'),
  line: ['#', ';'],
  quoted: [text('"""', { long: true }), text("'''", { long: true, escapes: false }), DOUBLE, SINGLE],
  key: '=',
  nameSigns: '-.',
};
const DOCKER: Language = {
  words: words(
    'ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR',
  ),
  line: ['#'],
  quoted: [DOUBLE, SINGLE],
};
const MAKE: Language = {
  words: words('define else endef endif export ifdef ifeq ifndef ifneq include override'),
  line: ['#'],
  quoted: [],
  key: ':',
  nameSigns: '-.',
};

/** By the word behind the fence, and by the end of a file's name. */
const NAMES: readonly (readonly [Language, string])[] = [
  [JAVASCRIPT, 'javascript js jsx mjs cjs typescript ts tsx mts cts'],
  [PYTHON, 'python py pyi python3'],
  [SHELL, 'sh bash zsh shell fish console ksh'],
  [GO, 'go golang'],
  [RUST, 'rust rs'],
  [C, 'c h cpp cc cxx hpp hh c++ objc m'],
  [JAVA, 'java kotlin kt kts swift scala csharp cs c# dart groovy gradle'],
  [RUBY, 'ruby rb rake gemfile'],
  [PHP, 'php'],
  [LUA, 'lua'],
  [SQL, 'sql psql mysql sqlite postgresql'],
  [CSS, 'css scss sass less'],
  [HTML, 'html htm xml svg vue svelte xhtml'],
  [JSON_TEXT, 'json jsonc json5 jsonl'],
  [YAML, 'yaml yml'],
  [TOML, 'toml ini conf cfg properties env'],
  [DOCKER, 'dockerfile docker containerfile'],
  [MAKE, 'makefile make mk'],
];
const BY_NAME: ReadonlyMap<string, Language> = new Map(
  NAMES.flatMap(([language, names]) => names.split(' ').map((name) => [name, language] as const)),
);

/** `ts`, `TypeScript`, `ts title="x"`; undefined where the language is not known. */
export const languageNamed = (info: string): Language | undefined =>
  BY_NAME.get(/^[^\s{,:]*/.exec(info.trim().toLowerCase())?.[0] ?? '');

/** By the name of a file: `src/a.ts`, `Dockerfile`. */
export const languageOfFile = (path: string): Language | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return BY_NAME.get(name.slice(name.lastIndexOf('.') + 1));
};
