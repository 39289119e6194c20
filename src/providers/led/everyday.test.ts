import { describe, expect, it } from 'vitest';
import type { ToolMessage } from '../../core/message.ts';
import { arithmeticAnswer } from './everyday/arithmetic.ts';
import { createHeldText, looksLikeCall } from './everyday/call-text.ts';
import { everydayPlan, planAfter, planAnswer } from './everyday.ts';

const commandOf = (request: string): unknown => {
  const plan = everydayPlan(request);
  return plan?.kind === 'call' ? plan.call.arguments['command'] : plan;
};
const result = (data: string | null, success = true): ToolMessage => ({
  role: 'tool',
  tool_call_id: '1',
  name: 'bash',
  content: '',
  result: {
    success,
    data,
    error_message: null,
    error_type: 'none',
    metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 },
  },
});

const failed = (exit_code: number, data: string): ToolMessage => {
  const message = result(data, false);
  const metadata = { ...message.result.metadata, reason: 'exit_code' as const, exit_code };
  return { ...message, result: { ...message.result, error_type: 'io_error', metadata } };
};

describe('everyday requests', () => {
  it.each([
    'Delete a.txt',
    'please remove all the log files',
    'Could you rename a.txt to b.txt?',
    'Move src/main.py into lib',
    'Overwrite README.md with nothing',
    'Show me a.txt and then delete it',
    'Fix the bug in main.py',
    'Install lodash',
    'git push',
    'Commit everything',
    'Refactor main.py',
    'Replace foo by bar in a.txt',
    'Explain what main.py does',
    'What does main.py do?',
    'Why does the build fail?',
    'Write tests for main.py',
    'Build the project',
    'How many functions are in main.py?',
    'How many lines are in a.py and b.py?',
  ])('declines "%s"', (request) => {
    expect(everydayPlan(request)).toMatchObject({ kind: 'decline' });
  });

  it.each([
    ['How many Python files are in src?', /^find \.\/src -type f -iname '\*\.py' .*\| wc -l$/],
    ['how many lines are in notes.md', 'nl -ba notes.md | wc -l'],
    ['How many commits does this repository have?', 'git log --oneline | wc -l'],
    ['git status', 'git status --short --branch'],
    ['show the last three commits', 'git log --oneline -n 3'],
    ['Which branch is checked out?', 'git rev-parse --abbrev-ref HEAD'],
    ['list all *.md files', /-iname '\*\.md'/],
    ['What is the largest file?', /sort -rn/],
    ['Run `ls -la`', 'ls -la'],
    ['Which file is the biggest?', /sort -rn/],
    ['Which files have changed since the last commit?', 'git status --short --branch'],
    ['Am I on main?', 'git rev-parse --abbrev-ref HEAD'],
  ])('answers "%s" by a command', (request, command) => {
    expect(commandOf(request)).toEqual(typeof command === 'string' ? command : expect.stringMatching(command));
  });

  it.each(['What does main.py contain?', 'Hello', 'Write a poem about the sea', 'Add a task: delete the logs'])(
    'leaves "%s" to the gate',
    (request) => expect(everydayPlan(request)).toBeUndefined(),
  );

  const PRINTED_NOTHING = '(no output, exit 0)';
  const NO_COMMITS = "fatal: your current branch 'main' does not have any commits yet";
  /** What is said in the end, where every step but the last had the results before it. */
  const saidAfter = (request: string, ...results: readonly ToolMessage[]): string | undefined => {
    const standing = planAfter(request, results);
    if (standing?.plan.kind === 'call' && standing.answer !== undefined)
      return planAnswer(standing.plan, standing.answer);
    return standing?.plan.kind === 'say' ? standing.plan.text : undefined;
  };

  it.each([
    ['git diff', result(PRINTED_NOTHING), 'No unstaged changes.'],
    ['git diff --stat', result(PRINTED_NOTHING), '`git diff --stat` printed nothing.'],
    ['Find all csv files', result(PRINTED_NOTHING), 'There are no such files here.'],
    ['git log', result(NO_COMMITS, false), 'There are no commits here yet.'],
    ['How many commits are there?', result(`${NO_COMMITS}\n0`), 'There are no commits here yet.'],
    ['Show the git log', result('fatal: not a git repository (or any of the …): .git', false), /no git repository/],
    ['git show HEAD', result(`commit 1\n\n    a\n\n${NO_COMMITS}`), /^What `git show HEAD` printed:/],
    [
      'git diff',
      result('warning: Not a git repository. Use --no-index\nusage:\n\n -a\n -b', false),
      /no git repository/,
    ],
    ['how many lines does b.txt have', result('nl: b.txt: No such file or directory\n0'), 'There is no b.txt here.'],
    ['how big is the lib folder', result("du: cannot access './lib': No such file or directory", false), /no lib here/],
    ['run `ls -la x`', failed(2, '\nls: no'), '`ls -la x` ended with exit code 2: ls: no'],
    ['run `ls -la x`', failed(2, '(no output, exit 2)'), '`ls -la x` ended with exit code 2 and printed nothing.'],
    ['show the last commit of a.txt', result(PRINTED_NOTHING), 'No commit changed a.txt.'],
    ['List all branches', result(PRINTED_NOTHING), /no branches with commits/],
    ['how big is this folder?', result('1.2M\t.\n'), /^This folder takes 1\.2M on the disk/],
    ['what is the size of the src folder', result('8.0K\t./src\n'), /^src takes 8\.0K/],
    ['is there a README?', result('./README.md\n'), 'Yes: README.md.'],
    ['is there a readme here?', result(PRINTED_NOTHING), 'There is no README at the top of this folder.'],
    ['Do we have a changelog?', result('./CHANGES.rst\n'), 'Yes: CHANGES.rst.'],
    ['what does the README say?', result(PRINTED_NOTHING), 'There is no README at the top of this folder.'],
  ])('answers "%s" in a sentence where there is little to show', (request, found, said) => {
    expect(saidAfter(request, found)).toEqual(typeof said === 'string' ? said : expect.stringMatching(said));
  });

  it.each([
    'what does the README say?',
    'What is in the readme',
    'show me the README file',
    'Please tell me what the readme says about tests',
  ])('reads the file for "%s", whatever its ending is', (request) => {
    expect(planAfter(request, [result('./readme.txt\n./README.md\n')])?.plan).toMatchObject({
      call: { name: 'read_file', arguments: { path: 'README.md' } },
    });
    expect(saidAfter(request, result('./README'), result('1: Hello'))).toBe('README: 1: Hello');
  });

  it.each(['what license?', 'Which licence is this project under?', 'What is the license?', 'how is this licensed'])(
    'answers "%s" from the manifest, else from the LICENSE',
    (request) => {
      expect(saidAfter(request, result('./package.json'), result('1: {"license":"MIT"}'))).toMatch(/license MIT$/);
      expect(planAfter(request, [result(PRINTED_NOTHING), result('./LICENSE')])?.plan).toMatchObject({
        call: { name: 'read_file', arguments: { path: 'LICENSE' } },
      });
    },
  );

  it('says who wrote it from the manifest, else from the history', () => {
    for (const request of ['who wrote this?', 'Who is the author of this project?', 'who made this']) {
      expect(saidAfter(request, result('./package.json'), result('1: {"author":"Ada"}'))).toMatch(/author Ada$/);
      const otherwise = planAfter(request, [result(PRINTED_NOTHING)])?.plan;
      expect(otherwise).toMatchObject({ call: { arguments: { command: 'git shortlog -sn HEAD' } } });
      const outside = result(
        'error: too many arguments given outside repository\nusage: git shortlog\n\n a\n b',
        false,
      );
      expect(saidAfter(request, result(PRINTED_NOTHING), outside)).toBe('This folder is no git repository.');
    }
  });

  it.each([
    ['what changed in the last commit', 'git log -n 1 --stat'],
    ['What did the last commit change?', 'git log -n 1 --stat'],
    ['show me the diff of the latest commit', 'git log -n 1 -p'],
    ['Show me the last commit', 'git log -n 1'],
    ['show the diff', 'git diff'],
  ])('shows for "%s" what was asked', (request, command) => expect(commandOf(request)).toBe(command));

  it.each([
    'run the tests and tell me which one fails',
    'Run the tests, then show me what failed.',
    'which tests fail?',
    'run the test suite and tell me if it passes',
  ])('runs the tests for "%s"', (request) => {
    expect(planAfter(request, [result('./tests/test_a.py\n')])?.plan).toMatchObject({
      call: { arguments: { command: 'python3 -m pytest' } },
    });
  });

  it('keeps what a request names inside one word of the command', () => {
    expect(commandOf("how many lines does it$(rm -rf x)'.md have?")).not.toMatch(/[^']\$\(rm/);
  });

  it('runs the tests by what is in the folder', () => {
    const planned = (...found: string[]) =>
      planAfter(
        'Run the tests',
        found.map((data) => result(data)),
      )?.plan;
    expect(planned('./package.json\n', '{"scripts": {"test": "node --test"}}')).toMatchObject({
      call: { arguments: { command: 'npm test' } },
    });
    expect(planned('./package.json\n./Makefile', '1: {}', '1: test:\n2: \techo')).toMatchObject({
      call: { arguments: { command: 'make test' } },
    });
    expect(planned('./tests/test_a.py\n')).toMatchObject({ call: { arguments: { command: 'python3 -m pytest' } } });
    expect(planned('')).toMatchObject({ kind: 'say', text: expect.stringContaining('No tests were found') });
    expect(planAfter('Run the tests', [result(null, false)])?.answer).toBeDefined();
  });

  const CARGO =
    '1: [dependencies]\n2: version = "9"\n3: [package]\n4: name = "crab"\n5: version = "0.4.1" # ours\n6: license = "MIT"';
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'What version is this project?',
      { 'package.json': '1: {"name":"x","version":"1.2.3"}' },
      /package\.json says: version 1\.2\.3$/,
    ],
    [
      'What version is this project?',
      { 'package.json': '1: {\n2:   "version": "1.2.3",\n3:   "name": "version"\n4: }' },
      /version 1\.2\.3$/,
    ],
    [
      'What version is this project?',
      { 'package.json': '1: {"dependencies":{"version":"7"}}', 'Cargo.toml': CARGO },
      /Cargo\.toml says: version 0\.4\.1$/,
    ],
    [
      'What version is this project?',
      { 'package.json': '1: {}', 'pyproject.toml': '1: [project]\n2: version = "0.9"' },
      /pyproject\.toml says: version 0\.9$/,
    ],
    [
      'What version is this project?',
      { 'package.json': '1: {"version": "1.2.3", (cut)' },
      /found no version .* in package\.json/,
    ],
    ['What version is this project?', { 'go.mod': '1: module example.test/a\n2: go 1.22' }, /found no version/],
    ['What is the name of this project?', { 'go.mod': '1: module example.test/a' }, /name example\.test\/a$/],
    ['What is the license of this project?', { 'Cargo.toml': CARGO }, /license MIT$/],
    [
      'Which version of react is used?',
      { 'package.json': '1: {"dependencies":{"react":"^18.1.0","react-dom":"2"}}' },
      /^react in package\.json: \^18\.1\.0$/,
    ],
    ['Which version of flask is used?', { 'requirements.txt': '1: flask==3.0\n2: other==1' }, /flask==3\.0$/],
    [
      'What are the dependencies?',
      { 'package.json': '1: {"dependencies":{"a":"1"},"devDependencies":{"b":"2"}}' },
      /\n- a 1\n- b 2$/,
    ],
    ['What are the dependencies?', { 'package.json': '1: {}' }, /no dependencies$/],
  ])('reads what the files of a project say of it: %s %j', (request, files, said) => {
    const read = Object.values(files).map((text) => result(text));
    const found = result(
      Object.keys(files)
        .map((name) => `./${name}`)
        .join('\n'),
    );
    const ended = [0, ...read.keys()]
      .map((count) => planAfter(request, [found, ...read.slice(0, count + 1)])?.plan)
      .find((plan) => plan?.kind === 'say');
    expect(ended).toMatchObject({ kind: 'say', text: expect.stringMatching(said) });
  });

  it.each([
    'Which files are here?',
    'What files are in this folder?',
    'list the files',
    'Please show me all files and folders here',
    "What's in this folder?",
    'what files do we have in this project',
    'Show me everything in here',
  ])('answers "%s" by the top of the folder, counted', (request) => {
    expect(everydayPlan(request)).toMatchObject({ call: { name: 'ls', arguments: { path: '.' } } });
    const row = (kind: string, name: string): string =>
      `${kind.padEnd(5)} ${'1.2 KB'.padStart(8)}  2026-11-21 14:05:07  ${name}`;
    const said = (rows: readonly string[], summary: string): unknown => {
      const table = ['TYPE      SIZE  MODIFIED             NAME', ...rows, '', summary].join('\n');
      return planAfter(request, [result(table)])?.plan;
    };
    expect(
      said(
        [row('FILE', 'a b.txt'), row('DIR', 'src/'), row('FILE', 'package.json')],
        '2 files, 1 dir, total size 2.4 KB, 1 hidden not shown',
      ),
    ).toEqual({
      kind: 'say',
      text: '1 folder and 2 files here (1 hidden one left out):\n- src/\n- a b.txt\n- package.json',
    });
    const many = Array.from({ length: 200 }, (_, index) => row('FILE', `file-${index}.txt`));
    expect(said(many, '1200 files, 0 dirs, total size 1 MB (200 of 1,200 entries shown)')).toMatchObject({
      text: expect.stringMatching(/^1,200 files here:\n(?:- file-\d+\.txt\n)+- and 1,160 more$/),
    });
    expect(said([], '0 files, 0 dirs, total size 0 B, 2 hidden not shown')).toMatchObject({
      text: 'This folder is empty (2 hidden ones left out).',
    });
  });

  it.each(['List the files in the data folder', 'Which files have changed?', 'list all *.md files', 'What is in src?'])(
    'takes "%s" for another question',
    (request) => expect(everydayPlan(request)).not.toMatchObject({ call: { arguments: { path: '.' } } }),
  );

  it('makes a file only of a text that the request gives', () => {
    expect(everydayPlan('Create notes.txt with the text "buy milk"')).toMatchObject({
      call: { name: 'write_file', arguments: { path: 'notes.txt', content: 'buy milk\n' } },
    });
    expect(everydayPlan('Create notes.txt with a list of all functions')).toMatchObject({ kind: 'decline' });
  });
});

