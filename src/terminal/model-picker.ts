/** `/model`: the models that are there, one to choose. */

import { LIMITS } from '../core/limits.ts';
import { SelectList } from './pi-tui.ts';
import { sanitizeLine } from './sanitize.ts';
import type { Theme } from './theme.ts';

export class ModelPicker {
  readonly #list: SelectList;
  readonly #theme: Theme;
  #outcome: { chosen: string } | 'closed' | undefined;

  constructor(models: readonly string[], current: string, theme: Theme) {
    this.#theme = theme;
    const items = models.map((model) => ({
      value: model,
      label: sanitizeLine(model),
      ...(model === current ? { description: 'in use' } : {}),
    }));
    this.#list = new SelectList(items, LIMITS.terminalCompletions, {
      selectedPrefix: theme.accent,
      selectedText: theme.accent,
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    });
    this.#list.setSelectedIndex(Math.max(0, models.indexOf(current)));
    this.#list.onSelect = (item) => {
      this.#outcome = { chosen: item.value };
    };
    this.#list.onCancel = () => {
      this.#outcome = 'closed';
    };
  }

  lines(width: number): string[] {
    return [
      this.#theme.bold('Choose a model'),
      ...this.#list.render(width),
      this.#theme.dim('Enter takes it, Esc keeps the present one'),
    ];
  }

  key(data: string): { chosen: string } | 'closed' | undefined {
    this.#list.handleInput(data);
    return this.#outcome;
  }
}
