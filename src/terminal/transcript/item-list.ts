/** What a person reads, in the order of the log: lines that go to the scrollback for good, and those that may still change. */
import { append } from '../text.ts';
import type { Item, ItemKind, View } from './items.ts';

type Entry = { item: Item; isStarted: boolean; gap: boolean };

export class ItemList {
  readonly #items: Entry[] = [];
  #lastKind: ItemKind | undefined;
  /** All that `live` gave last stands on the screen. */
  #isShownWhole = false;

  /** Of what was added last. */
  get lastKind(): ItemKind | undefined {
    return this.#lastKind;
  }

  /** A blank line stands before it, unless it belongs to the one before. */
  add(item: Item): void {
    const last = this.#lastKind;
    const isJoined =
      last === item.kind ? item.kind === 'call' || item.kind === 'notice' : last === 'thought' && item.kind === 'call';
    this.#items.push({ item, isStarted: false, gap: last !== undefined && !isJoined });
    this.#lastKind = item.kind;
  }

  /** Lines for the scrollback, each once, in order; it stops at the first thing that may still change. */
  take(view: View): string[] {
    const out: string[] = [];
    while (this.#items.length > 0) {
      const entry = this.#items[0]!;
      this.#give(entry, entry.item.take(view), out);
      if (!entry.item.isFinished) break;
      this.#items.shift();
    }
    return out;
  }

  /** What is below, at most `rows` lines; what cannot be kept on the screen goes to `out` for good. */
  live(view: View, rows: number, out: string[]): string[] {
    const first = this.#items[0];
    if (first?.item.overflow) this.#give(first, first.item.overflow(view, rows), out);
    const lines: string[] = [];
    for (const entry of this.#items) {
      const own = entry.item.isFinished ? entry.item.peek(view) : entry.item.live(view);
      if (own.length > 0 && entry.gap && !entry.isStarted) lines.push('');
      append(lines, own);
    }
    this.#isShownWhole = lines.length <= rows;
    return rows <= 0 ? [] : lines.slice(-rows);
  }

  /**
   * A resize has put the first so many lines of what `live` gave last into the scrollback. Those of an answer that is being
   * written do not come again: how many that is, and what belongs behind them.
   */
  settle(count: number): { count: number; after: string[] } {
    const first = this.#items[0];
    const none = { count: 0, after: [] };
    if (first?.item.settle === undefined || !this.#isShownWhole || count === 0) return none;
    const blank = first.gap && !first.isStarted ? 1 : 0;
    const settled = first.item.settle(count - blank);
    if (settled.count + blank > 0) first.isStarted = true;
    return { ...settled, count: settled.count + blank };
  }

  #give(entry: Entry, lines: readonly string[], out: string[]): void {
    if (lines.length === 0) return;
    if (!entry.isStarted && entry.gap) out.push('');
    entry.isStarted = true;
    for (const line of lines) out.push(line);
  }
}
