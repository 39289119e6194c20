/** MCP on the pipes of a process that came through the one port to processes: one JSON message a line. */
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { OpenProcess, Processes } from '../../core/ports.ts';
import { cleanText } from '../clean-text.ts';
import { unmarked, withStructuredText } from '../kept-digits.ts';
import { MCP_LIMITS } from '../limits.ts';
import type { ServerDefinition } from '../server-definition.ts';
import { createMessageLines } from './message-lines.ts';
import { tellingWords } from './telling-words.ts';

export type ProcessTransport = Transport & {
  /** How it ended, and the end of what it wrote beside the protocol. */
  lastWords(): string;
};

/** What a program needs to find its files and speak its language; everything else a server gets is written down for it. */
export const INHERITED =
  'HOME LOGNAME PATH SHELL TERM USER LANG LC_ALL TMPDIR TZ APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE PATHEXT PROGRAMFILES'.split(
    ' ',
  );

export const processTransport = (
  open: NonNullable<Processes['open']>,
  server: ServerDefinition & { kind: 'process' },
  onWarning: (message: string) => void,
): ProcessTransport => {
  let child: OpenProcess | undefined;
  let warnings = 0;
  let words = '';
  let isClosing = false;
  let ended = '';

  /** Servers that log on standard output are many; a few lines of it are worth telling, all of them are not. */
  const stray = (line: string): void => {
    warnings += 1;
    if (warnings > MCP_LIMITS.mcpStrayLines) return;
    const shown = cleanText(line).text.slice(0, MCP_LIMITS.mcpShownCharacters);
    const last = warnings === MCP_LIMITS.mcpStrayLines ? ' (no more of these are told)' : '';
    onWarning(`the MCP server "${server.name}" wrote something that is no message: ${shown}${last}`);
  };
  const take = (line: string): void => {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(withStructuredText(line));
    } catch {
      words = (words + line).slice(-MCP_LIMITS.mcpLastWordsCharacters);
      stray(line);
      return;
    }
    transport.onmessage?.(message);
  };
  const output = createMessageLines(take, () => {
    transport.onerror?.(new Error(`a message is longer than ${MCP_LIMITS.mcpMessageCharacters} characters`));
    void transport.close();
  });

  const transport: ProcessTransport = {
    async start() {
      const opened = await open({
        command: [server.command, ...server.args],
        env: { ...server.env },
        inherit: INHERITED,
        onOutput(text, stream) {
          if (stream === 'stdout') output.push(text);
          else words = (words + text).slice(-MCP_LIMITS.mcpLastWordsCharacters);
        },
      });
      if (!opened.ok) throw new Error(opened.error.message);
      child = opened.value;
      void child.ended.then(({ exitCode, signal }) => {
        ended = signal === null ? `exit code ${exitCode}` : signal;
        transport.onclose?.();
      });
    },
    async send(message) {
      if (child?.write(unmarked(serializeMessage(message))) !== true)
        throw new Error('the server takes no input any more');
    },
    async close() {
      if (child === undefined || isClosing) return;
      isClosing = true;
      // Closed input is how a server is told to end; most do so at once.
      child.closeInput();
      const patience = new Promise<'late'>((resolve) => setTimeout(resolve, MCP_LIMITS.mcpCloseMs, 'late').unref());
      if ((await Promise.race([child.ended, patience])) === 'late') await child.stop();
      else void child.stop();
    },
    lastWords: () =>
      [ended, tellingWords(cleanText(words).text, MCP_LIMITS.mcpShownCharacters)]
        .filter((part) => part !== '')
        .join('; '),
  };
  return transport;
};
