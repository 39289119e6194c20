/** What the links of a Markdown page lead to, and the anchors of its headings as the places that show pages make them. */
import path from 'node:path';

/** Fences and inline code show links and are none. */
const withoutCode = (text: string): string =>
  text.replace(/^(```+|~~~+)[\s\S]*?^\1\s*$/gm, '').replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, '');

const anchorsOf = (text: string): Set<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(/^(```+|~~~+)[\s\S]*?^\1\s*$/gm, '').matchAll(/^#{1,6} +(.+?)\s*$/gm)) {
    const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let name = anchor;
    for (let again = 1; anchors.has(name); again += 1) name = `${anchor}-${again}`;
    anchors.add(name);
  }
  return anchors;
};

/** Links that lead to no file of these, or to no heading of theirs: `page → target`. */
export const deadLinks = (files: readonly string[], read: (file: string) => string): string[] => {
  const isThere = (target: string): boolean =>
    files.includes(target) || files.some((file) => file.startsWith(`${target}/`));
  const isPage = (file: string): boolean => /\.md$|^llms\.txt$/.test(file);
  return files.filter(isPage).flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?![a-z][a-z0-9+.-]*:)([^)\s]+)[^)]*\)/gi)].flatMap(([, link = '']) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file).replace(/\/$/, '');
      const isAlive =
        isThere(target) && (anchor === undefined || !isPage(target) || anchorsOf(read(target)).has(decodeURI(anchor)));
      return isAlive ? [] : [`${page} → ${link}`];
    }),
  );
};
