/**
 * The environment that a program was started with can be read by every other program of the same user, in
 * /proc/PID/environ, for as long as it runs; taking a variable out of `process.env` changes nothing about that. So the
 * values of secrets are written over where the system shows them, in this process's own memory. What the program itself
 * reads is a copy.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { isSecretVariable } from '../core/policy/secret-values.ts';

/** Fields of /proc/self/stat, counted from the one after the name: where the environment begins and ends. */
const ENVIRONMENT_START = 47;
const ENVIRONMENT_END = 48;
const LARGEST_BYTES = 4 * 1024 * 1024;

/** False where the system has no such place, or does not let it be written. Nothing else depends on it. */
export const hideEnvironment = (): boolean => {
  if (process.platform !== 'linux') return false;
  const secrets = Object.entries(process.env).filter(([name, value]) => isSecretVariable(name, value ?? ''));
  if (secrets.length === 0) return true;
  // Setting a variable makes a copy of it elsewhere, from which it is read from now on.
  for (const [name, value] of secrets) process.env[name] = value;
  try {
    return writeOver(new Set(secrets.map(([name]) => name)));
  } catch {
    return false;
  }
};

const writeOver = (names: ReadonlySet<string>): boolean => {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const start = Number(fields[ENVIRONMENT_START]);
  const length = Number(fields[ENVIRONMENT_END]) - start;
  if (!Number.isSafeInteger(start) || start <= 0 || !(length > 0 && length <= LARGEST_BYTES)) return false;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    const block = Buffer.alloc(length);
    if (readSync(memory, block, 0, length, start) !== length) return false;
    for (let at = 0; at < length; ) {
      const end = block.indexOf(0, at) < 0 ? length : block.indexOf(0, at);
      const equals = block.indexOf('=', at);
      if (equals > at && equals < end && names.has(block.toString('utf8', at, equals))) {
        const value = Buffer.alloc(end - equals - 1, '*');
        writeSync(memory, value, 0, value.length, start + equals + 1);
      }
      at = end + 1;
    }
    return true;
  } finally {
    closeSync(memory);
  }
};
