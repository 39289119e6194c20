/** Whether words introduce what follows them as a sample or a quotation. */

/** In the last line before it. */
const SAMPLE =
  /\b(?:examples?|e\.g|for instance|such as|samples?|like (?:this|so|that)|looks? like|would|could|might|syntax|templates?|says?|said|reads|contains?|holds?|prints?|printed|shows?|outputs?|returns?|returned|quotes?|logs?|wrote|written|writes?|not|never|don't|instead of)\b/i;

export const isSample = (words: string): boolean => {
  const before = words.trim();
  return SAMPLE.test(before.slice(before.lastIndexOf('\n') + 1));
};

/** Words that say it outright, before a call or behind it. */
const SAID = /\b(?:examples?|e\.g|for instance|samples?|illustrations?)\b/i;

/** Whether the words around a call with marks of its own say that it is a sample. */
export const isSaidSample = (before: string, behind: string): boolean => {
  if (!/\p{L}/u.test(behind)) return false;
  const [next = ''] = behind.trim().split('\n');
  const last = before.trim();
  return SAID.test(last.slice(last.lastIndexOf('\n') + 1)) || SAID.test(next);
};
