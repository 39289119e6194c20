/** The inside of `page-reader.ts`: one page or document in a thread of its own. */
import { parentPort } from 'node:worker_threads';
import { thrownText } from '../../core/thrown-text.ts';
import { oneLine, tidyText } from './clean-text.ts';
import type { ReaderReply, ReaderRequest } from './page-reader.ts';

const answer = async (request: ReaderRequest): Promise<ReaderReply> => {
  switch (request.kind) {
    case 'html': {
      const { readPage } = await import('./read-page.ts');
      return { ok: true, page: readPage(request.html, request.address) };
    }
    case 'results': {
      const { readDuckDuckGo } = await import('./read-results.ts');
      return { ok: true, found: readDuckDuckGo(request.html) };
    }
    case 'pdf':
      return readPdf(request.bytes, request.maxPages);
  }
};

const readPdf = async (bytes: Uint8Array, maxPages: number): Promise<ReaderReply> => {
  const { getDocumentProxy, getMeta } = await import('unpdf');
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  const { info } = await getMeta(document);
  const title = oneLine(typeof info?.['Title'] === 'string' ? info['Title'] : '');
  const shown = Math.min(document.numPages, maxPages);
  const pages: string[] = [];
  for (let number = 1; number <= shown; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    pages.push(tidyText(text));
    page.cleanup();
  }
  const note = shown < document.numPages ? `the first ${shown} of ${document.numPages} pages` : undefined;
  const text = pages.every((page) => page === '')
    ? ''
    : pages.map((page, index) => `[page ${index + 1}]\n${page}`).join('\n\n');
  return { ok: true, page: { title, text, ...(note === undefined ? {} : { note }) } };
};

parentPort?.once('message', (request: ReaderRequest) => {
  answer(request)
    .catch((error: unknown): ReaderReply => ({ ok: false, message: thrownText(error) }))
    .then((reply) => parentPort?.postMessage(reply));
});
