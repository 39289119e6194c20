/** Completions for bash, zsh and fish, made from the tables of commands and flags. */

import { didYouMean } from '../../core/tool/nearest-names.ts';
import type { CommandCode } from '../command-code.ts';
import type { CommandSpec } from '../command-spec.ts';
import { COMMANDS, GROUPS, inGroup, TERMINAL_APP } from '../commands.ts';
import { EXIT } from '../exit-codes.ts';
import { type FlagName, flagSpec, isSwitch } from '../flags.ts';
import { UsageError } from '../io.ts';

const secondWords = (group: string): string[] => inGroup(group).flatMap(({ name }) => name.split(' ')[1] ?? []);
const flagWords = (command: CommandSpec): string[] => [...command.flags, 'help' as const].map((name) => `--${name}`);
const single = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const bash = (): string => {
  const flagCases = [TERMINAL_APP, ...COMMANDS].map(
    (command) => `    ${single(command.name)}) words=${single(flagWords(command).join(' '))} ;;`,
  );
  const groupCases = GROUPS.filter((group) => secondWords(group).length > 0).map(
    (group) => `    ${group}) words=${single(secondWords(group).join(' '))} ;;`,
  );
  const choiceCases = choices().map(([name, values]) => `    --${name}) words=${single(values.join(' '))} ;;`);
  return `# bash completion for halter
_halter() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words='' command='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) command="\${command:+$command }$word" ;; esac
  done
  case $previous in
${choiceCases.join('\n')}
    -C|--directory|--add-dir|-o|--output|--json-schema|--template) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  if [[ -z $words && $current == -* ]]; then
    case $command in
${flagCases.join('\n')}
    run*) words=${single(flagWords(COMMANDS.find(({ name }) => name === 'run') as CommandSpec).join(' '))} ;;
    esac
  elif [[ -z $words ]]; then
    case $command in
    '') words=${single(GROUPS.join(' '))} ;;
${groupCases.join('\n')}
    completion) words='bash zsh fish' ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ -z $command && $current != -* ]] && COMPREPLY+=($(compgen -d -- "$current"))
}
complete -F _halter halter
`;
};

const choices = (): [FlagName, readonly string[]][] =>
  [...new Set([TERMINAL_APP, ...COMMANDS].flatMap(({ flags }) => flags))].flatMap((name) => {
    const values = flagSpec(name).choices;
    return values ? [[name, values] as [FlagName, readonly string[]]] : [];
  });

/** zsh reads bash's completions after `bashcompinit`. */
const zsh = (): string => `#compdef halter\nautoload -U +X bashcompinit && bashcompinit\n${bash()}`;

const fish = (): string => {
  const lines = ['# fish completion for halter', 'complete -c halter -f -a "(__fish_complete_directories)"'];
  for (const group of GROUPS) {
    const commands = inGroup(group);
    const summary = commands.length === 1 ? (commands[0] as CommandSpec).summary : `${group} commands`;
    lines.push(`complete -c halter -n __fish_use_subcommand -a ${group} -d ${single(summary)}`);
    for (const command of commands) {
      const [, second] = command.name.split(' ');
      if (second) {
        const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${secondWords(group).join(' ')}`;
        lines.push(`complete -c halter -n ${single(condition)} -a ${second} -d ${single(command.summary)}`);
      }
    }
    const flags = new Set(commands.flatMap((command) => command.flags));
    for (const name of flags) lines.push(fishFlag(name, `__fish_seen_subcommand_from ${group}`));
  }
  for (const name of TERMINAL_APP.flags) lines.push(fishFlag(name, '__fish_use_subcommand'));
  lines.push(`complete -c halter -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'`);
  return `${lines.join('\n')}\n`;
};

const fishFlag = (name: FlagName, condition: string): string => {
  const spec = flagSpec(name);
  const short = spec.short ? ` -s ${spec.short}` : '';
  const value = isSwitch(name) ? '' : spec.choices ? ` -x -a ${single(spec.choices.join(' '))}` : ' -r';
  return `complete -c halter -n ${single(condition)}${short} -l ${name}${value} -d ${single(spec.help)}`;
};

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const completionCommand: CommandCode = {
  async execute({ words, io }) {
    const shell = words[0] ?? '';
    const make = SHELLS[shell];
    if (make === undefined) {
      const known = Object.keys(SHELLS);
      throw new UsageError(
        `There are completions for ${known.join(', ')}, not for ${JSON.stringify(shell)}.${didYouMean(shell, known)}`,
        'completion',
      );
    }
    io.stdout.write(make());
    return EXIT.answered;
  },
};
