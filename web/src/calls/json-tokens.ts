/** JSON as coloured pieces, indented. Small on purpose: arguments are shown before any highlighter is loaded. */
import type { JsonValue } from '../../../src/core/json.ts';
import { parseNested } from '../../../src/core/nested-json.ts';
import { visible } from '../parts/visible.ts';

export type JsonToken = { kind: 'key' | 'string' | 'number' | 'literal' | 'mark'; text: string };

const INDENT = '  ';

export const jsonTokens = (value: JsonValue, depth = 0): JsonToken[] => {
  if (value === null || typeof value === 'boolean') return [{ kind: 'literal', text: String(value) }];
  if (typeof value === 'number') return [{ kind: 'number', text: String(value) }];
  if (typeof value === 'string') return [{ kind: 'string', text: visible(JSON.stringify(value)) }];
  const isList = Array.isArray(value);
  const entries: [string, JsonValue][] = Object.entries(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return [{ kind: 'mark', text: open + close }];
  const line = `\n${INDENT.repeat(depth + 1)}`;
  const tokens: JsonToken[] = [{ kind: 'mark', text: open }];
  entries.forEach(([key, entry], index) => {
    tokens.push({ kind: 'mark', text: index === 0 ? line : `,${line}` });
    if (!isList) tokens.push({ kind: 'key', text: visible(JSON.stringify(key)) }, { kind: 'mark', text: ': ' });
    tokens.push(...jsonTokens(entry, depth + 1));
  });
  tokens.push({ kind: 'mark', text: `\n${INDENT.repeat(depth)}${close}` });
  return tokens;
};

/** A text that is JSON with something in it: an object or a list. */
export const asJson = (text: string): JsonValue | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = parseNested(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};
