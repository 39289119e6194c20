/** The catalogue of attacks lies beside the repository; where it is missing, the tests that need it are skipped. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

const FOLDER = fileURLToPath(new URL('../../../shared/conformance/attacks', import.meta.url));

export type AttackCase = {
  id: string;
  group: string;
  given: JsonObject;
  when: JsonObject;
  then: JsonObject;
  why: string;
};

/** The cases of a group, or undefined where the catalogue is not there. */
export const attackCases = (group: string): AttackCase[] | undefined => {
  const file = path.join(FOLDER, `${group}.json`);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as AttackCase[]) : undefined;
};

/** Expands the catalogue's generators. One that is not known is an error, never skipped. */
export const expand = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== 'object' || value === null) return value;
  const generator = Object.keys(value).find((key) => key.startsWith('$') && !key.startsWith('$S/'));
  if (generator === undefined) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, expand(entry)]));
  }
  const parameter = value[generator] as JsonValue;
  switch (generator) {
    case '$repeat': {
      const [unit, times] = parameter as [string, number];
      return unit.repeat(times);
    }
    case '$concat':
      return (parameter as JsonValue[]).map((part) => String(expand(part))).join('');
    case '$line':
      return 'x'.repeat(parameter as number);
    default:
      throw new Error(`the generator ${generator} is not known`);
  }
};
