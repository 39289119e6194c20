/** What may stand in the line at the bottom, between the mode and how commands are contained, which always stand there. */
import { didYouMean } from '../core/tool/nearest-names.ts';

export const STATUS_PARTS = ['folder', 'model', 'context', 'speed', 'reused'] as const;
export type StatusPart = (typeof STATUS_PARTS)[number];

/** `folder, model`: these, in this order; `none`: nothing of it. What is wrong is said. */
export const readStatusLine = (text: string): { ok: true; parts: StatusPart[] } | { ok: false; message: string } => {
  const names = text.split(/[\s,]+/).filter((name) => name !== '' && name !== 'none');
  const wrong = names.find((name) => !STATUS_PARTS.some((part) => part === name));
  if (wrong !== undefined)
    return {
      ok: false,
      message: `There is no part ${JSON.stringify(wrong)} of the status line.${didYouMean(wrong, STATUS_PARTS)} There are: ${STATUS_PARTS.join(', ')}; none.`,
    };
  return {
    ok: true,
    parts: STATUS_PARTS.filter((part) => names.includes(part)).sort((a, b) => names.indexOf(a) - names.indexOf(b)),
  };
};
