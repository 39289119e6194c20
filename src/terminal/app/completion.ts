/** What the prompt offers while one types: commands after `/`, files of the workspace after `@`. */

import { mention, withoutEscapes } from '../../core/mention.ts';
import type { AppOptions } from '../app-options.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  fuzzyFilter,
} from '../pi-tui.ts';
import { isUnsafe, sanitizeLine, sanitizeText } from '../sanitize.ts';
import { COMMANDS, commandNamed, OTHER_NAMES, splitPrompts } from '../slash/commands.ts';
import type { CompletedArgument, CompletionSources, SlashCommand } from '../slash/slash-command.ts';
import { cut } from '../text.ts';
import { originalText, putStandIns } from './stand-ins.ts';

const FILE_TOKEN = /(?:^|\s)@(?:"((?:\\["\\]|[^"\n])*)|([^\s"]*))$/;
const COMMAND_TOKEN = /^\/([A-Za-z-]*)$/;
/** The editor gives names so many columns, and cuts what is longer without a sign. */
const LABEL_COLUMNS = 30;
const ARGUMENT_TOKEN = /^\/([A-Za-z-]+) (\S*)$/;

export type FileLister = () => Promise<readonly string[]>;

type Sources = CompletionSources & Pick<AppOptions, 'listFiles' | 'listCommands'>;

/** `isSending`: what is applied now is sent at once, and nobody chose it from the list. */
export const createCompletion = (
  options: Sources,
  now: () => number,
  isSending: () => boolean,
): AutocompleteProvider => {
  const { listFiles, listCommands } = options;
  let files: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  const refresh = async (): Promise<readonly string[]> => {
    if (listFiles && now() - readAt > TERMINAL_LIMITS.filesAgeMs) {
      readAt = now();
      files = (await listFiles()).slice(0, TERMINAL_LIMITS.completionFiles);
    }
    return files;
  };
  return {
    triggerCharacters: ['@'],
    async getSuggestions(
      lines,
      cursorLine,
      cursorCol,
      { signal, force = false },
    ): Promise<AutocompleteSuggestions | null> {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const command = cursorLine === 0 ? COMMAND_TOKEN.exec(before) : null;
      if (command) return commandItems(command[1]!, splitPrompts((await listCommands?.()) ?? []).usable);
      const argument = cursorLine === 0 ? ARGUMENT_TOKEN.exec(before) : null;
      const completed = commandNamed(argument?.[1] ?? '')?.complete;
      // With nothing typed Enter means the command alone, and only Tab asks for what may follow.
      if (argument && completed && (argument[2] !== '' || force))
        return argumentItems(argument[1]!, argument[2]!, await completed(options));
      const token = FILE_TOKEN.exec(before);
      if (!token || !listFiles) return null;
      const paths = await refresh();
      if (signal.aborted) return null;
      const prefix = originalText(token[1] === undefined ? token[2]! : withoutEscapes(token[1]));
      return fileItems(paths, prefix);
    },
    applyCompletion(lines, cursorLine, cursorCol, item) {
      const line = lines[cursorLine] ?? '';
      const before = line.slice(0, cursorCol);
      // The list may be older than the last keys: what stands there now is what is completed.
      const command = COMMAND_TOKEN.exec(before)?.[0];
      const argument = ARGUMENT_TOKEN.exec(before)?.[2];
      if (argument !== undefined && !item.value.includes(argument)) return { lines, cursorLine, cursorCol };
      if (argument !== undefined) {
        const completed = before.slice(0, before.length - argument.length) + item.value;
        const next = lines.with(cursorLine, completed + line.slice(cursorCol));
        return { lines: next, cursorLine, cursorCol: completed.length };
      }
      const typed = command ?? FILE_TOKEN.exec(before)?.[0].trimStart() ?? '@';
      if (command !== undefined && !completes(command.toLowerCase(), item.value, isSending()))
        return { lines, cursorLine, cursorCol };
      const head = before.slice(0, cursorCol - typed.length) + item.value;
      const inserted = command === undefined ? `${head} ` : head;
      const next = [...lines];
      next[cursorLine] = inserted + line.slice(cursorCol);
      return { lines: next, cursorLine, cursorCol: inserted.length };
    },
    shouldTriggerFileCompletion(lines, cursorLine, cursorCol) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      return FILE_TOKEN.test(before) || ARGUMENT_TOKEN.test(before);
    },
  };
};

/** A whole word is meant as it is: Enter on `/status` does not run `/status-line`. */
const completes = (typed: string, name: string, isSending: boolean): boolean =>
  name.startsWith(typed) && !(isSending && name.charAt(typed.length) === '-');

const commandItems = (
  prefix: string,
  own: readonly { name: string; description: string }[],
): AutocompleteSuggestions | null => {
  const all: Pick<SlashCommand, 'name' | 'description' | 'argument'>[] = [
    ...COMMANDS,
    ...own.map(({ name, description }) => ({ name, description: sanitizeLine(description) })),
    // Who begins another program's name finds it; the list of all has each command once.
    ...(prefix === '' ? [] : Object.entries(OTHER_NAMES)).map(([name, known]) => ({
      name,
      description: `the same as /${known}`,
    })),
  ];
  const items = all
    .filter((command) => command.name.startsWith(prefix.toLowerCase()))
    .map((command) => ({
      value: `/${command.name}`,
      label: cut(command.argument ? `/${command.name} [${command.argument}]` : `/${command.name}`, LABEL_COLUMNS),
      description: command.description,
    }));
  return items.length === 0 ? null : { items, prefix: `/${prefix}` };
};

/** What is typed whole already is meant as it is, whatever longer names there are. */
const argumentItems = (
  command: string,
  typed: string,
  known: readonly CompletedArgument[],
): AutocompleteSuggestions | null => {
  if (known.some(({ value }) => value === typed)) return null;
  const items = known
    .filter(({ value }) => value.includes(typed) && !isUnsafe(value))
    .map(({ value, description }) => ({
      value,
      label: value,
      ...(description === undefined ? {} : { description: sanitizeLine(description) }),
    }));
  // The editor sends what begins with a slash at once when it is chosen.
  return items.length === 0 ? null : { items, prefix: `/${command} ${typed}` };
};

/** On one line; joined letters and emoji as they are. */
const shownName = (path: string): string => sanitizeText(path.replaceAll('\n', '\\n'));

const fileItems = (paths: readonly string[], prefix: string): AutocompleteSuggestions | null => {
  // A letter with its mark may be kept as one character or as two, and is typed as either.
  const found = prefix === '' ? paths : fuzzyFilter([...paths], prefix.normalize(), (path) => path.normalize());
  const items: AutocompleteItem[] = found
    .slice(0, TERMINAL_LIMITS.completions * 4)
    .map((path) => ({ value: putStandIns(mention(path)), label: shownName(path) }));
  return items.length === 0 ? null : { items, prefix: `@${prefix}` };
};
