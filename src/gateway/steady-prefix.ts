/**
 * Some clients change their instructions at every turn: a date, a git status, a session id. A local server then reads the
 * whole conversation again. Here the instructions of a conversation stay what they were at its first turn, and what is
 * new in them is told at the end, where nothing has been read yet.
 */
import { digest } from '../core/loop-guard.ts';
import { type ModelMessage, messageText } from '../core/message.ts';
import type { ToolSchema } from '../core/tool.ts';
import { GATEWAY_LIMITS } from './limits.ts';

export type SteadyPrefix = {
  /** The messages to send, and whether something was moved. */
  apply(
    messages: readonly ModelMessage[],
    tools: readonly ToolSchema[],
  ): { messages: readonly ModelMessage[]; moved: boolean };
};

export const createSteadyPrefix = (): SteadyPrefix => {
  const first = new Map<string, string>();
  return {
    apply(messages, tools) {
      const [head, ...rest] = messages;
      const key = conversationKey(rest, tools);
      if (head?.role !== 'system' || key === undefined) return { messages, moved: false };
      const before = first.get(key);
      // A conversation begins with its first answer: until then nothing was read that could be kept.
      const isNew = !rest.some(({ role }) => role === 'assistant');
      if (before === undefined || isNew) {
        remember(first, key, head.content);
        return { messages, moved: false };
      }
      if (before === head.content) return { messages, moved: false };
      const changed = changedLines(before, head.content);
      if (changed === undefined) {
        remember(first, key, head.content);
        return { messages, moved: false };
      }
      const steady: ModelMessage = { role: 'system', content: before };
      return { messages: [steady, ...withNote(rest, changed)], moved: true };
    },
  };
};

const remember = (first: Map<string, string>, key: string, text: string): void => {
  first.delete(key);
  first.set(key, text);
  const [oldest] = first.keys();
  if (first.size > GATEWAY_LIMITS.keptInstructions && oldest !== undefined) first.delete(oldest);
};

/** The first message of the person and the tools stay the same for a whole conversation. */
const conversationKey = (messages: readonly ModelMessage[], tools: readonly ToolSchema[]): string | undefined => {
  const opening = messages.find(({ role }) => role === 'user');
  if (opening?.role !== 'user') return undefined;
  return digest(JSON.stringify([messageText(opening.content), tools.map((tool) => tool.function.name)]));
};

/** The lines that were not there before; undefined where the texts differ in more than details. */
const changedLines = (before: string, now: string): string | undefined => {
  const known = new Set(before.split('\n'));
  const added = now.split('\n').filter((line) => !known.has(line));
  const text = added.join('\n').trim();
  const isDetail = text.length <= GATEWAY_LIMITS.changedInstructionCharacters && text.length * 4 <= now.length;
  return isDetail ? text : undefined;
};

/** Behind everything that the server knows already; in the last message, since some templates want turns in turn. */
const withNote = (messages: readonly ModelMessage[], changed: string): readonly ModelMessage[] => {
  const last = messages.at(-1);
  if (changed === '' || last === undefined) return messages;
  const note = `\n\n[Changed in the instructions since the conversation began:\n${changed}]`;
  if (last.role === 'user') {
    const content =
      typeof last.content === 'string'
        ? `${last.content}${note}`
        : [...last.content, { type: 'text' as const, text: note }];
    return [...messages.slice(0, -1), { ...last, content }];
  }
  if (last.role === 'tool') return [...messages.slice(0, -1), { ...last, content: `${last.content}${note}` }];
  return messages;
};
