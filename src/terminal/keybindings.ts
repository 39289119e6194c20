/**
 * Which key does what, as far as a person may choose: keybindings.json names actions and keys. The keys of questions are
 * fixed, so that no file can make another key mean yes, and so is Ctrl+C, which always leads out.
 */

import { capital } from '../core/capital.ts';
import { thrownText } from '../core/thrown-text.ts';
import { didYouMean } from '../core/tool/nearest-names.ts';
import { matchesKey, useEditorKeys } from './pi-tui.ts';

/** The editor's own name for it, where the editor does it. */
type ActionSpec = { keys: readonly string[]; editor?: string };

const ACTIONS = {
  stop: { keys: ['escape'] },
  details: { keys: ['ctrl+o'] },
  mode: { keys: ['shift+tab'] },
  edit_outside: { keys: ['ctrl+g'] },
  search_history: { keys: ['ctrl+r'] },
  paste_picture: { keys: ['ctrl+v'] },
  suspend: { keys: ['ctrl+z'] },
  leave: { keys: ['ctrl+d'] },
  send: { keys: ['enter'], editor: 'tui.input.submit' },
  send_at_end: { keys: ['alt+enter'] },
  new_line: { keys: ['shift+enter', 'ctrl+j'], editor: 'tui.input.newLine' },
  complete: { keys: ['tab'], editor: 'tui.input.tab' },
  up: { keys: ['up'], editor: 'tui.editor.cursorUp' },
  down: { keys: ['down'], editor: 'tui.editor.cursorDown' },
  left: { keys: ['left', 'ctrl+b'], editor: 'tui.editor.cursorLeft' },
  right: { keys: ['right', 'ctrl+f'], editor: 'tui.editor.cursorRight' },
  word_left: { keys: ['alt+left', 'ctrl+left', 'alt+b'], editor: 'tui.editor.cursorWordLeft' },
  word_right: { keys: ['alt+right', 'ctrl+right', 'alt+f'], editor: 'tui.editor.cursorWordRight' },
  line_start: { keys: ['home', 'ctrl+home', 'ctrl+a'], editor: 'tui.editor.cursorLineStart' },
  line_end: { keys: ['end', 'ctrl+end', 'ctrl+e'], editor: 'tui.editor.cursorLineEnd' },
  earlier_message: { keys: [], editor: 'tui.editor.historyPrevious' },
  later_message: { keys: [], editor: 'tui.editor.historyNext' },
  delete_left: { keys: ['backspace'], editor: 'tui.editor.deleteCharBackward' },
  delete_right: { keys: ['delete', 'ctrl+d'], editor: 'tui.editor.deleteCharForward' },
  delete_word_left: { keys: ['ctrl+w', 'alt+backspace'], editor: 'tui.editor.deleteWordBackward' },
  delete_word_right: { keys: ['alt+d', 'alt+delete'], editor: 'tui.editor.deleteWordForward' },
  delete_to_start: { keys: ['ctrl+u'], editor: 'tui.editor.deleteToLineStart' },
  delete_to_end: { keys: ['ctrl+k'], editor: 'tui.editor.deleteToLineEnd' },
  put_back: { keys: ['ctrl+y'], editor: 'tui.editor.yank' },
  undo: { keys: ['ctrl+-'], editor: 'tui.editor.undo' },
} satisfies Record<string, ActionSpec>;

export type Action = keyof typeof ACTIONS;
export const ACTION_NAMES = Object.keys(ACTIONS) as Action[];

export type Keybindings = {
  keysOf(action: Action): readonly string[];
  matches(data: string, action: Action): boolean;
};
export type ReadKeybindings = { chosen: Partial<Record<Action, readonly string[]>>; problems: string[] };

const NAMED_KEYS =
  'escape|esc|enter|return|tab|space|backspace|delete|insert|home|end|pageup|pagedown|up|down|left|right|f[1-9]|f1[0-2]';
const KEY = new RegExp(`^(?:(?:ctrl|shift|alt|super)\\+)*(?:${NAMED_KEYS}|[!-~])$`, 'i');
/** Always a way out of what goes on. */
const FIXED = 'ctrl+c';

