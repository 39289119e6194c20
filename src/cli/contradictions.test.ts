import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { parseArguments } from './arguments.ts';
import { FLAG_NAMES, type FlagName, isFlagName } from './flags.ts';
import { UsageError } from './io.ts';

const parse = (...argv: string[]) => parseArguments(argv, import.meta.dirname);

const PAIRS: [string, string[]][] = [
  ['--plan and --yolo', ['--plan', '--yolo']],
  ['--mode and --plan', ['--plan', '--mode', 'edit']],
  ['--mode and --yolo', ['--yolo', '--mode=ask']],
  ['--sandbox and --no-sandbox', ['--no-sandbox', '--sandbox']],
  ['--think and --no-think', ['--think', '--no-think']],
  ['--think-budget and --no-think', ['--no-think', '--think-budget', '100']],
  ['--session and --no-session', ['--no-session', '--session', 'q']],
  ['--continue and --no-session', ['-c', '--no-session']],
  ['--tools and --no-tools', ['--no-tools', '--tools', 'ls']],
];

describe('flags that contradict each other', () => {
  it.each(PAIRS)('%s are refused by their names', (names, flags) => {
    verifies('B11');
    for (const command of [['run', 'x'], []]) {
      const act = () => parse(...command, ...flags);
      expect(act).toThrow(UsageError);
      expect(act).toThrow(`${names} contradict each other; give one of them.`);
    }
  });

  it('every flag with a --no- form is among them', () => {
    const positive = FLAG_NAMES.flatMap((name) => (name.startsWith('no-') ? [name.slice('no-'.length)] : []));
    const missing = positive.filter(
      (name) => isFlagName(name) && !PAIRS.some(([names]) => names === `--${name} and --no-${name}`),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    [['--plan', '--mode', 'plan']],
    [['--yolo', '--mode', 'yolo']],
    [['--think', '--think-budget', '100']],
    [['--no-think', '--think-budget', '0']],
    [['--yolo', '--deny', 'bash']],
  ])('%j agree', (flags) => {
    expect(parse('run', 'x', ...flags).kind).toBe('command');
  });
});

/** What becomes of a flag that something else makes useless: `[command and flags, the useless one, what it is useless with]`. */
const USELESS: [string[], string, string][] = [
  ...['allow-network', 'allow-host=a.example', 'allow-read=/opt'].map((flag): [string[], string, string] => [
    ['run', 'x', '--no-sandbox', `--${flag}`],
    `--${flag.split('=')[0]}`,
    '--no-sandbox',
  ]),
  [['run', 'x', '--offline', '--allow-network'], '--allow-network', '--offline'],
  [['run', 'x', '--offline', '--allow-host', 'a.example'], '--allow-host', '--offline'],
  [['run', 'x', '--no-tools', '--max-tool-calls', '2'], '--max-tool-calls', '--no-tools'],
  [['run', 'x', '--no-tools', '--tool-strategy', 'text'], '--tool-strategy', '--no-tools'],
  [['run', 'x', '--no-tools', '--on-ask', 'deny'], '--on-ask', '--no-tools'],
  [['sessions', 'undo', '--list', '--steps', '2'], '--steps', '--list'],
  [['sessions', 'undo', '--list', '--on-change', 'keep'], '--on-change', '--list'],
  [['sessions', 'list', '--all', '-C', '/tmp'], '--directory', '--all'],
  [['sessions', 'search', 'x', '--all', '-C', '/tmp'], '--directory', '--all'],
  [['connect', 'codex', '--remove', '--port', '1'], '--port', '--remove'],
  [['run', 'x', '--base-url', 'http://a/v1', '--speculation', 'lookup'], '--speculation', '--base-url'],
  [['run', 'x', '--provider', 'ollama', '--speculation', 'lookup'], '--speculation', '--provider'],
  [['connect', 'codex', '--remove', '--context-length', '8k'], '--context-length', '--remove'],
  [['connect', 'codex', '--remove', '--token-file', 'f'], '--token-file', '--remove'],
];
const NEEDING: [string[], string, string][] = [
  [['worker', '--host', '0.0.0.0'], '--host', '--http-port'],
  [['worker', '--allowed-host', 'a.example'], '--allowed-host', '--http-port'],
  [['worker', '--token-file', 'f'], '--token-file', '--http-port'],
  [['connect', '--remove'], '--remove', 'the name of a client'],
  [['connect', '--port', '1'], '--port', 'the name of a client'],
  [['connect', '--yes'], '--yes', 'the name of a client'],
  [['mcp', 'add', 'files', 'https://a.example/mcp', '--env', 'A=b'], '--env', 'a command'],
  [['mcp', 'add', 'files', 'program', '--header', 'A: b'], '--header', 'an address'],
];

describe('a flag without effect', () => {
  it.each(USELESS)('%j is refused', (argv, flag, other) => {
    expect(() => parse(...argv)).toThrow(`${flag} does nothing with ${other}; leave one of them out.`);
  });

  it.each(NEEDING)('%j is refused', (argv, flag, other) => {
    expect(() => parse(...argv)).toThrow(`${flag} does nothing without ${other}.`);
  });

  it.each([
    [['worker', '--host', '0.0.0.0', '--http-port', '0']],
    [['serve', '--host', '0.0.0.0']],
    [['serve', '--token-file', 'f']],
    [['run', 'x', '--base-url', 'http://a/v1', '--speculation', 'off']],
    [['run', 'x', '--provider', 'embedded', '--speculation', 'lookup']],
    [['run', 'x', '--speculation', 'lookup']],
    [['connect', 'codex', '--remove', '-y']],
    [['mcp', 'add', 'files', '--env', 'A=b', '--', 'program', '--header']],
    [['mcp', 'add', 'files', 'https://a.example/mcp', '--header', 'A: b']],
    [['run', 'x', '--offline', '--allow-private', 'localhost:8080']],
    [['run', 'x', '--sandbox', '--allow-network', '--allow-read', '/opt']],
    [['sessions', 'show', 'x', '--all']],
    [['trust', '--remove', '-C', '/tmp']],
  ])('%j is none', (argv) => {
    expect(parse(...argv).kind).toBe('command');
  });

  /** They work beside every other flag, or are refused elsewhere by what they name. A new flag is thought about here. */
  it('every flag is looked at', () => {
    const seen = new Set(
      [...PAIRS.flatMap(([, argv]) => argv), ...[...USELESS, ...NEEDING].flatMap(([argv]) => argv)].map(
        (word) => /^--([^=]+)/.exec(word)?.[1],
      ),
    );
    expect(FLAG_NAMES.filter((name) => !seen.has(name) && !ALONE.includes(name))).toEqual([]);
  });
});

const ALONE: readonly FlagName[] = [
  // Of the model and its server.
  ...(['model', 'provider', 'base-url', 'api-key-env', 'dialect', 'template', 'lora'] as const),
  ...(['temperature', 'top-p', 'seed', 'context-length', 'compaction'] as const),
  // Of the place.
  ...([
    'directory',
    'add-dir',
    'database',
    'preset',
    'system-prompt',
    'append-system-prompt',
    'allow-private',
  ] as const),
  // Rules and bounds.
  ...(['allow', 'deny', 'max-iterations', 'max-time'] as const),
  // What is written, and where.
  ...([
    'format',
    'export',
    'output',
    'json-schema',
    'results',
    'trace',
    'json',
    'openai',
    'quiet',
    'log-level',
  ] as const),
  ...([
    'log-format',
    'record',
    'chunks',
    'limit',
    'at',
    'status',
    'bundle',
    'screen-reader',
    'help',
    'version',
  ] as const),
  // Of a server.
  ...(['trusted-proxy', 'open', 'workers', 'concurrency', 'http-port'] as const),
  // Checked where a session is chosen, and where a server is opened.
  ...(['continue', 'fork', 'compact', 'tls-cert', 'tls-key'] as const),
];
