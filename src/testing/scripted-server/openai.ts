/** A scripted turn in the words of OpenAI's chat completions, as SSE or as one JSON object. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
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

const usageJson = (turn: ScriptedServerTurn, requestCharacters: number): JsonObject => {
  const usage = usageOf(turn, requestCharacters);
  return {
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
    ...(usage.cached_tokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached_tokens } }),
  };
};

const callId = (call: ScriptedCall, turn: ScriptedServerTurn, index: number, requestNumber: number): JsonObject => {
  if (call.id !== undefined) return { id: call.id };
  return turn.omitIds ? {} : { id: `call_s${requestNumber}_${index}` };
};

const callDeltas = (
  call: ScriptedCall,
  turn: ScriptedServerTurn,
  position: number,
  requestNumber: number,
): JsonObject[] => {
  const index = turn.sameIndex ? 0 : position;
  const head = { index, ...callId(call, turn, position, requestNumber), type: 'function' };
  if (turn.argumentsAsObject) {
    return [{ tool_calls: [{ ...head, function: { name: call.name, arguments: call.arguments } }] }];
  }
  const characters = turn.pieceCharacters ?? DEFAULT_PIECE_CHARACTERS;
  return [
    { tool_calls: [{ ...head, function: { name: call.name, arguments: '' } }] },
    ...pieces(argumentsText(call), characters).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ];
};

/** Every element is one write. */
export const openaiStream = (
  turn: ScriptedServerTurn,
  request: { model: string; number: number; characters: number; includeUsage: boolean },
): string[] => {
  const head = { id: `chatcmpl-${request.number}`, object: 'chat.completion.chunk', created: 1, model: request.model };
  const event = (fields: Record<string, JsonValue>): string => `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
  const delta = (value: JsonObject, finish: string | null = null): string =>
    event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
  const characters = turn.pieceCharacters ?? DEFAULT_PIECE_CHARACTERS;
  const writes = [delta({ role: 'assistant', content: '' })];
  for (const piece of pieces(turn.reasoning, characters)) writes.push(delta({ reasoning_content: piece }));
  for (const piece of pieces(turn.text, characters)) writes.push(delta({ content: piece }));
  turn.calls?.forEach((call, position) => {
    for (const part of callDeltas(call, turn, position, request.number)) writes.push(delta(part));
  });
  const finish = finishOf(turn, 'tool_calls');
  if (finish !== null) writes.push(delta({}, finish));
  if (request.includeUsage) writes.push(event({ choices: [], usage: usageJson(turn, request.characters) }));
  if (!turn.omitDone) writes.push('data: [DONE]\n\n');
  return writes;
};

export const openaiPlain = (
  turn: ScriptedServerTurn,
  request: { model: string; number: number; characters: number },
): string => {
  const calls = (turn.calls ?? []).map((call, position) => ({
    ...callId(call, turn, position, request.number),
    type: 'function',
    function: { name: call.name, arguments: turn.argumentsAsObject ? call.arguments : argumentsText(call) },
  }));
  const reasoning = wholeText(turn.reasoning);
  return JSON.stringify({
    id: `chatcmpl-${request.number}`,
    object: 'chat.completion',
    created: 1,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: wholeText(turn.text),
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: finishOf(turn, 'tool_calls'),
      },
    ],
    usage: usageJson(turn, request.characters),
  });
};
