/** Calls that a model shows and refuses: to ask it for them would press it. The person is told of them instead. */

import { isRefusal } from '../sample.ts';
import type { JudgedAnswer } from './judged.ts';

const BEHIND =
  /\b(?:i|we)\s+(?:won['’]t|will\s+(?:not|never)|would\s+(?:not|never)|wouldn['’]t|cannot|can['’]t|refuse|decline)\b/i;

export const toldIfRefused = (judged: JudgedAnswer): JudgedAnswer => {
  const { held, ...rest } = judged;
  if (held === undefined) return judged;
  const texts = held.calls.map(({ text }) => text.trim());
  const start = rest.text.indexOf(texts[0] ?? '');
  const end = rest.text.lastIndexOf(texts.at(-1) ?? '') + (texts.at(-1)?.length ?? 0);
  const isRefused =
    isRefusal(rest.text.slice(0, Math.max(0, start))) || (start >= 0 && BEHIND.test(rest.text.slice(end)));
  return isRefused ? { ...rest, warning: { ...held, code: 'call_in_text' } } : judged;
};
