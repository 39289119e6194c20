/**
 * A result that a model made up: it goes on behind its call as the program would, with the mark that begins a result. What
 * follows is worth nothing, and no call in it is meant.
 */

/** Tags and marks of a result in any notation, and the lines that begin one. */
const RESULT =
  /<[|｜]?(?:start_|longcat_)?(?:tool|function|ipython)s?[_▁-]?(?:call[_▁-]?)?(?:responses?|results?|outputs?)\b[^<>\n]{0,80}>|\[TOOL_RESULTS?\]|<\|observation\|>|(?:^|\n)[ \t]*(?:<(?:responses?|results?|observation)>|observation:|(?:tool|function)[_ ](?:call[_ ])?(?:results?|outputs?|response)(?: \d+)?:|result of [\w.-]{1,128}:|tool \d+ \[[\w.-]{1,128}\]:|## return of |```tool_output\n|<\|(?:im_start|start_header_id)\|>(?:tool|ipython)\b)/gi;
/** Marks that are looked at in one text, and those of them that a result may begin at. */
const LOOKED_AT = 16;
const MARKS_MAX = 4;

/** Where results may begin in a text, behind something else and in no fence or inline code. */
export const resultMarks = (text: string): number[] => {
  const found: number[] = [];
  let looked = 0;
  for (const { index, 0: mark } of text.matchAll(RESULT)) {
    looked += 1;
    if (looked > LOOKED_AT) break;
    const at = index + mark.length - mark.trimStart().length;
    const before = text.slice(0, at);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    if (before.trim() === '' || before.split('```').length % 2 === 0 || line.split('`').length % 2 === 0) continue;
    found.push(at);
    if (found.length === MARKS_MAX) break;
  }
  return found;
};
