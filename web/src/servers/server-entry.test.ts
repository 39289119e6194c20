import { describe, expect, it } from 'vitest';
import { readEntry } from './server-entry.ts';

describe('what is typed of an MCP server', () => {
  it.each([
    ['npx -y some-server /tmp', '', { command: 'npx', args: ['-y', 'some-server', '/tmp'] }],
    [`run "two words" 'it "is"' a""b ''`, '', { command: 'run', args: ['two words', 'it "is"', 'ab', ''] }],
    ['node a.js', 'KEY=a=b\n\n OTHER = c ', { command: 'node', args: ['a.js'], env: { KEY: 'a=b', OTHER: 'c' } }],
    ['https://example.test/mcp', '', { url: 'https://example.test/mcp' }],
    [
      ' https://example.test/mcp ',
      'Authorization: Bearer x:y',
      { url: 'https://example.test/mcp', headers: { Authorization: 'Bearer x:y' } },
    ],
    ['{"command": "node", "args": ["b.js"]}', '', { command: 'node', args: ['b.js'] }],
  ])('%s is an entry', (text, pairs, entry) => {
    expect(readEntry(text, pairs)).toEqual({ ok: true, value: [{ entry }] });
  });

  it('takes the name out of what is pasted for other clients', () => {
    expect(readEntry('{"mcpServers": {"files": {"command": "x"}}}', '')).toEqual({
      ok: true,
      value: [{ name: 'files', entry: { command: 'x' } }],
    });
  });

  it.each(['mcpServers', 'servers'])('takes all that stand in one list of %s', (list) => {
    const servers = { files: { command: 'x' }, git: { command: 'y', args: ['z'] }, web: { url: 'https://a.test' } };
    expect(readEntry(JSON.stringify({ [list]: servers }), '')).toEqual({
      ok: true,
      value: Object.entries(servers).map(([name, entry]) => ({ name, entry })),
    });
  });

  it.each([
    ['', '', 'It needs a command or an address.'],
    ['run "open', '', 'A quotation mark in the command is not closed.'],
    ['node a.js', 'KEY', '"KEY" is no line of the form NAME=value.'],
    ['https://example.test', 'KEY=1', '"KEY=1" is no line of the form NAME:value.'],
    ['{"command"', '', 'This begins like JSON and is none.'],
    ['{"mcpServers": {"a": {"command": "x"}, "b": 1}}', '', '"b" is no server: it has no "command" and no "url".'],
    ['{"mcpServers": {}}', '', 'The list has no server in it.'],
    ['{"args": []}', '', 'It has neither "command" nor "url", and no list "mcpServers".'],
  ])('%s (%s) is refused', (text, pairs, message) => {
    expect(readEntry(text, pairs)).toEqual({ ok: false, message });
  });
});
