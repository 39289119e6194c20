/**
 * What the starter makes of sixty everyday requests over ten projects made at random, and of people's questions about ten
 * other folders, through the built program with every question answered yes, judged by the facts of the folder. `--seed N`
 * makes other projects, `--show` prints answers, `--set requests|tune|held` takes one set alone. The answers of the half
 * `held` are only counted, unless `--show` is given.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { starterModel } from '../../tests/support/embedded-model.ts';
import { randomFrom } from '../../tests/support/random.ts';
import { makeProject, type Project, stateOf } from './projects.ts';
import { askQuestions } from './questions.ts';
import { REQUESTS, type Request } from './requests.ts';
import { type Ask, count, HONEST_NO, type Report, type Verdict } from './verdict.ts';

const PROJECTS = 10;
const PROGRAM = path.join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const TIMEOUT_MS = 180_000;

const SETS = ['requests', 'tune', 'held'] as const;

const answerOf = (program: string, folder: string, text: string, home: string): Promise<string> =>
  new Promise((resolve) => {
    const environment = { ...process.env, HOME: home, XDG_DATA_HOME: path.join(home, '.local', 'share') };
    const args = [program, 'run', '--yolo', '-m', 'starter', text];
    const child = execFile(
      process.execPath,
      args,
      { cwd: folder, env: environment, timeout: TIMEOUT_MS },
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
  return HONEST_NO.test(answer) ? 'honest no' : 'wrong or invented';
};

const askRequests = async (seed: number, ask: Ask, report: Report): Promise<void> => {
  const random = randomFrom(seed);
  const projects = Array.from({ length: PROJECTS }, (_, index) => makeProject(index, random));
  const shift = Math.floor(random() * PROJECTS);
  const verdicts: Verdict[] = [];
  try {
    for (const [index, request] of REQUESTS.entries()) {
      const project = projects[(index * 7 + shift) % PROJECTS];
      if (project === undefined) continue;
      const before = stateOf(project);
      const text = request.text(project);
      const answer = await ask(project.folder, text);
      const verdict = judge(project, request, answer, before);
      verdicts.push(verdict);
      report(verdict, text, answer);
    }
  } finally {
    for (const { folder } of projects) fs.rmSync(folder, { recursive: true, force: true });
  }
  count('requests', verdicts);
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '7' },
      show: { type: 'boolean', default: false },
      set: { type: 'string', multiple: true, default: [...SETS] },
      program: { type: 'string', default: PROGRAM },
    },
  });
  const model = await starterModel();
  if (model.file === undefined) throw new Error(`no starter model: ${model.problem}`);
  const home = fs.mkdtempSync(path.join(path.dirname(model.file), '..', 'everyday-home-'));
  const models = path.join(home, '.local', 'share', 'halter', 'models');
  fs.mkdirSync(models, { recursive: true });
  fs.linkSync(model.file, path.join(models, path.basename(model.file)));
  const ask: Ask = (folder, text) => answerOf(values.program, folder, text, home);
  const seed = Number(values.seed);
  const reporting =
    (isCounted: boolean): Report =>
    (verdict, text, answer) => {
      const isShown = values.show || (!isCounted && (verdict === 'wrong or invented' || verdict === 'harmful'));
      if (isShown || !isCounted)
        console.log(
          `${verdict.padEnd(18)} ${text}${isShown ? `\n    ${answer.slice(0, 600).replaceAll('\n', '\n    ')}` : ''}`,
        );
    };
  try {
    if (values.set.includes('requests')) await askRequests(seed, ask, reporting(false));
    if (values.set.includes('tune')) await askQuestions('tune', seed, ask, reporting(false));
    if (values.set.includes('held')) await askQuestions('held', seed, ask, reporting(true));
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
};

await main();
