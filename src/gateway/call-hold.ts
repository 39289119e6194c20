/**
 * Holds back text that may be the beginning of a call until it is known: of an answer that ends in a call behind words,
 * the words alone go on. Ordinary text goes on at once, and what is held is bounded.
 */
import type { ToolSchema } from '../core/tool.ts';
import { callMarkAtStart, parseToolCalls } from '../dialects/index.ts';
import { isSchema } from '../schema/index.ts';
import { GATEWAY_LIMITS } from './limits.ts';

export type CallHold = {
  /** What may go on now. */
  push(text: string): string;
  /** What comes from here on is held: a call was read, and what the words behind it make of it is known at the end. */
  holdRest(): void;
  /** What is left when nothing more comes. */
  end(): string;
};

export type CallHoldOptions = {
  /** The parser leaves marks of other notations in the text, anywhere. */
  hasMarks?: boolean;
};

/**
 * Where a call may begin: in a line of its own or behind a sentence; brackets and marked names behind any blank. A run of
 * blanks is looked at from its beginning alone.
 */
const START = /(?<alone>^[ \t]*|\n(?<!\n[^\S\n]*\n)\s*|[.!?:…] +)(?=[{[`A-Za-z_])|(?<!\s)\s+(?=[{[A-Za-z_])/g;
/** Of the text before: enough to see what a piece begins behind. */
const CONTEXT_CHARACTERS = 2;
/** Keys of a call, and of the lists that some models put calls in. */
const KEYS =
  'name tool tool_name function function_name arguments args parameters params input tool_input action action_input tool_calls tool_call calls function_calls id type index'.split(
    ' ',
  );
const MARK = '[ARGS]';
const FENCE = '```';

/** `unsure`: more text tells. */
type Verdict = 'text' | 'unsure' | 'call';

/** Without tools nothing is a call. */
const OPEN: CallHold = { push: (text) => text, holdRest: () => {}, end: () => '' };

export const createCallHold = (tools: readonly ToolSchema[], { hasMarks = false }: CallHoldOptions = {}): CallHold =>
  tools.length === 0 ? OPEN : new TextHold(tools, hasMarks);

class TextHold implements CallHold {
  readonly #tools: readonly ToolSchema[];
  readonly #hasMarks: boolean;
  readonly #judge: Judge;
  /** Where it begins with the mark of a call, and its parser took it for none, its end tells what it is. */
  #isBeginning = true;
  /** The end of what went on. */
  #context = '';
  #held: string[] = [];
  #length = 0;
  /** Follows the call that is held; absent where nothing is held, or it is not known yet. */
  #body: Body | undefined;

  constructor(tools: readonly ToolSchema[], hasMarks: boolean) {
    this.#tools = tools;
    this.#hasMarks = hasMarks;
    this.#judge = judgeFor(tools);
  }

  push(piece: string): string {
    if (this.#body !== undefined) return this.#follow(this.#body, piece);
    return this.#release(this.#takeHeld() + piece);
  }

  holdRest(): void {
    this.#body = TO_THE_END;
  }

  end(): string {
    return this.#takeHeld();
  }

  /** Looks for a call from the beginning of a text of which nothing is known. */
  #release(text: string): string {
    const mark = this.#isBeginning || this.#hasMarks ? markIn(text, this.#hasMarks) : undefined;
    this.#isBeginning = mark?.found === 'part' && mark.at === 0;
    if (mark === undefined) return this.#releaseWords(text);
    const before = mark.at === 0 ? '' : this.#releaseWords(text.slice(0, mark.at));
    const rest = this.#held.join('') + text.slice(mark.at);
    this.#body = mark.found === 'whole' || this.#body !== undefined ? TO_THE_END : undefined;
    this.#hold(rest);
    return before;
  }

  #releaseWords(text: string): string {
    const whole = this.#context + text;
    let from = 0;
    for (const match of whole.matchAll(START)) {
      const word = match.index + match[0].length - this.#context.length;
      if (word < from) continue;
      const verdict = this.#judge(text, word, match.groups?.['alone'] !== undefined);
      if (verdict === 'text') continue;
      const at = Math.max(0, match.index - this.#context.length);
      this.#body = verdict === 'call' ? newBody() : undefined;
      const rest = this.#body?.read(text, word);
      if (rest === undefined) return this.#holdFrom(text, at);
      if (this.#isCall(text.slice(word, rest))) {
        this.#body = TO_THE_END;
        return this.#holdFrom(text, at);
      }
      // Words stand behind it, so the answer does not end in it.
      this.#body = undefined;
      from = rest;
    }
    return this.#letGo(text);
  }

  /** Pieces are put together only when they go on: a long call comes in thousands of them. */
  #follow(begun: Body, piece: string): string {
    const rest = begun.read(piece, 0);
    this.#length += piece.length;
    if (rest === undefined && this.#length <= GATEWAY_LIMITS.heldCharacters) {
      this.#held.push(piece);
      return '';
    }
    if (rest !== undefined && this.#judge(piece, rest, true) !== 'text') {
      // A second call may follow the first.
      this.#body = newBody();
      this.#held.push(piece.slice(0, rest));
      this.#length -= piece.length - rest;
      return this.#follow(this.#body, piece.slice(rest));
    }
    if (rest !== undefined && this.#isCall([...this.#held, piece.slice(0, rest)].join(''))) {
      this.#body = TO_THE_END;
      this.#held.push(piece);
      return '';
    }
    this.#body = undefined;
    const before = this.#takeHeld();
    if (rest === undefined) return this.#letGo(before + piece);
    return this.#letGo(before + piece.slice(0, rest)) + this.#release(piece.slice(rest));
  }

  /** A call to a tool on offer, behind which words follow: what becomes of them both is known at the end. */
  #isCall(text: string): boolean {
    return parseToolCalls(text.trim(), { dialect: 'auto', tools: this.#tools }).calls.length > 0;
  }

  #holdFrom(text: string, at: number): string {
    this.#hold(text.slice(at));
    return this.#letGo(text.slice(0, at));
  }

  #hold(text: string): void {
    this.#held = [text];
    this.#length = text.length;
  }

  #letGo(text: string): string {
    this.#context = `${this.#context}${text}`.slice(-CONTEXT_CHARACTERS);
    return text;
  }

  #takeHeld(): string {
    const held = this.#held.join('');
    this.#held = [];
    return held;
  }
}

