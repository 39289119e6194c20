/** The brackets that are open around the place where a value is being read. */
import { DIALECT_LIMITS } from '../../../core/limits/dialect-limits.ts';
import type { ValueSink } from '../value-sink.ts';

/** `call`: the parentheses behind a function's name, which hold `key=value`. `(`: a tuple, read as an array. */
export type Container = '{' | '[' | '(' | 'call';

const CLOSERS: Readonly<Record<Container, string>> = { '{': '}', '[': ']', '(': ')', call: ')' };

export type Containers = {
  depth(): number;
  top(): Container | undefined;
  /** What is innermost holds keys and values. */
  inObject(): boolean;
  /** False where the brackets go too deep to be meant. */
  push(container: Container): boolean;
  /** Closes the innermost one. */
  pop(): void;
  /** Closes the innermost one that this bracket can close, and all inside it; false where there is none. */
  close(bracket: string): boolean;
  comma(): void;
  property(key: string): void;
  /** A value begins; where it stands in an array, it is an element. */
  element(): void;
};

export const containersFor = (sink: ValueSink): Containers => {
  const open: Container[] = [];
  /** Nothing stands yet in the innermost one. */
  let first = true;
  /** A comma was read that no element has followed yet. */
  let trailing = false;

  const top = (): Container | undefined => open[open.length - 1];
  const inObject = (): boolean => top() === '{' || top() === 'call';
  const enter = (isFirst: boolean): void => {
    first = isFirst;
    trailing = false;
  };
  const pop = (): void => {
    sink.close(inObject() ? '}' : ']');
    open.pop();
    enter(false);
    sink.ended();
  };

  return {
    depth: () => open.length,
    top,
    inObject,
    pop,
    push: (container) => {
      if (open.length >= DIALECT_LIMITS.depth) return false;
      open.push(container);
      sink.open(inObject() ? '{' : '[');
      enter(true);
      return true;
    },
    close: (bracket) => {
      const depth = open.findLastIndex((container) => CLOSERS[container] === bracket);
      if (depth < 0) return false;
      if (trailing) sink.repaired('trailing_comma');
      if (depth < open.length - 1) sink.repaired('missing_closer');
      while (open.length > depth) pop();
      return true;
    },
    comma: () => {
      trailing = true;
    },
    property: (key) => {
      sink.property(key, first);
      enter(false);
    },
    element: () => {
      if (open.length === 0 || inObject()) return;
      sink.item(first);
      enter(false);
    },
  };
};
