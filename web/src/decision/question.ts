/** What a permission question says, as data: every character of what was asked for can be seen in it. */

import { capital } from '../../../src/core/capital.ts';
import type { JsonValue } from '../../../src/core/json.ts';
import { isContentIn, isWholeDiff } from '../../../src/core/short-diff.ts';
import { visible } from '../parts/visible.ts';
import type { CallView } from '../state/view.ts';

export type ShownArgument = { name: string; text: string };

const LONG_CHARACTERS = 200;
/** Said of an argument that stands whole in the diff. */
export const IN_CHANGE = 'characters, whole in the change above';

export const RISK_WORDS = {
  safe: 'reads nothing private and changes nothing',
  medium: 'reads your files or reaches the network',
  high: 'changes files, runs programs or shows secrets; read it before you allow it',
} as const;

/** One sentence: what will happen. */
export const sentenceOf = (call: Pick<CallView, 'name' | 'arguments' | 'preview'>): string => {
  if (!call.preview) {
    // As the terminal app says it: with the argument that tells this call from the next.
    const [name, value] = Object.entries(call.arguments).find(([, each]) => typeof each === 'string') ?? [];
    if (name === undefined || typeof value !== 'string') return `Run the tool ${visible(call.name)}.`;
    const isShort = value.length <= LONG_CHARACTERS && !value.includes('\n');
    const shown = isShort ? visible(value) : `of ${value.length} characters, in full below`;
    return `Run ${visible(call.name)} with ${visible(name)} ${shown}.`;
  }
  const text = visible(call.preview.summary).replace(/\.$/, '');
  return `${capital(text)}.`;
};

/** The arguments in full, texts as they are; a text that stands whole in the diff is not said twice. */
export const shownArguments = (call: Pick<CallView, 'arguments' | 'preview' | 'written'>): ShownArgument[] => {
  const whole = call.preview?.diff;
  // Of what the tool could not set out nothing is told by the change.
  const diff = whole !== undefined && isWholeDiff(whole) ? whole : '';
  const inDiff = new Set(diff.split('\n').map((line) => line.slice(1)));
  const entries = Object.entries(call.arguments);
  const told = replacedIn(diff, entries);
  const written = call.written === undefined ? [] : [{ name: 'numbers as written', text: visible(call.written) }];
  const shownEntries = entries.map(([name, value]) => {
    const isTold =
      told.has(name) ||
      (isLong(value) &&
        diff !== '' &&
        (isContentIn(diff, name, value) || value.split('\n').every((line) => line === '' || inDiff.has(line))));
    return { name: visible(name), text: isTold ? `${String(value).length} ${IN_CHANGE}` : shown(value) };
  });
  return [...shownEntries, ...written];
};

/** The two texts of which one stood in the place of the other before: the change is exactly that. */
const replacedIn = (diff: string, entries: readonly (readonly [string, JsonValue])[]): ReadonlySet<string> => {
  const [before, now] = [sideOf(diff, '-'), sideOf(diff, '+')];
  const texts = entries.flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []));
  const isPair = (old: string, other: string): boolean =>
    old !== '' && before.includes(old) && before.replaceAll(old, () => other) === now;
  return new Set(
    texts.flatMap((old) =>
      texts.flatMap((other) => (old !== other && isPair(old.value, other.value) ? [old.name, other.name] : [])),
    ),
  );
};

/** What the file holds before or after, as far as the diff shows it. */
const sideOf = (diff: string, sign: '-' | '+'): string => {
  const lines = diff.split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const own = lines.slice(first + 1).filter((line) => line.startsWith(sign) || line.startsWith(' '));
  return first === -1 ? '' : `${own.map((line) => line.slice(1)).join('\n')}\n`;
};

const isLong = (value: JsonValue): value is string =>
  typeof value === 'string' && (value.length > LONG_CHARACTERS || value.includes('\n'));

const shown = (value: JsonValue): string => visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** A host that looks like another one, as the network knows it. */
export const foreignHost = (args: CallView['arguments']): string | undefined => {
  const value = args['url'];
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { host } = new URL(value);
  return value.toLowerCase().includes(host.toLowerCase()) ? undefined : visible(host);
};
