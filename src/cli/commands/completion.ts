/** Completions for bash, zsh and fish, made from the tables of commands and flags. */

import { quotedName } from '../../core/quoted-name.ts';
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

/** Asked of the program itself when they are needed. */
const SESSION_IDS = 'halter sessions list --limit 50 2>/dev/null';
const MODEL_NAMES = 'halter models list 2>/dev/null';
/** Commands whose first word is the id of a session, or the name of a model. */
const takingSessions = COMMANDS.filter(({ name, usage }) => /^sessions /.test(name) && /^\[?ID\b/.test(usage));
const takingModels = COMMANDS.filter(({ name, usage }) => /^models (?:rm|probe)$/.test(name) && /NAME/.test(usage));
const namesOf = (commands: readonly CommandSpec[]): string => commands.map(({ name }) => single(name)).join('|');

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
  local typed=\${COMP_LINE:0:$COMP_POINT} current previous words='' command='' word
  # By the line itself: bash cuts words at the colons of model names.
  current=\${typed##*[[:space:]]}
  typed=\${typed%"$current"}
  typed=\${typed%"\${typed##*[![:space:]]}"}
  previous=\${typed##*[[:space:]]}
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case $word in -*) ;; *) command="\${command:+$command }$word" ;; esac
  done
  case $previous in
${choiceCases.join('\n')}
    -m|--model) words=$(${MODEL_NAMES} | cut -d ' ' -f 1) ;;
    --session) words=$(${SESSION_IDS} | cut -d ' ' -f 1) ;;
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
    ${namesOf(takingSessions)}) words=$(${SESSION_IDS} | cut -d ' ' -f 1) ;;
    ${namesOf(takingModels)}) words=$(${MODEL_NAMES} | cut -d ' ' -f 1) ;;
    esac
  fi
  COMPREPLY=()
  for word in $words; do
    case $word in "$current"*) COMPREPLY+=("$word") ;; esac
  done
  local before=\${current%"\${current##*:}"}
  [[ $current == *:* && $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  [[ -z $command && $previous != -m && $previous != --* && $current != -* ]] && COMPREPLY+=($(compgen -d -- "$current"))
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
  for (const { name } of takingSessions) lines.push(fishWords(name, SESSION_IDS));
  for (const { name } of takingModels) lines.push(fishWords(name, MODEL_NAMES));
  for (const name of TERMINAL_APP.flags) lines.push(fishFlag(name, '__fish_use_subcommand'));
  lines.push(`complete -c halter -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'`);
  return `${lines.join('\n')}\n`;
};

/** Up to the first column it is the word, behind the gap what it is. */
const fishWords = (name: string, asked: string): string => {
  const [group = '', second = ''] = name.split(' ');
  const condition = `__fish_seen_subcommand_from ${group}; and __fish_seen_subcommand_from ${second}`;
  return `complete -c halter -n ${single(condition)} -a '(${asked} | string replace -r "  +" \\t)'`;
};

const fishFlag = (name: FlagName, condition: string): string => {
  const spec = flagSpec(name);
  const short = spec.short ? ` -s ${spec.short}` : '';
  const asked = name === 'session' ? SESSION_IDS : name === 'model' ? MODEL_NAMES : undefined;
  if (asked)
    return `complete -c halter -n ${single(condition)}${short} -l ${name} -x -a '(${asked} | string replace -r "  +" \\t)' -d ${single(spec.help)}`;
  const value = isSwitch(name) ? '' : spec.choices ? ` -x -a ${single(spec.choices.join(' '))}` : ' -r';
  return `complete -c halter -n ${single(condition)}${short} -l ${name}${value} -d ${single(spec.help)}`;
};

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const completionCommand: CommandCode = {
  async execute({ words, io }) {
    const shell = words[0] ?? '';
    const make = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (make === undefined) {
      const known = Object.keys(SHELLS);
      throw new UsageError(
        `There are completions for ${known.join(', ')}, not for ${quotedName(shell)}.${didYouMean(shell, known)}`,
        'completion',
      );
    }
    io.stdout.write(make());
    return EXIT.answered;
  },
};
