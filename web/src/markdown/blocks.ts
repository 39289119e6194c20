/**
 * Cuts Markdown into blocks while it comes, so that only the last block is read and drawn again. A block once closed
 * never changes. Blocks are cut where Markdown itself ends one; what has no end in sight is cut at a line, so that the
 * work for each piece has a bound and that for the whole is linear.
 */
const BLOCK_CHARACTERS = 2_000;
/** A line that never ends is cut too. */
const LINE_CHARACTERS = 4_000;

export type Block =
  /**
   * `continues`: it was cut off the block before it, because that had no end in sight. `note`: it is the text of the
   * footnote that is referred to so, and stands at the end of all.
   */
  | { kind: 'prose'; text: string; continues?: true; note?: string }
  /** A fence at the left edge. `lines` are its code, without the line feeds. */
  | { kind: 'code'; language: string; lines: readonly string[]; closed: boolean };

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n]*)$/;
const FENCE_BEGUN = /^ {0,3}(?:`{1,}|~{1,})$/;
const NOTE = /^ {0,3}\[\^([^\]\s]{1,200})\]:[ \t]*/;
const NOTE_BEGUN = /^ {0,3}\[(?:\^[^\]\s]{0,200}\]?)?$/;
const INNER_FENCE = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])?[ \t]*(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/;
/** Display mathematics begins a line; what stands in it is none of Markdown's business. */
const MATH = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])?[ \t]*(\$\$|\\\[)/;
const MATH_LINES = 60;
const MATH_CHARACTERS = 4_000;
const INDENTED = /^(?: {2,}|\t)/;
/** How far what belongs to a footnote stands to the right. */
const NOTE_INDENT = /^(?: {1,4}|\t)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const DEFINITION = /^ {0,3}\[([^\]\n]{1,200})\]:[ \t]*\S/;
/** The label of a link as Markdown compares it. */
export const linkLabel = (written: string): string => written.trim().replaceAll(/\s+/g, ' ').toLowerCase();

const ANY_ITEM = /^([ \t]*)(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;
/** Nobody writes it: an item that was begun in the block before. */
export const CARRIED = '\u{E0F8}';
type ListItem = { /** Its indent with its mark. */ mark: string; indent: number };

type OpenProse = {
  kind: 'prose';
  lines: string[];
  characters: number;
  list: boolean;
  note?: string;
  table: string[];
  fence?: { mark: string; line: string };
  /** The items of lists that the last line stands in, from the outermost. */
  items: readonly ListItem[];
  /** What ends the mathematics that was begun, and after how many lines it is taken for none. */
  math?: { close: string; lines: number; characters: number };
  blank: number;
  continues: boolean;
};
const NEW_PROSE = { kind: 'prose', characters: 0, list: false, items: [], blank: 0, continues: false } as const;
type OpenCode = { kind: 'code'; language: string; fence: string; lines: string[] };

export class BlockReader {
  readonly #closed: Block[] = [];
  #open: OpenProse | OpenCode | undefined;
  #tail = '';
  /** The line at hand goes on with a block that was long enough. */
  #cuts = false;
  readonly #definitions = new Map<string, string>();

  push(text: string): void {
    const all = this.#tail + text;
    let from = 0;
    for (let end = all.indexOf('\n'); end >= 0; end = all.indexOf('\n', from)) {
      this.#line(this.#shortened(all.slice(from, end)));
      from = end + 1;
    }
    this.#tail = all.slice(from);
    this.#tail = this.#shortened(this.#tail);
  }

  /** Prose in a line without an end is taken piece by piece; code stays as it is. Returns what is left. */
  #shortened(line: string): string {
    let rest = line;
    while (rest.length > LINE_CHARACTERS && this.#open?.kind !== 'code') {
      this.#line(rest.slice(0, LINE_CHARACTERS));
      rest = rest.slice(LINE_CHARACTERS);
    }
    return rest;
  }

  /** Nothing more comes: a line without its end is one. */
  end(): void {
    if (this.#tail !== '') this.#line(this.#tail);
    this.#tail = '';
  }

  /** Closed blocks are the same objects every time; the last ones may still change. */
  blocks(): Block[] {
    if (this.#tail === '' && this.#open === undefined) return [...this.#closed];
    // What comes of the line without its end is tried on a copy, because more of it may change what it is.
    const trial = new BlockReader();
    trial.#open = copied(this.#open);
    // The beginning of a fence or of a footnote is not shown as text first.
    if (this.#tail !== '' && !FENCE_BEGUN.test(this.#tail) && !NOTE_BEGUN.test(this.#tail)) trial.#line(this.#tail);
    const last = trial.#open;
    return [...this.#closed, ...trial.#closed, ...(last ? [blockOf(last, false)] : [])];
  }

  /** How many of the blocks cannot change any more. */
  get closedCount(): number {
    return this.#closed.length;
  }

  /** Link definitions seen so far, by their labels: a block that refers to one elsewhere needs it. */
  get definitions(): ReadonlyMap<string, string> {
    return this.#definitions;
  }

  #line(line: string): void {
    this.#cuts = false;
    if (this.#open?.kind === 'prose' && isTooDeep(this.#open, line)) this.#carry(this.#open, line);
    const open = this.#open;
    if (open?.kind === 'code') {
      if (closesFence(line, open.fence)) this.#close();
      else open.lines.push(line);
      return;
    }
    if (open?.fence !== undefined) {
      this.#add(open, line);
      if (closesFence(line, open.fence.mark)) delete open.fence;
      return;
    }
    if (open?.math !== undefined) {
      this.#add(open, line);
      open.math.lines += 1;
      open.math.characters += line.length;
      const isTooLong = open.math.lines > MATH_LINES || open.math.characters > MATH_CHARACTERS;
      if (isTooLong || line.includes(open.math.close)) delete open.math;
      return;
    }
    if (line.trim() === '') {
      if (open) open.blank += 1;
      return;
    }
    const note = NOTE.exec(line);
    if (note) {
      this.#close();
      this.#open = { ...NEW_PROSE, lines: [], table: [], note: (note[1] as string).toLowerCase() };
      this.#add(this.#open, line.slice(note[0].length));
      return;
    }
    const goesOn = open !== undefined && this.#continues(open, line);
    if (!goesOn) this.#close();
    const isWithin = goesOn && (open.list || open.note !== undefined) && INDENTED.test(line);
    const fence = isWithin ? null : FENCE.exec(line);
    if (fence && !(fence[1]?.startsWith('`') && fence[2]?.includes('`'))) {
      this.#close();
      this.#open = {
        kind: 'code',
        language: fence[2]?.trim().split(/\s/)[0] ?? '',
        fence: fence[1] as string,
        lines: [],
      };
      return;
    }
    const label = linkLabel(DEFINITION.exec(line)?.[1] ?? '');
    if (label !== '' && !this.#definitions.has(label)) this.#definitions.set(label, line);
    this.#prose(line);
  }

  /** Cuts within an item of a list, which goes on in the next block without its mark. */
  #carry(open: OpenProse, line: string): void {
    const { fence } = open;
    const items = itemsAround(open, fence?.line ?? line);
    if (fence) this.#add(open, `${indentOf(fence.line)}${fence.mark}`);
    this.#close();
    const next: OpenProse = { ...NEW_PROSE, lines: [], table: [], list: true, items, continues: true };
    next.lines.push(...items.map(({ mark }) => `${mark} ${CARRIED}`), ...(open.blank > 0 || fence ? [''] : []));
    if (fence) {
      next.lines.push(fence.line);
      next.fence = fence;
    }
    this.#open = next;
  }

  #continues(open: OpenProse, line: string): boolean {
    if (open.note !== undefined) return this.#continuesNote(open, line);
    if (HEADING.test(line)) return open.list && open.blank === 0 && INDENTED.test(line);
    if (open.list) {
      if (open.characters > BLOCK_CHARACTERS && LIST_ITEM.test(line)) {
        this.#cuts = true;
        return false;
      }
      return open.blank === 0 || LIST_ITEM.test(line) || INDENTED.test(line);
    }
    return open.blank === 0;
  }

  /** A footnote goes on with lines to its right, and with those that could be of its last paragraph. */
  #continuesNote({ blank }: OpenProse, line: string): boolean {
    return INDENTED.test(line) || (blank === 0 && !HEADING.test(line) && !LIST_ITEM.test(line));
  }

  #prose(line: string): void {
    const open = this.#open;
    if (open?.kind !== 'prose') {
      this.#open = {
        ...NEW_PROSE,
        lines: [],
        table: [],
        list: LIST_ITEM.test(line),
        continues: this.#cuts,
      };
      this.#cuts = false;
      this.#add(this.#open, line);
      return;
    }
    if (open.note !== undefined) {
      if (open.characters > BLOCK_CHARACTERS && open.fence === undefined) {
        this.#close();
        this.#open = { ...NEW_PROSE, lines: [], table: [], note: open.note, continues: true };
      }
      this.#add(this.#open as OpenProse, line);
      return;
    }
    // A list may begin right under a paragraph.
    if (!open.list && LIST_ITEM.test(line) && open.table.length === 0) {
      this.#close();
      this.#prose(line);
      return;
    }
    if (!open.list && open.characters > BLOCK_CHARACTERS) {
      const { table } = open;
      this.#close();
      this.#cuts = true;
      this.#prose(table[0] ?? line);
      if (table.length > 0) {
        const next = this.#open as OpenProse;
        for (const row of [...table.slice(1), line]) this.#add(next, row);
        next.table = table;
        // However long its head is, a part has room for rows.
        next.characters = line.length + 1;
      }
      return;
    }
    this.#add(open, line);
    const { lines } = open;
    if (lines.length === 2 && TABLE_RULE.test(line) && line.includes('|') && lines[0]?.includes('|'))
      open.table = [...lines];
  }

  #add(open: OpenProse, line: string): void {
    for (; open.blank > 0; open.blank -= 1) open.lines.push('');
    open.lines.push(open.note === undefined ? line : line.replace(NOTE_INDENT, ''));
    open.characters += line.length + 1;
    if (open.list && open.fence === undefined) open.items = itemsAfter(open.items, line);
    const fence = open.fence === undefined ? INNER_FENCE.exec(line)?.[1] : undefined;
    if (fence !== undefined && (open.list || open.note !== undefined)) open.fence = { mark: fence, line };
    const mark = open.math === undefined ? MATH.exec(line) : null;
    if (mark) {
      const close = mark[1] === '$$' ? '$$' : '\\]';
      if (!line.slice(mark[0].length).includes(close)) open.math = { close, lines: 0, characters: 0 };
    }
    if (open.lines.length === 1 && HEADING.test(line)) this.#close();
  }

  #close(): void {
    if (this.#open) this.#closed.push(blockOf(this.#open, true));
    this.#open = undefined;
  }
}

/** An item that goes on and on. Between two of the outermost items a list is cut without this. */
const isTooDeep = (open: OpenProse, line: string): boolean => {
  const { list, characters, math, fence } = open;
  if (!list || math !== undefined || line.trim() === '') return false;
  if (fence !== undefined) return characters > 2 * BLOCK_CHARACTERS && !closesFence(line, fence.mark);
  if (ANY_ITEM.test(line)) return characters > BLOCK_CHARACTERS && itemsAround(open, line).length > 0;
  return characters > 2 * BLOCK_CHARACTERS && !HEADING.test(line);
};

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

const columnsOf = (text: string): number => text.replaceAll('\t', '    ').length;

const itemsAfter = (items: readonly ListItem[], line: string): readonly ListItem[] => {
  const [mark, indent = ''] = ANY_ITEM.exec(line) ?? [];
  if (mark === undefined) return items;
  return [...items.filter((each) => each.indent < columnsOf(indent)), { mark, indent: columnsOf(indent) }];
};

/** Those that hold this line; words right under an item's are of its paragraph wherever they begin. */
const itemsAround = ({ items, blank }: OpenProse, line: string): readonly ListItem[] =>
  blank === 0 && !ANY_ITEM.test(line) && !INNER_FENCE.test(line)
    ? items
    : items.filter(({ mark }) => columnsOf(indentOf(line)) > columnsOf(mark));

const closesFence = (line: string, fence: string): boolean => {
  const mark = line.trim();
  return mark.length >= fence.length && mark === (fence[0] as string).repeat(mark.length);
};

const copied = (open: OpenProse | OpenCode | undefined): OpenProse | OpenCode | undefined =>
  open === undefined
    ? undefined
    : { ...open, lines: [...open.lines], ...('math' in open && open.math ? { math: { ...open.math } } : {}) };

const blockOf = (open: OpenProse | OpenCode, closed: boolean): Block =>
  open.kind === 'code'
    ? { kind: 'code', language: open.language, lines: open.lines, closed }
    : {
        kind: 'prose',
        text: open.lines.join('\n'),
        ...(open.continues ? { continues: true } : {}),
        ...(open.note === undefined ? {} : { note: open.note }),
      };
