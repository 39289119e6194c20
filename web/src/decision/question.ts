/** What a permission question says, as data: every character of what was asked for can be seen in it. */

import type { JsonValue } from '../../../src/core/json.ts';
import { shortDiff } from '../../../src/core/short-diff.ts';
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
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
};

/** The arguments in full, texts as they are; a text that stands whole in the diff is not said twice. */
export const shownArguments = (call: Pick<CallView, 'arguments' | 'preview'>): ShownArgument[] => {
  const inDiff = new Set(
    shortDiff(call.preview?.diff ?? '')
      .split('\n')
      .map((line) => line.slice(1)),
  );
  return Object.entries(call.arguments).map(([name, value]) => ({
    name: visible(name),
    text: shown(value, call.preview?.diff !== undefined, inDiff),
  }));
};

const shown = (value: JsonValue, hasDiff: boolean, inDiff: ReadonlySet<string>): string => {
  if (typeof value !== 'string') return visible(JSON.stringify(value, null, 2));
  const isInDiff = hasDiff && value.split('\n').every((line) => line === '' || inDiff.has(line));
  if (isInDiff && (value.length > LONG_CHARACTERS || value.includes('\n'))) {
    return `${value.length} ${IN_CHANGE}`;
  }
  return visible(value);
};

/** A host that looks like another one, as the network knows it. */
export const foreignHost = (args: CallView['arguments']): string | undefined => {
  const value = args['url'];
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { host } = new URL(value);
  return value.toLowerCase().includes(host.toLowerCase()) ? undefined : visible(host);
};
