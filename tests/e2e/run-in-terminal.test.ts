/** `halter run` where a person sits: text streams, the question is asked and answered, nothing from outside steers the screen. */
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { cleanEnvironment } from '../support/halter-process.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { jsonRoutes, pngBytes } from '../support/web-world.ts';

const open = async (
  turns: ScriptedServerOptions['turns'],
  command: readonly string[] = ['run', 'Do it'],
  environment: Record<string, string> = {},
) => {
  const server = await startScriptedServer(turns ? { turns } : {});
  onTestFinished(() => server.close());
  const folder = scratchFolder();
  const args = [MAIN, ...command, '--provider', 'openai', '--base-url', server.openaiUrl];
  const terminal = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...cleanEnvironment(scratchFolder()), TERM: 'xterm-256color', ...environment },
    cols: 100,
    rows: 40,
  });
  let seen = '';
  const waiting = new Set<() => void>();
  terminal.onData((data) => {
    seen += data;
    for (const check of waiting) check();
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  onTestFinished(() => {
    try {
      terminal.kill('SIGKILL');
    } catch {
      // It has ended by itself.
    }
  });
  return {
    folder,
    server,
    terminal,
    ended,
    seen: () => seen,
    until: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const check = (): void => {
          if (!seen.includes(text)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void ended.then(() => reject(new Error(`it ended without showing ${text}:\n${seen}`)));
      }),
  };
};
const CHOICES = '[1] Allow Once  [2] Session  [3] Remember  [4] Deny';
const write = (name: string, content = 'hello\n') => ({
  calls: [{ name: 'write_file', arguments: { path: name, content } }],
});

describe('halter run in a terminal', () => {
  it('asks with tool, arguments, risk and diff, and does what is answered', async () => {
    verifies('Z8', 'Z9', 'H7', 'H12');
    const run = await open([write('a.txt'), { text: 'Written.' }]);
    await run.until(CHOICES);
    expect(fs.existsSync(path.join(run.folder, 'a.txt'))).toBe(false);
    for (const text of ['Permission Request', 'Tool: ', 'write_file', 'Risk: ', 'HIGH', '+hello']) {
      expect(stripVTControlCharacters(run.seen())).toContain(text);
    }
    run.terminal.write('what?\r');
    await run.until('Type 1, 2, 3 or 4');
    run.terminal.write('1\r');
    expect(await run.ended).toBe(0);
    expect(run.seen()).toContain('Written.');
    expect(fs.readFileSync(path.join(run.folder, 'a.txt'), 'utf8')).toBe('hello\n');
  });

  it('takes a denial with its reason to the model, and asks again for the next call', async () => {
    verifies('Z8');
    const run = await open([write('a.txt'), write('b.txt'), { text: 'Done.' }]);
    await run.until(CHOICES);
    run.terminal.write('4 not this one\r');
    await run.until('b.txt');
    run.terminal.write('1\r');
    expect(await run.ended).toBe(0);
    expect(run.server.requests[1]?.text).toContain('not this one');
    expect(fs.existsSync(path.join(run.folder, 'a.txt'))).toBe(false);
    expect(fs.existsSync(path.join(run.folder, 'b.txt'))).toBe(true);
  });

  it('remembers the file that was asked about', async () => {
    verifies('Z10');
    const run = await open([write('a.txt'), write('a.txt', 'again\n'), write('b.txt'), { text: 'Done.' }]);
    await run.until(CHOICES);
    run.terminal.write('3\r');
    await run.until('b.txt');
    expect(fs.readFileSync(path.join(run.folder, 'a.txt'), 'utf8')).toBe('again\n');
    run.terminal.write('4\r');
    expect(await run.ended).toBe(0);
    expect(fs.existsSync(path.join(run.folder, 'b.txt'))).toBe(false);
  });

  it('shows what a model sends as text that cannot steer the terminal', async () => {
    const run = await open([{ text: 'before \u001b]0;owned\u0007\u001b[2J after', pieceCharacters: 1 }]);
    expect(await run.ended).toBe(0);
    expect(run.seen()).toContain('before ');
    expect(run.seen()).toContain(' after');
    expect(run.seen()).not.toContain('\u001b]0;');
    expect(run.seen()).not.toContain('\u001b[2J');
  });

  it('ends with 130 on Ctrl-C', async () => {
    const run = await open([{ headersGate: new Promise(() => {}) }]);
    await run.until('thinking');
    run.terminal.write('\u0003');
    expect(await run.ended).toBe(130);
  });
});

describe('halter', () => {
  it('opens the terminal app, runs tools in the folder, asks, and leaves', async () => {
    verifies('Z18', 'Z19', 'H12');
    const turns = [
      { calls: [{ name: 'add_task', arguments: { content: 'write the file' } }] },
      write('a.txt'),
      { text: 'The file is there.' },
    ];
    const app = await open(turns, []);
    await app.until('test-model');
    app.terminal.write('Write a file\r');
    await app.until('Allow Once');
    await app.until('Press 1, 2, 3 or 4');
    app.terminal.write('1');
    await app.until('The file is there.');
    expect(stripVTControlCharacters(app.seen())).toContain('write the file');
    expect(fs.readFileSync(path.join(app.folder, 'a.txt'), 'utf8')).toBe('hello\n');
    app.terminal.write('/exit\r');
    expect(await app.ended).toBe(0);
  });

  it.each([
    ['xterm-kitty', 'as a picture', /\x1b_Ga=T,f=100,q=2,C=1,c=57,r=14,m=0;[A-Za-z0-9+/=]+\x1b\\/],
    ['xterm-256color', 'as a line', undefined],
  ])('in %s, shows what generate_image made %s', async (term, _how, drawn) => {
    verifies('E3');
    const picture = pngBytes(512, 256);
    const routes = jsonRoutes({
      'GET /sdapi/v1/options': () => ({ sd_model_checkpoint: 'm.safetensors', samples_format: 'png' }),
      'GET /sdapi/v1/progress': () => ({ progress: 0.5, eta_relative: 2, state: {}, current_image: null }),
      'POST /sdapi/v1/txt2img': () => ({ images: [picture.toString('base64')], parameters: {}, info: '{}' }),
    });
    const images = createServer(routes.listener).listen(0, '127.0.0.1');
    await once(images, 'listening');
    onTestFinished(() => void images.close());
    const turns = [{ calls: [{ name: 'generate_image', arguments: { prompt: 'A fox' } }] }, { text: 'Here it is.' }];
    const at = `http://127.0.0.1:${(images.address() as AddressInfo).port}`;
    const app = await open(turns, ['--allow', 'generate_image'], { TERM: term, HALTER_IMAGE_URL: at });
    await app.until('test-model');
    app.terminal.write('Draw a fox\r');
    await app.until('Here it is.');
    expect(app.seen()).toContain('images/a-fox.png, 512 × 256');
    if (drawn) await app.until('\x1b_Ga=T');
    app.terminal.write('/exit\r');
    expect(await app.ended).toBe(0);
    if (drawn) expect(app.seen()).toMatch(drawn);
    else expect(app.seen()).not.toMatch(/\x1b_G|\x1b\]1337/);
  });
});
