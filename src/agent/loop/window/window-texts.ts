/** What a person reads when room was made, or when a prompt cannot fit. */

import type { Event } from '../../../core/events.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { ModelError } from '../../../core/model-port.ts';
import { counted, grouped } from '../../../core/number-text.ts';
import type { Compacted } from '../../../core/window/compaction.ts';
import { compactionSentence } from '../../../core/window/compaction-text.ts';
import { leastAnswer } from './plan-facts.ts';

export const count = (tokens: number): string => grouped(Math.round(tokens));

export const LARGER_WINDOW =
  'Run the model with a larger window (with Ollama by --context-length here; with llama.cpp by its --ctx-size)';

/** How a person asks for room: in the terminal, and of `halter run`. */
export const COMPACT = '/compact (halter run -c --compact)';

const BY_ITSELF = 'without --compaction off (or `halter config set compaction notes`) room is made by itself';

/** The server read less than was sent. */
export const cutText = (
  read: number,
  tokens: number,
  { window, isOff }: { window: number | undefined; isOff: boolean },
): string =>
  [
    `The server read only ${count(read)} tokens of a prompt of about ${count(tokens)}: it cut off the rest, and instructions or tools may be gone.`,
    ...(window !== undefined
      ? [
          isOff
            ? `Compaction is off, so it goes on cutting: ${COMPACT} makes room, and ${BY_ITSELF}.`
            : `From now on its window is taken to be ${count(window)} tokens, and older turns are left out instead. This is kept for the model and server; a somewhat larger prompt is tried from time to time.`,
        ]
      : []),
    `${LARGER_WINDOW}. --context-length N tells halter the window of any server, whatever was learned of it.`,
  ].join(' ');

/** The server read more than it was thought to hold. */
export const takenBackText = (read: number, known: number, window: number | undefined): string =>
  `The server read a prompt of ${count(read)} tokens whole, so it does not cut prompts at ${count(known)}: what was learned of its window is taken back. ${
    window === undefined ? 'How much it holds is not known.' : `Its window is taken to be ${count(window)} tokens.`
  }`;

/** The server refused a prompt and did not say how much it holds. */
export const guessedText = (refused: number, guessed: number): string =>
  `The server refused a prompt of about ${count(refused)} tokens as too long and does not say how much it holds. Its window is taken to be ${count(guessed)} tokens from now on; --context-length N tells halter the right size.`;

/** An answer ended at the end of a window that nobody told, or that was told larger. */
export const endedFullText = (window: number): string =>
  `The server ended an answer where prompt and answer together were ${count(window)} tokens, as at the end of its window. Its window is taken to be so large from now on; --context-length N tells halter the right size.`;

export const TOO_LITTLE_TO_DROP =
  'There is too little to drop, so nothing was left out: it is mostly what you said, the last turn and its newest results.';
export const NOTHING_SAID = 'Nothing was said here yet, so there is nothing to drop.';
export const NOTHING_TO_KEEP = 'Nothing was said here yet, so nothing can be kept: say it in a message.';
export const STOPPED = 'Stopped: no room was made, and nothing was left out.';

/** Tokens of a prompt, of what stands before every message, and of the last message of the person. */
export type PromptShape = {
  tokens: number;
  head: number;
  message: number;
  tools: number;
  /** The person wants nothing left out by itself. */
  isOff?: boolean;
};

/** What of a prompt is too large for a window, and what can be done about that. */
export const tooLargeText = (
  shape: PromptShape,
  model: string,
  contextTokens: number,
): { message: string; hint: string } => {
  const holds = `the window of ${model} holds ${count(contextTokens)}`;
  const room = contextTokens - leastAnswer(contextTokens);
  if (shape.head > room) {
    const tools = counted(shape.tools, 'tool');
    return {
      message: `The instructions and the ${tools} alone are about ${count(shape.head)} tokens, and ${holds}.`,
      hint: `Offer fewer tools (--tools), shorten the instructions of the project, or run the model with a larger window: ${HOW_LARGER}.`,
    };
  }
  if (shape.head + shape.message > room) {
    return {
      message: `Your message is about ${count(shape.message)} tokens; with the instructions and tools the prompt is about ${count(shape.tokens)} tokens, and ${holds}.`,
      hint: `Send it in parts, or keep it in a file and name the file: the model reads that piece by piece. Of this message no more than its first ${count(LIMITS.unansweredCharacters)} characters stay in the prompts after it. ${LARGER_WINDOW}.`,
    };
  }
  const message = `The prompt is about ${count(shape.tokens)} tokens, and the window of ${model} holds ${count(contextTokens)}.`;
  if (shape.isOff) {
    return {
      message,
      hint: `Compaction is off, so nothing older was left out. Make room by ${COMPACT}, or begin a new session; ${BY_ITSELF}. ${LARGER_WINDOW}.`,
    };
  }
  return {
    message,
    hint: `Send less at a time, make room by ${COMPACT}, or begin a new session. ${LARGER_WINDOW}. --context-length N tells halter the window of any server.`,
  };
};
const HOW_LARGER = 'with Ollama by --context-length here, with llama.cpp by its --ctx-size';

export const refusalOf = (shape: PromptShape, model: string, contextTokens: number): ModelError => {
  const { message, hint } = tooLargeText(shape, model, contextTokens);
  return { code: 'context_overflow', message: `${message} Nothing was sent, because the server would cut it.`, hint };
};

/** The prompt went out, and filled the window before a word of the answer. */
export const noRoomFor = (shape: PromptShape, model: string, contextTokens: number): ModelError => {
  const { message, hint } = tooLargeText(shape, model, contextTokens);
  return {
    code: 'context_overflow',
    message: `${message} There was no room for an answer.`,
    hint,
    window_tokens: contextTokens,
  };
};

/** The answer broke off because there was no more room. */
export const fullText = (isOff: boolean): string =>
  `The window is full, so the answer was cut. ${isOff ? `Compaction is off: ${COMPACT} makes room, and ${BY_ITSELF}.` : 'Room is made before your next message.'}`;

/** The next prompts may not fit. */
export const nearlyFullText = (tokens: number, contextTokens: number, isOff: boolean): string => {
  const full = `The window is nearly full: about ${count(tokens)} of ${count(contextTokens)} tokens`;
  return isOff
    ? `${full}, and compaction is off. ${COMPACT} makes room; ${BY_ITSELF}.`
    : `${full}, and there is too little to drop yet. Where your next message finds no room either, a new session gives some.`;
};

export const madeRoomText = (event: Compacted, path: readonly Event[]): string =>
  `${compactionSentence(event)} The server reads again from ${placeOf(path, event)} on.`;

/** The first thing that the model reads otherwise than before. */
const placeOf = (path: readonly Event[], event: Compacted): string => {
  if (event.kept_from_seq > 0) return 'the first message';
  const first = path.find((entry) => entry.type === 'assistant_message_added' && entry.message.tool_calls.length > 0);
  return first?.type === 'assistant_message_added'
    ? `the first result of ${first.message.tool_calls[0]?.name}`
    : 'the first message';
};
