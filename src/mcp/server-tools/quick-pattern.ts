/**
 * Whether an untrusted regular expression can be tried on any text in next to no time. One that goes back and forth over a
 * text (`(a+)+$`) stops the whole program, so only plain ones are tried here: no groups and no choices, and at most one
 * part of open length, at a fixed beginning. The server looks at the others itself.
 */
const PATTERN_CHARACTERS = 200;
const COUNTED = 64;

const ATOM = /^(?:\\[dDwWsS\-./^$|()[\]{}*+?\\]|\[\^?(?:\\.|[^\]\\])+\]|[^\\^$|()[\]{}*+?])/u;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})/;

export const isQuickPattern = (pattern: string): boolean => {
  if (pattern.length > PATTERN_CHARACTERS) return false;
  const isAnchored = pattern.startsWith('^');
  let rest = isAnchored ? pattern.slice(1) : pattern;
  if (/(?<!\\)\$$/.test(rest)) rest = rest.slice(0, -1);
  let open = 0;
  while (rest !== '') {
    const [atom] = ATOM.exec(rest) ?? [];
    if (atom === undefined) return false;
    rest = rest.slice(atom.length);
    const [quantifier, from, to] = QUANTIFIER.exec(rest) ?? [];
    if (quantifier === undefined) continue;
    rest = rest.slice(quantifier.length);
    if (quantifier === '?') continue;
    const most = quantifier === '*' || quantifier === '+' ? Number.POSITIVE_INFINITY : mostOf(from, to);
    // `{3}` is three atoms; a range can be tried in many ways.
    if (most > COUNTED || (to !== undefined && to !== from)) open += 1;
  }
  return open === 0 || (isAnchored && open === 1);
};

const mostOf = (from = '0', to: string | undefined): number =>
  to === undefined ? Number(from) : to === '' ? Number.POSITIVE_INFINITY : Number(to);
