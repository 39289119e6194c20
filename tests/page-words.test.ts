/** Whoever reads the page is told of what the page has, never of the terminal's keys, flags or commands. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { FLAG_NAMES } from '../src/cli/flags.ts';
import { inPage } from '../src/core/page-words.ts';
import { needsPermission } from '../src/core/policy/refusal-words.ts';
import { OTHER_NAMES, COMMANDS as TERMINAL_COMMANDS } from '../src/terminal/slash/commands.ts';
import { PAGE_COMMANDS, readTyped } from '../web/src/composer/typed-command.ts';
import { ROOT } from './source-files.ts';

/** Whose texts a session or the server can bring to the page; shell lines of other programs have flags of their own. */
const SHARED = globSync('src/{agent,core,io,mcp,providers,sandbox,search,storage,tools,server}/**/*.ts', { cwd: ROOT });
const OF_OTHERS =
  /\.test|shell-rules|core\/policy\/(?:folder-read|refusal-words)|core\/(?:option|page)-words|\/replay|advise\/machine|server\/(?:guard|listen)|bubblewrap|seatbelt|sandbox\/confine-arguments/;
const LINES = SHARED.filter((file) => !OF_OTHERS.test(file)).flatMap((file) =>
  readFileSync(path.join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    // Those of the text are escaped in the code.
    .map((line) =>
      line
        .trim()
        .replaceAll(/(?<!\\)`/g, '"')
        .replaceAll('\\`', '`'),
    ),
);

const OF_SERVE = COMMANDS.find(({ name }) => name === 'serve')?.flags;
/** A whole command says by itself where it is run. */
const COMMAND = /`halter [a-z][^`]*`/g;
/** Flags that other programs have too, and that no text of ours names. */
const COMMON: readonly string[] = [
  'version',
  'quiet',
  'output',
  'format',
  'all',
  'env',
  'header',
  'json',
  'port',
  'host',
];
const FLAG = new RegExp(
  `(?<=[ \`(])--(?:${FLAG_NAMES.filter((name) => !COMMON.includes(name)).join('|')})\\b(?![-=|])`,
);
const KEY = /\b(?:Shift\+Tab|Ctrl\+[A-Z]|Alt\+Enter)\b/;
const ONLY_THERE = TERMINAL_COMMANDS.map(({ name }) => name).filter(
  (name) => !PAGE_COMMANDS.some((command) => command.name === name),
);
/** As a command in a sentence, not as a part of a path. */
const SLASH = new RegExp(`(?<=[ \`(])/(?:${ONLY_THERE.join('|')})(?=[ \`.,;:)]|$)`);
const BARE_COMMAND = /\(halter [a-z]/;

const NAMING = [...new Set(LINES.filter((line) => [FLAG, KEY, SLASH, BARE_COMMAND].some((each) => each.test(line))))];

it('looks at texts that name something of the command line', () => {
  expect(ONLY_THERE.length).toBeGreaterThan(10);
  expect(NAMING.length).toBeGreaterThan(20);
});

it.each(NAMING)('%s', (line) => {
  const said = inPage(line);
  for (const { 0: command } of said.matchAll(COMMAND)) {
    const [, name = '', flag] = /^`halter (\S+)(?: --([a-z-]+))?/.exec(command) ?? [];
    if (name === 'serve' && flag !== undefined) expect(OF_SERVE).toContain(flag);
  }
  const rest = said.replaceAll(COMMAND, '').replaceAll(/without `--[^`]*`(?: and `--[^`]*`)?|with `--offline`/g, '');
  for (const never of [FLAG, KEY, SLASH, BARE_COMMAND]) expect(rest).not.toMatch(never);
});

it.each([...ONLY_THERE, ...Object.keys(OTHER_NAMES)])('says where the page has what /%s is in the terminal', (name) => {
  const typed = readTyped(`/${name}`);
  const advice = `Say in ON_THE_PAGE of web/src/composer/typed-command.ts where the page has what /${name} does.`;
  if (typed.type === 'told') expect(typed.text, advice).not.toMatch(/Commands: |Did you mean/);
});

it('says of a rule where the page has them', () => {
  for (const pattern of ['git log *', "it's", 'a}. b'])
    expect(inPage(needsPermission('bash', undefined, { tool: 'bash', pattern }))).toMatch(
      /^bash needs permission .* A rule lets it pass: Rules, in the settings\.$/,
    );
});

it('leaves what the person and their programs wrote as it is', () => {
  for (const text of ['git log --oneline', 'npm run build -- --mode x', 'its --ctx-size', 'a --model-url of llama.cpp'])
    expect(inPage(text)).toBe(text);
});
