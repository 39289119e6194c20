/** Whoever writes a program reads of options, never of the flags of the command line. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FLAG_NAMES } from '../src/cli/flags.ts';
import { inOptions } from '../src/core/option-words.ts';
import { ROOT } from './source-files.ts';

/** What the program and the library share. Shell lines of other programs have flags of their own. */
const SHARED = globSync('src/{agent,core,io,mcp,providers,sandbox,search,storage,harness}/**/*.ts', { cwd: ROOT });
const OF_OTHERS =
  /\.test|shell-rules|core\/policy\/|core\/(?:option|page)-words|\/probe\/|\/replay|\/advise|model-admin|bubblewrap|seatbelt|storage\/find-session/;
/** What these set, an option of a program sets too. */
const OF_OPTIONS = /`(?:npx )?halter (?:config set|run|sessions)\b[^`]*`|\/compact\b|with XDG_/;
/** Said where commands of halter itself are named, or beside a flag of a server. */
const COMMANDS = /`(?:halter|llama-server) [^`]*`/g;

const LINES = SHARED.filter((file) => !OF_OTHERS.test(file)).flatMap((file) =>
  readFileSync(path.join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .map((line) => line.trim().replaceAll('\\`', '`')),
);
/** Flags that other programs have too, and that no text of ours names. */
const COMMON: readonly string[] = ['version', 'quiet'];
/** In prose. */
const FLAG = new RegExp(
  `(?<=[ \`(])--(?:${FLAG_NAMES.filter((name) => !COMMON.includes(name)).join('|')})\\b(?![-=|])`,
);
const NAMING = LINES.filter((line) => FLAG.test(line.replaceAll(COMMANDS, '')));

it('are named in texts of shared parts, which says that this looks at something', () => {
  expect(NAMING.length).toBeGreaterThan(10);
});

it.each(NAMING)('%s', (line) => {
  expect(inOptions(line).replaceAll(COMMANDS, '')).not.toMatch(FLAG);
});

const SETTING = LINES.filter((line) => OF_OPTIONS.test(line));

it('are also what only commands, settings and variables are named for', () => {
  expect(SETTING.length).toBeGreaterThan(5);
});

it.each(SETTING)('a program is told its own way: %s', (line) => {
  // Where both ways are said, each reader finds theirs.
  if (!/in a program/.test(line)) expect(inOptions(line)).not.toMatch(OF_OPTIONS);
});

it('are commands as the project of a program runs them', () => {
  expect(inOptions('Pull it again (`halter models pull starter`).')).toBe(
    'Pull it again (`npx halter models pull starter`).',
  );
});
