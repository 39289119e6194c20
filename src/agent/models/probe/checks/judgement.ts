/** Does it leave tools alone where none is needed? */
import type { ToolSchema } from '../../../../core/tool.ts';
import { type Check, failed, judged, passed, said } from '../check.ts';
import { asks, CLOCK, FEW, MAIL, READ, SUM, way } from './questions.ts';

const noCall = (id: string, title: string, request: string, tools: readonly ToolSchema[]): Check => ({
  id,
  group: 'judgement',
  title,
  run: (asker, findings) =>
    judged(asker, { ...asks(tools, request), ...way(findings) }, (answer) =>
      answer.calls.length === 0 && answer.text.trim() !== '' ? passed() : failed(said(answer)),
    ),
});

export const JUDGEMENT_CHECKS: readonly Check[] = [
  noCall('greeting', 'calls nothing for a greeting', 'Good morning!', FEW),
  noCall('knowledge', 'calls nothing for what it knows', 'What colour is grass?', [READ, MAIL]),
  noCall('irrelevant', 'calls nothing where no tool fits', 'Write a short poem about autumn.', [SUM, CLOCK]),
];
