/**
 * Asks the conversation's model which parts of a file matter: one request without tools, answered under
 * a JSON schema. It sees the parts by their first lines, not the file: the file is what is being kept out of the window.
 */

import type { Progress } from '../core/events.ts';
import type { JsonSchema } from '../core/json.ts';
import type { ModelError, ModelProvider } from '../core/model-port.ts';
import { counted } from '../core/number-text.ts';
import type { Outcome } from '../core/outcome.ts';
import { readJsonText } from '../dialects/unclosed-json.ts';
import type { Judge, JudgeQuestion } from './curator/curator.ts';
import { SEARCH_LIMITS } from './limits.ts';

export const SECTIONS_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    sections: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          line_start: { type: 'integer' },
          line_end: { type: 'integer' },
          reason: { type: 'string' },
        },
        required: ['line_start', 'line_end'],
      },
    },
  },
  required: ['sections'],
};

const SYSTEM =
  'You choose which parts of a file matter to a conversation. Answer with JSON only: {"sections":[{"line_start":1,"line_end":20,"reason":"…"}]}, the most important first.';

export const judgeText = ({ path, lineCount, messages, room, parts }: JudgeQuestion): string => {
  const said = messages
    .slice(-3)
    .map((message) => `> ${message.slice(0, SEARCH_LIMITS.searchQueryCharacters).replaceAll('\n', '\n> ')}`)
    .join('\n');
  const listed = parts.map(
    ({ line_start, line_end, name, first_line }) => `${line_start}-${line_end} ${name ?? ''} | ${first_line}`,
  );
  return `The person said:\n${said}\n\n${path} has ${counted(lineCount, 'line')}. At most ${room} of them can be shown. Its parts, the likeliest first:\n${listed.join('\n')}`;
};

export const createJudge =
  (
    model: () => Promise<Outcome<{ provider: ModelProvider; model: string }, ModelError>>,
    tell: (update: Progress) => void,
  ): Judge =>
  async (question, signal) => {
    const chosen = await model();
    if (!chosen.ok) return undefined;
    const { provider, model: name } = chosen.value;
    const { path } = question;
    let text = '';
    tell({ type: 'curation', state: 'started', path });
    const answer = await provider.stream(
      {
        model: name,
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: judgeText(question) },
        ],
        tools: [],
        sampling: { temperature: 0, max_tokens: SEARCH_LIMITS.curatorJudgeTokens },
        response_schema: SECTIONS_SCHEMA,
        own_sampling: true,
      },
      (part) => {
        if (part.type === 'text_delta') text += part.delta;
      },
      AbortSignal.any([signal, AbortSignal.timeout(SEARCH_LIMITS.curatorJudgeTimeoutMs)]),
    );
    if (!answer.ok) {
      tell({ type: 'curation', state: 'failed', path });
      return undefined;
    }
    const { usage } = answer.answer;
    tell({ type: 'curation', state: 'finished', path, usage });
    const read = readJsonText(text, 'refuse');
    return read.ok ? read.value : undefined;
  };
