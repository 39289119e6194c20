/** Of a file, what decides about what is started. Installing a package changes package.json, and nothing that is run by it. */
import path from 'node:path';
import { isObject, type JsonValue } from '../../../core/json.ts';

const STARTED_FIELDS = [
  'name',
  'type',
  'main',
  'module',
  'exports',
  'imports',
  'bin',
  'scripts',
  'workspaces',
  'config',
];

export const isManifest = (file: string): boolean => path.basename(file) === 'package.json';

export const startedFields = (text: string): JsonValue => {
  try {
    const value: JsonValue = JSON.parse(text);
    return isObject(value) ? STARTED_FIELDS.map((name) => value[name] ?? null) : null;
  } catch {
    return null;
  }
};

/** Whether a change of this file leaves what is started as it was. */
export const isSameStart = (file: string, before: string | undefined, after: string | undefined): boolean => {
  if (before === undefined || after === undefined) return false;
  if (before === after) return true;
  if (!isManifest(file)) return false;
  const fields = startedFields(after);
  return fields !== null && JSON.stringify(fields) === JSON.stringify(startedFields(before));
};
