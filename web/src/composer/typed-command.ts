/** What the person wrote into the field: a message, a command, or a word that is no command here. Pure. */
import type { Command } from '../../../src/core/events.ts';
import { nearest } from '../../../src/core/tool/nearest-names.ts';
import { SESSION_COMMANDS, sessionCommand, typedWords } from '../../../src/core/typed-command.ts';

export type Typed =
  | { type: 'message' }
  | { type: 'command'; command: Command }
  | { type: 'new_session' }
  | { type: 'review' }
  /**
   * Nothing is sent. `isDone`: the words were asked for, so the field is free again. `isUnknown`: it may be a prompt of the
   * person's own, which the server knows.
   */
  | { type: 'told'; text: string; isDone?: boolean; isUnknown?: boolean };

const HELP_NAME = 'help';
const REVIEW_NAME = 'changes';

const NEW_SESSION: readonly string[] = ['new', 'clear'];

/** What other surfaces have as a command stands on this page as something to press. */
const ON_THE_PAGE: Readonly<Record<string, string>> = {
  sessions: 'The sessions are at the left, and Ctrl+K searches them.',
  resume: 'The sessions are at the left, and Ctrl+K searches them.',
  fork: 'Fork is in the menu of the session, at the left.',
  export: 'Export is in the menu of the session, at the left.',
  rewind: 'The pencil at a message of yours changes it and goes on from there.',
  copy: 'Copy is below every answer.',
  context: 'How full the window is stands above the field.',
  mcp: 'The MCP servers are behind the plug at the lower left.',
  tools: 'The tools are in the settings, at the lower left.',
  permissions: 'The rules are in the settings, at the lower left.',
  think: 'Whether the model thinks first is in the settings, under Session.',
  stats: 'The statistics are in the settings; what an answer took stands below it.',
  models: 'The models are behind the name of the model, below the field.',
  jobs: 'What runs in the background is told in the conversation; ask the model to stop it.',
  tree: 'The arrows beside a message or an answer lead to its other branches.',
  exit: 'Nothing has to be closed: the session stays, and goes on here or in the terminal.',
  quit: 'Nothing has to be closed: the session stays, and goes on here or in the terminal.',
  'status-line': 'What the page shows is in the settings, under Browser.',
  theme: 'Light and dark are at the lower left.',
};

export const readTyped = (text: string): Typed => {
  const words = typedWords(text);
  if (words === undefined) return { type: 'message' };
  const command = sessionCommand(words);
  if (typeof command === 'string') return { type: 'told', text: command };
  if (command !== undefined) return { type: 'command', command };
  if (NEW_SESSION.includes(words.name)) return { type: 'new_session' };
  if (words.name === REVIEW_NAME) return { type: 'review' };
  if (words.name === HELP_NAME) return { type: 'told', text: listed(), isDone: true };
  return { type: 'told', text: `${unknownText(words.name)} ${AS_MESSAGE}`, isUnknown: true };
};

const AS_MESSAGE = 'With a blank in front it is sent as a message.';

/** Of a text that is to take the place of a message that was sent; undefined where it is a message. */
export const noMessage = (text: string): string | undefined =>
  readTyped(text).type === 'message'
    ? undefined
    : `A command cannot take the place of a message: write it into the field below. ${AS_MESSAGE}`;

/** Everything that this page takes, for lists and completion. */
export const PAGE_COMMANDS: readonly { name: string; description: string; argument?: string }[] = [
  ...SESSION_COMMANDS,
  { name: REVIEW_NAME, description: 'look through what changed in files' },
  { name: 'new', description: 'begin another session' },
  { name: HELP_NAME, description: 'list the commands' },
];

const names = (): string[] => PAGE_COMMANDS.map(({ name }) => name);
const listed = (): string =>
  `Commands: ${names()
    .map((name) => `/${name}`)
    .join(', ')}.`;

const unknownText = (name: string): string => {
  const place = Object.hasOwn(ON_THE_PAGE, name) ? ON_THE_PAGE[name] : undefined;
  const [near] = nearest(name, names());
  const next = place ?? (near ? `Did you mean /${near}?` : listed());
  return `There is no command /${name} on this page. ${next}`;
};
