/** Each flood beside the same run with a word in its place. */
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Answer, argue, call, END, END_CALLS, MB, pour, say, serve, serveModel, think } from './endless.ts';

const FLOOD_MCP = fileURLToPath(new URL('./flood-mcp.mjs', import.meta.url));
const WORD = 100;
const GB = 1024 * MB;

/** What a run needs: arguments for `halter`, and what is to be closed afterwards. */
export type Scene = { args: string[]; close(): void };
export type FloodCase = {
  name: string;
  open(bytes: number, folder: string, home: string): Promise<Scene>;
  flood: number;
  /** Played in the terminal app, at a terminal that reads so. */
  terminal?: 'quick' | 'slow';
  /** Played in the server, with so many readers of the session that read nothing. */
  readers?: number;
};

const RUN = ['run', 'go'];
const FLAGS = [...RUN, '--provider', 'openai', '-m', 'm'];
const ALLOW = ['bash', 'read_job', 'read_file', 'grep_search', 'web_fetch', 'mcp__flood__pour'].flatMap((tool) => [
  '--allow',
  tool,
]);

const scene = async (folder: string, answers: Answer[], more: string[] = [], other?: Answer): Promise<Scene> => {
  const model = await serveModel(answers, other);
  return { args: [...FLAGS, '--base-url', model.url, '-C', folder, ...ALLOW, ...more], close: model.close };
};
const tool = (name: string, args: object): string => `${call(name, args)}${END_CALLS}`;
const shell = (command: string, more: object = {}): string => tool('bash', { command, timeout_ms: 300_000, ...more });
const print = (bytes: number): string => `head -c ${bytes} /dev/zero | tr '\\0' x`;

const model = (name: string, begin: string, piece: string, flood = 256 * MB, end = END): FloodCase => ({
  name,
  flood,
  open: (bytes, folder) =>
    scene(folder, [
      async (response) => {
        response.write(begin);
        await pour(response, piece, bytes);
        response.write(end);
      },
    ]),
});
const command = (name: string, line: (bytes: number) => string, flood = GB, more: string[] = []): FloodCase => ({
  name,
  flood,
  open: (bytes, folder) => scene(folder, [shell(line(bytes))], more),
});

const sparse = (file: string, bytes: number): void => {
  const open = openSync(file, 'w');
  ftruncateSync(open, bytes);
  closeSync(open);
};
const filled = (file: string, bytes: number, piece: string): void => {
  const block = Buffer.from(piece.repeat(Math.ceil(MB / piece.length)));
  const open = openSync(file, 'w');
  for (let written = 0; written < bytes; written += block.length)
    writeSync(open, block, 0, Math.min(block.length, bytes - written));
  closeSync(open);
};
const file = (name: string, make: (path: string, bytes: number) => void, ask: string, flood: number): FloodCase => ({
  name,
  flood,
  async open(bytes, folder) {
    make(join(folder, 'big.txt'), bytes);
    return scene(folder, [ask]);
  },
});

const page = (name: string, type: string, piece: string, flood: number): FloodCase => ({
  name,
  flood,
  async open(bytes, folder, home) {
    const site = await serve(async (_request, _body, response) => {
      response.writeHead(200, { 'content-type': type });
      await pour(response, piece, bytes);
    });
    mkdirSync(join(home, '.config/halter'), { recursive: true });
    writeFileSync(join(home, '.config/halter/config.json'), JSON.stringify({ allow_private: '127.0.0.1' }));
    const run = await scene(folder, [tool('web_fetch', { url: site.url })]);
    return {
      ...run,
      close() {
        site.close();
        run.close();
      },
    };
  },
});

const mcp = (name: string, kind: string, flood: number): FloodCase => ({
  name,
  flood,
  async open(bytes, folder, home) {
    const servers = { flood: { command: process.execPath, args: [FLOOD_MCP, kind, String(bytes)] } };
    mkdirSync(join(home, '.config/halter'), { recursive: true });
    writeFileSync(join(home, '.config/halter/mcp.json'), JSON.stringify({ mcpServers: servers }));
    return scene(folder, [tool('mcp__flood__pour', {})]);
  },
});

/** The same flood in the terminal app: its first message and the tools it may use are those of a run. */
const inTerminal = (flood: FloodCase, terminal: 'quick' | 'slow', name: string, bytes = flood.flood): FloodCase => ({
  ...flood,
  name,
  terminal,
  flood: bytes,
  async open(size, folder, home) {
    const { args, close } = await flood.open(size, folder, home);
    return { args: args.slice(RUN.length), close };
  },
});

