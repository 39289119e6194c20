/** How a line is decided in a folder that holds a secret, under a rule for every command. */
import fs from 'node:fs';
import path from 'node:path';
import { SHARED_FOLDER } from '../../scripts/shared-folder.ts';
import { openShellRules, surroundingsOf } from '../../src/agent/permissions/shell-rules.ts';
import { putFiles, scratchFolder } from './scratch.ts';

const EMPTY = Object.fromEntries(
  ['a.txt', 'gen.py', 'gen.sh', 'gen.txt', 'src/b.ts', 'src/b.js'].map((name) => [name, '']),
);

/** It copies what it needs. */
const IMAGE = 'FROM node\nWORKDIR /app\nCOPY package.json ./\nCOPY src ./src\n';

let made: string | undefined;
/** One for all lines of a process, since a line that is decided is not run. It is removed at the end of the run. */
const besideSecret = (): string => {
  if (made !== undefined) return made;
  made = fs.mkdtempSync(path.join(process.env[SHARED_FOLDER] as string, 'beside-secret-'));
  putFiles(made, { '.env': 'KEY=1', 'package.json': '{}', Dockerfile: IMAGE, ...EMPTY });
  return made;
};

/** `allow`, or what is asked about. */
export const decidedBesideSecret = (line: string): Promise<string> => decidedThere(besideSecret(), line);

/** The same in a folder with these files. */
export const decidedIn = (files: Readonly<Record<string, string>>, line: string): Promise<string> => {
  const folder = scratchFolder();
  putFiles(folder, files);
  return decidedThere(folder, line);
};

const decidedThere = async (folder: string, line: string): Promise<string> => {
  const rules = await openShellRules();
  const answer = rules.decide({ allow: [{}], deny: [] }, line, surroundingsOf(folder));
  return answer.verdict === 'allow' ? (answer.mentions.map(({ about }) => about).sort()[0] ?? 'allow') : answer.verdict;
};
