/** The brackets that are open around the place where a value is being read. */
import { DIALECT_LIMITS } from '../../../core/limits/dialect-limits.ts';
import type { ValueSink } from '../value-sink.ts';

/** `call`: the parentheses behind a function's name, which hold `key=value`. `(`: a tuple, read as an array. */
export type Container = '{' | '[' | '(' | 'call';

const CLOSERS: Readonly<Record<Container, string>> = { '{': '}', '[': ']', '(': ')', call: ')' };

export class Containers {
  readonly #sink: ValueSink;
  readonly #open: Container[] = [];
  /** Nothing stands yet in the innermost one. */
  #first = true;
  /** A comma was read that no element has followed yet. */
  #trailing = false;

  constructor(sink: ValueSink) {
    this.#sink = sink;
  }

  get depth(): number {
    return this.#open.length;
  }

  get top(): Container | undefined {
    return this.#open[this.#open.length - 1];
  }

  /** What is innermost holds keys and values. */
  get inObject(): boolean {
    return this.top === '{' || this.top === 'call';
  }

  /** False where the brackets go too deep to be meant. */
  push(container: Container): boolean {
    if (this.#open.length >= DIALECT_LIMITS.depth) return false;
    this.#open.push(container);
    this.#sink.open(this.inObject ? '{' : '[');
    this.#enter(true);
    return true;
  }

  /** Closes the innermost one. */
  pop(): void {
    this.#sink.close(this.inObject ? '}' : ']');
    this.#open.pop();
    this.#enter(false);
    this.#sink.ended();
  }

  /** Closes the innermost one that this bracket can close, and all inside it; false where there is none. */
  close(bracket: string): boolean {
    const depth = this.#open.findLastIndex((container) => CLOSERS[container] === bracket);
    if (depth < 0) return false;
    if (this.#trailing) this.#sink.repaired('trailing_comma');
    if (depth < this.#open.length - 1) this.#sink.repaired('missing_closer');
    while (this.#open.length > depth) this.pop();
    return true;
  }

  /** An object that has begun unseen, with its first key. */
  reopen(): void {
    this.#open.push('{');
    this.#enter(false);
  }

  comma(): void {
    this.#trailing = true;
  }

  property(key: string): void {
    this.#sink.property(key, this.#first);
    this.#enter(false);
  }

  /** A value begins; where it stands in an array, it is an element. */
  element(): void {
    if (this.#open.length === 0 || this.inObject) return;
    this.#sink.item(this.#first);
    this.#enter(false);
  }

  #enter(isFirst: boolean): void {
    this.#first = isFirst;
    this.#trailing = false;
  }
}
