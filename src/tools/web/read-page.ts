/**
 * A page → what a reader would read of it, as Markdown. Nothing of the page runs: it is parsed into a tree, the article
 * is found in it, and links are made whole. Meant for a thread of its own, because a page can be made to take for ever.
 */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { TOOL_LIMITS } from '../limits.ts';
import { cutText, oneLine, tidyText } from './clean-text.ts';
import { depthOf, type PageDocument, type PageElement } from './dom.ts';
import { plainText } from './plain-text.ts';

export type ReadPage = { title: string; text: string; note?: string };

const parse = (html: string): PageDocument => (parseHTML(html) as unknown as { document: PageDocument }).document;

export const readPage = (html: string, address: string): ReadPage => {
  const whole = parse(isWholePage(html) ? html : `<html><body>${html}</body></html>`);
  const title = oneLine(whole.querySelector('title')?.textContent ?? '');
  const root = whole.documentElement;
  if (root === null || depthOf(root, TOOL_LIMITS.webPageDepth) > TOOL_LIMITS.webPageDepth) {
    return { title, text: plainText(html), note: 'the page is nested too deeply, so this is its plain text' };
  }
  const base = baseOf(whole, address);
  const body = bodyOf(whole);
  const article = articleOf(html);
  const chosen = article && isMostOf(article, body) ? article.content : body;
  if (chosen === null) return { title, text: '' };
  prepare(chosen, base);
  return { title: cutText(article?.title || title, TOOL_LIMITS.webTitleCharacters), text: tidyText(markdown(chosen)) };
};

const isWholePage = (html: string): boolean => /<(?:html|body|head)[\s>]/i.test(html);

const baseOf = (document: PageDocument, address: string): string => {
  const href = document.querySelector('base[href]')?.getAttribute('href');
  return (href ? URL.parse(href, address)?.href : undefined) ?? address;
};

type Article = { title: string; content: PageElement };

/** Firefox's reader view. It changes the tree that it is given, so it gets one of its own. */
const articleOf = (html: string): Article | undefined => {
  const document = parse(isWholePage(html) ? html : `<html><body>${html}</body></html>`);
  const found = new Readability<PageElement>(document as never, {
    serializer: (node) => node as unknown as PageElement,
  }).parse();
  return found?.content ? { title: oneLine(found.title ?? ''), content: found.content } : undefined;
};

/** What frames a page on every site; the article finder leaves it out too. */
const FRAME = 'nav, header, footer, aside, form, dialog, [role="navigation"], [role="banner"], [role="contentinfo"]';
const NEVER = 'script, style, noscript, template, svg, canvas, iframe, object, embed, [hidden], [aria-hidden="true"]';

const bodyOf = (document: PageDocument): PageElement | null => {
  const body = document.querySelector('main, [role="main"]') ?? document.body;
  if (body === null) return null;
  for (const element of [...body.querySelectorAll(NEVER)]) element.remove();
  const framed = textLength(body);
  const frame = [...body.querySelectorAll(FRAME)];
  const framing = frame.reduce((sum, element) => sum + textLength(element), 0);
  // A page that is nothing but its frame (a list of links, a form) is read with it.
  if (framing < framed * 0.8) for (const element of frame) element.remove();
  return body;
};

const textLength = (element: PageElement): number => oneLine(element.textContent ?? '').length;

/** Lists and front pages have no article: what the finder takes for one would be a small part of the page. */
const isMostOf = (article: Article, body: PageElement | null): boolean => {
  const length = textLength(article.content);
  return length >= 1_500 || body === null || length * 2 >= textLength(body);
};

const prepare = (content: PageElement, base: string): void => {
  for (const element of [...content.querySelectorAll(NEVER)]) element.remove();
  for (const element of [...content.querySelectorAll('[style]')]) {
    if (/display\s*:\s*none|visibility\s*:\s*hidden/i.test(element.getAttribute('style') ?? '')) element.remove();
  }
  for (const image of [...content.querySelectorAll('img, picture, video, audio')]) {
    const alt = oneLine(image.getAttribute('alt') ?? '');
    image.replaceWith(alt === '' ? '' : `(image: ${cutText(alt, TOOL_LIMITS.webTitleCharacters)})`);
  }
  for (const end of [...content.querySelectorAll('td br, th br')]) end.replaceWith(' ');
  for (const link of [...content.querySelectorAll('a')]) {
    const target = URL.parse(link.getAttribute('href') ?? '', base);
    const readable = target !== null && /^(?:https?|mailto):$/.test(target.protocol);
    if (readable && target.href.length <= TOOL_LIMITS.webUrlCharacters) link.setAttribute('href', target.href);
    else link.removeAttribute('href');
    link.removeAttribute('title');
  }
};

type Row = { cells?: Iterable<PageElement>; querySelectorAll: PageElement['querySelectorAll'] };

const markdown = (content: PageElement): string => {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  service.addRule('table', {
    filter: (node: PageElement) => node.nodeName === 'TABLE' && isData(node),
    replacement: (_content, node: PageElement) => `\n\n${table(node)}\n\n`,
  });
  // Its list items are indented for Markdown of long ago.
  return service.turndown(content).replace(/^( *(?:-|\d+\.)) {2,3}(?=\S)/gm, '$1 ');
};

/** A table that holds tables or lists is layout. */
const isData = (element: PageElement): boolean =>
  element.querySelector('table, ul, ol, p + p, pre') === null && element.querySelector('td, th') !== null;

const table = (element: PageElement): string => {
  const rows = [...element.querySelectorAll('tr')].map((row: Row) =>
    [...row.querySelectorAll('th, td')].map((cell) => oneLine(cell.textContent ?? '').replaceAll('|', '\\|')),
  );
  const width = Math.max(...rows.map((row) => row.length));
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => cells[index] ?? '').join(' | ')} |`;
  const [first = [], ...rest] = rows.filter((row) => row.length > 0);
  return [line(first), line(Array.from({ length: width }, () => '---')), ...rest.map(line)].join('\n');
};
