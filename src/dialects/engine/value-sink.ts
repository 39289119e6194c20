/** What a value is read with, and who hears it. */

/** Hears the value as strict JSON. A container's own commas and brackets are the listener's to write. */
export type ValueSink = {
  open(bracket: '{' | '['): void;
  close(bracket: '}' | ']'): void;
  /** The value of this key follows. `first`: nothing stands before it in its object. */
  property(key: string, first: boolean): void;
  /** An element of an array follows. */
  item(first: boolean): void;
  /** A piece of a scalar's JSON text. `word`: what stands in the text for a number that JSON writes otherwise. */
  write(json: string, word?: string): void;
  /** The scalar or container is complete; it was a property, an element or the whole value. */
  ended(): void;
  /**
   * The text that has just ended was a key: the bracket of an object was lost before it. True where an object is due there,
   * and what was written of the text is written as its key.
   */
  reopen?(): boolean;
  repaired(kind: string, about?: string): void;
};

export type ValueOptions = {
  /** Quotes strings that hold no escapes: `<escape>` or `<|"|>`. */
  quoteMarker?: string;
  /** Python's escapes and its joining of neighbouring strings. */
  python?: boolean;
  /** The value is what stands in the parentheses of a call. */
  call?: boolean;
  /** The bracket of an object is taken for read. */
  opened?: boolean;
  /** Names the n-th argument of a call that was given without a name. */
  positional?: (index: number) => string | undefined;
  /** The value stands in an array, so a `]` too many is the array's own. */
  inArray?: boolean;
  /** A value without quotes is a string. */
  bareStrings?: boolean;
};

const SHORT = 64;

/** The inside of a JSON string. */
export const escapeJson = (text: string): string =>
  text.length < SHORT && isPlain(text) ? text : JSON.stringify(text).slice(1, -1);

/** Nothing in it has to be escaped. */
const isPlain = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
};
