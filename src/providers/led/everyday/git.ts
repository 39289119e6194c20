/** What a request wants to know of the history: always a command that only reads. */
import { fileIn } from './kinds.ts';
import { type Plan, quoted, shell } from './plan.ts';

const ABOUT_GIT =
  /\b(?:git|commits?|committed|branch(?:es)?|uncommitted|untracked|unstaged|staged|repo(?:sitory)? (?:clean|dirty)|contributors?|working tree|diff)\b|\bwhat (?:did|have) (?:i|we) changed?\b|\bam i on\b/i;
const CHANGES =
  /\b(?:uncommitted|untracked|unstaged|staged|(?:git|repo(?:sitory)?) status|status of (?:the |my |this )?(?:git|repo\w*|working)|working tree|not (?:been |yet )?committed|(?:repo(?:sitory)?|git) (?:is )?(?:clean|dirty))\b|\b(?:files?|what|anything)\b.{0,30}\b(?:changed?|modified)\b(?!.*\b(?:commit|log)\b(?<!since the last commit))/i;
/** What a commit did, and not only that it was made. */
const LAST_CHANGE =
  /^(?!.*\bsince\b)(?:.*\b(?:chang(?:e|es|ed|ing)|modif(?:y|ied)|touched|diff|add(?:ed|s)|did)\b.*\b(?:last|latest|newest|most recent|previous) (?:git )?commit\b(?!s)|.*\b(?:last|latest|newest|most recent|previous) (?:git )?commit\b(?!s).*\b(?:chang(?:e|es|ed)|modif(?:y|ied)|touch(?:ed)?|diff|do|did)\b)/i;
const SPELLED: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, ten: 10 };

export const gitPlan = (request: string): Plan | undefined => {
  if (
    !ABOUT_GIT.test(request) &&
    !/\b(?:what|which files)(?: has|'s| have| were| was)? (?:been )?(?:changed|modified)\b/i.test(request)
  ) {
    return undefined;
  }
  const file = fileIn(request);
  const of = file === undefined ? '' : ` -- ${quoted(file)}`;
  if (/\b(?:how many|number of|count)\b.*\bcommits?\b/i.test(request)) {
    return shell(`git log --oneline${of} | wc -l`, 'Commits:');
  }
  if (/\b(?:how many|number of|count|list|all|which|what)\b.*\bbranches\b/i.test(request)) {
    return shell('git log --branches --no-walk --oneline --decorate', 'Branches with their last commits:', {
      nothing: 'There are no branches with commits here.',
    });
  }
  if (/\bbranch\b|\bam i on\b/i.test(request)) return shell('git rev-parse --abbrev-ref HEAD', 'The current branch:');
  if (/\bcontributors?\b|\bwho\b.*\b(?:committed|commits)\b(?!.*\blast\b)/i.test(request)) {
    return shell('git shortlog -sn HEAD', 'Commits by author:');
  }
  if (LAST_CHANGE.test(request)) {
    const form = /\bdiff\b/i.test(request) ? '-p' : '--stat';
    return shell(`git log -n 1 ${form}${of}`, 'The last commit, with what it changed:');
  }
  if (CHANGES.test(request)) {
    return shell(
      'git status --short --branch',
      'The state of the repository (`M` changed, `A` added, `D` deleted, `??` new):',
    );
  }
  if (/\bdiff\b/i.test(request))
    return shell('git diff', 'The changes that are not staged:', { nothing: 'No unstaged changes.' });
  if (/\b(?:first|oldest|initial)\b.*\bcommit\b/i.test(request))
    return shell('git log --reverse --oneline | head -n 1', 'The first commit:');
  if (/\b(?:commits?|log|history|committed)\b/i.test(request)) return logPlan(request, of);
  return /\bgit\b/i.test(request) && /\bstatus|state\b/i.test(request)
    ? shell('git status --short --branch', 'The state of the repository:')
    : undefined;
};

const logPlan = (request: string, of: string): Plan => {
  const said = /\b(\d{1,3}|two|three|four|five|six|seven|ten)\b(?=.*\bcommits?\b)/i.exec(request)?.[1]?.toLowerCase();
  const one = /\b(?:last|latest|newest|most recent|previous)\s+(?:git\s+)?commit\b(?!s)|\blast committed\b/i.test(
    request,
  );
  const nothing = of === '' ? 'There are no commits here yet.' : `No commit changed ${of.replace(' -- ', '')}.`;
  if (one && said === undefined) return shell(`git log -n 1${of}`, 'The last commit:', { nothing });
  return shell(
    `git log --oneline -n ${said === undefined ? 20 : (SPELLED[said] ?? Number(said))}${of}`,
    'The last commits:',
    { nothing },
  );
};
