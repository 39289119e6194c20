/** JSON that still comes: what is there of it so far, with a text that is being written up to where it is. */
import type { JsonValue } from '../core/json.ts';
import { parseJsonLeniently } from '../dialects/repair-json.ts';

/** Undefined where nothing can be told yet. */
export const readPartialJson = (text: string): JsonValue | undefined => {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  const read = parseJsonLeniently(closedText(text.slice(start).replace(/\n?```\s*$/, '')));
  return read.ok ? read.value : undefined;
};

/** A value that is cut within its quotes is closed; a key that is cut is left out. */
const closedText = (json: string): string => {
  const { opened, isInList } = endOf(json);
  if (opened < 0) return json;
  const before = json.slice(0, opened).trimEnd();
  const isValue = before.endsWith(':') || (isInList && /[[,]$/.test(before));
  return isValue ? `${json.slice(0, opened)}${withoutCutEscape(json.slice(opened))}"` : before.replace(/,$/, '');
};

/** Where the text that the end cuts was opened, -1 where it cuts none, and whether a list is open there. */
const endOf = (json: string): { opened: number; isInList: boolean } => {
  const brackets: string[] = [];
  let opened = -1;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? '';
    if (opened >= 0 && character === '\\') at += 1;
    else if (character === '"') opened = opened >= 0 ? -1 : at;
    else if (opened >= 0) continue;
    else if (/[{[]/.test(character)) brackets.push(character);
    else if (/[}\]]/.test(character)) brackets.pop();
  }
  return { opened, isInList: brackets.at(-1) === '[' };
};

/** Of an escape, and of a pair of escapes for one character, a part says nothing. */
const withoutCutEscape = (text: string): string => {
  const cut = /^((?:[^\\]|\\(?:u[0-9A-Fa-f]{4}|[^u]))*)\\(?:u[0-9A-Fa-f]{0,3})?$/.exec(text)?.[1] ?? text;
  return cut.replace(/\\u[Dd][89ABab][0-9A-Fa-f]{2}$/, '').replace(/[\uD800-\uDBFF]$/, '');
};
