/**
 * An answer in words that is none: a small model that has no tool for a request writes a call or code as if that did it.
 * Text is handed on word by word, so that such a word stops the answer before it is seen.
 */

/** `run_tests()`, `os.remove(`, `readFile("a")`; not `file(s)` or `it (the file)`. */
const CALL =
  /[A-Za-z]\w*(?:[._]\w+)+\(|[a-z]+[A-Z]\w*\(|[A-Za-z]\w*\((?:\)|["'`{[]|\w+=)|```|<\/?(?:tool|function)\w*|[{[]\s*"(?:name|tool|function|arguments)"/;

export const looksLikeCall = (text: string): boolean => CALL.test(text);

export type HeldText = { push(delta: string): void; end(): void; stopped(): boolean };

/** Hands on whole words; at the first that looks like a call nothing more, and `onCall` is told once. */
export const createHeldText = (emit: (delta: string) => void, onCall: (shown: boolean) => void): HeldText => {
  let held = '';
  let stopped = false;
  let shown = false;
  const stop = (): void => {
    stopped = true;
    held = '';
    onCall(shown);
  };
  return {
    push(delta) {
      if (stopped) return;
      held += delta;
      if (looksLikeCall(held)) return stop();
      // A bracket may open a call that goes on behind a blank, so such a word waits for the next one.
      const end = held.search(/\s\S*$/);
      if (end <= 0 || /[{[]\s*$/.test(held.slice(0, end))) return;
      emit(held.slice(0, end));
      shown = true;
      held = held.slice(end);
    },
    end() {
      if (!stopped && held !== '') emit(held);
      held = '';
    },
    stopped: () => stopped,
  };
};
