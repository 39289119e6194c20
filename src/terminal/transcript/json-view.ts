/** Arguments and results as JSON that cannot mislead: every character is what it is, or is shown as its number. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { entryText } from '../../core/written-numbers.ts';
import { sanitizeLine } from '../sanitize.ts';
import { indentRoom, wrapSpans } from '../text.ts';
import type { Theme } from '../theme.ts';

/** A back slash in the data is doubled first, so that data can never spell an escape of ours. */
export const safeString = (text: string): string =>
  `"${sanitizeLine(text.replaceAll('\\', '\\\\').replaceAll('"', '\\"'))}"`;

/** On one line, as in `{"path": "README.md"}`. `replace` may put a short form in place of a long value. */
export const inlineJson = (
  value: JsonValue,
  replace?: (path: string, text: string) => string | undefined,
  path = '',
): string => {
  if (typeof value === 'string') return replace?.(path, value) ?? safeString(value);
  if (Array.isArray(value)) {
    return `[${value.map((_, index) => entryText(value, index, (each) => inlineJson(each, replace, `${path}/${index}`))).join(', ')}]`;
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.keys(value).map((key) => {
      const write = (each: JsonValue): string => inlineJson(each, replace, `${path}/${key}`);
      return `${safeString(key)}: ${entryText(value, key, write)}`;
    });
    return `{${members.join(', ')}}`;
  }
  return String(value);
};

/** Over several lines, keys in bold, for the opened call. */
export const jsonLines = (value: JsonObject, width: number, theme: Theme): string[] => {
  const lines: string[] = [];
  const write = (indent: string, key: string | undefined, each: JsonValue, comma: string): void => {
    const label = key === undefined ? [] : [{ text: safeString(key), paint: theme.bold }, { text: ': ' }];
    const isNested = each !== null && typeof each === 'object' && Object.keys(each).length > 0;
    if (!isNested) {
      const wrapped = wrapSpans([{ text: indent }, ...label, { text: inlineJson(each) + comma }], width, `${indent}  `);
      lines.push(...wrapped.map((line) => line.text));
      return;
    }
    const isArray = Array.isArray(each);
    lines.push(
      ...wrapSpans([{ text: indent }, ...label, { text: isArray ? '[' : '{' }], width).map((line) => line.text),
    );
    const entries = Object.entries(each);
    const deeper = `${indent}  `.slice(0, indentRoom(width));
    for (const [index, [name, inner]] of entries.entries()) {
      write(deeper, isArray ? undefined : name, inner as JsonValue, index < entries.length - 1 ? ',' : '');
    }
    lines.push(`${indent}${isArray ? ']' : '}'}${comma}`);
  };
  write('', undefined, value, '');
  return lines;
};