/** What is wrong is reported and left out; the rest counts. */
export const readKeybindings = (text: string): ReadKeybindings => {
  const read: ReadKeybindings = { chosen: {}, problems: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    read.problems.push(`it is no JSON (${thrownText(error)})`);
    return read;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    read.problems.push('it has to be an object: {"details": "ctrl+g"}');
    return read;
  }
  for (const [name, given] of Object.entries(value)) {
    const action = ACTION_NAMES.find((known) => known === name);
    const keys = keysIn(given);
    if (action === undefined) read.problems.push(`there is no action "${name}".${didYouMean(name, ACTION_NAMES)}`);
    else if (keys === undefined) read.problems.push(`"${name}" needs a key, or a list of keys`);
    else {
      const [good, bad] = [keys.filter(isKey), keys.filter((key) => !isKey(key))];
      for (const key of bad) read.problems.push(badKey(name, key));
      if (good.length > 0 || keys.length === 0) read.chosen[action] = good;
    }
  }
  return read;
};

const keysIn = (given: unknown): string[] | undefined => {
  const list: unknown[] = Array.isArray(given) ? given : [given];
  return list.every((key) => typeof key === 'string') ? list.map((key) => key.toLowerCase().trim()) : undefined;
};
const isKey = (key: string): boolean => KEY.test(key) && key !== FIXED;
const badKey = (name: string, key: string): string =>
  key === FIXED
    ? `"${name}" cannot have ${FIXED}, which always stops and leaves`
    : `"${name}" names a key that there is none of: ${JSON.stringify(key)}`;

/** A key that the person gave to one action is taken from the others that have it by default. */
export const createKeybindings = (chosen: ReadKeybindings['chosen'] = {}): Keybindings => {
  const claimed = new Set(Object.values(chosen).flat());
  const keysOf = (action: Action): readonly string[] =>
    chosen[action] ?? ACTIONS[action].keys.filter((key) => !claimed.has(key));
  return { keysOf, matches: (data, action) => keysOf(action).some((key) => matchesKey(data, key as KeyName)) };
};
type KeyName = Parameters<typeof matchesKey>[1];

/** Hands the editor its share. Ctrl+C stays the app's. */
export const applyToEditor = ({ keysOf }: Keybindings): void => {
  const bindings: Record<string, string[]> = {};
  for (const action of ACTION_NAMES) {
    const { editor }: ActionSpec = ACTIONS[action];
    if (editor !== undefined) bindings[editor] = [...keysOf(action)];
  }
  useEditorKeys(bindings);
};

/** `ctrl+o` as a person reads it: Ctrl+O. */
export const keyText = (keys: readonly string[]): string =>
  keys
    .map((key) =>
      key
        .split('+')
        .map((part) => (part === 'escape' ? 'Esc' : capital(part)))
        .join('+'),
    )
    .join(', ');

export type KeyUse = 'send' | 'edit' | 'move';
const MOVES: readonly Action[] = ['new_line', 'left', 'right', 'word_left', 'word_right', 'line_start', 'line_end'];
const EDITS: readonly Action[] = [
  'delete_left',
  'delete_right',
  'delete_word_left',
  'delete_word_right',
  'delete_to_start',
  'delete_to_end',
  'put_back',
  'undo',
];
const SENDS: readonly Action[] = ['send', 'send_at_end'];

/** What a key does to a text in the prompt, if anything. A new line counts to what makes sense only where there is a text. */
export const keyUse = (keys: Keybindings, data: string): KeyUse | undefined => {
  const isOneOf = (actions: readonly Action[]): boolean => actions.some((action) => keys.matches(data, action));
  // At a question it stops the run, whatever else a person gave it to do.
  if (matchesKey(data, 'escape')) return undefined;
  if (isOneOf(MOVES)) return 'move';
  if (isOneOf(EDITS)) return 'edit';
  return isOneOf(SENDS) || matchesKey(data, 'enter') ? 'send' : undefined;
};
