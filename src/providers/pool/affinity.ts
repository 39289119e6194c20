/**
 * Which server of a pool a conversation belongs to. The same one for all its requests, whichever process sends them, so
 * that the server still has the beginning of the prompt; and when a server is gone, only its own conversations move.
 */
import type { ModelMessage } from '../../core/message.ts';
import { messageText } from '../../core/message.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const mix = (hash: number, text: string): number => {
  let mixed = hash;
  for (let at = 0; at < text.length; at += 1) mixed = Math.imul(mixed ^ text.charCodeAt(at), FNV_PRIME);
  return mixed >>> 0;
};

/** A number stirred well enough that neighbours are far apart. */
const stir = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};

/** What a conversation begins with stays what it is: the instructions and the first message of the person. */
export const conversationKey = (messages: readonly ModelMessage[]): number => {
  let key = FNV_OFFSET;
  for (const message of messages) {
    if (message.role !== 'system' && message.role !== 'user') break;
    key = mix(key, messageText(message.content));
    if (message.role === 'user') break;
  }
  return key;
};

/** The names, the one that the key belongs to first, then where it goes when that one is gone. */
export const byAffinity = <Named extends { readonly name: string }>(key: number, all: readonly Named[]): Named[] =>
  all
    .map((one) => ({ one, weight: stir(mix(key, one.name)) }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ one }) => one);
