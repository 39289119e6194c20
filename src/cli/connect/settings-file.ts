/** Another program's settings, changed as little as possible: comments, order and what is unknown stay. */
import { chmod, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { makeFolder, SHARED_MODE } from '../../disk/make-folder.ts';
import type { Io } from '../io.ts';
import type { ClientSettings, JsonEdit } from '../launch/clients.ts';
import { writeOutputFile } from '../text-file.ts';
import { type BeyondJson, unreadIn } from './settings-form.ts';

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };
const PARSE = { allowTrailingComma: true };

/** Undefined where there is no such file. */
export const readSettings = async (path: string): Promise<Outcome<string | undefined>> => {
  try {
    return succeed(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path)));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return succeed(undefined);
    return failure('io_error', `${path} cannot be read: ${error instanceof TypeError ? 'it is not text' : message}`);
  }
};

/** Kept where it stands. Programs read past it, a parser does not. */
const BYTE_ORDER_MARK = '\ufeff';
const markOf = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '');
const unmarked = (text: string): string => text.slice(markOf(text).length);

/** The file as it will be. One that is damaged, or that the client itself does not read, is left to the person. */
export const withSettings = (
  path: string,
  before: string | undefined,
  settings: ClientSettings,
  /** Who has to read it then, where that is known: what others wrote beside halter's values in its objects stays. */
  reader?: { title: string; reads: readonly BeyondJson[] },
): Outcome<string> => {
  if ('text' in settings) return succeed(settings.text);
  const mark = markOf(before ?? '');
  const own = unmarked(before ?? '');
  if ('toml' in settings) {
    const whole = own.trim() ? withToml(own, settings.toml) : succeed(settings.toml);
    return whole.ok
      ? succeed(mark + whole.value)
      : failure(whole.error.error_type, `${path}: ${whole.error.message}; nothing was written`);
  }
  const text = own.trim() ? own : '{}\n';
  const damage = damageIn(text);
  if (damage !== undefined) return failure('parse_error', `${path} is not JSON (${damage}); nothing was written`);
  const unread = reader && unreadIn(text, reader.reads);
  if (reader && unread !== undefined)
    return failure(
      'parse_error',
      `${reader.title} does not read ${path} as it stands (${unread}), so it would not see what is written there. ` +
        'Nothing was written. Take it out of the file and connect again.',
    );
  const edits = reader ? settings.edits.flatMap((edit) => partsOf(edit, text)) : settings.edits;
  return succeed(mark + edits.reduce(setValue, text));
};

/** The settings without halter's, and the names of what was changed by hand since and so stays. */
export type Rest = { text: string; kept: readonly string[] };

/** The file without them: each value that is still as it was written becomes what it was before, or goes. */
export const withoutSettings = (
  text: string,
  before: string | undefined,
  settings: Exclude<ClientSettings, { text: string }>,
): Outcome<Rest> => {
  const mark = markOf(text);
  const old = before === undefined ? undefined : unmarked(before);
  const rest =
    'toml' in settings
      ? withoutToml(unmarked(text), old ?? '', settings.toml)
      : withoutEdits(unmarked(text), old, settings.edits);
  return rest.ok ? succeed({ ...rest.value, text: mark + rest.value.text }) : rest;
};

/** Neither a value nor a remark. */
export const isEmptySettings = (text: string): boolean => /^(?:\{\s*\})?$/.test(unmarked(text).trim());

const withoutEdits = (text: string, before: string | undefined, edits: readonly JsonEdit[]): Outcome<Rest> => {
  const damage = damageIn(text);
  if (damage !== undefined) return failure('parse_error', `it is not JSON any more (${damage})`);
  const parts = edits.flatMap((edit) => (isAt(text, edit) ? [edit] : partsOf(edit, text)));
  const ours = parts.filter((part) => isAt(text, part));
  const kept = parts.filter((part) => !ours.includes(part) && valueAt(text, part.path) !== undefined);
  const rest = ours.reduce((all, { path }) => {
    const old = before?.trim() ? valueAt(before, path) : undefined;
    return old === undefined ? removeValue(all, path, before) : setValue(all, { path, value: old });
  }, text);
  return succeed({ text: rest, kept: kept.map(({ path }) => path.join('.')) });
};

const isAt = (text: string, { path, value }: JsonEdit): boolean =>
  JSON.stringify(valueAt(text, path)) === JSON.stringify(value);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Where an object stands already, its own entries: others may have put theirs beside them. */
const partsOf = ({ path, value }: JsonEdit, text: string): JsonEdit[] =>
  isObject(value) && isObject(valueAt(text, path))
    ? Object.entries(value).flatMap(([name, inner]) =>
        partsOf({ path: [...path, name], value: inner as JsonValue }, text),
      )
    : [{ path, value }];

const setValue = (text: string, { path, value }: JsonEdit): string =>
  applyEdits(text, modify(text, [...path], value, FORMAT));

