/** ripgrep's `--json` stream → matches, grouped by file and in the order of their paths. */

import { createLongLine, type LongLine } from './grep-long-line.ts';
import { TOOL_LIMITS } from './limits.ts';
import { showControlCharacters } from './output-text.ts';
import { counted, grouped, printableName } from './support/format.ts';

export type GrepMatch = { line: number; text: string };
export type GrepFile = { path: string; matches: GrepMatch[] };
export type GrepCollector = {
  /** Takes a piece of the stream; false says that enough was seen. */
  push(text: string): boolean;
  files(): GrepFile[];
  /** The search ran to its end, whatever it met on its way. */
  finished(): boolean;
  /** There are matches that were not counted. */
  incomplete(): boolean;
};

type Text = { text?: string; bytes?: string };
type Message = {
  type: string;
  data?: {
    path?: Text;
    lines?: Text;
    line_number?: number;
    submatches?: { start: number }[];
    binary_offset?: number | null;
  };
};

const bytesOf = (text: Text | undefined): Buffer =>
  text?.bytes === undefined ? Buffer.from(text?.text ?? '') : Buffer.from(text.bytes, 'base64');

/** A long line is shown around its match. Offsets are bytes; cutting there may halve a character, which is then left out. */
export const shownLine = (bytes: Buffer, matchStart: number): string => {
  const limit = TOOL_LIMITS.grepLineCharacters;
  if (bytes.length <= limit) return clean(bytes.toString('utf8'));
  const start = matchStart < limit / 2 ? 0 : matchStart - Math.floor(limit / 4);
  const part = bytes.subarray(start, start + limit).toString('utf8');
  const whole = part.replace(/^\ufffd{1,3}/, '').replace(/\ufffd{1,3}$/, '');
  const more = start + limit < bytes.length ? '…' : '';
  return `${start > 0 ? '…' : ''}${clean(whole)}${more}`;
};
const clean = (line: string): string => showControlCharacters(line.replace(/\r?\n$/, ''));

export const createGrepCollector = (
  accepts: (path: string) => boolean,
  maxPerFile: number,
  maxMatches: number = TOOL_LIMITS.grepMatchesSeen,
  maxMessage: number = TOOL_LIMITS.grepMessageCharacters,
): GrepCollector => {
  const done: GrepFile[] = [];
  let current: GrepFile | undefined;
  let seen = 0;
  let finished = false;
  let incomplete = false;
  let rest = '';
  /** In the middle of a message that is too long to be kept. */
  let long: LongLine | undefined;

  const take = (line: string): void => {
    const message = JSON.parse(line) as Message;
    const data = message.data ?? {};
    if (message.type === 'begin') {
      const path = bytesOf(data.path)
        .toString('utf8')
        .replace(/^\.[/\\]/, '')
        .replaceAll('\\', '/');
      current = accepts(path) ? { path, matches: [] } : undefined;
    } else if (message.type === 'match' && current) {
      current.matches.push({
        line: data.line_number ?? 0,
        text: shownLine(bytesOf(data.lines), data.submatches?.[0]?.start ?? 0),
      });
      seen += 1;
    } else if (message.type === 'end') {
      // A NUL further down says that the file is binary after all.
      if (current && current.matches.length > 0 && (data.binary_offset ?? null) === null) done.push(current);
      if (current && current.matches.length >= maxPerFile) incomplete = true;
      current = undefined;
    } else if (message.type === 'summary') {
      finished = true;
    }
  };

  const takeLong = (message: LongLine, end: string): void => {
    message.push(end);
    const match = message.end();
    if (match === undefined || current === undefined) return;
    current.matches.push({ line: match.line, text: `…${shownLine(match.bytes, 0)}` });
    seen += 1;
  };

  return {
    push: (text) => {
      if (incomplete && seen >= maxMatches) return false;
      const pieces = text.split('\n');
      pieces[0] = rest + pieces[0];
      rest = pieces.pop() as string;
      for (const piece of pieces) {
        if (long !== undefined) takeLong(long, piece);
        else if (piece !== '') take(piece);
        long = undefined;
      }
      if (long === undefined && rest.length > maxMessage) long = createLongLine();
      if (long !== undefined) {
        long.push(rest);
        rest = '';
      }
      if (seen < maxMatches) return true;
      incomplete = true;
      return false;
    },
    files: () => {
      const all = current && current.matches.length > 0 ? [...done, current] : done;
      return all.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    finished: () => finished,
    incomplete: () => incomplete,
  };
};

export type GrepReport = { text: string; truncated?: string };

/** `Found 3 matches in 2 files`, then the files with their lines. */
export const reportMatches = (
  files: readonly GrepFile[],
  options: { maxResults: number; incomplete: boolean; flags: string; notes: readonly string[] },
): GrepReport => {
  const total = files.reduce((sum, file) => sum + file.matches.length, 0);
  const blocks: string[] = [];
  let shown = 0;
  let characters = 0;
  for (const file of files) {
    const lines: string[] = [];
    for (const { line, text } of file.matches) {
      if (shown >= options.maxResults || characters > TOOL_LIMITS.grepCharacters) break;
      const row = `  ${line}: ${text}`;
      lines.push(row);
      shown += 1;
      characters += row.length + 1;
    }
    if (lines.length === 0) break;
    blocks.push([printableName(file.path), ...lines].join('\n'));
  }
  const atLeast = options.incomplete ? 'at least ' : '';
  const truncated =
    shown < total || options.incomplete
      ? `${grouped(shown)} of ${atLeast}${counted(total, 'match', 'matches')} shown`
      : '';
  const head = `Found ${atLeast}${counted(total, 'match', 'matches')} in ${counted(files.length, 'file')}${options.flags}`;
  const hint = truncated && `${truncated}; a longer pattern or a file_filter narrows the search`;
  const text = [[head, hint, ...options.notes].filter((line) => line !== '').join('\n'), ...blocks].join('\n\n');
  return truncated ? { text, truncated } : { text };
};
