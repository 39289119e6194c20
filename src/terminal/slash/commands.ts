/** Slash commands: what the person types, read strictly; what is unknown is answered with the nearest. */
import { nearest } from '../../core/tool/nearest-names.ts';

export type SlashCommand = { name: string; description: string; argument?: string };

export const COMMANDS: readonly SlashCommand[] = [
  { name: 'help', description: 'keys and commands' },
  { name: 'tools', description: 'the tools the model may call, with their risk' },
  { name: 'mcp', description: 'MCP servers and their tools', argument: 'reconnect|off|on server' },
  { name: 'model', description: 'show or change the model', argument: 'name' },
  { name: 'context', description: 'what fills the window; "files" adds the file tree', argument: 'files' },
  { name: 'compact', description: 'make room in the window' },
  { name: 'undo', description: 'put the last changed file back as it was', argument: 'keep|force|beside' },
  { name: 'regenerate', description: 'have the last message answered anew' },
  { name: 'rename', description: 'give this session a name', argument: 'name' },
  { name: 'copy', description: 'put the last answer on the clipboard' },
  { name: 'export', description: 'write this conversation to a file', argument: 'file.md' },
  { name: 'sessions', description: 'go on with an earlier session of this folder' },
  { name: 'new', description: 'begin a new session' },
  { name: 'exit', description: 'leave halter' },
];

export type ParsedCommand =
  | { type: 'message' }
  | { type: 'command'; name: string; argument: string }
  | { type: 'unknown'; name: string; nearest: string | undefined };

/** A path such as `/etc/hosts` is a message: a command is one word of letters. */
export const parseCommand = (text: string): ParsedCommand => {
  const match = /^\/([A-Za-z][A-Za-z-]*)(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!match) return { type: 'message' };
  const name = match[1]!.toLowerCase();
  const known = name === 'quit' ? 'exit' : name;
  if (COMMANDS.some((command) => command.name === known)) {
    return { type: 'command', name: known, argument: (match[2] ?? '').trim() };
  }
  return { type: 'unknown', name, nearest: nearestCommand(name) };
};

const nearestCommand = (name: string): string | undefined => {
  const known = COMMANDS.map((command) => command.name);
  return nearest(name, known)[0];
};
