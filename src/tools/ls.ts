/** H1: one directory as a table. */
import type { JsonObject } from '../core/json.ts';
import type { DirectoryEntry, FileKind } from '../core/ports.ts';
import { ok, type ToolOutput } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { counted, humanSize, localDateTime, printableName, UNNAMED } from './support/format.ts';
import { withNearestPaths } from './support/nearest-path.ts';
import { refuse } from './support/refuse.ts';

const TYPES: Record<FileKind, string> = { file: 'FILE', directory: 'DIR', link: 'LINK', other: 'OTHER' };

const byName = (a: DirectoryEntry, b: DirectoryEntry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
const ORDERS: Record<string, (a: DirectoryEntry, b: DirectoryEntry) => number> = {
  name: byName,
  size: (a, b) => a.size - b.size || byName(a, b),
  modified: (a, b) => a.modified_ms - b.modified_ms || byName(a, b),
};

/** The size of a directory entry says nothing about what is in it. */
const sizeOf = (entry: DirectoryEntry): string => (entry.kind === 'directory' ? '-' : humanSize(entry.size));

const row = (type: string, size: string, modified: string, name: string): string =>
  `${type.padEnd(5)} ${size.padStart(8)}  ${modified.padEnd(19)}  ${name}`;

const entryRow = (entry: DirectoryEntry): string => {
  const name = printableName(entry.name) + (entry.kind === 'directory' ? '/' : '');
  return row(TYPES[entry.kind], sizeOf(entry), localDateTime(entry.modified_ms), name);
};

const summaryOf = (entries: readonly DirectoryEntry[], hidden: number): string => {
  const count = (kind: FileKind): number => entries.filter((entry) => entry.kind === kind).length;
  const total = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0), 0);
  const parts = [counted(count('file'), 'file'), counted(count('directory'), 'dir')];
  if (count('link') > 0) parts.push(counted(count('link'), 'link'));
  if (count('other') > 0) parts.push(counted(count('other'), 'other', 'others'));
  parts.push(`total size ${humanSize(total)}`);
  const unnamed = entries.filter((entry) => entry.unnamed).length;
  if (unnamed > 0) parts.push(`${unnamed} that no tool can open: ${UNNAMED}`);
  if (hidden > 0) parts.push(`${hidden} hidden not shown`);
  return parts.join(', ');
};

/** Of `(500 of 501 entries shown)`, and the ends of the lines around it. */
const TRUNCATED_CHARACTERS = 60;

const rowsThatFit = (rows: readonly string[], most: number): number => {
  let characters = 0;
  const end = rows.findIndex((line) => {
    characters += line.length + 1;
    return characters > most;
  });
  return end === -1 ? rows.length : end;
};

/** `room`: characters that the model is shown. The last line, which says what was left out, is never what does not fit. */
const table = (all: readonly DirectoryEntry[], args: JsonObject, room: number): ToolOutput => {
  const visible = all.filter((entry) => args.show_hidden === true || !entry.name.startsWith('.'));
  const sorted = visible.toSorted(ORDERS[String(args.sort_by)] ?? byName);
  if (args.reverse === true) sorted.reverse();
  const rows = sorted.slice(0, Number(args.max_entries ?? TOOL_LIMITS.listEntriesDefault)).map(entryRow);
  const heading = row('TYPE', 'SIZE', 'MODIFIED', 'NAME');
  const summary = summaryOf(visible, all.length - visible.length);
  const around = heading.length + summary.length + TRUNCATED_CHARACTERS;
  const shown = rowsThatFit(rows, Math.min(TOOL_LIMITS.listCharacters, room - around));
  const lines = [heading, ...rows.slice(0, shown), ''];
  if (shown === sorted.length) return ok([...lines, summary].join('\n'));
  const truncated = `${shown} of ${counted(sorted.length, 'entry', 'entries')} shown`;
  return ok([...lines, `${summary} (${truncated})`].join('\n'), { truncated });
};

export const ls = builtIn({
  name: 'ls',
  description: 'List the files of one directory: type, size, modified time.',
  risk: 'safe',
  effects: 'read',
  path_arguments: ['path'],
  main_argument: 'path',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', default: '.' },
      show_hidden: { type: 'boolean', default: false },
      sort_by: { type: 'string', enum: ['name', 'size', 'modified'], default: 'name' },
      reverse: { type: 'boolean', default: false },
      max_entries: {
        type: 'integer',
        minimum: 1,
        maximum: TOOL_LIMITS.listEntriesMax,
        default: TOOL_LIMITS.listEntriesDefault,
      },
    },
  },
  async run(args, context) {
    // An empty path is how a small model says "here".
    const path = String(args.path ?? '.') || '.';
    const listed = await context.workspace.list(path);
    return listed.ok
      ? table(listed.value, args, (await context.resultCharacters?.()) ?? Number.POSITIVE_INFINITY)
      : refuse(await withNearestPaths(listed.error, path, context, 'folders'));
  },
});
