/** The text of a PDF, page by page: each page begins with a line that names it. */
import { SEARCH_LIMITS } from '../limits.ts';

export const pdfLines = async (bytes: Uint8Array): Promise<string[] | undefined> => {
  try {
    const { extractText, getDocumentProxy } = await import('unpdf');
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
