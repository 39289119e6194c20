/** The commands that every surface takes. The terminal has a way of its own for some of them. */
import { SESSION_COMMANDS, type SessionCommandSpec, sessionCommand } from '../../core/typed-command.ts';
import { type SlashCommand, type SlashHost, send } from './slash-command.ts';

type Words = Pick<SlashCommand, 'name' | 'description' | 'argument' | 'words'>;

const wordsOf = ({ read: _, ...words }: SessionCommandSpec): Words => words;

/** How the list of all surfaces describes a command, for one that does more here. */
export const sharedWords = (name: string): Words => {
  const spec = SESSION_COMMANDS.find((each) => each.name === name);
  if (spec === undefined) throw new TypeError(`Not every surface takes /${name}: it is not in core/typed-command.ts.`);
  return wordsOf(spec);
};

/** The others are taken while a run goes on. */
const NEEDS_REST: ReadonlySet<string> = new Set(['compact', 'regenerate']);

const perform = (host: SlashHost, name: string, argument: string): void | Promise<void> => {
  const command = sessionCommand({ name, argument });
  if (command === undefined || typeof command === 'string') return host.notice('warning', command ?? '');
  return send(host, command);
};

/** Those that have no entry of their own in the terminal's lists. */
export const sharedCommands = (own: readonly SlashCommand[]): readonly SlashCommand[] =>
  SESSION_COMMANDS.filter(({ name }) => own.every((each) => each.name !== name)).map((spec) => ({
    ...wordsOf(spec),
    waitsForEnd: () => NEEDS_REST.has(spec.name),
    perform: (host, argument) => perform(host, spec.name, argument),
  }));
