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
  /\.test|shell-rules|core\/policy\/|core\/option-words|\/probe\/|\/replay|\/advise|model-admin|bubblewrap|seatbelt/;
/** Said where commands of halter itself are named, or beside a flag of a server. */
const COMMANDS = /`halter [^`]*`/g;

const LINES = SHARED.filter((file) => !OF_OTHERS.test(file)).flatMap((file) =>
  readFileSync(path.join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .map((line) => line.trim()),
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
