/** "Which files are here?": the top level of the folder, counted, in the words of a person. */

import { counted } from '../../../core/number-text.ts';
import { asWritten } from '../as-written.ts';
import { LED_LIMITS } from '../limits.ts';
import type { Plan } from './plan.ts';

const POLITE = `(?:(?:please|hey|ok|so|can you|could you|would you)[, ]+){0,4}`;
const THINGS = `(?:all |the |my |of ){0,4}(?:files(?: and (?:folders|directories))?|(?:folders|directories) and files|contents?|everything)`;
const HERE = `(?:(?:right )?here|there|(?:in|inside|of) (?:here|it|(?:this|the|my|our)(?: current| present| top| working)? (?:folder|directory|dir|project|repo(?:sitory)?|workspace)))`;
const ASKS = [
  // "Which files are here?", "What files do we have in this folder?"
  `(?:what|which) (?:are )?${THINGS}(?: (?:are|exist|is|(?:do|can) (?:i|we|you) (?:have|see|find)))?(?: ${HERE}){0,3}`,
  // "List the files", "Show me everything in this folder"
  `(?:list|show|give|print|display|tell)(?: me)? ${THINGS}(?: (?:are|there)){0,2}(?: ${HERE}){0,3}`,
  // "What is in this folder?"
  `(?:what(?:'s| is| do (?:i|we|you) have| lies)|list|show(?: me)?) ${HERE}`,
];
const WHOLE = new RegExp(`^${POLITE}(?:${ASKS.join('|')})(?: please)?[?.! ]*$`, 'i');

export const listingPlan = (request: string): Plan | undefined =>
  WHOLE.test(request.trim())
    ? {
        kind: 'call',
        call: { name: 'ls', arguments: { path: '.' } },
        opening: '',
        next: (data) => ({ kind: 'say', text: listingText(data) }),
      }
    : undefined;

const ROW = /^(DIR|FILE|LINK|OTHER) .*?\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?\s+(.+)$/;

/** By the table of `ls`: its last line counts also what its rows leave out. */
const listingText = (table: string): string => {
  const lines = table.trimEnd().split('\n');
  const rows = lines.flatMap((line) => {
    const [, kind, name] = ROW.exec(line) ?? [];
    return name === undefined ? [] : [{ isFolder: kind === 'DIR', name }];
  });
  const count = (pattern: RegExp): number => Number(pattern.exec(lines.at(-1) ?? '')?.[1]?.replaceAll(',', '') ?? 0);
  const folders = count(/([\d,]+) dirs?\b/);
  const others = count(/([\d,]+) links?\b/) + count(/([\d,]+) others?\b/);
  const files = count(/([\d,]+) files?\b/) + others;
  const hidden = count(/([\d,]+) hidden/);
  const leftOut = hidden === 0 ? '' : ` (${counted(hidden, 'hidden one')} left out)`;
  if (folders + files === 0) return `This folder is empty${leftOut}.`;
  const parts = [
    ...(folders > 0 ? [counted(folders, 'folder')] : []),
    ...(files > 0 ? [counted(files, 'file')] : []),
  ].join(' and ');
  const sorted = [...rows.filter(({ isFolder }) => isFolder), ...rows.filter(({ isFolder }) => !isFolder)];
  const shown = sorted.slice(0, LED_LIMITS.listedNames).map(({ name }) => `- ${asWritten(name)}`);
  const more = folders + files - shown.length;
  const rest = more > 0 ? [`- and ${counted(more, 'more', 'more')}`] : [];
  return [`${parts} here${leftOut}:`, ...shown, ...rest].join('\n');
};
