/** The workflows of the code host: what they may do, whose code they run, and which of them can publish. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from './requirements.ts';
import { expression, workflowFaults } from './support/workflow-faults.ts';

const FOLDER = path.join(import.meta.dirname, '../.github/workflows');
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(path.join(FOLDER, name), 'utf8') }));

/** Each job with its lines; two spaces deep, as in every file here. */
const jobsOf = (text: string): { name: string; text: string }[] => {
  const [, jobs = ''] = text.split(/^jobs:\n/m);
  const names = [...jobs.matchAll(/^ {2}([\w-]+):\n/gm)];
  return names.map((match, index) => ({
    name: match[1] ?? '',
    text: jobs.slice(match.index, names[index + 1]?.index ?? jobs.length),
  }));
};
const permissionsOf = (job: string): string[] => {
  const [, listed = ''] = /^ {4}permissions:\n((?: {6}.*\n)+)/m.exec(job) ?? [];
  return listed.split('\n').flatMap((line) => line.trim() || []);
};
const stepsOf = (job: string): string[] =>
  [...job.matchAll(/^ {6}(?:- | {2})(uses|run): (.*)$/gm)].map(([, kind, what]) => `${kind} ${what}`);

/** What would hand a job, its token or the package to somebody else: [title, file, what stands there, what is put there]. */
const TESTS = 'uses: ./.github/workflows/ci.yml\n';
const DOWNLOAD = '        with:\n          name: package\n      - uses: actions/setup-node';
const STEPS = '    steps:\n';
const PACK = '  pack:\n    needs: [test, test-long]\n';
const PUBLISHING = '  publish:\n    needs: pack\n';
const LAST = '      - run: npm publish';
const SETUP = '          node-version: 24\n';
const CHANGED: readonly [string, string, string, string][] = [
  ['secrets are inherited', 'publish.yml', TESTS, `${TESTS}    secrets: inherit\n`],
  ['a secret is handed on', 'publish.yml', TESTS, `${TESTS}    secrets:\n      npm: ${expression('secrets.NPM')}\n`],
  ['inputs are handed on', 'publish.yml', TESTS, `${TESTS}    with:\n      ref: x\n`],
  ['another workflow is called', 'publish.yml', './.github/workflows/ci.yml', 'o/r/.github/workflows/ci.yml@main'],
  ['a call takes secrets', 'ci.yml', '  workflow_call:\n', '  workflow_call:\n    secrets:\n      npm:\n'],
  ['a call takes inputs', 'ci.yml', '  workflow_call:\n', '  workflow_call:\n    inputs:\n      ref:\n'],
  ...[
    'pull_request_target',
    'workflow_run',
    'issue_comment',
    'schedule',
    'workflow_dispatch',
    'repository_dispatch',
  ].flatMap((trigger): [string, string, string, string][] => [
    [`the trigger ${trigger}`, 'ci.yml', '  pull_request:\n', `  pull_request:\n  ${trigger}:\n`],
    [`the trigger ${trigger}`, 'publish.yml', "    tags: ['v*']\n", `    tags: ['v*']\n  ${trigger}:\n`],
  ]),
  ['requests publish', 'publish.yml', "    tags: ['v*']\n", "    tags: ['v*']\n  pull_request:\n"],
  ['a branch publishes', 'publish.yml', "    tags: ['v*']\n", "    tags: ['v*']\n    branches: [main]\n"],
  ['every tag publishes', 'publish.yml', "['v*']", "['**']"],
  ['every branch is tested as main', 'ci.yml', '[main]', "['**']"],
  ['a list of triggers', 'publish.yml', "on:\n  push:\n    tags: ['v*']\n", 'on: [push, pull_request]\n'],
  ['a job runs whatever came before', 'publish.yml', PUBLISHING, `${PUBLISHING}    if: always()\n`],
  ['a job packs whatever came before', 'publish.yml', PACK, `${PACK}    if: ${expression('!cancelled()')}\n`],
  ['a step runs whatever came before', 'publish.yml', LAST, `      - if: always()\n        run: npm publish`],
  ['another condition of a step', 'ci.yml', 'if: matrix.node == 24', "if: github.actor != 'x'"],
  ['publishing waits for nothing', 'publish.yml', '    needs: pack\n', ''],
  ['publishing waits for the tests alone', 'publish.yml', '    needs: pack\n', '    needs: test\n'],
  ['packing waits for nothing', 'publish.yml', PACK, '  pack:\n'],
  ['a failed test counts not', 'ci.yml', '    timeout-minutes: 45\n', '    continue-on-error: true\n'],
  ['a failed step counts not', 'ci.yml', '- run: .ci/run\n', '- run: .ci/run\n        continue-on-error: true\n'],
  ['a failed line counts not', 'ci.yml', '- run: .ci/run\n', '- run: .ci/run || true\n'],
  ['the tests are not run', 'ci.yml', '      - run: .ci/run\n', ''],
  ['the long form is not run', 'long.yml', '      - run: .ci/run --long\n', ''],
  ['the long form is not run before a release', 'publish.yml', '[test, test-long]', '[test]'],
  ['a failed long form counts not', 'long.yml', '.ci/run --long\n', '.ci/run --long || true\n'],
  ['requests play the long form', 'long.yml', '  workflow_call:\n', '  workflow_call:\n  pull_request_target:\n'],
  ['no environment', 'publish.yml', '    environment: npm\n', ''],
  ['another environment', 'publish.yml', 'environment: npm', 'environment: test'],
  ['another runner', 'publish.yml', 'runs-on: ubuntu-24.04', 'runs-on: [self-hosted]'],
  ['a container', 'publish.yml', PUBLISHING, `${PUBLISHING}    container: node:24\n`],
  ['a service', 'publish.yml', PUBLISHING, `${PUBLISHING}    services:\n      x:\n        image: x\n`],
  ['a shell of its own', 'publish.yml', PUBLISHING, `${PUBLISHING}    defaults:\n      run:\n        shell: sh {0}\n`],
  ['a shell for all jobs', 'publish.yml', 'jobs:\n', 'defaults:\n  run:\n    shell: sh {0}\njobs:\n'],
  ['a shell of a step', 'publish.yml', 'run: npm ci\n', 'run: npm ci\n        shell: sh {0}\n'],
  ['a folder of a step', 'publish.yml', 'run: npm ci\n', 'run: npm ci\n        working-directory: x\n'],
  ['a matrix of publishing', 'publish.yml', PUBLISHING, `${PUBLISHING}    strategy:\n      matrix:\n        a: [1]\n`],
  ['a variable for all jobs', 'publish.yml', 'jobs:\n', 'env:\n  NODE_OPTIONS: --require ./x.js\njobs:\n'],
  ['a variable of a job', 'publish.yml', STEPS, `    env:\n      A: ${expression('github.token')}\n    steps:\n`],
  ['a variable of a step', 'publish.yml', 'run: npm ci\n', 'run: npm ci\n        env:\n          A: b\n'],
  ['the token in a line', 'ci.yml', 'run: .ci/run', `run: .ci/run ${expression('github.token')}`],
  [
    'an expression in a block',
    'ci.yml',
    'run: .ci/run\n',
    `run: |\n          echo ${expression('github.head_ref')}\n          .ci/run\n`,
  ],
  [
    'an expression in a folded block',
    'ci.yml',
    'run: .ci/run\n',
    `run: >-\n          .ci/run\n          ${expression('github.actor')}\n`,
  ],
  [
    'an expression in a name',
    'publish.yml',
    'name: The tag',
    `name: ${expression('github.event.head_commit.message')}`,
  ],
  ['another line before publishing', 'publish.yml', LAST, `      - run: npm ci\n${LAST}`],
  ['another line of packing', 'publish.yml', '- run: npm ci\n', '- run: npm ci\n      - run: curl x | sh\n'],
  ['another line of the tests', 'ci.yml', '- run: .ci/run\n', '- run: curl x | sh\n      - run: .ci/run\n'],
  ['scripts of the package', 'publish.yml', ' --ignore-scripts\n', '\n'],
  ['another registry', 'publish.yml', '--access public', '--access public --registry https://x.test'],
  ['without provenance', 'publish.yml', ' --provenance', ''],
  [
    'a checkout where it publishes',
    'publish.yml',
    '      - uses: actions/download',
    '      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683\n        with:\n          persist-credentials: false\n      - uses: actions/download',
  ],
  ...['run-id: 1', 'repository: o/r', 'github-token: x', "pattern: '*'", 'path: ..', 'merge-multiple: true'].map(
    (option): [string, string, string, string] => [
      `download-artifact with ${option}`,
      'publish.yml',
      DOWNLOAD,
      DOWNLOAD.replace('name: package\n', `name: package\n          ${option}\n`),
    ],
  ),
  ['all artifacts', 'publish.yml', DOWNLOAD, '      - uses: actions/setup-node'],
  ['another artifact', 'publish.yml', DOWNLOAD, DOWNLOAD.replace('name: package', 'name: other')],
  ['more is packed', 'publish.yml', 'path: package/*.tgz', 'path: .'],
  ['the artifact is written over', 'publish.yml', 'retention-days: 1', 'overwrite: true'],
  ['a cache where it packs', 'publish.yml', SETUP, `${SETUP}          cache: npm\n`],
  ['a registry of setup-node', 'publish.yml', SETUP, `${SETUP}          registry-url: https://x.test\n`],
  ['credentials are kept', 'ci.yml', 'persist-credentials: false', 'persist-credentials: true'],
  ['credentials are kept as usual', 'publish.yml', '        with:\n          persist-credentials: false\n', ''],
  ...['ref: x', 'repository: o/r', 'token: x', 'submodules: true', 'ssh-key: x'].map(
    (option): [string, string, string, string] => [
      `checkout with ${option}`,
      'publish.yml',
      'persist-credentials: false\n',
      `persist-credentials: false\n          ${option}\n`,
    ],
  ),
  ['an action by its tag', 'ci.yml', '@11bd71901bbe5b1630ceea73d27597364c9af683', '@v4'],
  ['an action by a short digest', 'ci.yml', '@11bd71901bbe5b1630ceea73d27597364c9af683', '@11bd719'],
  ['an action of somebody else', 'ci.yml', 'actions/checkout@', 'other/checkout@'],
  ['an image as an action', 'ci.yml', 'actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683', 'docker://x'],
  ['an action of the folder', 'publish.yml', 'run: npm ci\n', 'uses: ./.github/actions/x\n'],
  ['all may be written', 'ci.yml', 'permissions:\n  contents: read\n', 'permissions: write-all\n'],
  ['one more right', 'ci.yml', '  contents: read\n', '  contents: read\n  packages: "write"\n'],
  ['rights by default', 'publish.yml', 'permissions: {}\n', ''],
  [
    'rights in braces',
    'publish.yml',
    '    permissions:\n      id-token: write\n',
    '    permissions: {id-token: "write", contents: "write"}\n',
  ],
  [
    'packing may publish',
    'publish.yml',
    '    timeout-minutes: 15\n    permissions:\n',
    '    permissions:\n      id-token: write\n',
  ],
  [
    'a job of its own',
    'publish.yml',
    PUBLISHING,
    `  more:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: x\n${PUBLISHING}`,
  ],
  [
    'a job of its own in the tests',
    'ci.yml',
    'jobs:\n',
    'jobs:\n  more:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: x\n',
  ],
  ['what a job hands on', 'publish.yml', PACK, `${PACK}    outputs:\n      a: b\n`],
  ['a key twice', 'publish.yml', '    needs: pack\n', '    needs: pack\n    needs: []\n'],
  ['a merged key', 'publish.yml', PUBLISHING, `${PUBLISHING}    <<: {if: always()}\n`],
  ['a group of expressions', 'ci.yml', 'group: ci-', `group: ${expression('github.head_ref')}-`],
];

