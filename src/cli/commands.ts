/** Every command of the command line, once: its words, its help and its flags. Its code is named in load-command.ts. */
import type { FlagName } from './flags.ts';

export type CommandSpec = {
  /** `tools call`; the terminal app has no name. */
  name: string;
  summary: string;
  /** What follows the name. */
  usage: string;
  words: { min: number; max: number };
  flags: readonly FlagName[];
  /** Where a flag means something else here. */
  flagHelp?: { [Name in FlagName]?: { value: string; help: string; choices?: readonly string[] } };
  examples?: readonly string[];
};

/** How to reach a model, and what may be done: the same for everything that could call a tool (interfaces §7.4). */
const REACH: readonly FlagName[] = ['model', 'provider', 'base-url', 'api-key-env', 'offline', 'directory'];
const PERMISSIONS: readonly FlagName[] = [
  'allow',
  'deny',
  'yolo',
  'plan',
  'sandbox',
  'no-sandbox',
  'allow-network',
  'add-dir',
  'allow-private',
];
const CONVERSATION: readonly FlagName[] = [
  ...REACH,
  'continue',
  'session',
  'fork',
  'no-session',
  'tools',
  'no-tools',
  ...PERMISSIONS,
  'context-length',
  'max-iterations',
  'max-tool-calls',
  'preset',
  'system-prompt',
  'append-system-prompt',
  'temperature',
  'top-p',
  'seed',
  'think',
  'no-think',
  'results',
  'trace',
  'log-level',
];
/** Whoever asks for a session of the server names it. */
const PER_SESSION: readonly FlagName[] = ['continue', 'session', 'no-session'];
const ANY = Number.POSITIVE_INFINITY;
const TOOLS_FILE = { tools: { value: 'FILE', help: "the tools on offer, as a JSON array in OpenAI's form" } };

