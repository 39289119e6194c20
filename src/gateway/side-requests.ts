/**
 * Requests that clients make beside the conversation: a title, tags, what to ask next, a probe of a quota. On a server with
 * one slot such a request throws out what the conversation has read already.
 */
import { type ModelMessage, messageText } from '../core/message.ts';
import type { Completion } from './complete.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import type { GatewayRequest } from './request.ts';

type Asked = Pick<GatewayRequest, 'messages' | 'tools' | 'sampling' | 'responseSchema'>;

/** What is asked for, in the words of the clients' own instructions. */
const WANTED =
  /\b(?:titles?|headlines?|topic|tags|follow-?ups?|follow-?up questions?|(?:session|branch|thread|chat|conversation) names?|next (?:user )?(?:prompts?|messages?|questions?)|suggestions?)\b/i;
const ASKS =
  /\b(?:generat\w*|generator|writ\w+|create|suggest\w*|come up with|provide|produce|make|extract|summari[sz]e|predict|reply with|respond with|output)\b/i;

/** A title and its like: short, without tools, and nothing of a conversation before it but what it quotes. */
export const isSideRequest = ({ messages, tools }: Asked): boolean => {
  if (tools.length > 0 || messages.some(({ role }) => role === 'tool')) return false;
  const texts = messages.map(textOf);
  if (texts.reduce((sum, text) => sum + text.length, 0) > GATEWAY_LIMITS.sideCharacters) return false;
  // Instructions stand at the beginning, or in the last message where a client has no others.
  const instructions = [texts[0], messages.length > 1 ? texts.at(-1) : ''].map((text = '') =>
    text.slice(0, GATEWAY_LIMITS.sideInstructionCharacters),
  );
  return instructions.some(
    (text) => sentencesOf(text).some((one) => WANTED.test(one) && ASKS.test(one)) && isTask(text),
  );
};

/** Such instructions speak to a model about a conversation. A person who wants a title for an essay says none of that. */
const isTask = (text: string): boolean =>
  /\b(?:this|the|following|above|user'?s?|each|current)\s+(?:\w+\s+){0,2}(?:conversations?|chats?|sessions?|threads?|messages?|prompts?|dialogue|history)\b|\bthread title\b|<task>|^### Task/im.test(
    text,
  );

const sentencesOf = (text: string): string[] => text.split(/[.!?\n]+/);

const textOf = (message: ModelMessage): string =>
  typeof message.content === 'string' ? message.content : messageText(message.content);

/** Claude Code asks so whether a hosted service still answers it. It reads nothing of the answer but its status. */
export const probeAnswer = ({ messages, tools, sampling, responseSchema }: Asked): Completion | undefined => {
  const [only] = messages;
  const isProbe =
    messages.length === 1 &&
    only?.role === 'user' &&
    textOf(only) === 'quota' &&
    sampling.max_tokens === 1 &&
    tools.length === 0 &&
    responseSchema === undefined;
  if (!isProbe) return undefined;
  const usage = { prompt_tokens: 1, completion_tokens: 1, seconds: 0 };
  return { text: 'OK', reasoning: '', calls: [], finish: 'length', usage, requests: 0, guards: [] };
};
