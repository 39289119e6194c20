/** What a page of `useChat` reads, as far as halter writes it: each fits the type of the same name in AI SDK 5, 6 and 7. */

/** How the answer ended, in the words of the AI SDK. */
export type PageFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** A part of the stream that `useChat` reads. */
export type UIMessageChunk =
  | { type: 'start' }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  | { type: 'text-start' | 'reasoning-start'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'text-end' | 'reasoning-end'; id: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'error'; errorText: string }
  | { type: 'abort' }
  /** Without a reason where no event of the run told one. */
  | { type: 'finish'; finishReason?: PageFinish };

/** What only AI SDK 6 and newer read: written for a harness with `approvalSecret` alone. */
export type ApprovalChunk =
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  | { type: 'tool-output-denied'; toolCallId: string };
