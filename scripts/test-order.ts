/**
 * The order of test files. A clean clone has no times of a run before, and Vitest's own order without them is by size, so
 * that a minute-long file may begin when all others are done. Those that mostly wait begin first, beside those that compute.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The beginnings of paths, longest first: what takes half a minute, then what starts programs and browsers. */
const FIRST: readonly string[] = [
  'tests/e2e/fleet',
  'src/storage/postgres.',
  'tests/e2e/workers',
  'tests/e2e/run-for-a-team',
  'tests/browser/conversation',
  'tests/browser/other-browsers',
  'tests/e2e/package',
  'tests/e2e/installed-',
  'tests/e2e/mcp-conformance',
  'tests/e2e/terminal.',
  'tests/conformance/',
  'tests/embedded-',
  'tests/browser/',
  'src/sandbox/',
  'src/storage/',
  'src/server/gateway/',
  'src/agent/loop/',
  'tests/',
  'src/dialects/',
];

const placeOf = (file: string): number => {
  const place = FIRST.findIndex((beginning) => file.startsWith(beginning));
  return place < 0 ? FIRST.length : place;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => placeOf(relative(this.ctx.config.root, moduleId));
    // One after another, since a shared process ends where the next file wants one of its own.
    const isAlone = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1);
    return sorted.sort((one, other) => isAlone(one) - isAlone(other) || place(one) - place(other));
  }
}
