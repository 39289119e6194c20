/** Whether words introduce what follows them as a sample or a quotation. */

/** In the last line before it. */
const SAMPLE =
  /\b(?:examples?|e\.g|for instance|such as|samples?|like (?:this|so|that)|looks? like|would|could|might|syntax|templates?|says?|said|reads|contains?|holds?|prints?|printed|shows?|outputs?|returns?|returned|quotes?|logs?|wrote|written|writes?|not|never|don't|instead of)\b/i;

export const isSample = (words: string): boolean => {
  const before = words.trim();
  return SAMPLE.test(before.slice(before.lastIndexOf('\n') + 1));
};
