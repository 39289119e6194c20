// Makes the links of packed pages whole: `node scripts/whole-links.ts https://host/owner/name/blob/v1.0.0`. A registry shows
// these pages with no other beside them, so a link to a page of docs/ leads to the repository as it was when the package was
// made. The pages of docs/ are in the package and keep their links.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export const PACKED_PAGES: readonly string[] = ['README.md', 'SECURITY.md', 'CHANGELOG.md'];

const LINK = /(!?)(\[[^\]]*\])\((?![a-z][a-z0-9+.-]*:|#|\/)([^)\s]+)\)/gi;

/** A link to a packed page stays as it is, and so does one that is whole or leads within its page. */
export const wholeLinks = (text: string, base: string): string =>
  text.replaceAll(LINK, (link, mark: string, name: string, target: string) => {
    const [file = ''] = target.split('#');
    if (PACKED_PAGES.includes(file) || file === 'LICENSE') return link;
    // A page about a picture is not the picture.
    return `${mark}${name}(${mark === '' ? base : base.replace('/blob/', '/raw/')}/${target})`;
  });

const [, script = '', base] = process.argv;
if (base !== undefined && import.meta.url === pathToFileURL(script).href)
  for (const page of PACKED_PAGES) {
    const url = new URL(`../${page}`, import.meta.url);
    writeFileSync(url, wholeLinks(readFileSync(url, 'utf8'), base));
  }