export const TERMINAL_APP: CommandSpec = {
  name: '',
  summary: 'open the terminal app in a folder',
  usage: '[folder]',
  words: { min: 0, max: 1 },
  flags: CONVERSATION,
};

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    summary: 'answer once; piped input is appended to the prompt',
    usage: '[prompt…]',
    words: { min: 0, max: ANY },
    flags: ['format', 'output', 'json-schema', 'on-ask', 'max-time', ...CONVERSATION],
    examples: [
      'halter run "What files are here?"',
      'git diff | halter run --plan "Review this change"',
      'halter run --allow \'bash(npm test)\' --format stream-json "Run the tests"',
    ],
  },
  {
    name: 'serve',
    summary: 'the web app, the HTTP API and an endpoint for OpenAI clients, on this machine',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['host', 'port', 'open', ...CONVERSATION.filter((name) => !PER_SESSION.includes(name))],
    examples: ['halter serve --open', 'halter serve --port 0 --model ollama/qwen3:8b'],
  },
  {
    name: 'tools list',
    summary: 'the tools, with their risk',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'tools', ...REACH, ...PERMISSIONS],
  },
  {
    name: 'tools call',
    summary: 'run one tool as a model would, and print its result',
    usage: 'NAME JSON',
    words: { min: 2, max: 2 },
    flags: [...REACH, ...PERMISSIONS, 'max-time'],
    examples: [
      'halter tools call ls \'{"path": "src"}\'',
      'halter tools call bash \'{"command": "date"}\' --allow bash',
    ],
  },
  {
    name: 'tools validate',
    summary: 'check a {tool, args} payload on standard input, strictly',
    usage: '',
    words: { min: 0, max: 0 },
    flags: [...REACH],
  },
  {
    name: 'parse',
    summary: 'model text on standard input → its tool calls as JSON',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['dialect', 'tools', 'chunks'],
    flagHelp: TOOLS_FILE,
  },
  {
    name: 'render',
    summary: 'messages (JSON on standard input) → the exact text of the prompt',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['dialect', 'template', 'tools'],
    flagHelp: TOOLS_FILE,
  },
  {
    name: 'conformance',
    summary: 'run a folder of test vectors or attack cases through the program',
    usage: 'FOLDER',
    words: { min: 1, max: 1 },
    flags: ['json'],
  },
  {
    name: 'models list',
    summary: 'the models that can be used now',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', ...REACH],
  },
  {
    name: 'models pull',
    summary: 'get a model for the embedded engine, or have Ollama get it',
    usage: 'NAME',
    words: { min: 1, max: 1 },
    flags: [...REACH],
    examples: ['halter models pull starter'],
  },
  {
    name: 'models probe',
    summary: 'try a model on its server, say what works, and keep that as its profile',
    usage: '[NAME]',
    words: { min: 0, max: 1 },
    flags: ['json', 'context-length', ...REACH],
    examples: ['halter models probe ollama/qwen3:8b', 'halter models probe starter'],
  },
  {
    name: 'models rm',
    summary: 'remove a model that was pulled',
    usage: 'NAME',
    words: { min: 1, max: 1 },
    flags: [...REACH],
  },
  {
    name: 'context',
    summary: "what fills the model's window: every part with its tokens",
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', ...CONVERSATION],
    examples: ['halter context', 'halter context --continue'],
  },
  {
    name: 'index',
    summary: 'read this folder into an index for search, or bring it up to date',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'status', 'directory'],
    examples: ['halter index', 'halter index --status'],
  },
  {
    name: 'search',
    summary: "look for what words mean in this folder's files",
    usage: 'QUERY…',
    words: { min: 1, max: ANY },
    flags: ['json', 'limit', 'directory'],
    examples: ['halter search "where are tokens counted"'],
  },
  {
    name: 'sessions list',
    summary: "this folder's sessions, newest first",
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'all', 'limit', 'directory'],
  },
  {
    name: 'sessions search',
    summary: 'the sessions in which these words were said, newest first',
    usage: 'QUERY…',
    words: { min: 1, max: ANY },
    flags: ['json', 'all', 'limit', 'directory'],
  },
  {
    name: 'sessions show',
    summary: 'one session, as a person reads it or as its events',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['json', 'all'],
    flagHelp: { all: { value: '', help: 'arguments and results whole' } },
  },
  {
    name: 'sessions rename',
    summary: 'give a session a name; without one it is called by its first words again',
    usage: 'ID [NAME…]',
    words: { min: 1, max: ANY },
    flags: [],
  },
  {
    name: 'sessions fork',
    summary: 'a new session that begins as a copy of another, up to any event of it',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['at', 'json'],
    examples: ['halter sessions fork 3f2a --at 12'],
  },
  {
    name: 'sessions undo',
    summary: 'put files back as they were before a session changed them, step by step',
    usage: '[ID]',
    words: { min: 0, max: 1 },
    flags: ['steps', 'list', 'on-change', 'add-dir', 'json', 'directory'],
    examples: ['halter sessions undo --list', 'halter sessions undo --steps 3'],
  },
  {
    name: 'sessions export',
    summary: 'a session as a document to read (markdown, html) or to import elsewhere (json, jsonl)',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: ['format', 'output', 'at'],
    flagHelp: {
      format: {
        value: 'FORMAT',
        help: 'markdown, html, json or jsonl (by the ending of --output, else markdown)',
        choices: ['markdown', 'json', 'jsonl', 'html'],
      },
      output: { value: 'FILE', help: 'write it to this file' },
    },
    examples: ['halter sessions export 3f2a -o session.html'],
  },
  {
    name: 'sessions import',
    summary: 'a session that was exported (json, jsonl), checked; it brings no permissions',
    usage: 'FILE',
    words: { min: 1, max: 1 },
    flags: ['json', 'directory'],
  },
  {
    name: 'sessions delete',
    summary: 'delete a session',
    usage: 'ID',
    words: { min: 1, max: 1 },
    flags: [],
  },
  {
    name: 'replay',
    summary: 'run a recorded session again from its own answers and show the first difference',
    usage: 'SESSION|FILE|FOLDER',
    words: { min: 1, max: 1 },
    flags: ['tools', 'record', 'json', 'directory'],
    flagHelp: {
      tools: {
        value: 'recorded|real',
        help: 'take results from the record (recorded), or run file tools in a copy (real)',
      },
    },
    examples: ['halter replay 3f2a', 'halter replay 3f2a --record tests/sessions', 'halter replay tests/sessions'],
  },
  {
    name: 'policy list',
    summary: 'the permission rules that hold in this folder, and where they come from',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'directory', 'allow', 'deny', 'yolo', 'plan'],
  },
  {
    name: 'policy test',
    summary: 'what would become of a call: exit code 0 where it is allowed, 3 where it is not or is asked about',
    usage: 'TOOL JSON | COMMAND',
    words: { min: 1, max: 2 },
    flags: ['json', 'directory', ...PERMISSIONS],
    examples: [
      'halter policy test write_file \'{"path": "a.txt", "content": ""}\'',
      "halter policy test 'git push -f'",
    ],
  },
  {
    name: 'policy explain',
    summary: 'everything that speaks for and against a call, and what Remember would store',
    usage: 'TOOL JSON | COMMAND',
    words: { min: 1, max: 2 },
    flags: ['json', 'directory', ...PERMISSIONS],
    examples: ['halter policy explain bash \'{"command": "git log -3"}\''],
  },
  {
    name: 'doctor',
    summary: 'what works on this machine, what does not, and what to do',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'bundle', ...REACH],
    examples: ['halter doctor --bundle > report.json'],
  },
  {
    name: 'config get',
    summary: 'print the settings, or one of them',
    usage: '[KEY]',
    words: { min: 0, max: 1 },
    flags: [],
  },
  {
    name: 'config set',
    summary: 'keep a setting; an empty VALUE removes it',
    usage: 'KEY VALUE',
    words: { min: 2, max: 2 },
    flags: [],
  },
  {
    name: 'config path',
    summary: 'where the settings are kept',
    usage: '',
    words: { min: 0, max: 0 },
    flags: [],
  },
  {
    name: 'acp',
    summary: 'an agent for editors: speaks the Agent Client Protocol on standard input and output',
    usage: '',
    words: { min: 0, max: 0 },
    flags: CONVERSATION.filter((flag) => !['directory', 'continue', 'session', 'no-session'].includes(flag)),
    examples: ['halter acp --model ollama/qwen3'],
  },
  {
    name: 'mcp',
    summary: "halter's tools for other programs: an MCP server on standard input and output",
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['tools', ...REACH, ...PERMISSIONS],
    examples: ['halter mcp --plan', "halter mcp -C project --allow 'bash(npm test)'"],
  },
  {
    name: 'mcp add',
    summary: 'offer the tools of an MCP server: a command that is started, or an address',
    usage: 'NAME COMMAND [ARGUMENT…] | NAME URL',
    words: { min: 2, max: ANY },
    flags: ['env', 'header'],
    examples: [
      'halter mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
      "halter mcp add tracker https://mcp.example.com/mcp --header 'X-Team: tools'",
    ],
  },
  {
    name: 'mcp list',
    summary: 'the servers, whether they work, and what they offer',
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['json', 'offline', 'directory'],
  },
  {
    name: 'mcp remove',
    summary: 'take a server off the list',
    usage: 'NAME',
    words: { min: 1, max: 1 },
    flags: [],
  },
  {
    name: 'mcp login',
    summary: 'log in to a server that asks who comes, in the browser',
    usage: 'NAME',
    words: { min: 1, max: 1 },
    flags: ['directory'],
  },
  {
    name: 'mcp logout',
    summary: 'forget the login to a server',
    usage: 'NAME',
    words: { min: 1, max: 1 },
    flags: [],
  },
  {
    name: 'mcp allow',
    summary: "let a server of this folder's .mcp.json start, as it is now",
    usage: 'NAME',
    words: { min: 1, max: 1 },
    flags: ['directory'],
  },
  {
    name: 'egress',
    summary: 'every connection that halter or a tool tried, of all sessions or of one',
    usage: '[SESSION]',
    words: { min: 0, max: 1 },
    flags: ['json', 'limit'],
    examples: ['halter egress --limit 20'],
  },
  {
    name: 'trust',
    summary: "let this folder's own settings count",
    usage: '',
    words: { min: 0, max: 0 },
    flags: ['directory', 'remove'],
  },
  {
    name: 'completion',
    summary: 'print completions for a shell',
    usage: 'bash|zsh|fish',
    words: { min: 1, max: 1 },
    flags: [],
    examples: ['halter completion bash > ~/.local/share/bash-completion/completions/halter'],
  },
];

/** The first words: `run`, `tools` … */
export const GROUPS: readonly string[] = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] as string))];
export const inGroup = (group: string): CommandSpec[] => COMMANDS.filter(({ name }) => name.split(' ')[0] === group);
