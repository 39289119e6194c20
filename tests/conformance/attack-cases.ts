/** The catalogue of attacks lies beside the repository; where it is missing, the tests that need it are skipped. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AttackCase as PlayedCase } from '../../conformance/attacks/attack-case.ts';

const FOLDER = fileURLToPath(new URL('../../../shared/conformance/attacks', import.meta.url));

export type AttackCase = PlayedCase & { why: string };

/** Cases that we hold to be wrong, each with the reason. They are played all the same. */
export const DISPUTED = JSON.parse(fs.readFileSync(new URL('disputed.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

/** The cases of a group, or undefined where the catalogue is not there. */
export const attackCases = (group: string): AttackCase[] | undefined => {
  const file = path.join(FOLDER, `${group}.json`);
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as AttackCase[]) : undefined;
};
