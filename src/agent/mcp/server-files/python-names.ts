/**
 * Names that Python finds beside a script before it looks where they really are: a file `selectors.py` there runs when the
 * script imports `asyncio`.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { AGENT_LIMITS } from '../../limits.ts';

/** Of the standard library. */
const STANDARD: ReadonlySet<string> = new Set(
  (
    'abc aifc argparse array ast asynchat asyncio asyncore audioop base64 bdb binascii bisect bz2 cProfile ' +
    'calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent ' +
    'configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib ' +
    'dis distutils doctest email encodings ensurepip enum fcntl filecmp fileinput fnmatch fractions ftplib ' +
    'functools genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib ' +
    'imghdr imp importlib inspect io ipaddress json keyword linecache locale logging lzma mailbox mailcap math ' +
    'mimetypes mmap modulefinder multiprocessing netrc nis nntplib ntpath numbers opcode operator optparse os ' +
    'pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posixpath pprint profile pstats pty ' +
    'py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter ' +
    'runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket ' +
    'socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct ' +
    'subprocess sunau symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading ' +
    'timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata ' +
    'unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile ' +
    'zipimport zlib zoneinfo'
  ).split(' '),
);
/** What the usual servers are made of, wherever that is installed. */
const USUAL: ReadonlySet<string> = new Set(
  (
    'mcp fastmcp anyio httpx httpx_sse httpcore h11 h2 pydantic pydantic_core pydantic_settings starlette uvicorn ' +
    'sse_starlette typing_extensions typing_inspection annotated_types certifi idna sniffio click jsonschema referencing ' +
    'rpds attr attrs dotenv multipart python_multipart requests urllib3 charset_normalizer yaml rich typer fastapi websockets ' +
    'aiohttp jwt cryptography openai anthropic numpy pandas six packaging setuptools pkg_resources dateutil tqdm'
  ).split(' '),
);
const ENVIRONMENTS = ['.venv', 'venv', 'env'];

/** The files in a folder that Python would take for a module of another place. */
export const shadowsIn = (folder: string, installed: ReadonlySet<string>): string[] =>
  namesIn(folder).flatMap((name) => {
    const [, module = '', ending = ''] = /^(\w+)((?:\.[\w-]+)*)$/.exec(name) ?? [];
    if (!STANDARD.has(module) && !USUAL.has(module) && !installed.has(module)) return [];
    if (ending === '') return [path.join(folder, name, '__init__.py')];
    return /\.(?:pyc?|so|pyd)$/.test(ending) ? [path.join(folder, name)] : [];
  });

/** What the environments of a folder have installed. */
export const installedIn = (folder: string): string[] =>
  ENVIRONMENTS.flatMap((environment) => {
    const lib = path.join(folder, environment, 'lib');
    return namesIn(lib).flatMap((version) => namesIn(path.join(lib, version, 'site-packages')));
  }).map((name) => name.replace(/\..*$/, ''));

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).slice(0, AGENT_LIMITS.mcpStartedNames * 10);
  } catch {
    return [];
  }
};