it.each([
  ['What is 17 * 23?', '17 * 23 = 391'],
  ['calculate (12 + 30) / 7', '(12 + 30) / 7 = 6'],
  ['what is 7 plus 5 times 2', '7 + 5 * 2 = 17'],
  ['What is the square root of 144?', '√ 144 = 12'],
  ['2 ** 10', '2 ^ 10 = 1024'],
  ['-3 - -4', '-3 - -4 = 1'],
  ['What is 1 / 0?', '1 / 0 has no value.'],
])('works out %s', (request, answer) => expect(arithmeticAnswer(request)).toBe(answer));

it.each(['What is 2026?', 'What is 3 + x', 'a.txt', '1 + (2', '2026-11-22 is a date', 'What is in src?'])(
  'takes "%s" for no sum',
  (request) => expect(arithmeticAnswer(request)).toBeUndefined(),
);

describe('an answer in words', () => {
  it.each(['run_tests()', 'os.remove("a")', 'I call readFile(path)', '```python', '{"name": "bash"'])(
    'is none where it looks like a call: %s',
    (text) => expect(looksLikeCall(text)).toBe(true),
  );

  it.each(['the file(s) of Anna (and Bob)', 'See note (1).', 'Hello, how are you?'])('may hold %s', (text) =>
    expect(looksLikeCall(text)).toBe(false),
  );

  it('stops before a call is seen, however it is cut', () => {
    for (let size = 1; size < 8; size += 1) {
      let shown = '';
      let calls = 0;
      const held = createHeldText(
        (delta) => {
          shown += delta;
        },
        () => {
          calls += 1;
        },
      );
      const text = 'Sure, I run run_tests() now.';
      for (let at = 0; at < text.length; at += size) held.push(text.slice(at, at + size));
      held.end();
      expect([shown.trim(), calls]).toEqual(['Sure, I run', 1]);
    }
  });

  it('is handed on whole', () => {
    let shown = '';
    const held = createHeldText(
      (delta) => {
        shown += delta;
      },
      () => undefined,
    );
    for (const letter of 'Once upon a time.') held.push(letter);
    held.end();
    expect(shown).toBe('Once upon a time.');
  });
});
