/** A command line that prints what a case says its child prints, byte for byte. */
import fs from 'node:fs';
import path from 'node:path';
import { asObject } from './attack-case.ts';
import type { Scene } from './scene.ts';

export const PRINTED_WORDS: readonly string[] = [
  'stdout',
  'stdout_hex',
  'stderr',
  'command',
  'split_at_byte',
  'exit_code',
  'exit_signal',
  'grandchild_keeps_stdout_open_s',
];

/** Undefined where the case has nothing that a command prints. */
export const commandThatPrints = (scene: Scene): string | undefined => {
  const given = asObject(scene.attack.given);
  if (!PRINTED_WORDS.some((word) => given[word] !== undefined)) return undefined;
  if (typeof given['command'] === 'string') return given['command'];
  const file = path.join(scene.root, 'printed');
  const { stdout, stdout_hex, split_at_byte } = given;
  fs.writeFileSync(file, typeof stdout_hex === 'string' ? Buffer.from(stdout_hex, 'hex') : String(stdout ?? ''));
  const steps: string[] = [];
  if (given['stderr'] !== undefined) {
    fs.writeFileSync(`${file}-errors`, String(given['stderr']));
    steps.push(`cat '${file}-errors' >&2`);
  }
  const seconds = given['grandchild_keeps_stdout_open_s'];
  if (seconds !== undefined) steps.push(`sleep ${Number(seconds)} &`);
  if (split_at_byte === undefined) steps.push(`cat '${file}'`);
  // The pause makes two pieces of it for whoever reads the pipe.
  else
    steps.push(
      `head -c ${Number(split_at_byte)} '${file}'; sleep 0.2; tail -c +${Number(split_at_byte) + 1} '${file}'`,
    );
  const signal = given['exit_signal'];
  if (signal !== undefined) steps.push(`kill -${String(signal).replace(/^SIG/, '').replaceAll(/\W/g, '')} $$`);
  if (given['exit_code'] !== undefined) steps.push(`exit ${Number(given['exit_code'])}`);
  return steps.join('\n');
};
