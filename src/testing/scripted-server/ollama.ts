/** A scripted turn in the words of Ollama's `/api/chat`, as NDJSON or as one JSON object. */
import type { JsonObject } from '../../core/json.ts';
import {
  argumentsText,
  DEFAULT_PIECE_CHARACTERS,
  finishOf,
  pieces,
  type ScriptedCall,
  type ScriptedServerTurn,
  usageOf,
  wholeText,
} from './turn.ts';

const callJson = (call: ScriptedCall, turn: ScriptedServerTurn, index: number): JsonObject => ({
  ...(call.id === undefined ? {} : { id: call.id }),
  function: { index, name: call.name, arguments: turn.argumentsAsText ? argumentsText(call) : call.arguments },
});

const lastFields = (turn: ScriptedServerTurn, requestCharacters: number): JsonObject => {
  const usage = usageOf(turn, requestCharacters);
  const finish = finishOf(turn, 'stop');
  return {
    done: true,
    ...(finish === null ? {} : { done_reason: finish }),
    total_duration: 2_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: usage.prompt_tokens,
    prompt_eval_duration: 500_000,
    eval_count: usage.completion_tokens,
    eval_duration: 500_000,
  };
};

/** Every element is one write. */
export const ollamaStream = (turn: ScriptedServerTurn, request: { model: string; characters: number }): string[] => {
  let counter = 0;
  const line = (fields: JsonObject): string => {
    counter += 1;
    return `${JSON.stringify({ model: request.model, created_at: `2026-11-01T00:00:00.${counter}Z`, ...fields })}\n`;
  };
  const message = (fields: JsonObject): string =>
    line({ message: { role: 'assistant', content: '', ...fields }, done: false });
  const characters = turn.pieceCharacters ?? DEFAULT_PIECE_CHARACTERS;
  return [
    ...pieces(turn.reasoning, characters).map((thinking) => message({ thinking })),
    ...pieces(turn.text, characters).map((content) => message({ content })),
    ...(turn.calls ?? []).map((call, index) => message({ tool_calls: [callJson(call, turn, index)] })),
    line({ message: { role: 'assistant', content: '' }, ...lastFields(turn, request.characters) }),
  ];
};

export const ollamaPlain = (turn: ScriptedServerTurn, request: { model: string; characters: number }): string => {
  const thinking = wholeText(turn.reasoning);
  const calls = (turn.calls ?? []).map((call, index) => callJson(call, turn, index));
  return JSON.stringify({
    model: request.model,
    created_at: '2026-11-01T00:00:00Z',
    message: {
      role: 'assistant',
      content: wholeText(turn.text),
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    ...lastFields(turn, request.characters),
  });
};
