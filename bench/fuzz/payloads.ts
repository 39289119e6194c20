/** Arguments as a model, a script or an attacker might send them, as the text that comes over the wire. */
import type { JsonObject, JsonSchema, JsonValue } from '../../src/core/json.ts';

/** Each is a JSON text; some cannot be written as a literal (`__proto__`, 1e999). */
const ODD: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e999',
  '-1e999',
  '9007199254740993',
  '1e21',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\u202e\\u200b"',
  '"../../etc/passwd"',
  '"/etc/passwd"',
  '"~/.ssh/id_rsa"',
  '".env"',
  '".git/hooks/pre-commit"',
  '"a.txt"',
  '"sub/b.txt"',
  '"sub"',
  '"new.txt"',
  '"."',
  '"one"',
  '"(a+)+$"',
  '"[z-a]"',
  '"\\\\"',
  '"echo hi; rm -rf /"',
  '"http://169.254.169.254/latest"',
  '"https://host.test/a"',
  '"javascript:alert(1)"',
  '"True"',
  '"12"',
  '"[1]"',
  '"{}"',
  '[]',
  '[[[]]]',
  '[null]',
  '{}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"valueOf":null,"hasOwnProperty":0}',
  '{"length":-1}',
];
const ODD_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  'path ',
  'Path',
  'a.b',
  'x',
];
const WHOLE: readonly string[] = ['null', '[]', '"text"', '1', 'true', '[{}]', '{}', '{"__proto__":null}'];

type Property = JsonSchema & { type?: JsonValue; enum?: JsonValue[]; minimum?: number; maximum?: number };

export const payload = (parameters: JsonSchema, random: () => number): string => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  if (random() < 0.02) return pick(WHOLE);
  const properties = (parameters['properties'] ?? {}) as { [name: string]: Property };
  const required = (parameters['required'] ?? []) as string[];
  const fields: string[] = [];
  // Half of them are meant well, so that much is run as well as much is refused.
  const meansWell = random() < 0.5;
  for (const [name, property] of Object.entries(properties)) {
    if (random() < (required.includes(name) ? (meansWell ? 0 : 0.1) : 0.5)) continue;
    const value = meansWell || random() < 0.4 ? fitting(property, random, pick) : odd(random, pick);
    fields.push(`${JSON.stringify(name)}:${value}`);
    if (random() < 0.01) fields.push(`${JSON.stringify(name)}:${odd(random, pick)}`);
  }
  while (random() < 0.15) fields.push(`${JSON.stringify(pick(ODD_NAMES))}:${odd(random, pick)}`);
  return `{${fields.join(',')}}`;
};

const odd = (random: () => number, pick: (list: readonly string[]) => string): string => {
  const kind = random();
  if (kind < 0.002) return '['.repeat(5_000) + ']'.repeat(5_000);
  if (kind < 0.004) return JSON.stringify('a'.repeat(100_000));
  if (kind < 0.1) return JSON.stringify(noise(random));
  return pick(ODD);
};

const noise = (random: () => number): string =>
  Array.from({ length: Math.floor(random() * 12) }, () => String.fromCharCode(Math.floor(random() * 0x1_0000))).join(
    '',
  );

const TEXTS = ODD.filter((text) => text.startsWith('"'));
const fitting = (property: Property, random: () => number, pick: (list: readonly string[]) => string): string => {
  if (property.enum) return pick(property.enum.map((value) => JSON.stringify(value)));
  const types = [property.type ?? 'string'].flat();
  const least = property.minimum ?? 0;
  const most = Math.min(property.maximum ?? least + 1_000, least + 1_000);
  if (types.includes('integer')) return String(least + Math.floor(random() * (most - least + 1)));
  if (types.includes('number')) return String(least + random() * (most - least));
  if (types.includes('boolean')) return pick(['true', 'false']);
  if (types.includes('array')) return pick(['[]', '["a"]']);
  if (types.includes('object')) return '{}';
  return random() < 0.2 ? JSON.stringify(noise(random)) : pick(TEXTS);
};

/** What a schema says of arguments that it knows nothing of: they are left out before anything is checked. */
export const onlyKnown = (parameters: JsonSchema, value: JsonObject): JsonObject => {
  const known = Object.keys((parameters['properties'] ?? {}) as object);
  return Object.fromEntries(
    known.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name] as JsonValue]),
  );
};
