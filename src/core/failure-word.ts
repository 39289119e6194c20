/** In a word or two, what a call that failed ended in, for people. Programs read `error_type` and `reason`. */
import type { ToolResult } from './tool-result.ts';

export const failureWord = ({ error_type, metadata }: Pick<ToolResult, 'error_type' | 'metadata'>): string => {
  if (metadata.exit_code !== undefined && metadata.exit_code !== 0) return `exit ${metadata.exit_code}`;
  return WORDS[metadata.reason ?? ''] ?? error_type.replaceAll('_', ' ');
};

const WORDS: Readonly<Record<string, string>> = {
  cancelled: 'cancelled',
  timeout: 'took too long',
  signal: 'ended by a signal',
  changed_outside: 'changed outside',
  not_written: 'not written',
};
