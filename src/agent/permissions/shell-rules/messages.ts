/** Words that are texts for people, whatever they say: of a commit, a tag, a request to merge. */
const GIT = /^(?:commit|tag|stash|merge|notes)$/;
const FORGE = /^(?:pr|issue|release)$/;

/** `words`: those of the command, options of git before its own command taken away. */
export const isMessage = (words: readonly string[], at: number): boolean => {
  const [program, command = ''] = words;
  const before = words[at - 1] ?? '';
  if (at < 2) return false;
  if (program === 'git' && GIT.test(command))
    return /^-[ansvS]*m$|^--message$/.test(before) || /^--message=/.test(words[at] ?? '');
  return program === 'gh' && FORGE.test(command) && /^(?:-t|-b|--title|--body|--notes)$/.test(before);
};
