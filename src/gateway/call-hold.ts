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

/** Where a call may begin: in a line of its own or behind a sentence; brackets and marked names behind any blank. */
const START = /(?<alone>^[ \t]*|\n\s*|[.!?:…] +)(?=[{[`A-Za-z_])|\s+(?=[{[A-Za-z_])/g;
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

export const createCallHold = (tools: readonly ToolSchema[], { hasMarks = false }: CallHoldOptions = {}): CallHold => {
  if (tools.length === 0) return OPEN;
  const judge = judgeFor(tools);
  /** A call to a tool on offer, behind which words follow: what becomes of them both is known at the end. */
  const isCall = (text: string): boolean => parseToolCalls(text.trim(), { dialect: 'auto', tools }).calls.length > 0;
  /** Where it begins with the mark of a call, and its parser took it for none, its end tells what it is. */
  let isBeginning = true;
  /** The end of what went on. */
  let context = '';
  let held: string[] = [];
  let length = 0;
  /** Follows the call that is held; absent where nothing is held, or it is not known yet. */
  let body: Body | undefined;

  const letGo = (text: string): string => {
    context = `${context}${text}`.slice(-CONTEXT_CHARACTERS);
    return text;
  };
  const hold = (text: string): void => {
    held = [text];
    length = text.length;
  };

  /** Looks for a call from the beginning of a text of which nothing is known. */
  const release = (text: string): string => {
    const mark = isBeginning || hasMarks ? markIn(text, hasMarks) : undefined;
    isBeginning = mark?.found === 'part' && mark.at === 0;
    if (mark === undefined) return releaseWords(text);
    const before = mark.at === 0 ? '' : releaseWords(text.slice(0, mark.at));
    const rest = held.join('') + text.slice(mark.at);
    body = mark.found === 'whole' || body !== undefined ? TO_THE_END : undefined;
    hold(rest);
    return before;
  };

  const releaseWords = (text: string): string => {
    const whole = context + text;
    let from = 0;
    for (const match of whole.matchAll(START)) {
      const word = match.index + match[0].length - context.length;
      if (word < from) continue;
      const verdict = judge(text, word, match.groups?.['alone'] !== undefined);
      if (verdict === 'text') continue;
      const at = Math.max(0, match.index - context.length);
      body = verdict === 'call' ? newBody() : undefined;
      const rest = body?.read(text, word);
      if (rest === undefined) {
        hold(text.slice(at));
        return letGo(text.slice(0, at));
      }
      if (isCall(text.slice(word, rest))) {
        body = TO_THE_END;
        hold(text.slice(at));
        return letGo(text.slice(0, at));
      }
      // Words stand behind it, so the answer does not end in it.
      body = undefined;
      from = rest;
    }
    return letGo(text);
  };

  /** Pieces are put together only when they go on: a long call comes in thousands of them. */
  const follow = (begun: Body, piece: string): string => {
    const rest = begun.read(piece, 0);
    length += piece.length;
    if (rest === undefined && length <= GATEWAY_LIMITS.heldCharacters) {
      held.push(piece);
      return '';
    }
    if (rest !== undefined && judge(piece, rest, true) !== 'text') {
      // A second call may follow the first.
      body = newBody();
      held.push(piece.slice(0, rest));
      length -= piece.length - rest;
      return follow(body, piece.slice(rest));
    }
    if (rest !== undefined && isCall([...held, piece.slice(0, rest)].join(''))) {
      body = TO_THE_END;
      held.push(piece);
      return '';
    }
    body = undefined;
    const before = held.join('');
    held = [];
    if (rest === undefined) return letGo(before + piece);
    return letGo(before + piece.slice(0, rest)) + release(piece.slice(rest));
  };

  return {
    push(piece) {
      if (body !== undefined) return follow(body, piece);
      const text = held.join('') + piece;
      held = [];
      return release(text);
    },
    holdRest() {
      body = TO_THE_END;
    },
    end() {
      const rest = held.join('');
      held = [];
      return rest;
    },
  };
};

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
