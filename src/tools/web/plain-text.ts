/** The words of a page without its structure: one pass over the text, for pages that nothing else gets through. */
import { tidyText } from './clean-text.ts';

const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th title tr ul'.split(
    ' ',
  ),
);
/** Their content is for programs, not for readers. */
const SKIPPED: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'head']);

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
  laquo: '«',
  raquo: '»',
  copy: '©',
};

export const decodeEntities = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return NAMED[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });

/** A `<` before anything else is a character like others. */
const TAG = /<(?=[a-z/!?])/gi;

/** Linear in the length of the page, whatever is wrong with it. */
export const plainText = (html: string): string => {
  const parts: string[] = [];
  const endOf = elementEnds(html);
  let position = 0;
  while (position < html.length) {
    TAG.lastIndex = position;
    const open = TAG.exec(html)?.index ?? -1;
    parts.push(html.slice(position, open === -1 ? html.length : open).replace(/\s+/g, ' '));
    if (open === -1) break;
    position = afterTag(html, open, parts, endOf);
  }
  return tidyText(decodeEntities(parts.join('')).replace(/\n +/g, '\n'));
};

/** Where the text goes on after what begins at `open`. */
const afterTag = (
  html: string,
  open: number,
  parts: string[],
  endOf: (tag: string, from: number) => number,
): number => {
  if (html.startsWith('<!--', open)) {
    const end = html.indexOf('-->', open + 4);
    return end === -1 ? html.length : end + 3;
  }
  const name = /^<(\/?)([a-z][a-z0-9-]{0,30})/i.exec(html.slice(open, open + 40));
  const close = html.indexOf('>', open);
  if (close === -1) return html.length;
  const tag = (name?.[2] ?? '').toLowerCase();
  if (BLOCKS.has(tag)) parts.push('\n');
  if (!SKIPPED.has(tag) || name?.[1] === '/' || html[close - 1] === '/') return close + 1;
  const end = endOf(tag, close);
  return end === -1 ? close + 1 : end;
};

/** Where an element that is passed over ends. Each search goes on from the last one, so that all together are one pass. */
const elementEnds = (html: string): ((tag: string, from: number) => number) => {
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const next = new Map<string, number>();
  return (tag, from) => {
    let found = next.get(tag) ?? 0;
    if (found !== -1 && found < from) {
      found = lower.indexOf(`</${tag}`, from);
      next.set(tag, found);
    }
    const close = found === -1 ? -1 : html.indexOf('>', found);
    return close === -1 ? -1 : close + 1;
  };
};

/** Elements that a page has to close; opened again and again without that, they make a tree that nobody gets through. */
const CLOSED = /<(\/?)(?:div|span|section|article|blockquote|ul|ol|table|font|center|b|i|u|em|strong|small|a|form)\b/gi;

/** A guess in one pass, before anything is parsed. */
export const isBottomless = (html: string, depth: number): boolean => {
  let open = 0;
  for (const [, end] of html.matchAll(CLOSED)) {
    open = end === '/' ? Math.max(0, open - 1) : open + 1;
    if (open > depth) return true;
  }
  return false;
};
