/** What MCP servers ask of the person, put by the editor: as its own forms where it has them, else as a yes or no. */
import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { JsonObject } from '../core/json.ts';
import type { ServerAnswer, ServerQuestion } from '../core/server-question.ts';
import { askEditor } from './ask-editor.ts';

const DECLINED: ServerAnswer = { action: 'decline' };

type Place = { sessionId: string; client: AgentContext; capabilities: ClientCapabilities | undefined };

const elicit = async (
  question: ServerQuestion & { kind: 'form' | 'url' },
  { sessionId, client }: Place,
): Promise<ServerAnswer> => {
  const { message, server, tool_call_id, question_id } = question;
  const scope = { sessionId, toolCallId: tool_call_id };
  const words = { ...scope, message: `${server}: ${message}` };
  const answer = await client.request(
    methods.client.elicitation.create,
    question.kind === 'form'
      ? { ...words, mode: 'form', requestedSchema: question.fields as { type: 'object' } }
      : { ...words, mode: 'url', elicitationId: question_id, url: question.url },
  );
  if (answer.action !== 'accept') return { action: answer.action === 'cancel' ? 'cancel' : 'decline' };
  const { content } = answer as { content?: JsonObject | null };
  return { action: 'accept', ...(content ? { content } : {}) };
};

/** A yes or no about a text, in the protocol's permission question. */
const confirm = async (
  question: ServerQuestion & { kind: 'sampling' | 'sampling_answer' },
  { sessionId, client }: Place,
): Promise<ServerAnswer> => {
  const isPrompt = question.kind === 'sampling';
  const text = isPrompt
    ? [question.system, question.prompt].filter((part) => part !== undefined).join('\n\n')
    : question.answer;
  const request: RequestPermissionRequest = {
    sessionId,
    toolCall: {
      toolCallId: question.question_id,
      title: isPrompt
        ? `The MCP server ${question.server} asks the model`
        : `Send the model's answer to the MCP server ${question.server}`,
      kind: 'other',
      status: 'pending',
      content: [{ type: 'content', content: { type: 'text', text } }],
    },
    options: [
      { optionId: 'accept', name: isPrompt ? 'Let the model answer' : 'Send it', kind: 'allow_once' },
      { optionId: 'decline', name: 'Decline', kind: 'reject_once' },
    ],
  };
  const { optionId } = await askEditor(client, request);
  return optionId === 'accept' ? { action: 'accept' } : DECLINED;
};

/** An editor that cannot put a question, or closes it, has declined. */
export const answerThroughEditor = async (question: ServerQuestion, place: Place): Promise<ServerAnswer> => {
  const { elicitation } = place.capabilities ?? {};
  try {
    if (question.kind === 'form') return elicitation?.form ? await elicit(question, place) : DECLINED;
    if (question.kind === 'url') return elicitation?.url ? await elicit(question, place) : DECLINED;
    return await confirm(question, place);
  } catch {
    return DECLINED;
  }
};