describe('the workflows', () => {
  it.each(WORKFLOWS)('$name: every action is pinned by its digest', ({ text }) => {
    verifies('S46');
    const used = [...text.matchAll(/^\s*(?:- )?uses:\s*(\S+)(.*)$/gm)];
    expect(used.length).toBeGreaterThan(0);
    for (const [, action = '', comment = ''] of used)
      expect([action, comment]).toEqual(
        action.startsWith('./')
          ? [expect.stringMatching(/^\.\/\.github\/workflows\/[\w-]+\.yml$/), '']
          : [expect.stringMatching(/^actions\/[a-z-]+@[0-9a-f]{40}$/), expect.stringMatching(/^ # v\d+\.\d+\.\d+$/)],
      );
  });

  it.each(WORKFLOWS)('$name: may read at most, is given no secret, and keeps no credentials', ({ text }) => {
    verifies('S46');
    expect(text).toMatch(/^permissions:(?: \{\}\n|\n {2}contents: read\n\S)/m);
    expect(text).not.toMatch(/pull_request_target|workflow_run|secrets\.|write-all|self-hosted/);
    const checkouts = text.split('actions/checkout@').slice(1);
    for (const checkout of checkouts) expect(checkout.split('- uses:')[0]).toContain('persist-credentials: false');
    // What a person wrote elsewhere (a title, the name of a branch) becomes no part of a line for the shell.
    for (const [line] of text.matchAll(/^.*\brun:.*$/gm)) expect(line).not.toContain('${{');
  });

  it('one job can publish: after the tests, in an environment of its own, with no code of the repository', () => {
    verifies('S46');
    const jobs = WORKFLOWS.flatMap(({ name, text }) => jobsOf(text).map((job) => ({ file: name, ...job })));
    const writing = jobs.filter(({ text }) => /:\s*write\b/.test(text));
    expect(writing.map(({ file, name }) => `${file} ${name}`)).toEqual(['publish.yml publish']);
    const job = writing[0]?.text ?? '';
    expect(permissionsOf(job)).toEqual(['id-token: write']);
    expect(job).toMatch(/^ {4}environment: npm$/m);
    expect(job).toMatch(/^ {4}needs: pack$/m);
    expect(stepsOf(job).map((step) => step.replace(/@.*/, ''))).toEqual([
      'uses actions/download-artifact',
      'uses actions/setup-node',
      'run npm publish ./*.tgz --provenance --access public --ignore-scripts',
    ]);
    expect(job).not.toMatch(/\bcache\b/);
    const packing = jobs.find(({ file, name }) => file === 'publish.yml' && name === 'pack')?.text ?? '';
    expect(packing).toMatch(/^ {4}needs: \[test, test-long\]$/m);
    expect(permissionsOf(packing)).toEqual(['contents: read']);
  });

  it.each(WORKFLOWS)('$name: holds nothing that is not on the list', ({ name, text }) => {
    verifies('S46');
    expect(workflowFaults(name, text)).toEqual([]);
  });

  it('the same action is the same digest everywhere', () => {
    verifies('S46');
    const used = WORKFLOWS.flatMap(({ text }) => [...text.matchAll(/uses: (actions\/[a-z-]+)@(\S+) (.*)$/gm)]);
    const digests = new Map(used.map(([, action = '', digest = '']) => [action, digest]));
    expect(used.filter(([, action = '', digest]) => digests.get(action) !== digest)).toEqual([]);
  });

  it.each(CHANGED)('a changed copy is noticed: %s', (_title, name, find, put) => {
    verifies('S46');
    const text = WORKFLOWS.find((each) => each.name === name)?.text ?? '';
    const changed = text.replace(find, put);
    expect(changed).not.toBe(text);
    expect(workflowFaults(name, changed)).not.toEqual([]);
  });

  it('a workflow that is added is noticed', () => {
    verifies('S46');
    expect(workflowFaults('other.yml', 'on: push\njobs: {}\n')).not.toEqual([]);
    expect(workflowFaults('constructor', 'on: push\njobs: {}\n')).not.toEqual([]);
  });
});
