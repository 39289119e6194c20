/** What the commands print on a terminal: halter's own colours, and no control character of anybody else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { fakeIo } from '../support/fake-io.ts';

/** A window title, a cleared screen, hidden text, one C1 byte, one that turns the direction round. */
const HOSTILE = '\u001b]0;x\u0007 \u001b[2J \u001b[8mhidden \u009b31m \u202egnp \u001b[1mbold\rover';
const OWN = /\u001b\[(?:[1-4]|7|9|2[2-479]|3[1-69]|49|1;3[1-6]|22;39|48;5;\d+)m|\r\u001b\[K/g;
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'sessions list': ['sessions', 'list'],
  'sessions search': ['sessions', 'search', 'hidden'],
  'sessions show': ['sessions', 'show', 'first'],
  'sessions show --all': ['sessions', 'show', 'first', '--all'],
  'sessions show --json': ['sessions', 'show', 'first', '--json'],
  'sessions export': ['sessions', 'export', 'first'],
  'sessions delete of none': ['sessions', 'delete', HOSTILE],
  'sessions fork of none': ['sessions', 'fork', HOSTILE],
  'sessions undo': ['sessions', 'undo', 'first'],
  replay: ['replay', 'first'],
  'tools call': ['tools', 'call', 'read_file', JSON.stringify({ path: 'hostile.txt' })],
  'tools call of none': ['tools', 'call', HOSTILE, '{}'],
  'tools validate': ['tools', 'validate', 'read_file', JSON.stringify({ path: 3, [HOSTILE]: 1 })],
  'tools list': ['tools', 'list'],
  parse: ['parse', `<tool_call>{"name":"${'\\u001b[2J'}","arguments":{}}</tool_call>${HOSTILE}`],
  render: ['render', HOSTILE],
  'policy test': ['policy', 'test', 'bash', JSON.stringify({ command: HOSTILE })],
  'policy explain': ['policy', 'explain', 'bash', JSON.stringify({ command: HOSTILE })],
  'policy list': ['policy', 'list', '--allow', `bash(${HOSTILE})`],
  search: ['search', 'hidden'],
  index: ['index'],
  context: ['context'],
  'config list': ['config', 'list'],
  'config set': ['config', 'set', HOSTILE, 'x'],
  'config get': ['config', 'get', HOSTILE],
  'mcp list': ['mcp', 'list'],
  'models list': ['models', 'list'],
  doctor: ['doctor'],
  'no command': [HOSTILE],
  'no flag': [`--${HOSTILE}`],
  run: ['run', '--format', 'text', 'Say it'],
};

describe('on a terminal', () => {
  let home = '';
  let cwd = '';
  let url = '';
  beforeAll(async () => {
    const base = mkdtempSync(path.join(os.tmpdir(), 'halter-printed-'));
    [home, cwd] = [path.join(base, 'home'), path.join(base, 'work')];
    for (const folder of [home, cwd]) mkdirSync(folder);
    writeFileSync(path.join(cwd, 'hostile.txt'), `${HOSTILE}\n`);
    writeFileSync(path.join(cwd, 'AGENTS.md'), `hidden ${HOSTILE}\n`);
    mkdirSync(path.join(cwd, '.halter'));
    writeFileSync(path.join(cwd, '.halter', 'config.json'), JSON.stringify({ model: HOSTILE, [HOSTILE]: 1 }));
    writeFileSync(path.join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { [HOSTILE]: { command: HOSTILE } } }));
    const turns = [
      { calls: [{ name: 'read_file', arguments: { path: 'hostile.txt' } }] },
      { text: `It says ${HOSTILE}` },
      { text: `It says ${HOSTILE}` },
    ];
    const server = await startScriptedServer({ turns });
    url = server.openaiUrl;
    await printed(['run', '--session', 'first', `Read it ${HOSTILE}`]);
    return async () => {
      await server.close();
      rmSync(base, { recursive: true, force: true });
    };
  });

  const printed = async (args: readonly string[]): Promise<string> => {
    const flags = /^(?:run|replay|models|context|doctor)$/.test(args[0] ?? '')
      ? ['--provider', 'openai', '--base-url', url]
      : [];
    const env = { HOME: home, PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color' };
    const io = fakeIo({ cwd, isTTY: true, env });
    await runCommandLine([...args, ...flags], io);
    return `${io.out()}${io.err()}`;
  };

  it.each(Object.entries(COMMANDS))('%s prints no control character of others', async (_, args) => {
    verifies('U1', 'S6');
    const text = await printed(args);
    expect(text).not.toBe('');
    expect(UNSAFE.exec(text.replaceAll('\n', '').replaceAll(OWN, ''))).toBeNull();
    expect(text).not.toContain('\u001b[1mbold');
  });

  it('sessions show paints its own headings', async () => {
    verifies('U1');
    const text = await printed(COMMANDS['sessions show'] ?? []);
    expect(text).toContain('\u001b[1muser:\u001b[22m');
    expect(text).not.toContain('\\u{1B}[1muser');
  });
});
