/** What an editor sends as a prompt → the message of a person. */

import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { ContentPart } from '../core/message.ts';

/** Text stays text; a file that comes along is fenced under its name; a link is the name of a file to read. */
export const promptContent = (blocks: readonly ContentBlock[], root: string): string | ContentPart[] => {
  const parts: ContentPart[] = [];
  const say = (text: string): void => {
    const last = parts.at(-1);
    if (last?.type === 'text') last.text += text;
    else parts.push({ type: 'text', text });
  };
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        say(block.text);
        break;
      case 'image':
        parts.push({ type: 'image', mime_type: block.mimeType, data_base64: block.data });
        break;
      case 'resource_link':
        say(`@${placeOf(block.uri, root)}`);
        break;
      case 'resource':
        if ('text' in block.resource) say(fenced(placeOf(block.resource.uri, root), block.resource.text));
        else say(`[${placeOf(block.resource.uri, root)}: not text, left out]`);
        break;
      default:
        say(`[${block.type}: left out]`);
    }
  }
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? only.text : parts;
};

/** Relative to the workspace where it lies inside, since that is how the tools name files. */
const placeOf = (uri: string, root: string): string => {
  if (!uri.startsWith('file:')) return uri;
  try {
    const path = fileURLToPath(uri);
    const inside = relative(root, path);
    return inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
  } catch {
    return uri;
  }
};

/** A fence longer than any in the text, so that the text cannot end it. */
const fenced = (name: string, text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `\n${name}\n${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}\n`;
};
