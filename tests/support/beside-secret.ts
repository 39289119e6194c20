/** How a line is decided in a folder that holds a secret, under a rule for every command. */
import { openShellRules, surroundingsOf } from '../../src/agent/permissions/shell-rules.ts';
import { putFiles, scratchFolder } from './scratch.ts';

const EMPTY = Object.fromEntries(
  ['a.txt', 'gen.py', 'gen.sh', 'gen.txt', 'src/b.ts', 'src/b.js'].map((name) => [name, '']),
);

/** `allow`, or what is asked about. */
export const decidedBesideSecret = async (line: string): Promise<string> => {
  const rules = await openShellRules();
  const folder = scratchFolder();
  putFiles(folder, { '.env': 'KEY=1', 'package.json': '{}', ...EMPTY });
  const answer = rules.decide({ allow: [{}], deny: [] }, line, surroundingsOf(folder));
  return answer.verdict === 'allow' ? (answer.mentions.map(({ about }) => about).sort()[0] ?? 'allow') : answer.verdict;
};
