/** Slash commands: what the person types, read strictly; what is unknown is answered with the nearest. */
import { nearest } from '../../core/tool/nearest-names.ts';
import { asListed, typedWords } from '../../core/typed-command.ts';
import { CONVERSATION_COMMANDS } from './conversation-commands.ts';
import { HISTORY_COMMANDS } from './history-commands.ts';
import { LISTING_COMMANDS } from './listing-commands.ts';
import { LOOK_COMMANDS } from './look-commands.ts';
import { MODE_COMMANDS } from './mode-commands.ts';
import { MODEL_COMMANDS } from './model-commands.ts';
import { PERMISSION_COMMANDS } from './permission-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { sharedCommands } from './shared-commands.ts';
import type { NamedPrompt, Prompts, SlashCommand } from './slash-command.ts';

const OWN: readonly SlashCommand[] = [
  ...LISTING_COMMANDS,
  ...MODEL_COMMANDS,
  ...CONVERSATION_COMMANDS,
  ...HISTORY_COMMANDS,
  ...MODE_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...LOOK_COMMANDS,
  ...SESSION_COMMANDS,
];
/** Every slash command. A new one is one entry in a list of this folder, or in the list of all surfaces (core/typed-command.ts). */
export const COMMANDS: readonly SlashCommand[] = [...sharedCommands(OWN), ...OWN];

export type UnknownCommand = { type: 'unknown'; name: string; nearest: string | undefined; habit: string | undefined };
export type ParsedCommand =
  | { type: 'message' }
  | { type: 'command'; command: SlashCommand; argument: string }
  | UnknownCommand;

/** What other programs call it. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  quit: 'exit',
  resume: 'sessions',
  clear: 'new',
  models: 'model',
};

/** What other programs have, and what does it here. */
const HABITS: ReadonlyMap<string, string> = new Map([
  [
    'redo',
    'What /undo took back comes back when you ask for it again; /regenerate has the last message answered anew.',
  ],
  ['diff', '`!git diff` shows what changed.'],
]);

export const commandNamed = (name: string): SlashCommand | undefined => {
  const known = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name;
  return COMMANDS.find((each) => each.name === known);
};

/** A path such as `/etc/hosts` is a message. */
export const parseCommand = (text: string): ParsedCommand => {
  const typed = typedWords(text.trim());
  if (typed === undefined) return { type: 'message' };
  const { name, argument } = typed;
  const command = commandNamed(name);
  if (command) return { type: 'command', command, argument: asListed(command.words, argument) };
  return { type: 'unknown', name, nearest: nearestCommand(name), habit: HABITS.get(name) };
};

/** Prompts of one's own whose name can be typed: a command that acts keeps its name. */
export const splitPrompts = (prompts: readonly NamedPrompt[]): Prompts => {
  const taken = new Set([...COMMANDS.map(({ name }) => name), ...Object.keys(OTHER_NAMES)]);
  return {
    usable: prompts.filter(({ name }) => !taken.has(name)),
    hidden: prompts.filter(({ name }) => taken.has(name)),
  };
};

const nearestCommand = (name: string): string | undefined => {
  const known = [...COMMANDS.map((command) => command.name), ...Object.keys(OTHER_NAMES)];
  return nearest(name, known)[0];
};
