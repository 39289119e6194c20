/** `halter mcp login|logout NAME`: lets halter in at a server that asks who comes. No run sends anybody to a browser. */

import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Failure } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { didYouMean } from '../../core/tool/nearest-names.ts';
import { createLoginFile } from '../../storage/mcp-logins.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { answerIn, logInAt, serverToLogInAt } from '../mcp-login.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { createEnding } from '../run/ending.ts';
import { pathsOf, reportFailure } from '../settings.ts';

/** On another machine than the browser's, the address that it could not open is typed in here. */
const typedAddress = (io: Io, url: string, signal: AbortSignal): Promise<URLSearchParams> =>
  new Promise((done) => {
    if (io.stdin.isTTY !== true) return;
    const lines = createInterface({ input: io.stdin, terminal: false });
    lines.on('line', (line) => {
      const answer = answerIn(line, url);
      if (answer) done(answer);
    });
    signal.addEventListener('abort', () => lines.close(), { once: true });
  });

export const mcpLoginCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const [name = ''] = words;
    const found = await serverToLogInAt(name, resolve(io.cwd, flags.directory ?? '.'), io);
    if (!found.ok && found.error.reason === 'not_needed') {
      io.stderr.write(`halter: ${found.error.message}\n`);
      return EXIT.answered;
    }
    if (!found.ok) return reportFailure(found.error, io);
    const ending = createEnding(io, undefined);
    const over = new AbortController();
    const signal = AbortSignal.any([ending.signal, over.signal]);
    const done = await logInAt(found.value, io, {
      signal,
      elsewhere: (url) => typedAddress(io, url, signal),
      open(address) {
        const shown = sanitizeLine(address.href);
        io.stderr.write(`halter: log in to ${name} at ${sanitizeLine(address.host)}:\n  ${shown}\n`);
        if (io.stdin.isTTY) io.stderr.write('Is the browser elsewhere? Paste the address here that it ends at.\n');
        void openInBrowser(address.href, io);
      },
    });
    over.abort();
    ending.release();
    if (ending.reason() === 'interrupted') {
      if (!done.ok) reportFailure(done.error, io);
      return EXIT.interrupted;
    }
    if (!done.ok) return reportFailure(done.error, io);
    io.stderr.write(`halter: logged in to ${name}; \`halter mcp logout ${name}\` forgets it\n`);
    return EXIT.answered;
  },
};

const noLogin = (name: string, among: readonly string[]): Failure => {
  const there = among.length === 0 ? 'There is none' : `There are: ${among.join(', ')}`;
  const message = `There is no login for an MCP server ${quotedName(name)}.${didYouMean(name, among)} ${there}; \`halter mcp list\` shows the servers.`;
  return { error_type: 'not_found', message };
};

export const mcpLogoutCommand: CommandCode = {
  async execute({ words, io }) {
    const [name = ''] = words;
    const file = createLoginFile(pathsOf(io).config);
    const kept = await file.servers();
    if (!kept.ok) return reportFailure(kept.error, io);
    if (!kept.value.includes(name)) return reportFailure(noLogin(name, kept.value), io);
    const removed = await file.write(name, undefined);
    return removed.ok ? EXIT.answered : reportFailure(removed.error, io);
  },
};
