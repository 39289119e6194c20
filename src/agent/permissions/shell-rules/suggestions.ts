/** Patterns that a person could choose to be remembered for a line: the line itself, then what is ever wider. */

import { isFilter } from './filters.ts';
import { programObjections } from './objections/programs.ts';
import { PLAIN_WORDS, type ShellAnalysis, type ShellCommand } from './words.ts';
import { isWrapper, lookThrough } from './wrappers.ts';

const MAX_SUGGESTIONS = 3;
/** Programs whose second word says what they do; alone they would be allowed too much. */
const NEED_A_COMMAND =
  /^(?:git|npm|pnpm|yarn|bun|cargo|go|docker|podman|kubectl|pip3?|uv|apt(?:-get)?|brew|systemctl|gh|glab|make|just|dotnet|mvn|gradle|rustup|terraform|aws|gcloud|az|composer|bundle|mix|deno|poetry|conda)$/;
/** Never offered with a `*` after the name alone: what they do cannot be put back. */
const NOT_ALONE = /^(?:rm|rmdir|mv|dd|chmod|chown|kill|killall|pkill|ssh|scp|curl|wget|rsync|shutdown|reboot|mkfs.*)$/;
const SUBCOMMAND = /^[a-z][a-z0-9:_-]*$/;

/** Without those that only go somewhere or pass on what others print, unless there is nothing else. */
export const lackingCommands = (commands: readonly ShellCommand[]): ShellCommand[] => {
  const all = commands.filter(({ words }) => words[0]?.text !== 'cd');
  const own = all.filter((command) => !isFilter(command));
  return own.length > 0 ? own : all;
};

/** The only one of them, as a line of its own. */
export const lackingText = (line: string, [only, ...others]: readonly ShellCommand[]): string | undefined => {
  const words = only === undefined || others.length > 0 ? undefined : lookThrough(only)?.command.words;
  const text = words?.map((word) => word.text).join(' ') ?? '';
  const isPlain = PLAIN_WORDS.test(text) && words?.every(({ dynamic, glob }) => !dynamic && !glob);
  return isPlain && text !== line ? text : undefined;
};

export const suggestPatterns = (
  analysis: ShellAnalysis,
  line: string,
  [only, ...others]: readonly ShellCommand[],
): string[] => {
  const exact = `=${line}`;
  if (!analysis.ok || only === undefined || others.length > 0 || analysis.notSimple.length > 0) return [exact];
  const command = lookThrough(only)?.command;
  if (command === undefined || command.words.some(({ dynamic }) => dynamic)) return [exact];
  const words = command.words.map(({ text }) => text);
  const program = words[0] ?? '-';
  if (
    isWrapper(program) ||
    program.startsWith('-') ||
    (words.some((word) => word === '' || /[\s*?=]/.test(word)) && words.length < 2)
  )
    return [exact];

  // What is run has to be spelled out; of what does more than that, nobody is offered a pattern that covers still more.
  const objections = programObjections(command);
  if (objections.some(({ names }) => names === undefined)) return [exact];
  const needed = Math.max(0, ...objections.map(({ word }) => word + 1));
  const suggestions = [exact];
  for (const length of [3, 2, 1]) {
    if (length < needed || length > words.length || suggestions.length >= MAX_SUGGESTIONS) continue;
    const kept = words.slice(0, length);
    if (kept.some((word) => !/^[\w./:@+-]+$/.test(word))) continue;
    if (length === 1 && (NEED_A_COMMAND.test(program) || NOT_ALONE.test(program))) continue;
    const speaks = NEED_A_COMMAND.test(program) ? SUBCOMMAND.test(kept[1] ?? '') : true;
    // Of a third word only a further command says something: `npm run test`, `docker compose up`.
    if (!speaks || (length === 3 && !SUBCOMMAND.test(kept[2] as string) && needed !== 3)) continue;
    if (length === 2 && !NEED_A_COMMAND.test(program) && needed !== 2) continue;
    if (length === 3 && !NEED_A_COMMAND.test(program) && needed !== 3) continue;
    suggestions.push(`${kept.join(' ')} *`);
  }
  return suggestions;
};
