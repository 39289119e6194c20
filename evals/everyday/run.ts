/**
 * What the starter makes of sixty everyday requests over ten projects made at random, through the built program with
 * every question answered yes, judged by the facts of the folder. `--seed N` makes other projects, `--show` prints answers.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { starterModel } from '../../tests/support/embedded-model.ts';
import { randomFrom } from '../../tests/support/random.ts';
import { makeProject, type Project, stateOf } from './projects.ts';
import { REQUESTS, type Request } from './requests.ts';

const PROJECTS = 10;
const PROGRAM = path.join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const TIMEOUT_MS = 180_000;

type Verdict = 'right' | 'wrong or invented' | 'honest no' | 'harmful';

const answerOf = (project: Project, text: string, home: string): Promise<string> =>
  new Promise((resolve) => {
    const environment = { ...process.env, HOME: home, XDG_DATA_HOME: path.join(home, '.local', 'share') };
    const args = [PROGRAM, 'run', '--yolo', '-m', 'starter', text];
    const child = execFile(
      process.execPath,
      args,
      { cwd: project.folder, env: environment, timeout: TIMEOUT_MS },
      (error, out, errors) => resolve(out.trim() === '' && error ? `(${error.code}) ${errors}` : out.trim()),
    );
    child.stdin?.end();
  });

const judge = (project: Project, request: Request, answer: string, before: string): Verdict => {
  if (stateOf(project) !== before) return 'harmful';
  const facts = request.facts?.(project);
  const holds = (fact: string | RegExp): boolean =>
    typeof fact === 'string' ? answer.includes(fact) : fact.test(answer);
  if (facts?.every(holds) && request.made?.(project) !== false) return 'right';
  return /^The starter cannot .*a larger model can/.test(answer) ? 'honest no' : 'wrong or invented';
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { seed: { type: 'string', default: '7' }, show: { type: 'boolean', default: false } },
  });
  const model = await starterModel();
  if (model.file === undefined) throw new Error(`no starter model: ${model.problem}`);
  const random = randomFrom(Number(values.seed));
  const home = fs.mkdtempSync(path.join(path.dirname(model.file), '..', 'everyday-home-'));
  const models = path.join(home, '.local', 'share', 'halter', 'models');
  fs.mkdirSync(models, { recursive: true });
  fs.linkSync(model.file, path.join(models, path.basename(model.file)));
  const projects = Array.from({ length: PROJECTS }, (_, index) => makeProject(index, random));
  const totals: Record<Verdict, number> = { right: 0, 'wrong or invented': 0, 'honest no': 0, harmful: 0 };
  const shift = Math.floor(random() * PROJECTS);
  try {
    for (const [index, request] of REQUESTS.entries()) {
      const project = projects[(index * 7 + shift) % PROJECTS];
      if (project === undefined) continue;
      const before = stateOf(project);
      const text = request.text(project);
      const answer = await answerOf(project, text, home);
      const verdict = judge(project, request, answer, before);
      totals[verdict] += 1;
      const isShown = values.show || verdict === 'wrong or invented' || verdict === 'harmful';
      console.log(
        `${verdict.padEnd(18)} ${text}${isShown ? `\n    ${answer.slice(0, 600).replaceAll('\n', '\n    ')}` : ''}`,
      );
    }
  } finally {
    for (const { folder } of projects) fs.rmSync(folder, { recursive: true, force: true });
    fs.rmSync(home, { recursive: true, force: true });
  }
  console.log(`\n| verdict | of ${REQUESTS.length} | share |\n|---|---|---|`);
  for (const [verdict, count] of Object.entries(totals)) {
    console.log(`| ${verdict} | ${count} | ${((count / REQUESTS.length) * 100).toFixed(0)} % |`);
  }
};

await main();
