/** What the person in front of a client is asked about a call, in one text. */
import { beginningOf } from '../core/cut-text.ts';
import { visibleText } from '../core/invisible.ts';
import type { JsonObject } from '../core/json.ts';
import { counted, grouped } from '../core/number-text.ts';
import { shortDiff } from '../core/short-diff.ts';
import { MCP_LIMITS } from './limits.ts';

/** What would have to be asked. */
export type ServedQuestion = { because: string; rule: string; preview?: { summary: string; diff?: string } };

/** Nothing unseen is left out. What is too long says so first: nobody may take the beginning for all of it. */
export const questionText = (name: string, args: JsonObject, { because, preview }: ServedQuestion): string => {
  const asked = visibleText(`Allow ${name}? ${because}.`);
  const body = [preview?.summary, preview?.diff && shortDiff(preview.diff), JSON.stringify(args, null, 2)]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => visibleText(part as string))
    .join('\n\n');
  const most = MCP_LIMITS.mcpPermissionCharacters;
  if (body.length <= most) return `${asked}\n\n${body}`;
  const cut = `This is not all of it: ${grouped(most)} of ${grouped(body.length)} characters are shown. halter itself (halter, halter serve) shows the whole call.`;
  return `${asked}\n\n${cut}\n\n${beginningOf(body, most)}\n\n[${counted(body.length - most, 'more character')} not shown]`;
};
