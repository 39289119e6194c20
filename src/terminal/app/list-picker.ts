/** One of several to choose: `/model`, `/sessions`. */

import { TERMINAL_LIMITS } from '../limits.ts';
import { SelectList } from '../pi-tui.ts';
import { sanitizeLine } from '../sanitize.ts';
import type { Theme } from '../theme.ts';

export type PickerItem = { value: string; label: string; description?: string };
export type PickerWords = { title: string; hint: string };

export class ListPicker {
  readonly #list: SelectList;
  readonly #theme: Theme;
  readonly #words: PickerWords;
  readonly #take: (chosen: string) => void;
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
    const shown = items.map(({ value, label, description }) => ({
      value,
      label: sanitizeLine(label),
      ...(description === undefined ? {} : { description: sanitizeLine(description) }),
    }));
    this.#list = new SelectList(shown, TERMINAL_LIMITS.completions, {
      selectedPrefix: theme.accent,
      selectedText: theme.accent,
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    });
    this.#list.setSelectedIndex(
      Math.max(
        0,
        items.findIndex(({ value }) => value === current),
      ),
    );
    this.#list.onSelect = (item) => {
      this.#isOpen = false;
      this.#take(item.value);
    };
    this.#list.onCancel = () => {
      this.#isOpen = false;
    };
  }

  lines(width: number): string[] {
    return [this.#theme.bold(this.#words.title), ...this.#list.render(width), this.#theme.dim(this.#words.hint)];
  }

  /** False when it is done. */
  key(data: string): boolean {
    this.#list.handleInput(data);
    return this.#isOpen;
  }
}
