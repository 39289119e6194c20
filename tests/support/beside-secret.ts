/** How a line is decided in a folder that holds a secret, under a rule for every command. */
import { openShellRules, surroundingsOf } from '../../src/agent/permissions/shell-rules.ts';
import { putFiles, scratchFolder } from './scratch.ts';

const EMPTY = Object.fromEntries(
  ['a.txt', 'gen.py', 'gen.sh', 'gen.txt', 'src/b.ts', 'src/b.js'].map((name) => [name, '']),
);

/** It copies what it needs. */
const IMAGE = 'FROM node\nWORKDIR /app\nCOPY package.json ./\nCOPY src ./src\n';

/** `allow`, or what is asked about. */
export const decidedBesideSecret = (line: string): Promise<string> =>
  decidedIn({ '.env': 'KEY=1', 'package.json': '{}', Dockerfile: IMAGE, ...EMPTY }, line);

/** The same in a folder with these files. */
export const decidedIn = async (files: Readonly<Record<string, string>>, line: string): Promise<string> => {
  const rules = await openShellRules();
  const folder = scratchFolder();
  putFiles(folder, files);
  const answer = rules.decide({ allow: [{}], deny: [] }, line, surroundingsOf(folder));
  return answer.verdict === 'allow' ? (answer.mentions.map(({ about }) => about).sort()[0] ?? 'allow') : answer.verdict;
};
