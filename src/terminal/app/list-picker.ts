/** One of several to choose: `/model`, `/sessions`, earlier messages. What is typed filters the list. */
import { TERMINAL_LIMITS } from '../limits.ts';
import { fuzzyFilter, matchesKey, SelectList } from '../pi-tui.ts';
import { sanitizeTitle } from '../sanitize.ts';
import { besideEach, cut, widthOf, wrapText } from '../text.ts';
import type { Theme } from '../theme.ts';
import { isEnter, typedLine } from '../typed-line.ts';

/** `brief`: the description in the few words that a narrow list has room for. */
export type PickerItem = { value: string; label: string; description?: string; brief?: string };
export type PickerWords = { title: string; hint: string };

const GAP_COLUMNS = 2;
/** Below this a description says nothing. */
const DESCRIPTION_COLUMNS = 10;

export class ListPicker {
  readonly #items: readonly PickerItem[];
  readonly #theme: Theme;
  readonly #words: PickerWords;
  readonly #take: (chosen: string) => void;
  #list: SelectList;
  /** What fits what was typed. */
  #shown: readonly PickerItem[];
  #filter = '';
  /** As in a shell, Ctrl+C leaves a search at once, whatever was typed. */
  readonly #isSearch: boolean;
  #isOpen = true;

  constructor(
    items: readonly PickerItem[],
    current: string,
    words: PickerWords & { take(chosen: string): void; isSearch?: boolean },
    theme: Theme,
  ) {
    this.#theme = theme;
    this.#words = words;
    this.#take = words.take;
    this.#isSearch = words.isSearch === true;
    this.#items = items.map(({ value, label, description, brief }) => ({
      value,
      label: sanitizeTitle(label),
      ...(description === undefined ? {} : { description: sanitizeTitle(description) }),
      ...(brief === undefined ? {} : { brief: sanitizeTitle(brief) }),
    }));
    this.#shown = this.#items;
    this.#list = this.#listOf(this.#items);
    this.#list.setSelectedIndex(
      Math.max(
        0,
        items.findIndex(({ value }) => value === current),
      ),
    );
  }

  lines(width: number): string[] {
    const { bold, dim, accent } = this.#theme;
    const typed = this.#filter === '' ? dim(' type to filter') : ` ${accent(sanitizeTitle(this.#filter))}`;
    const title = bold(this.#words.title);
    // What the keys do is never cut: in few columns it takes more lines.
    const first = this.#filter === '' && widthOf(title + typed) > width ? title : `${title}${typed}`;
    return [cut(first, width), ...this.#rows(width), ...wrapText(this.#words.hint, width, dim)];
  }

  #rows(width: number): string[] {
    const { dim, accent, marks } = this.#theme;
    const items = this.#shown;
    if (items.length === 0) return [dim('  Nothing matches')];
    const chosen = Math.max(0, items.indexOf(this.#list.getSelectedItem() ?? items[0]!));
    const from = Math.max(
      0,
      Math.min(chosen - Math.floor(TERMINAL_LIMITS.completions / 2), items.length - TERMINAL_LIMITS.completions),
    );
    const indent = widthOf(marks.chosen) + 1;
    const room = width - indent;
    const labels = labelColumns(items, room);
    const rows = items.slice(from, from + TERMINAL_LIMITS.completions).map((item) => {
      const label = cut(item.label, labels);
      const rest = item.description === undefined ? 0 : room - labels - GAP_COLUMNS;
      const description = rest < DESCRIPTION_COLUMNS ? '' : cut(descriptionIn(item, rest), rest);
      const text = description === '' ? label : besideEach(label, labels, marks);
      return item === items[chosen]
        ? accent(`${marks.chosen} ${text}${description}`)
        : `${' '.repeat(indent)}${text}${dim(description)}`;
    });
    return items.length <= TERMINAL_LIMITS.completions ? rows : [...rows, dim(`  (${chosen + 1}/${items.length})`)];
  }

  /** False when it is done. */
  key(data: string): boolean {
    // A new line takes nothing.
    if (matchesKey(data, 'enter') && !isEnter(data)) return this.#isOpen;
    const filter = typedLine(this.#filter, data, TERMINAL_LIMITS.filterCharacters);
    if (filter === this.#filter || matchesKey(data, 'escape')) this.#list.handleInput(data);
    else this.#narrow(filter);
    return this.#isOpen;
  }

  /** False where nothing was typed, and in a search: there the list is left. */
  clearFilter(): boolean {
    if (this.#filter === '' || this.#isSearch) return false;
    this.#narrow('');
    return true;
  }

  #narrow(filter: string): void {
    this.#filter = filter;
    const fitting = fuzzyFilter([...this.#items], filter, ({ label }) => label);
    this.#shown = filter === '' ? this.#items : fitting;
    this.#list = this.#listOf(this.#shown);
  }

  #listOf(items: readonly PickerItem[]): SelectList {
    const { accent, dim } = this.#theme;
    const list = new SelectList([...items], TERMINAL_LIMITS.completions, {
      selectedPrefix: accent,
      selectedText: accent,
      description: dim,
      scrollInfo: dim,
      noMatch: dim,
    });
    list.onSelect = (item) => {
      this.#isOpen = false;
      this.#take(item.value);
    };
    list.onCancel = () => {
      this.#isOpen = false;
    };
    return list;
  }
}

const descriptionIn = ({ description = '', brief = description }: PickerItem, columns: number): string =>
  widthOf(description) <= columns ? description : brief;

/** Labels get what they need, but leave the longest description its room as far as that is half of the width. */
const labelColumns = (items: readonly PickerItem[], room: number): number => {
  const widest = Math.max(...items.map(({ label }) => widthOf(label)));
  const described = Math.max(...items.map(({ description }) => widthOf(description ?? '')));
  const kept = described === 0 ? 0 : Math.min(described, Math.floor(room / 2)) + GAP_COLUMNS;
  return kept < DESCRIPTION_COLUMNS ? Math.min(widest, room) : Math.min(widest, room - kept);
};