/** An object that held nothing else and was not there before goes with it. */
const removeValue = (text: string, path: readonly string[], before: string | undefined): string => {
  // Without a format: it would lay out the neighbours anew.
  const rest = applyEdits(text, modify(text, [...path], undefined, {}));
  const parent = path.slice(0, -1);
  if (parent.length === 0 || JSON.stringify(valueAt(rest, parent)) !== '{}') return rest;
  return before?.trim() && valueAt(before, parent) !== undefined ? rest : removeValue(rest, parent, before);
};

const valueAt = (text: string, path: readonly string[]): JsonValue | undefined => {
  const root = parseTree(text, [], PARSE);
  const node = root && findNodeAtLocation(root, [...path]);
  return node && (getNodeValue(node) as JsonValue);
};

const damageIn = (text: string): string | undefined => {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, PARSE);
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    return `line ${line}: ${printParseErrorCode(first.error)}`;
  }
  return root?.type === 'object' ? undefined : 'it holds no object';
};

type TomlLine = {
  /** From the top of the file. */
  path: readonly string[];
  isTable: boolean;
  start: number;
  /** Behind the end of its last line. */
  end: number;
  valueStart: number;
  /** As it is written, with a remark behind it. Empty for the head of a table. */
  value: string;
  /** With the blanks around it. */
  raw: string;
};

