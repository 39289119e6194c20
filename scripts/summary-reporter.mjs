// A vitest reporter that writes what `npm test` says at its end: the count, what failed and why, and what was skipped
// and why. With `HALTER_TEST_LINES=files` it also prints one line a file and what tests themselves print.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const PART_ONLY = 'no reason was given: `it.skip` without a word';
/** The text of one failure. */
const MOST_LINES = 40;
const LONGEST_LINE = 400;

const positionOf = ({ file, line, column }) => `at ${relative(process.cwd(), file)}:${line}:${column}`;

/** Message, difference, stack and causes of an error, without colours and no longer than what a log has room for. */
export const textOf = (error) => {
  const parts = [];
  for (let part = error; part !== undefined && part !== null && parts.length < 3; part = part.cause) {
    const message = part.message ?? String(part);
    const named = part.name === undefined || part.name === 'Error' ? message : `${part.name}: ${message}`;
    // Where vitest parsed no stack, the error's own one is all there is.
    const stack =
      part.stacks?.map(positionOf) ??
      String(part.stack ?? '')
        .split('\n')
        .slice(1);
    parts.push([parts.length === 0 ? named : `caused by ${named}`, part.diff ?? '', ...stack].join('\n'));
  }
  const lines = stripVTControlCharacters(parts.join('\n'))
    .split('\n')
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
    .filter((line) => line !== '');
  if (lines.length <= MOST_LINES) return lines.join('\n');
  // The end of a stack says where in the test it was; the middle of a long difference says least.
  const end = MOST_LINES / 4;
  const start = MOST_LINES - end - 1;
  const left = lines.length - start - end;
  return [...lines.slice(0, start), `… ${left} more lines`, ...lines.slice(-end)].join('\n');
};

const failureOf = (title, errors) => ({ title, text: (errors ?? []).slice(0, 3).map(textOf).join('\n') });

const printsFiles = process.env.HALTER_TEST_LINES === 'files';

const newSummary = () => ({ passed: 0, failed: [], skipped: [], files: [] });

const add = (summary, module) => {
  const file = fileOf(module);
  const { duration, collectDuration } = module.diagnostic();
  summary.files.push({ file, ms: Math.round(duration + collectDuration) });
  for (const test of module.children.allTests()) {
    const title = `${file} > ${test.fullName}`;
    const result = test.result();
    if (result.state === 'passed') summary.passed += 1;
    else if (result.state === 'skipped') summary.skipped.push({ title, reason: result.note ?? PART_ONLY });
    else summary.failed.push(failureOf(title, result.errors));
  }
  // A file that does not load, or a hook that throws, has no failed test of its own.
  const broken = [module, ...module.children.allSuites()].filter((part) => part.errors().length > 0);
  for (const part of broken) {
    summary.failed.push(failureOf(part.fullName ? `${file} > ${part.fullName}` : file, part.errors()));
  }
};

const fileOf = (module) => relative(process.cwd(), module.moduleId);
const write = (summary) => writeFileSync(process.env.HALTER_TEST_SUMMARY, JSON.stringify(summary));

class SummaryReporter {
  /** What is known so far, for a run that hangs and is ended from outside. */
  ended = newSummary();
  running = new Set();
  waiting = new Set();

  onTestRunStart(specifications) {
    this.waiting = new Set(specifications.map(fileOf));
    this.writeState();
  }

  /** Kept before and after each file. */
  writeState() {
    write({ ...this.ended, running: [...this.running], waiting: [...this.waiting] });
  }

  onUserConsoleLog({ content }) {
    if (printsFiles) process.stdout.write(content);
  }

  onTestModuleStart(module) {
    this.running.add(fileOf(module));
    this.waiting.delete(fileOf(module));
    this.writeState();
  }

  onTestModuleEnd(module) {
    this.running.delete(fileOf(module));
    add(this.ended, module);
    this.writeState();
    if (!printsFiles) return;
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    const counted = failed === 0 ? `${tests.length} tests` : `${tests.length} tests, ${failed} failed`;
    console.log(`${module.ok() ? '✓' : '✗'} ${fileOf(module)} (${counted}, ${seconds} s)`);
  }

  onTestRunEnd(modules, unhandledErrors) {
    const summary = newSummary();
    for (const module of modules) add(summary, module);
    for (const error of unhandledErrors) summary.failed.push(failureOf(`unhandled: ${error.message}`, [error]));
    write(summary);
  }
}

// biome-ignore lint/style/noDefaultExport: vitest takes a reporter file by its default export.
export { SummaryReporter as default };
