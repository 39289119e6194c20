/** The terminal app with a real MCP server: its questions on the screen, and `/mcp`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { openScreen, type Screen, tmuxMissing } from './terminal-screen.ts';

const EVERYTHING = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

const start = async (turns: readonly ScriptedServerTurn[]): Promise<Screen> => {
  const home = scratchFolder();
  const folder = path.join(home, 'work');
  const config = path.join(home, 'config', 'halter');
  for (const each of [folder, config]) mkdirSync(each, { recursive: true });
  const servers = { mcpServers: { all: { command: process.execPath, args: [EVERYTHING] } } };
  writeFileSync(path.join(config, 'mcp.json'), JSON.stringify(servers), { mode: 0o600 });
  const model = await startScriptedServer({ turns, models: [{ id: 'test-model' }] });
  const screen = openScreen({
    program: [
      MAIN,
      '--provider',
      'openai',
      '--base-url',
      model.openaiUrl,
      '-m',
      'test-model',
      '--allow',
      'mcp__all__trigger*',
    ],
    folder,
    environment: {
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      XDG_DATA_HOME: path.join(home, 'data'),
      XDG_CACHE_HOME: path.join(home, 'cache'),
    },
    rows: 44,
    columns: 100,
  });
  onTestFinished(async () => {
    screen.close();
    await model.close();
  });
  await screen.until('test-model ·');
  return screen;
};
const say = (screen: Screen, text: string): void => {
  screen.type(text);
  screen.keys('Enter');
};
const call = (name: string, args: Record<string, string | number> = {}) => ({
  calls: [{ name: `mcp__all__${name}`, arguments: args }],
});

const missing = tmuxMissing();

describe.skipIf(missing)(`MCP in the terminal app${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it('fills in a form, looks at words of the model before they go, and lists servers', {
    timeout: 60_000,
  }, async () => {
    verifies('B10');
    const screen = await start([
      call('trigger-elicitation-request'),
      { text: 'That was the form.' },
      call('trigger-sampling-request', { prompt: 'say it', maxTokens: 20 }),
      { text: 'words of the model' },
      { text: 'That was the sample.' },
    ]);
    say(screen, 'go');
    const form = await screen.until('Press 1 or 2');
    expect(form).toContain('A server asks you to fill in a form');
    expect(form).toContain('MCP server: all');
    screen.keys('1');
    await screen.until('name: ');
    screen.type('Ada Lovelace');
    await screen.until('Ada Lovelace');
    // The first field has to be filled in; the others may stay as they are.
    for (let field = 0; field < 14; field += 1) {
      screen.keys('Enter');
      await new Promise((resolve) => setImmediate(resolve));
    }
    const filled = await screen.until('[1] Send it');
    expect(filled).toContain('name: "Ada Lovelace"');
    screen.keys('1');
    expect(await screen.until('That was the form.')).toContain('The MCP server all got your answer.');

    say(screen, 'again');
    expect(await screen.until('[1] Let the model answer')).toContain('say it');
    await screen.until('Press 1 or 2');
    screen.keys('1');
    expect(await screen.until('[1] Send it')).toContain('words of the model');
    await screen.until('Press 1 or 2');
    screen.keys('2');
    await screen.until('That was the sample.');

    say(screen, '/mcp');
    expect(await screen.until('17 tools')).toMatch(/all {2}connected/);
    say(screen, '/mcp off all');
    await screen.until('turned off');
    say(screen, '/mcp on all');
    await screen.until(/mcp on all\s+all {2}connected/);
    say(screen, '/mcp all');
    await screen.until('mcp__all__echo');
  });
});
