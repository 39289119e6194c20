/** One of several to choose: `/model`, `/sessions`, earlier messages. What is typed filters the list. */
import { TERMINAL_LIMITS } from '../limits.ts';
import { fuzzyFilter, matchesKey, SelectList } from '../pi-tui.ts';
import { sanitizeText } from '../sanitize.ts';
import { cut } from '../text.ts';
import type { Theme } from '../theme.ts';
import { typedLine } from '../typed-line.ts';

export type PickerItem = { value: string; label: string; description?: string };
export type PickerWords = { title: string; hint: string };

/** On one line, with joined emoji as they are: a title may hold them. */
const shown = (text: string): string => sanitizeText(text).replaceAll(/\s*\n\s*/g, ' ');

export class ListPicker {
  readonly #items: readonly PickerItem[];
  readonly #theme: Theme;
  readonly #words: PickerWords;
  readonly #take: (chosen: string) => void;
  #list: SelectList;
  #filter = '';
  #isOpen = true;

  constructor(
    items: readonly PickerItem[],
    current: string,
    words: PickerWords & { take(chosen: string): void },
    theme: Theme,
  ) {
    this.#theme = theme;
    this.#words = words;
    this.#take = words.take;
    this.#items = items.map(({ value, label, description }) => ({
      value,
      label: shown(label),
      ...(description === undefined ? {} : { description: shown(description) }),
    }));
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
    const typed = this.#filter === '' ? dim(' type to filter') : ` ${accent(shown(this.#filter))}`;
    return [
      cut(`${bold(this.#words.title)}${typed}`, width),
      ...this.#list.render(width),
      dim(cut(this.#words.hint, width)),
    ];
  }

  /** False when it is done. */
  key(data: string): boolean {
    const filter = typedLine(this.#filter, data, TERMINAL_LIMITS.filterCharacters);
    if (filter === this.#filter || matchesKey(data, 'escape')) this.#list.handleInput(data);
    else this.#narrow(filter);
    return this.#isOpen;
  }

  #narrow(filter: string): void {
    this.#filter = filter;
    const fitting = fuzzyFilter([...this.#items], filter, ({ label }) => label);
    this.#list = this.#listOf(filter === '' ? this.#items : fitting);
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
