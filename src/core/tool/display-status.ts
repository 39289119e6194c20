/** What a person reads of how a call ended: the same words in the display message, in `sessions show` and in an export. */
import type { ToolResult } from '../tool-result.ts';

/** Why a call failed. A model reads `error_message`, which of wrong arguments ends in the schema that they have to fit. */
export const reasonFor = ({ error_message: message, metadata }: ToolResult): string | null =>
  metadata.argument_issues === undefined ? message : `Invalid arguments: ${metadata.argument_issues.join('; ')}`;

/** `unended`: what is known of a call that has no result. */
export const statusOf = (result: ToolResult | undefined, unended = 'no result'): string => {
  if (result === undefined) return unended;
  if (result.success) return '✅ SUCCESS';
  // That somebody ended it says more than the kind of failure that it is to a program.
  if (result.metadata.reason === 'cancelled') return '❌ CANCELLED';
  return `❌ ${result.error_type}: ${reasonFor(result) ?? ''}`;
};

export const executionTime = ({ metadata }: ToolResult): string => `Execution Time: ${metadata.execution_time_ms}ms`;

/** How long it ran, in milliseconds; undefined where nobody knows, since halter was ended while it ran. */
export const timeTaken = ({ metadata }: ToolResult): number | undefined =>
  metadata.reason === 'interrupted' && metadata.execution_time_ms === 0 ? undefined : metadata.execution_time_ms;
