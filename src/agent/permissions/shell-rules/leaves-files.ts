/** Ordinary commands that name a file and change none of the folder: `git add package.json`, `prettier --check`. */
import { baseName, gitCommandAt, withoutVersion } from './wrappers.ts';

const OF_GIT = /^(?:add|commit|diff|log|show|status|blame|push|fetch|tag|ls-files|describe|rev-parse)$/;
const CHECKERS = /^(?:prettier|eslint|stylelint|markdownlint|hadolint|dockerfilelint|publint|actionlint)$/;
const CHANGES = /^--?(?:fix|write|apply|o|w|output)(?:[-=]|$)/;
const BUILDERS = /^(?:docker|podman|nerdctl|buildah)$/;
/** What prints a value of it. */
const VALUE = /^(?:console\.log\()?require\((['"])\.\/package\.json\1\)(?:\.\w+)*\)?;?$/;

export const leavesFiles = (words: readonly string[]): boolean => {
  const [first = '', ...rest] = /^(?:npx|bunx)$/.test(words[0] ?? '') ? words.slice(1) : words;
  const program = withoutVersion(baseName(first));
  if (program === 'git')
    return OF_GIT.test(words[gitCommandAt(words)] ?? '') && !rest.some((word) => CHANGES.test(word));
  if (CHECKERS.test(program)) return !rest.some((word) => CHANGES.test(word));
  if (BUILDERS.test(program)) return /^(?:build|bud)$/.test(rest[0] ?? '');
  if (program !== 'node' || rest.length !== 2) return false;
  return /^(?:-p|-e|-pe|--print|--eval)$/.test(rest[0] ?? '') && VALUE.test(rest[1] ?? '');
};
