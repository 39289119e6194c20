/** What stands in place of the output of a command that printed nothing. */
import type { ToolResult } from '../tool-result.ts';

export const noOutput = (ending: string): string => `(no output, ${ending})`;

const SAID = /\(no output, [\w ]+\)\s*$/;
const SAID_ALONE = new RegExp(`^${SAID.source}`);

/** What a command printed: nothing where only that was said of it. What halter says in front of that stays. */
export const outputOf = ({ data, metadata }: Pick<ToolResult, 'data' | 'metadata'>): string => {
  if (data === null) return '';
  // Only a failed one says it in its metadata.
  return data.replace(metadata.no_output === true ? SAID : SAID_ALONE, '').replace(/^\s*$/, '');
};
