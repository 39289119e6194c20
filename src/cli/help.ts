/** Help texts, made from the tables of commands and flags. */
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, GROUPS, inGroup, TERMINAL_APP } from './commands.ts';
import { type FlagName, flagSpec } from './flags.ts';

const GAP = 2;

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length)) + GAP;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`.trimEnd()).join('\n');
};

const flagRow = (name: FlagName, command?: CommandSpec): readonly [string, string] => {
  const spec = flagSpec(name);
  const own = command?.flagHelp?.[name];
  const short = spec.short ? `-${spec.short}, ` : '    ';
  const value = spec.kind === 'switch' ? '' : ` ${own?.value ?? spec.value ?? 'VALUE'}`;
  const choices = spec.choices ? `: ${spec.choices.join(', ')}` : '';
  return [`${short}--${name}${value}`, own?.help ?? `${spec.help}${choices}`];
};

const usageLine = (command: CommandSpec): string => `halter ${[command.name, command.usage].filter(Boolean).join(' ')}`;

const overview = (): string =>
  [
    'halter lets a local language model use tools in a folder, and does nothing that you did not allow.',
    '',
    'Usage:',
    table([TERMINAL_APP, ...COMMANDS].map((command) => [usageLine(command), command.summary])),
    '',
    'Flags of the terminal app and of `halter run`:',
    table([...TERMINAL_APP.flags, 'help' as const, 'version' as const].map((name) => flagRow(name))),
    '',
    '`halter COMMAND --help` says more about a command.',
    'Exit codes: 0 answered · 1 error · 2 usage · 3 permission needed · 4 limit · 5 no usable model · 130 interrupted',
  ].join('\n');

const onCommand = (command: CommandSpec): string => {
  const parts = [`${capital(command.summary)}.`, '', 'Usage:', `  ${usageLine(command)}`];
  if (command.flags.length > 0) {
    parts.push('', 'Flags:', table(command.flags.map((name) => flagRow(name, command))));
  }
  if (command.examples) parts.push('', 'Examples:', ...command.examples.map((example) => `  ${example}`));
  return parts.join('\n');
};

const onGroup = (group: string): string =>
  [
    'Usage:',
    table(inGroup(group).map((command) => [usageLine(command), command.summary])),
    '',
    `\`halter ${group} COMMAND --help\` says more about a command.`,
  ].join('\n');

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `topic` is a command, the first word of some commands, or '' for everything. */
export const helpText = (topic: string): string => {
  const command = COMMANDS.find(({ name }) => name === topic);
  if (command) return `${onCommand(command)}\n`;
  return GROUPS.includes(topic) ? `${onGroup(topic)}\n` : `${overview()}\n`;
};
