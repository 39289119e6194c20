/** The risk of this very call, in words. Pure. */
import { visible } from '../parts/visible.ts';
import type { CallView } from '../state/view.ts';
import { RISK_WORDS } from './question.ts';

const hostOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value) ? new URL(value).host : undefined;

type Asked = Pick<CallView, 'arguments' | 'preview' | 'risk' | 'onlyReads'>;

/** The tool could do anything; this very call may not. */
export const riskNameOf = ({ risk = 'high', onlyReads }: Asked): string =>
  onlyReads === true ? 'READS ONLY' : risk.toUpperCase();

/** It is said in the colour of what can do harm. */
export const isLoud = ({ risk = 'high', onlyReads }: Asked): boolean => risk === 'high' && onlyReads !== true;

const reachedHost = ({ arguments: args }: Asked): string | undefined =>
  Object.values(args)
    .map(hostOf)
    .find((found) => found !== undefined);

export const riskWordsOf = (call: Asked): string => {
  const host = reachedHost(call);
  if (host !== undefined) return `reaches ${visible(host)}`;
  if (call.preview?.diff !== undefined) return 'changes this file; it can be undone';
  if (call.onlyReads === true) return 'runs a command that only reads or prints';
  if (typeof call.arguments['command'] === 'string') return 'runs this command';
  return RISK_WORDS[call.risk ?? 'high'];
};