/** The same in `halter serve`. */
const inServer = (flood: FloodCase, readers: number, name: string, bytes = flood.flood): FloodCase => {
  const { terminal: _terminal, ...rest } = inTerminal(flood, 'quick', name, bytes);
  return { ...rest, readers };
};

export const SMALL = WORD;
export const FLOODS: readonly FloodCase[] = [
  command('a command that prints 1 GB', print),
  command('… the same for stream-json', print, GB, ['--format', 'stream-json']),
  command('… on standard error', (bytes) => `{ ${print(bytes)}; } >&2`),
  command('… line by line, on both', (bytes) => `yes line | head -c ${bytes}; yes oops | head -c ${bytes} >&2`, GB / 4),
  {
    name: 'a background job that prints 1 GB',
    flood: GB,
    open: (bytes, folder) =>
      scene(folder, [
        shell(`${print(bytes)}; touch over`, { background: true }),
        shell('until [ -e over ]; do sleep 0.1; done'),
        tool('read_job', { job_id: 'job_1', wait_ms: 0 }),
      ]),
  },
  model('a model that talks without end', say('So '), say('word ')),
  model('… in long pieces', say('So '), say('word '.repeat(2_000))),
  model('… and thinks without end', think('Hm '), think('maybe ')),
  model(
    '… with arguments without end',
    call('write_file', { path: 'a' }).replace('}"', ',"content":"'),
    argue('word '),
  ),
  model('… in one endless line', 'data: {"choices":[{"index":0,"delta":{"content":"', 'x'.repeat(1_000)),
  model('… of letters of two bytes', say('So '), say('слово '.repeat(200))),
  {
    name: 'a server whose list of models never ends',
    flood: 256 * MB,
    open: (bytes, folder) =>
      scene(folder, [], [], async (response) => {
        response.write('{"data":[{"id":"m"}');
        await pour(response, ',{"id":"m"}', bytes);
        response.write(']}');
      }),
  },
  file('a file of 1 GB that is read', sparse, tool('read_file', { path: 'big.txt' }), GB),
  file(
    '… of 9 MB, which is as much as is read',
    (path, bytes) => filled(path, bytes, 'word '),
    tool('read_file', { path: 'big.txt', full: true }),
    9 * MB,
  ),
  file(
    '… of 9 MB in lines',
    (path, bytes) => filled(path, bytes, 'word\n'),
    tool('read_file', { path: 'big.txt' }),
    9 * MB,
  ),
  file(
    '… of 1 GB that is searched, each line a match',
    (path, bytes) => filled(path, bytes, 'a word of it\n'),
    tool('grep_search', { pattern: 'word' }),
    GB,
  ),
  file(
    '… of 64 MB in one line',
    (path, bytes) => filled(path, bytes, 'word '),
    tool('grep_search', { pattern: 'word' }),
    64 * MB,
  ),
  page('a page without end', 'text/html', '<p>A paragraph of the page.</p>\n', GB),
  page('… a page of 5 MB', 'text/html', '<p>A paragraph of the page.</p>\n', 5 * MB),
  page('… a text of 9 MB', 'text/plain', 'word ', 9 * MB),
  mcp('an MCP server whose result never ends', 'result', 256 * MB),
  mcp('… whose result has 4 MB', 'result', 4 * MB),
  mcp('… that prints lines that are no messages', 'lines', 256 * MB),
  mcp('… that prints on standard error', 'errors', 256 * MB),
  inTerminal(command('', print), 'quick', 'the terminal app: a command that prints 1 GB'),
  inTerminal(
    command('', (bytes) => `yes line | head -c ${bytes}`),
    'slow',
    'the terminal app, read slowly: a command that prints',
  ),
  inTerminal(model('', say('So '), say('word ')), 'quick', 'the terminal app: a model that talks without end'),
  inTerminal(model('', say('So '), say('word ')), 'slow', 'the terminal app, read slowly: a model that talks'),
  inTerminal(model('', think('Hm '), think('maybe\n')), 'slow', 'the terminal app, read slowly: a model that thinks'),
  inServer(model('', say('So '), say('word ')), 100, 'the server, 100 readers that do not read: a model that talks'),
  inServer(
    command('', (bytes) => `yes line | head -c ${bytes}`),
    100,
    'the server, 100 readers that do not read: a command',
    GB / 4,
  ),
];
