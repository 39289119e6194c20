// One job in a process of its own: node --expose-gc worker.mjs baseline|halter JOB PORT. Prints one line of JSON.
import { setTimeout as sleep } from 'node:timers/promises';

const [side, job, port] = process.argv.slice(2);
const number = { type: 'number' };
const parametersOf = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, number])),
  required: names,
});
const tools = [
  {
    name: 'add',
    description: 'Add two numbers',
    parameters: parametersOf('a', 'b'),
    execute: async ({ a, b }) => ({ sum: a + b }),
  },
  {
    name: 'wait',
    description: 'Wait so many milliseconds',
    parameters: parametersOf('ms'),
    execute: async ({ ms }) => {
      await sleep(ms);
      return { waited: ms };
    },
  },
];
const { load } = await import(side === 'baseline' ? './baseline.mjs' : '../peer-adapter.mjs');
const run = await load({ baseURL: `http://127.0.0.1:${port}/v1`, tools });
let count = 0;
const converse = async (scenario) => {
  count += 1;
  const model = `${scenario}-${process.pid}x${count}`;
  const system = 'You work step by step and use the tools.';
  const text = await run({ model, system, prompt: 'Add the numbers, please.', maxSteps: 2_000, onText() {} });
  if (text !== 'All of it is done.') throw new Error(`the answer is ${JSON.stringify(text)}`);
};
const measured = async (work) => {
  globalThis.gc();
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1_000, wall: performance.now() - started };
};
const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];
const repeated = async (times, work) => {
  const results = [];
  for (let time = 0; time < times; time += 1) results.push(await measured(work));
  return { cpu: median(results.map(({ cpu }) => cpu)), wall: median(results.map(({ wall }) => wall)) };
};

const JOBS = {
  async steps() {
    for (let warm = 0; warm < 4; warm += 1) await converse('steps-50');
    return { step: (await repeated(5, () => converse('steps-50'))).cpu / 51 };
  },
  async growth() {
    for (let warm = 0; warm < 2; warm += 1) await converse('steps-50');
    const short = (await measured(() => converse('steps-250'))).cpu / 251;
    return { growth: (await measured(() => converse('steps-1000'))).cpu / 1_001 / short };
  },
  async parallel() {
    await converse('steps-10');
    return { wall: (await repeated(5, () => converse('parallel-8'))).wall };
  },
  async many() {
    await converse('steps-10');
    globalThis.gc();
    const before = process.memoryUsage.rss();
    const { cpu } = await measured(() => Promise.all(Array.from({ length: 200 }, () => converse('steps-10'))));
    return { cpu, memory: process.resourceUsage().maxRSS * 1_024 - before };
  },
};
console.log(JSON.stringify(await JOBS[job]()));
process.exit(0);
