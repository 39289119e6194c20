/** DuckDuckGo's page of results for readers without scripts → results. */
import { parseHTML } from 'linkedom';
import { oneLine } from './clean-text.ts';
import type { PageDocument } from './dom.ts';

export type FoundPage = { title: string; url: string; snippet: string };
export type ReadResults = { results: FoundPage[]; challenged: boolean };

export const readDuckDuckGo = (html: string): ReadResults => {
  const { document } = parseHTML(html) as unknown as { document: PageDocument };
  const results: FoundPage[] = [];
  for (const result of document.querySelectorAll('.result:not(.result--ad)')) {
    const link = result.querySelector('a.result__a');
    const url = targetOf(link?.getAttribute('href') ?? '');
    if (!link || url === undefined) continue;
    const snippet = oneLine(result.querySelector('.result__snippet')?.textContent ?? '');
    results.push({ title: oneLine(link.textContent ?? ''), url, snippet });
  }
  const challenged = results.length === 0 && document.querySelector('.anomaly-modal, #challenge-form') !== null;
  return { results, challenged };
};

/** Results lead through a page of theirs that knows where to: `//duckduckgo.com/l/?uddg=…`. */
const targetOf = (href: string): string | undefined => {
  const url = URL.parse(href, 'https://duckduckgo.com/');
  const inside = url?.pathname === '/l/' ? url.searchParams.get('uddg') : url?.href;
  const target = inside ? URL.parse(inside) : null;
  return target && /^https?:$/.test(target.protocol) ? target.href : undefined;
};
