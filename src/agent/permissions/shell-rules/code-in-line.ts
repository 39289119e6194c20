/**
 * Code of an interpreter that stands in a line: `python3 -c …`, `node -e …`, a program of awk. What it starts can be put
 * together in ways that nobody follows, so only code passes of which it is known that it starts nothing.
 */
import { AWK } from './scripts.ts';

/** The language that a program reads; undefined where its words are no code. */
const LANGUAGES: readonly (readonly [program: RegExp, startsNothing: (code: string) => boolean])[] = [
  [/^(?:python|pypy)[\d.]*$/, (code) => isPlainPython(code)],
  [/^(?:node|nodejs|deno|bun|tsx|ts-node)$/, (code) => isPlainJavaScript(code)],
  [/^perl[\d.]*$/, (code) => isPlainPerl(code)],
  [/^ruby[\d.]*$/, (code) => !RUBY_STARTS.test(code)],
  [/^php[\d.]*$/, (code) => !PHP_STARTS.test(code)],
];

/** False for a language that is not known here. */
export const startsNothing = (program: string, code: string): boolean =>
  AWK.test(program)
    ? isPlainAwkCode(code)
    : (LANGUAGES.find(([name]) => name.test(program))?.[1](code.normalize('NFKC')) ?? false);

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const PYTHON_MODULES = names(
  'json sys os re math cmath datetime time calendar collections itertools functools string textwrap random secrets hashlib hmac base64 binascii struct zlib gzip ' +
    'bz2 lzma csv decimal fractions statistics uuid html unicodedata io pathlib glob fnmatch copy pprint platform bisect heapq enum dataclasses typing tomllib ' +
    'configparser difflib locale sysconfig site urllib email colorsys ipaddress array numbers numpy pandas yaml toml requests torch tensorflow sklearn scipy ' +
    'matplotlib PIL django flask fastapi pydantic pytest setuptools pkg_resources',
);
const PYTHON_STARTS =
  /__|\\N|\b(?:eval|exec\w*|compile|getattr|setattr|globals|locals|vars|builtins|importlib|attrgetter|methodcaller|modules|system|popen\w*|spawn\w*|posix_spawn\w*|fork\w*|startfile|breakpoint|subprocess|runpy|run_path|run_module|loads?_module|pickle|read_pickle|marshal|unsafe_load|unsafe|full_load|Loader|UnsafeLoader|query|ctypes|cffi|pty|asyncio|multiprocessing|check_output|check_call|call|run|os\s*\.\s*(?!(?:path|getcwd|environ|listdir|sep|linesep|name|getenv|stat|walk|scandir|cpu_count|makedirs|mkdir|remove|unlink|rename|replace|rmdir|getpid|getuid|uname|access|fspath|utime|chdir|pathsep|curdir|readlink|get_terminal_size)\b))\b/;
const isPlainPython = (code: string): boolean => {
  if (PYTHON_STARTS.test(code) || /\bos\b(?!\s*[.,;\n]|\s*$|\s+import\b)/.test(code.replaceAll(QUOTED, "''")))
    return false;
  const imports = [...code.matchAll(/\b(?:from\s+([\w.]+)\s+import\s+([^;\n]*)|import\s+([^;\n]*))/g)];
  return imports.every(([, from, brought = '', plain = '']) =>
    from === undefined
      ? plain.split(',').every((each) => isHarmless(each) && !/\bos\s+as\b/.test(each))
      : isHarmless(from) && from !== 'os' && !/\*|\bos\b/.test(brought),
  );
};
const isHarmless = (module: string): boolean => PYTHON_MODULES.has((module.trim().split(/[.\s]/)[0] as string) ?? '');
const QUOTED = /'[^'\n\\]*'|"[^"\n\\]*"/g;

const JAVASCRIPT_MODULES =
  /^(?:node:)?(?:fs|fs\/promises|path|os|url|util|crypto|assert|zlib|querystring|string_decoder|events|buffer|timers|perf_hooks|http|https|dns|net|stream|readline)$|^\.{1,2}\/|\.json$/;
