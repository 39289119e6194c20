// A vitest reporter that writes what `npm test` says at its end: the count, what failed, and what was skipped and why.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const PART_ONLY = 'no reason was given: `it.skip` without a word';

class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const summary = { passed: 0, failed: [], skipped: [] };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      for (const test of module.children.allTests()) {
        const title = `${file} > ${test.fullName}`;
        const result = test.result();
        if (result.state === 'passed') summary.passed += 1;
        else if (result.state === 'skipped') summary.skipped.push({ title, reason: result.note ?? PART_ONLY });
        else summary.failed.push(title);
      }
      // A file that does not load, or a hook that throws, has no failed test of its own.
      const broken = [module, ...module.children.allSuites()].filter((part) => part.errors().length > 0);
      for (const part of broken) summary.failed.push(part.fullName ? `${file} > ${part.fullName}` : file);
    }
    for (const error of unhandledErrors) summary.failed.push(`unhandled: ${error.message}`);
    writeFileSync(process.env.HALTER_TEST_SUMMARY, JSON.stringify(summary));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest takes a reporter file by its default export.
export { SummaryReporter as default };
