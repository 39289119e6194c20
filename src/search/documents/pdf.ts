/** The text of a PDF, page by page: each page begins with a line that names it. */
import type { Outcome } from '../../core/outcome.ts';
import { OUTSIDE_PACKAGES } from '../../core/outside-packages.ts';
import { loadPackage } from '../../disk/load-package.ts';
import { SEARCH_LIMITS } from '../limits.ts';

type Reader = Pick<typeof import('unpdf'), 'extractText' | 'getDocumentProxy'>;

/** With its large part, which it would load with the first document: a document is not blamed for what is missing. */
export const loadPdfReader = (): Promise<Outcome<Reader>> =>
  loadPackage(OUTSIDE_PACKAGES.pdf, async () => {
    await import('unpdf/pdfjs');
    const { extractText, getDocumentProxy } = await import('unpdf');
    return { extractText, getDocumentProxy };
  });

export const pdfLines = async (
  { extractText, getDocumentProxy }: Reader,
  bytes: Uint8Array,
): Promise<string[] | undefined> => {
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    const { text: pages } = await extractText(document, { mergePages: false });
    const lines: string[] = [];
    let characters = 0;
    for (const [index, page] of pages.slice(0, SEARCH_LIMITS.indexDocumentPages).entries()) {
      lines.push(`# Page ${index + 1}`, ...page.split(/\r?\n/));
      characters += page.length;
      if (characters > SEARCH_LIMITS.indexDocumentCharacters) break;
    }
    return lines;
  } catch {
    return undefined;
  }
};
