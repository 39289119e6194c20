/**
 * What a program printed, as text that a model can read: colours and cursor movements are gone, a progress bar is its
 * last state, and whatever else is no text is shown by its number. (Screens do their own escaping; this is for the model.)
 */

import { escapeCharacter } from '../core/invisible.ts';
import { withoutEnd } from '../core/without-end.ts';
import { counted } from './support/format.ts';

/** ECMA-48: CSI, then OSC, DCS, SOS, PM and APC up to their end or the end of the line, then two-character escapes. */
const CONTROL_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
const CONTROL_CHARACTER = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Everything that is neither text, tab nor newline by its number. */
export const showControlCharacters = (text: string): string => text.replace(CONTROL_CHARACTER, escapeCharacter);

/** A carriage return starts the line again: what stands after the last one is what a person would see. */
const lastState = (line: string): string => {
  const trimmed = withoutEnd(line, /\r/);
  return trimmed.slice(trimmed.lastIndexOf('\r') + 1);
};

export const isBinary = (text: string): boolean => {
  if (text.includes('\0')) return true;
  const begin = text.slice(0, LOOKED_AT);
  const odd = begin.match(NO_TEXT)?.length ?? 0;
  return odd > 1 && odd * MOST_ODD > begin.length;
};
/** Control characters that no terminal program writes, and bytes that are no UTF-8. */
const NO_TEXT = /[\0-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;
const LOOKED_AT = 4_096;
/** One in so many: an older encoding of a European language has fewer. */
const MOST_ODD = 8;

export const readableOutput = (text: string): string => {
  let result = text;
  // A sequence taken out of the middle of another may leave a new one; what is left of it afterwards is shown.
  if (/[\u001b\u0080-\u009f]/.test(result)) result = result.replace(CONTROL_SEQUENCE, '');
  if (result.includes('\r')) result = result.split('\n').map(lastState).join('\n');
  return showControlCharacters(result);
};

const encoder = new TextEncoder();
export const byteLength = (text: string): number => encoder.encode(text).length;

/** Keeps both ends of a text that grew past `maxBytes` when its bytes were made readable. */
export const cutMiddle = (text: string, maxBytes: number): string => {
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const decode = (part: Uint8Array): string => new TextDecoder().decode(part).replace(/^\ufffd+|\ufffd+$/g, '');
  const left = bytes.length - 2 * half;
  return `${decode(bytes.subarray(0, half))}\n[… ${counted(left, 'byte')} ${left === 1 ? 'was' : 'were'} left out in the middle …]\n${decode(bytes.subarray(-half))}`;
};
