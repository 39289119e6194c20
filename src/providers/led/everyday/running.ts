/** Running the project's own tests, and commands that a person writes out. */
import { type Plan, shell } from './plan.ts';

const RUN_TESTS =
  /\b(?:run|execute|start|launch|do)\b(?:(?! and ).){0,30}\b(?:tests?|test[- ]suite|specs)\b|\btests?\b.{0,20}\b(?:pass(?:ing|es)?|green|fail(?:ing|s)?|succeed|work(?:ing)?|ok)\b|^(?:please )?test (?:this|the|my) (?:project|code|package|app)\b|^(?:please )?(?:run |execute )?(?:npm (?:run )?test|pytest|make test|cargo test)\b/i;
const SOME_TESTS =
  /\btests?\b.*\b(?:for|of|in|called|named|only)\b\s+(?!(?:this|the|my|our) (?:project|repo|folder|package|code)|this\b|here\b|total\b)|\b(?:write|add|fix|create|generate|update|explain|which|what|how many)\b/i;

/** What the output of the tests says anyhow: "… and tell me which one fails", "which tests fail?". */
const OF_RESULT =
  /(?:,? (?:and|then)|,)(?: then)? (?:please )?(?:tell|show|say|report|let|give)\b(?: to)?(?: (?:me|us))?(?: know)? (?:which|what|if|whether|how many|all|any|the|every)\b[^.?!]*\b(?:fail\w*|pass\w*|broken?|results?|errors?|output|happen\w*|work\w*)\b[^.?!]*(?=[.?! ]*$)/i;
const WHICH_FAIL =
  /^(?:please )?(?:which|what|how many|are there any|any) (?:of the )?tests? (?:are |is |do |currently )*(?:fail(?:s|ing)?|broken|pass(?:es|ing)?)(?=[.?! ]*$)/i;

/** What says how tests are run: a manifest at the top, a file that only tests have below it. */
const TEST_FILES =
  "find . -maxdepth 3 -type f \\( -name package.json -o -name Makefile -o -name 'test_*.py' -o -name '*_test.py' -o -name pytest.ini -o -name '*_test.go' -o -name Cargo.toml \\) -not -path '*/.*' -not -path '*/node_modules/*'";

/** The command is the project's own: a script named test, a rule of make, or tests that the language's own tool finds. */
export const testsPlan = (request: string): Plan | undefined => {
  const told = request.replace(OF_RESULT, '').replace(WHICH_FAIL, 'do the tests fail');
  if (!RUN_TESTS.test(told) || SOME_TESTS.test(told)) return undefined;
  return {
    kind: 'call',
    call: { name: 'bash', arguments: { command: TEST_FILES } },
    opening: '',
    next: (found) => {
      const names = found.split('\n').map((name) => name.trim());
      const plain = (): Plan => plainTests(names);
      const rule = (): Plan => within(names, 'Makefile', /^(?:\d+: )?test\s*:/m, 'make test', plain);
      return within(names, 'package.json', /"test"\s*:/, 'npm test', rule);
    },
  };
};

/** Reads the file at the top, where there is one, for what says that the command will do. */
const within = (names: readonly string[], file: string, says: RegExp, command: string, otherwise: () => Plan): Plan =>
  names.includes(`./${file}`)
    ? {
        kind: 'call',
        call: { name: 'read_file', arguments: { path: file } },
        opening: '',
        next: (text) => (says.test(text) ? runPlan(command) : otherwise()),
      }
    : otherwise();

const plainTests = (names: readonly string[]): Plan => {
  const has = (ending: RegExp): boolean => names.some((name) => ending.test(name));
  if (has(/\.py$|pytest\.ini$/)) return runPlan('python3 -m pytest');
  if (has(/_test\.go$/)) return runPlan('go test ./...');
  if (names.includes('./Cargo.toml')) return runPlan('cargo test');
  return {
    kind: 'say',
    text: 'No tests were found here: no script named test, no test rule of make and no test files.',
  };
};

const runPlan = (command: string): Plan =>
  shell(command, `What \`${command}\` printed:`, {
    nothing: `\`${command}\` ended without an error and printed nothing.`,
  });

/** Commands that only look, as a first word. What else they may do is decided by the rules of the shell. */
const KNOWN =
  /^(?:ls|cat|head|tail|wc|find|stat|file|du|pwd|sort|uniq|tree|git (?:status|log|diff|show|blame|ls-files)|(?:node|npm|python3?|git|go|cargo|rustc) --version)\b/;

/** "run `ls -la`", "git log". */
export const commandPlan = (request: string): Plan | undefined => {
  const said =
    /^(?:please |can you |could you )*(?:(?:run|execute|start)\s+(?:the\s+)?(?:command\s+)?)?[`"']?([^`"']+)[`"']?[.!?]?$/i.exec(
      request.trim(),
    );
  const command = said?.[1]?.trim() ?? '';
  return KNOWN.test(command) &&
    (/^(?:please |can you |could you )*(?:run|execute|start)\b/i.test(request) ||
      /^[a-z]+ -|^git [a-z-]+ ./.test(command))
    ? shell(command, `What \`${command}\` printed:`)
    : undefined;
};
