/** What the field offers while one writes: commands after `/`, files after `@`, the values that a command takes. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { MODES } from '../../../../src/core/policy/modes.ts';
import { useApp } from '../../app-context.tsx';
import { visible } from '../../parts/visible.ts';
import type { CommandRow } from '../../state/api.ts';
import { PAGE_COMMANDS } from '../typed-command.ts';
import { bestMatches, foldersOf } from './matches.ts';
import { mention, type Token, tokenAt } from './token.ts';

export type Option = {
  /** What takes the place of what is written. */
  inserted: string;
  label: string;
  /** What may follow it. */
  argument?: string;
  description: string;
};

const SHOWN = 50;
/** A list of files this old is asked for again. */
const FILES_AGE_MS = 10_000;

/** Parts of a picture sign, which are seen with it. */
const OF_PICTURES = /(?<=\p{Extended_Pictographic})[\ufe0f\u200d]/gu;
/** A name of which something cannot be seen cannot be written either. */
const isShownWhole = (path: string): boolean => {
  const plain = path.replace(OF_PICTURES, '');
  return plain === visible(plain) && !plain.includes('\n');
};

/** Read when they are first needed, and again after a while. */
const useFiles = (isWanted: boolean): readonly string[] => {
  const { api } = useApp();
  const [paths, setPaths] = useState<readonly string[]>([]);
  const readAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (!isWanted || performance.now() - readAt.current < FILES_AGE_MS) return;
    readAt.current = performance.now();
    void api.files().then((found) => setPaths(found.filter(isShownWhole)));
  }, [api, isWanted]);
  return useMemo(() => [...paths, ...foldersOf(paths)], [paths]);
};

/** A file of the prompt library may have been written a moment ago. */
const useOwnCommands = (isWanted: boolean): readonly CommandRow[] => {
  const { api } = useApp();
  const [commands, setCommands] = useState<readonly CommandRow[]>([]);
  useEffect(() => {
    if (!isWanted) return;
    void api.commands().then((answer) => {
      if (answer.ok) setCommands(answer.value.commands);
    });
  }, [api, isWanted]);
  return commands;
};

const FROM: Readonly<Record<CommandRow['from'], string>> = {
  yours: 'your prompt',
  folder: 'prompt of this folder',
  plugin: 'prompt of a plugin',
  halter: 'prompt of halter',
};

const commandOptions = (own: readonly CommandRow[], query: string): Option[] => {
  const page = new Set(PAGE_COMMANDS.map(({ name }) => name));
  const all = [
    ...PAGE_COMMANDS.map(({ name, argument, description }) => ({ name, argument, description })),
    ...own
      .filter(({ name }) => !page.has(name))
      .map(({ name, description, from }) => ({
        name,
        argument: undefined,
        description: visible(description) || FROM[from],
      })),
  ];
  return all
    .filter(({ name }) => name.startsWith(query.toLowerCase()))
    .map(({ name, argument, description }) => ({
      inserted: `/${name} `,
      label: `/${name}`,
      ...(argument === undefined ? {} : { argument }),
      description,
    }));
};

const plain = (word: string): Option => ({ inserted: `${word} `, label: word, description: '' });

/** The options for what is written, and which of them is chosen. */
export const useCompletion = (text: string, caret: number) => {
  const { models } = useApp();
  const [dismissed, setDismissed] = useState<string>();
  const [chosen, setChosen] = useState(0);
  const token = useMemo(() => tokenAt(text, caret), [text, caret]);
  const files = useFiles(token?.kind === 'file');
  const own = useOwnCommands(token?.kind === 'command');
  const options = useMemo((): readonly Option[] => {
    if (token === undefined || dismissed === keyOf(token)) return [];
    if (token.kind === 'command') return commandOptions(own, token.query);
    if (token.kind === 'file')
      return bestMatches(files, token.query, SHOWN).map((path) => ({
        inserted: path.endsWith('/') ? mention(path.slice(0, -1)) : mention(path),
        label: path,
        description: '',
      }));
    const values = token.command === 'mode' ? MODES : token.command === 'model' ? models.map(({ id }) => id) : [];
    return values.filter((each) => each.toLowerCase().includes(token.query.toLowerCase())).map(plain);
  }, [token, dismissed, own, files, models]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word begins at its best match.
  useEffect(() => setChosen(0), [token?.kind, token?.query]);
  const isNothing = token === undefined;
  useEffect(() => {
    if (isNothing) setDismissed(undefined);
  }, [isNothing]);
  const dismiss = useCallback(() => setDismissed(token && keyOf(token)), [token]);
  const at = Math.min(chosen, options.length - 1);
  return {
    token,
    options: isWritten(token, options[at]) ? [] : options,
    at,
    move: (step: number) => setChosen((at + step + options.length) % Math.max(1, options.length)),
    choose: setChosen,
    dismiss,
  };
};

/** What was closed stays closed until another word is written. */
const keyOf = ({ kind, start }: Token): string => `${kind} ${start}`;

/** There is nothing to complete where the chosen one stands there whole: Enter sends it. */
const isWritten = (token: Token | undefined, option: Option | undefined): boolean => {
  if (token === undefined || option === undefined) return false;
  const sign = { command: '/', file: '@', argument: '' }[token.kind];
  return option.inserted.trimEnd() === `${sign}${token.query}`;
};
