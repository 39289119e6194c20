/**
 * Test files that only `npm run test:long` runs: each drives a whole system from end to end for a quarter of a minute or
 * more (a real model, bundlers, a fleet behind a proxy, a dialog of the page at every width), and what it holds together
 * has tests of its own beside the code. CI runs both forms. A path or name given to `npm test` runs it all the same.
 */
export const LONG_ONLY: readonly string[] = [
  'tests/embedded-constrained.test.ts',
  'tests/embedded-states.test.ts',
  'tests/browser/compare.test.ts',
  'tests/browser/dialects.test.ts',
  'tests/browser/dictation.test.ts',
  'tests/browser/documents.test.ts',
  'tests/browser/mcp-servers.test.ts',
  'tests/browser/mermaid.test.ts',
  'tests/browser/other-browsers.test.ts',
  'tests/browser/other-programs.test.ts',
  'tests/browser/panels.test.ts',
  'tests/browser/restart.test.ts',
  'tests/browser/share.test.ts',
  'tests/browser/stable.test.ts',
  'tests/e2e/fleet.test.ts',
  'tests/e2e/installed-elsewhere.test.ts',
  'tests/e2e/launch-rivals.test.ts',
  'tests/e2e/mcp-conformance.test.ts',
  'tests/e2e/run-for-a-team.test.ts',
];
