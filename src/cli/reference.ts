/** The reference page of the command line, made from the tables of commands and flags. */
import { capital } from '../core/capital.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, TERMINAL_APP } from './commands.ts';
import { FLAG_NAMES, type FlagName, flagSpec, flagValueText } from './flags.ts';

export const REFERENCE_FILE = 'docs/reference/command-line.md';

const flagText = (name: FlagName, command?: CommandSpec): string => {
  const spec = flagSpec(name);
  const value = flagValueText(name, command?.flagHelp?.[name]?.value);
  return `${spec.short ? `\`-${spec.short}\`, ` : ''}\`--${name}${value}\``.replaceAll('|', '\\|');
};

const flagRow = (name: FlagName): string => {
  const spec = flagSpec(name);
  const choices = spec.choices ? `: ${spec.choices.map((choice) => `\`${choice}\``).join(', ')}` : '';
  return `| ${flagText(name)} | ${spec.help}${choices} |`;
};

const section = (command: CommandSpec): string => {
  const usage = ['halter', command.name, command.usage].filter((part) => part !== '').join(' ');
  const lines = [`### \`${usage}\``, '', `${capital(command.summary)}.`];
  if (command.flags.length > 0) {
    lines.push('', `Flags: ${command.flags.map((name) => `\`--${name}\``).join(' ')}`);
  }
  for (const [name, { value, help }] of Object.entries(command.flagHelp ?? {})) {
    lines.push('', `Here \`--${name} ${value}\` is ${help}.`);
  }
  return lines.join('\n');
};

export const commandLineReference = (): string =>
  [
    '# Command line',
    '',
    '<!-- Made by scripts/write-reference.ts from src/cli/commands.ts and src/cli/flags.ts. -->',
    '',
    '`halter --help` says the same in short. Exit codes and events: [events.md](events.md).',
    '',
    '## Commands',
    '',
    [TERMINAL_APP, ...COMMANDS].map(section).join('\n\n'),
    '',
    '## Flags',
    '',
    'Flags may stand anywhere; everything behind `--` is a word.',
    '',
    '| flag | does |',
    '|---|---|',
    ...FLAG_NAMES.map(flagRow),
    '',
  ].join('\n');
