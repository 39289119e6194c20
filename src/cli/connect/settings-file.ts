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
import type { JsonValue } from '../../core/json.ts';
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

/** The file as it will be. One that is damaged, or that the client itself does not read, is left to the person. */
export const withSettings = (
  path: string,
  before: string | undefined,
  settings: ClientSettings,
  /** Who has to read it then, where that is known. */
  reader?: { title: string; reads: readonly BeyondJson[] },
): Outcome<string> => {
  if ('text' in settings) return succeed(settings.text);
  const text = before?.trim() ? before : '{}\n';
  const damage = damageIn(text);
  if (damage !== undefined) return failure('parse_error', `${path} is not JSON (${damage}); nothing was written`);
  const unread = reader && unreadIn(text, reader.reads);
  if (reader && unread !== undefined)
    return failure(
      'parse_error',
      `${reader.title} does not read ${path} as it stands (${unread}), so it would not see what is written there. ` +
        'Nothing was written. Take it out of the file and connect again.',
    );
  return succeed(settings.edits.reduce(setValue, text));
};

/** The file without them: each value that is still as it was written becomes what it was before, or goes. */
export const withoutSettings = (
  text: string,
  before: string | undefined,
  edits: readonly JsonEdit[],
): Outcome<string> => {
  const damage = damageIn(text);
  if (damage !== undefined) return failure('parse_error', `it is not JSON any more (${damage})`);
  const ours = edits.filter(({ path, value }) => JSON.stringify(valueAt(text, path)) === JSON.stringify(value));
  return succeed(
    ours.reduce((all, { path }) => {
      const old = before?.trim() ? valueAt(before, path) : undefined;
      return old === undefined ? removeValue(all, path, before) : setValue(all, { path, value: old });
    }, text),
  );
};

const setValue = (text: string, { path, value }: JsonEdit): string =>
  applyEdits(text, modify(text, [...path], value, FORMAT));

/** An object that held nothing else and was not there before goes with it. */
const removeValue = (text: string, path: readonly string[], before: string | undefined): string => {
  const rest = applyEdits(text, modify(text, [...path], undefined, FORMAT));
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