const JAVASCRIPT_STARTS =
  /\bchild_process\b|\bspawn\w*\b|\bexec(?:Sync|File\w*)\b|\bfork\b|\b(?:eval|Function|constructor|globalThis|global|Reflect|Worker|cluster|vm|repl|module|binding|_linkedBinding|getBuiltinModule|mainModule|dlopen|inspector|createRequire|with|Proxy|Bun|zx|execa)\b|\bDeno\s*\.\s*(?:Command|run|dlopen)|\bDeno\s*\[|\bprocess\s*\[|\bthis\s*\[|\\[ux]/;
const isPlainJavaScript = (code: string): boolean => {
  if (JAVASCRIPT_STARTS.test(code)) return false;
  const brings = [...code.matchAll(/\b(?:require|import)\b(?!\s*\.\s*meta\b)/g)].length;
  const known = [
    ...code.matchAll(
      /\brequire\s*\(\s*(['"`])([^'"`$]*)\1\s*\)|\bimport\s*\(\s*(['"`])([^'"`$]*)\3\s*\)|\bimport\b[^'"`();]*(['"`])([^'"`$]*)\5/g,
    ),
  ].filter(([, , one, , two, , three]) => JAVASCRIPT_MODULES.test(one ?? two ?? three ?? ''));
  if (brings !== known.length) return false;
  // A name that is put together may be any.
  return !(
    /\[\s*[^\]\d\s]/.test(code.replaceAll(/\[\s*(['"])\w*\1\s*\]/g, '')) &&
    PUTS_TOGETHER.test(code) &&
    CALLS_COMPUTED.test(code)
  );
};
const PUTS_TOGETHER =
  /\+|\$\{|\.(?:join|concat|reverse|replace\w*|padStart|padEnd)\b|fromCharCode|fromCodePoint|atob|Buffer/;
const CALLS_COMPUTED = /\]\s*(?:\(|\[|\?\.|`)|\]\s*\.\s*(?:call|apply|bind)\b/;

const PERL_STARTS =
  /`|\b(?:system|exec|qx|open\w*|fork|eval|do\s*(?:["'$(]|[\w./]{1,200}\.p[lm])|require|syscall|pipe|can|goto|readpipe|glob|CORE|sysopen|socket\w*|__END__|AUTOLOAD|DynaLoader|Inline|IPC|DB)\b|[&*]\s*[{$]|->\s*[($]|\\x|\bno\s+strict/s;
const PERL_MODULES =
  /^(?:strict|warnings|utf8|feature|integer|bigint|bignum|v?5[\d.]*|JSON::PP|List::Util|Scalar::Util|Data::Dumper|POSIX|Time::HiRes|Time::Local|Time::Piece|Encode|MIME::Base64|Digest::\w+|File::Basename|Text::Wrap|constant|open)$/;
/** A replacement with `ee` among its flags runs what it makes. */
const replacesAndRuns = (code: string): boolean => {
  const at = code.search(/\bs[^\w\s]/);
  return at >= 0 && code.includes('ee', at + 2);
};
/** `<* x>` lists files, as `glob` does. */
const listsFiles = (code: string): boolean =>
  code
    .split('>')
    .slice(0, -1)
    .some((part) => part.includes('<') && /\s/.test(part.slice(part.indexOf('<') + 1)));
const isPlainPerl = (code: string): boolean =>
  !PERL_STARTS.test(code) &&
  !replacesAndRuns(code) &&
  !listsFiles(code) &&
  [...code.matchAll(/\buse\s+([\w:.]+)/g)].every(([, module = '']) => PERL_MODULES.test(module));

const RUBY_STARTS =
  /`|%x|\b(?:system|exec|spawn|fork|popen\w*|open|IO|Open3|PTY|Process|Kernel|eval|\w*_eval|\w*_exec|send|__send__|public_send|method|const_get|load|syscall|Fiddle|DRb|Object|Pathname|URI|binding|tap|then|Gem|Rake|sh)\b|&\s*:?["']|\brequire(?:_relative)?\b(?!\s*\(?\s*(['"])(?:json|yaml|set|date|time|csv|digest|base64|securerandom|pp|erb|bigdecimal|stringio|strscan|ostruct|tempfile|tmpdir|fileutils|zlib)\1)/;
const PHP_STARTS =
  /`|\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_\w+|eval|assert|create_function|call_user_func\w*|func_get_args|array_(?:map|walk\w*|filter|reduce|u\w+)|u[ak]?sort|usort|iterator_apply|preg_replace_callback\w*|ob_start|register_\w+|Reflection\w*|Closure|FFI|include\w*|require\w*|mail|dl|putenv|ini_set|imap_open|expect_popen|unserialize|COM|Imagick)\b|[\])}'"]\s*\(|\$\w+\s*\(|new\s*\$|::\s*\$|->\s*[${]/i;

/** Awk runs what it pipes to or from, what `system` gets, and functions that are called by a name it computes. */
const isPlainAwkCode = (code: string): boolean => {
  const bare = withoutTexts(code);
  return bare !== undefined && !/\bsystem\b|@|\bextension\b|(?<!\|)\|(?!\|)/.test(bare);
};

/** Without its strings, patterns and comments; undefined where one of them does not end. */
const withoutTexts = (code: string): string | undefined => {
  let bare = '';
  for (let at = 0; at < code.length; ) {
    const character = code[at] as string;
    const isPattern = character === '/' && !/[\w)\]$"]\s*$/.test(bare.slice(-WHAT_STANDS_BEFORE));
    if (character === '#') {
      const end = code.indexOf('\n', at);
      at = end < 0 ? code.length : end;
    } else if (character === '"' || isPattern) {
      const end = endOfText(code, at + 1, character);
      if (end < 0) return undefined;
      bare += '""';
      at = end;
    } else {
      bare += character;
      at += 1;
    }
  }
  return bare;
};
const WHAT_STANDS_BEFORE = 64;
const endOfText = (code: string, start: number, end: string): number => {
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code[at] === end) return at + 1;
    else if (code[at] === '\n') return -1;
  }
  return -1;
};
