/** What a person types as `/name words`: one reading for every surface, and the commands that a session itself takes. */
import type { Command } from './events.ts';
import { MODES } from './policy/modes.ts';

export type TypedWords = { name: string; argument: string };

/** A path such as `/etc/hosts` is a message, and so is what begins with a blank: a command is one word behind its slash. */
export const typedWords = (text: string): TypedWords | undefined => {
  const match = /^\/([A-Za-z][A-Za-z0-9-]*)(?:\s+([\s\S]*))?$/.exec(text.trimEnd());
  return match ? { name: match[1]!.toLowerCase(), argument: (match[2] ?? '').trim() } : undefined;
};

/** An argument that begins with words of a list, or is such words with commas between: as the list writes them. */
export const asListed = (words: readonly string[] | undefined, argument: string): string =>
  argument.replace(/^[^\s,]+(?:\s*,\s*[^\s,]+)*/, (head) =>
    head.replace(/[^\s,]+/g, (typed) => words?.find((word) => word === typed.toLowerCase()) ?? typed),
  );

export type SessionCommandSpec = {
  name: string;
  description: string;
  /** What may follow the name, for lists and completion. */
  argument?: string;
  /** Words that an argument may be; they are read without case. */
  words?: readonly string[];
  /** The command that is meant, or in words how it is written. */
  read(argument: string): Command | string;
};

/** `step` takes one call back, the others say what becomes of a file that changed since. */
export const UNDO_WORDS = ['step', 'keep', 'force', 'beside'] as const;

/** Every surface where a person writes takes these. */
export const SESSION_COMMANDS: readonly SessionCommandSpec[] = [
  {
    name: 'compact',
    description: 'make room in the window',
    argument: 'what matters',
    read: (argument) => (argument === '' ? { type: 'compact' } : { type: 'compact', focus: argument }),
  },
  {
    name: 'undo',
    description: 'take back what the last answer changed in files',
    argument: UNDO_WORDS.join('|'),
    words: UNDO_WORDS,
    read(argument) {
      if (argument === '') return { type: 'undo', scope: 'message' };
      const choice = UNDO_WORDS.find((known) => known === argument);
      if (choice === undefined) return 'It is /undo, or /undo step, keep, force or beside.';
      return choice === 'step' ? { type: 'undo' } : { type: 'undo', on_change: choice };
    },
  },
  {
    name: 'regenerate',
    description: 'have the last message answered anew',
    read: (argument) => (argument === '' ? { type: 'regenerate' } : 'It is /regenerate, with nothing behind it.'),
  },
  {
    name: 'rename',
    description: 'give this session a name',
    argument: 'name',
    read: (argument) => (argument === '' ? 'It is /rename NAME.' : { type: 'rename', title: argument }),
  },
  {
    name: 'mode',
    description: 'how often you are asked',
    argument: MODES.join('|'),
    words: MODES,
    read(argument) {
      const mode = MODES.find((known) => known === argument);
      return mode ? { type: 'change_mode', mode } : `It is /mode ${MODES.join(', ')}.`;
    },
  },
  {
    name: 'model',
    description: 'take another model',
    argument: 'name',
    read: (argument) => (argument === '' ? 'It is /model NAME.' : { type: 'change_model', model: argument }),
  },
];

/** Of the commands that a session takes; undefined where the name means nothing to it. */
export const sessionCommand = ({ name, argument }: TypedWords): Command | string | undefined => {
  const command = SESSION_COMMANDS.find((each) => each.name === name);
  return command?.read(asListed(command.words, argument));
};