/** The first mark of a call, at the beginning or anywhere. */
const markIn = (text: string, isAnywhere: boolean): { at: number; found: 'whole' | 'part' } | undefined => {
  for (const { index: at } of isAnywhere ? text.matchAll(MARK_START) : [{ index: 0 }]) {
    const found = callMarkAtStart(text.slice(at));
    if (found !== undefined) return { at, found };
  }
  return undefined;
};
const MARK_START = /[<[\]]/g;

type Judge = (text: string, at: number, isAlone: boolean) => Verdict;

/** By the first characters at a place: whether a call of one of these tools, or of any, begins there. */
const judgeFor = (tools: readonly ToolSchema[]): Judge => {
  const names = new Set(tools.map((tool) => spelled(tool.function.name)));
  const nameStarts = startsOf(names);
  const own = tools.flatMap(({ function: { parameters } }) =>
    isSchema(parameters['properties']) ? Object.keys(parameters['properties']) : [],
  );
  // Some models write a tool's name in the place of the key.
  const called = tools.map((tool) => tool.function.name);
  const keys = new Set([...KEYS, ...own, ...called].map((key) => key.toLowerCase()));
  const keyStarts = startsOf(keys);

  const ofKey = (text: string): Verdict => {
    const [all, word = ''] = /^\s*["']?(\w*)/.exec(text) ?? [''];
    const key = word.toLowerCase();
    const rest = text.slice(all.length);
    if (rest === '') return key === '' || keyStarts.has(key) ? 'unsure' : 'text';
    return keys.has(key) && /^["']?\s*(?::|$)/.test(rest) ? 'call' : 'text';
  };
  const ofWord = (text: string, isAlone: boolean): Verdict => {
    const [word = ''] = /^[A-Za-z_][\w.-]*/.exec(text) ?? [];
    const rest = text.slice(word.length);
    const name = spelled(word);
    if (rest === '') return nameStarts.has(name) ? 'unsure' : 'text';
    if (!names.has(name)) return 'text';
    if (rest.startsWith(MARK) || (isAlone && rest.startsWith('('))) return 'call';
    return MARK.startsWith(rest) ? 'unsure' : 'text';
  };
  const ofBracket = (text: string): Verdict => {
    if (text.startsWith('{')) return ofKey(text.slice(1));
    const inside = text.slice(1).trimStart();
    if (inside === '') return 'unsure';
    return inside.startsWith('{') ? ofKey(inside.slice(1)) : ofWord(inside, true);
  };
  const ofFence = (text: string): Verdict => {
    if (FENCE.startsWith(text)) return 'unsure';
    const [fence] = /^```\w*\s*/.exec(text) ?? [];
    if (fence === undefined) return 'text';
    const inside = text.slice(fence.length);
    if (inside === '') return 'unsure';
    return /^[{[]/.test(inside) ? ofBracket(inside) : ofWord(inside, true);
  };
  return (text, at, isAlone) => {
    const head = text.slice(at, at + GATEWAY_LIMITS.unsureCharacters);
    const verdict = /^[{[]/.test(head) ? ofBracket(head) : head.startsWith('`') ? ofFence(head) : ofWord(head, isAlone);
    return verdict === 'unsure' && head.length === GATEWAY_LIMITS.unsureCharacters ? 'text' : verdict;
  };
};

/** As names of tools are compared: `Read-File`, `functions.readFile` and `read_file` are one. */
const spelled = (name: string): string =>
  name
    .replace(/^(?:functions?|tools?|default_api)[.:]/i, '')
    .replaceAll(/[^a-z0-9]/gi, '')
    .toLowerCase();

const startsOf = (words: Iterable<string>): ReadonlySet<string> => {
  const starts = new Set<string>();
  for (const word of words) for (let length = 1; length <= word.length; length += 1) starts.add(word.slice(0, length));
  return starts;
};

type Body = {
  /** Reads on from a place; gives the place of the first text that does not belong to it. */
  read(text: string, from: number): number | undefined;
};

const TO_THE_END: Body = { read: () => undefined };

/** Follows brackets and strings to the end of a call. */
const newBody = (): Body => {
  let depth = 0;
  let hasOpened = false;
  let unopened = 0;
  let quote = '';
  let isEscaped = false;
  const inQuotes = (character: string): void => {
    if (isEscaped) isEscaped = false;
    else if (character === '\\') isEscaped = true;
    else if (character === quote) quote = '';
  };
  return {
    read(text, from) {
      for (let at = from; at < text.length; at += 1) {
        const character = text.charAt(at);
        if (quote !== '') inQuotes(character);
        else if (OPENING.includes(character)) {
          depth += 1;
          hasOpened = true;
        } else if (CLOSING.includes(character)) depth -= 1;
        else if (depth > 0) quote = QUOTES.includes(character) ? character : '';
        else if (hasOpened && !BETWEEN.test(character)) return at;
        else if (!hasOpened && ++unopened > GATEWAY_LIMITS.unsureCharacters) return at;
      }
      return undefined;
    },
  };
};
const OPENING = '{[(';
const CLOSING = '}])';
const QUOTES = `"'`;
/** Behind a call, and between two of them. */
const BETWEEN = /[\s,;`]/;
