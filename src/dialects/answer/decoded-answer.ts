/** An answer that is written as a part of another text: with the characters of XML, or as a string of JSON. */
import { decodeEntities } from '../engine/entities.ts';
import { withoutFence } from '../fence.ts';

/** What it says; the answer itself where it is not encoded. */
export const decodedAnswer = (text: string): string => {
  const literal = withoutFence(text.trim());
  return decodeEntities(literal.startsWith('"') ? ofLiteral(literal) : text);
};

const ofLiteral = (text: string): string => {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
};
