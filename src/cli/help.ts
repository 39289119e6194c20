/** Help texts, made from the tables of commands and flags. */
import { capital } from '../core/capital.ts';
import { MODES } from '../core/policy/modes.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, GROUPS, inGroup, TERMINAL_APP } from './commands.ts';
import { type FlagName, flagSpec, flagValueText } from './flags.ts';

const GAP = 2;

const table = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length)) + GAP;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`.trimEnd()).join('\n');
};

const flagRow = (name: FlagName, command?: CommandSpec): readonly [string, string] => {
  const spec = flagSpec(name);
  const own = command?.flagHelp?.[name];
  const short = spec.short ? `-${spec.short}, ` : '    ';
  const choices = spec.choices ? `: ${spec.choices.join(', ')}` : '';
  return [`${short}--${name}${flagValueText(name, own?.value)}`, own?.help ?? `${spec.help}${choices}`];
};

const usageLine = (command: CommandSpec): string => `halter ${[command.name, command.usage].filter(Boolean).join(' ')}`;

/** What a person needs on the first day; it fits a small screen. */
const FIRST_FLAGS: readonly FlagName[] = ['model', 'continue', 'mode', 'allow', 'directory'];
const GROUP_WORDS: readonly (readonly [string, string])[] = [
  ['halter [folder]', 'open the terminal app in a folder'],
  ['halter run [prompt…]', 'answer once; piped input is appended to the prompt'],
  ['halter serve', 'a page in the browser, and an API'],
  ['halter launch CLIENT', 'another agent (claude, codex, …) on a local model'],
  ['halter connect CLIENT', 'the same for good: writes the settings of that agent'],
  ['halter models …', 'list, pull, probe or remove models'],
  ['halter sessions …', 'list, show, search, undo, export conversations'],
  ['halter tools …', 'list or call the tools'],
  ['halter mcp …', 'servers of the Model Context Protocol'],
  ['halter policy …', 'the rules that hold, and why'],
  ['halter doctor', 'say what works here and what does not'],
];

const overview = (): string =>
  [
    'halter lets a local language model use tools in a folder, and does nothing that you did not allow.',
    '',
    'Usage:',
    table(GROUP_WORDS),
    '',
    'Flags:',
    table(FIRST_FLAGS.map((name) => (name === 'mode' ? shortModeRow : flagRow(name)))),
    '',
    '`halter COMMAND --help` says more about a command, `halter --help all` shows every command and flag.',
  ].join('\n');

const shortModeRow = ['    --mode MODE', `how often you are asked: ${MODES.join(', ')}`] as const;

const everything = (): string =>
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

/** `topic` is a command, the first word of some commands, `all`, or '' for what is needed first. */
export const helpText = (topic: string): string => {
  const command = COMMANDS.find(({ name }) => name === topic);
  if (command) return `${onCommand(command)}\n`;
  if (GROUPS.includes(topic)) return `${onGroup(topic)}\n`;
  return `${topic === 'all' ? everything() : overview()}\n`;
};