const TOML_NAME = /[ \t]*(?:([\w-]+)|"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')[ \t]*(\.?)/y;
/** A text, a remark, a bracket, the end of a line, or what lies between them. Each begins in its own way: linear. */
const TOML_PIECE =
  /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}|'''(?:[^']|'(?!''))*'{3,5}|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+/y;

const tomlName = (text: string, from: number): { names: string[]; end: number } | undefined => {
  const names: string[] = [];
  let end = from;
  for (;;) {
    TOML_NAME.lastIndex = end;
    const found = TOML_NAME.exec(text);
    if (found === null) return undefined;
    names.push(found[1] ?? found[2] ?? found[3] ?? '');
    end = TOML_NAME.lastIndex;
    if (found[4] === '') return { names, end };
  }
};

/** Where the line of a value ends, which may be several; undefined where a text or a bracket is never closed. */
const tomlValueEnd = (text: string, from: number): number | undefined => {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    TOML_PIECE.lastIndex = at;
    const piece = TOML_PIECE.exec(text)?.[0];
    if (piece === undefined) return undefined;
    at += piece.length;
    if (piece === '[' || piece === '{') depth += 1;
    if (piece === ']' || piece === '}') depth -= 1;
    if (depth < 0) return undefined;
    if (piece === '\n' && depth === 0) return at;
  }
  return depth === 0 ? at : undefined;
};

/** Tables and values in their order; blank lines and remarks lie between them. */
const tomlLines = (text: string): Outcome<TomlLine[]> => {
  const lines: TomlLine[] = [];
  let table: readonly string[] = [];
  let start = 0;
  while (start < text.length) {
    const lineEnd = text.indexOf('\n', start) + 1 || text.length;
    const line = text.slice(start, lineEnd).trim();
    const indent = start + (/^[ \t]*/.exec(text.slice(start, lineEnd))?.[0].length ?? 0);
    const brackets = line.startsWith('[[') ? 2 : line.startsWith('[') ? 1 : 0;
    const isSilent = line === '' || line.startsWith('#');
    const name = isSilent ? undefined : tomlName(text, indent + brackets);
    const sign = name && (brackets === 0 ? '=' : ']'.repeat(brackets));
    const isRead = name !== undefined && sign !== undefined && text.startsWith(sign, name.end);
    const end = isRead && brackets === 0 ? tomlValueEnd(text, name.end + 1) : lineEnd;
    if (end === undefined || (!isSilent && !isRead))
      return failure('parse_error', `it is not TOML (line ${text.slice(0, start).split('\n').length})`);
    if (isRead) {
      // One of a list of tables has no name of its own.
      if (brackets > 0) table = brackets === 2 ? [...name.names, '[]'] : name.names;
      const path = brackets > 0 ? table : [...table, ...name.names];
      const valueStart = brackets > 0 ? end : name.end + 1;
      const raw = text.slice(valueStart, end);
      lines.push({ path, isTable: brackets > 0, start, end, valueStart, value: raw.trim(), raw });
    }
    start = end;
  }
  return succeed(lines);
};

const sameLine = (lines: readonly TomlLine[], { path, isTable }: Pick<TomlLine, 'path' | 'isTable'>) =>
  lines.find((line) => line.isTable === isTable && JSON.stringify(line.path) === JSON.stringify(path));
const isWithin = (path: readonly string[], outer: readonly string[]): boolean =>
  outer.every((name, index) => path[index] === name);

type Change = { start: number; end: number; text: string };
const applyChanges = (text: string, changes: readonly Change[]): string => {
  let at = 0;
  let whole = '';
  for (const change of changes.toSorted((one, other) => one.start - other.start)) {
    whole += text.slice(at, change.start) + change.text;
    at = change.end;
  }
  return whole + text.slice(at);
};

const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const put = ({ valueStart, end }: TomlLine, raw: string, newline: string): Change => ({
  start: valueStart,
  end,
  text: raw.endsWith('\n') ? raw : raw + newline,
});

/** Each of halter's lines in the place of the same one, or behind its table's; what is there besides stays. */
const withToml = (text: string, ours: string): Outcome<string> => {
  const [lines, own] = [tomlLines(text), tomlLines(ours)];
  if (!lines.ok) return lines;
  if (!own.ok) return own;
  const newline = newlineOf(text);
  const changes: Change[] = [];
  for (const table of [{ path: [], end: 0 }, ...own.value.filter(({ isTable }) => isTable)]) {
    const missing: string[] = [];
    for (const line of own.value.filter((one) => !one.isTable && isWithin(one.path, table.path))) {
      if (line.path.length !== table.path.length + 1) continue;
      const there = sameLine(lines.value, line);
      if (there && there.value !== line.value) changes.push(put(there, ` ${line.value}`, newline));
      if (!there) missing.push(`${line.path.at(-1)} = ${line.value}${newline}`);
    }
    const added = missing.join('');
    if (added === '') continue;
    const head = sameLine(lines.value, { path: table.path, isTable: true });
    const isRoot = table.path.length === 0;
    const otherForm = lines.value.some(
      ({ path, isTable }) => !isTable && (isWithin(path, table.path) || isWithin(table.path, path)),
    );
    if (!isRoot && head === undefined && otherForm)
      return failure('parse_error', `it sets ${table.path.join('.')} in another form than a table of that name`);
    const at = isRoot ? 0 : (head?.end ?? text.length);
    const onNewLine = at === 0 || text[at - 1] === '\n' ? '' : newline;
    const title = isRoot || head ? '' : `${newline}[${table.path.join('.')}]${newline}`;
    changes.push({ start: at, end: at, text: `${onNewLine}${title}${added}${isRoot ? newline : ''}` });
  }
  return succeed(applyChanges(text, changes));
};

/** Without halter's lines, and without the head of its table where nothing else stands below it. */
const withoutToml = (text: string, before: string, ours: string): Outcome<Rest> => {
  const [lines, own, old] = [tomlLines(text), tomlLines(ours), tomlLines(before)];
  if (!lines.ok) return failure('parse_error', lines.error.message);
  if (!own.ok) return own;
  const earlier = old.ok ? old.value : [];
  const newline = newlineOf(text);
  const changes: Change[] = [];
  const kept: string[] = [];
  for (const line of own.value.filter(({ isTable }) => !isTable)) {
    const there = sameLine(lines.value, line);
    if (there === undefined) continue;
    const then = sameLine(earlier, line);
    if (there.value !== line.value) kept.push(line.path.join('.'));
    else changes.push(then ? put(there, then.raw, newline) : { start: there.start, end: there.end, text: '' });
  }
  for (const table of own.value.filter(({ isTable }) => isTable)) {
    const head = sameLine(lines.value, table);
    if (head === undefined || sameLine(earlier, table)) continue;
    const next = lines.value.find(({ isTable, start }) => isTable && start > head.start)?.start ?? text.length;
    const inside = changes
      .filter(({ start, end }) => start >= head.end && end <= next)
      .map((change) => ({ ...change, start: change.start - head.end, end: change.end - head.end }));
    if (applyChanges(text.slice(head.end, next), inside).trim() !== '') continue;
    const blank = text.slice(0, head.start).endsWith(newline + newline) ? newline.length : 0;
    changes.push({ start: head.start - blank, end: head.end, text: '' });
  }
  const rest = applyChanges(text, changes);
  return succeed({ text: /^\r?\n/.test(before) ? rest : rest.replace(/^(?:\r?\n)+/, ''), kept });
};

/** Who may do what with the file; 0 where there is none. */
export const modeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );
/** Whoever took the right to write from everybody wants no program to change it, though a folder would let it. */
export const isReadOnly = (mode: number): boolean => mode !== 0 && (mode & 0o222) === 0;
export const readOnlyFailure = (path: string) =>
  failure('io_error', `${path} is read-only. Nothing was written. \`chmod u+w\` lets halter change it.`).error;
export const isOpenToOthers = (mode: number): boolean => (mode & 0o077) !== 0;

/** A link is followed, since people keep such files elsewhere. A new file holds a token: for nobody else's eyes. */
export const writeSettings = async (
  path: string,
  text: string,
  io: Io,
  /** Who may read the file, where that changes. */
  mode?: number,
): Promise<Outcome<void>> => {
  try {
    makeFolder(dirname(path), SHARED_MODE);
    const target = await realpath(path).catch(() => path);
    const isThere = await stat(target).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      await writeFile(target, text, { mode: 0o600, flag: 'wx' });
      return succeed(undefined);
    }
    // Before the token is in it.
    if (mode !== undefined) await chmod(target, mode);
    const failed = await writeOutputFile(target, text, io);
    return failed === undefined ? succeed(undefined) : failure('io_error', failed);
  } catch (error) {
    return failure('io_error', `${path} cannot be written: ${(error as Error).message}`);
  }
};

export const removeSettings = (path: string): Promise<void> => rm(path, { force: true });
