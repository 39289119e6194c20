/** A session that plays a script: what a run says is written down, what the person answers is really waited for. */
import type {
  Command,
  Event,
  EventBody,
  Progress,
  QueuedMessage,
  SessionFace,
  SessionUpdate,
} from '../../src/core/events.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { ToolCall } from '../../src/core/message.ts';
import type { Preview, Risk } from '../../src/core/tool.ts';
import type { ToolResult } from '../../src/core/tool-result.ts';

type Answer = Extract<Command, { type: 'resolve_permission' }>;

export type Stage = {
  event(body: EventBody): Event;
  progress(update: Progress): void;
  /** Text in small pieces, as a model sends it. */
  stream(text: string, pieceCharacters?: number): Promise<void>;
  say(text: string, calls?: ToolCall[]): void;
  call(
    id: string,
    name: string,
    args: JsonObject,
    options?: { risk?: Risk; preview?: Preview; output?: string; result?: Partial<ToolResult> },
  ): Promise<ToolResult>;
  answer(callId: string): Promise<Answer>;
  /** Resolves when the person stops the run. */
  stopped: Promise<void>;
  isStopped(): boolean;
};

export type Script = (stage: Stage, message: string) => Promise<void>;

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const toolCall = (id: string, name: string, args: JsonObject): ToolCall => ({
  id,
  name,
  arguments: args,
  source: 'native',
  repairs: [],
});

export const toolResult = (data: string, rest: Partial<ToolResult> = {}): ToolResult => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 12, data_size_bytes: Buffer.byteLength(data), timestamp: 0 },
  ...rest,
});

export const createFakeSession = (
  script: Script,
  id = 'fake',
  past: readonly EventBody[] = [],
): SessionFace & { commands: Command[] } => {
  const events: Event[] = [];
  const listeners = new Set<(update: SessionUpdate) => void>();
  const commands: Command[] = [];
  /** Said to a run that never comes to its next step. */
  let waiting: QueuedMessage[] = [];
  const answers = new Map<string, (answer: Answer) => void>();
  let stop: () => void = () => {};
  const publish = (update: SessionUpdate): void => {
    for (const listener of listeners) listener(update);
  };
  const event = (body: EventBody): Event => {
    const made: Event = { seq: events.length + 1, at: Date.now(), ...body };
    events.push(made);
    publish(made);
    return made;
  };
  for (const body of past) event(body);
  const createStage = (): Stage => {
    let isStopped = false;
    const stopped = new Promise<void>((resolve) => {
      stop = () => {
        isStopped = true;
        resolve();
      };
    });
    const stage: Stage = {
      event,
      progress: publish,
      stopped,
      isStopped: () => isStopped,
      async stream(text, pieceCharacters = 4) {
        for (let from = 0; from < text.length && !isStopped; from += pieceCharacters) {
          publish({ type: 'text_delta', delta: text.slice(from, from + pieceCharacters) });
          if (from % (pieceCharacters * 16) === 0) await pause();
        }
      },
      say(text, calls = []) {
        event({
          type: 'assistant_message_added',
          message: {
            role: 'assistant',
            content: text,
            tool_calls: calls,
            finish: calls.length > 0 ? 'tool_calls' : 'stop',
            usage: { prompt_tokens: 3100, cached_tokens: 2800, completion_tokens: 120, seconds: 3 },
          },
        });
      },
      answer: (callId) => new Promise((resolve) => answers.set(callId, resolve)),
      async call(id, name, args, options = {}) {
        const risk = options.risk ?? 'safe';
        const verdict = risk === 'safe' ? 'allow' : 'ask';
        event({
          type: 'policy_evaluated',
          tool_call_id: id,
          verdict,
          risk,
          exclusive: false,
          arguments: args,
          because: 'risk',
        });
        if (verdict === 'ask') {
          const answered = stage.answer(id);
          event({
            type: 'permission_requested',
            tool_call_id: id,
            risk,
            rule: { tool: name },
            ...(options.preview ? { preview: options.preview } : {}),
          });
          const answer = await Promise.race([answered, stopped]);
          if (answer)
            event({
              type: 'permission_resolved',
              tool_call_id: id,
              decision: answer.decision,
              ...(answer.reason ? { reason: answer.reason } : {}),
            });
          if (!answer || answer.decision === 'deny') {
            const denied = toolResult('', {
              success: false,
              data: null,
              error_type: 'permission_denied',
              error_message: 'Denied.',
            });
            event({ type: 'tool_finished', tool_call_id: id, result: denied });
            return denied;
          }
        }
        event({ type: 'tool_started', tool_call_id: id });
        for (const delta of options.output?.split(/(?<=\n)/) ?? [])
          publish({ type: 'tool_output_delta', tool_call_id: id, delta });
        const result = toolResult(options.output ?? `result of ${name}`, options.result);
        event({ type: 'tool_finished', tool_call_id: id, result });
        return result;
      },
    };
    return stage;
  };
  const run = async (message: string): Promise<void> => {
    event({ type: 'user_message_added', content: message });
    publish({ type: 'model_started', model: 'fake', iteration: 1 });
    const stage = createStage();
    await script(stage, message);
    event(stage.isStopped() ? { type: 'run_cancelled' } : { type: 'run_completed', sources: [] });
  };
  return {
    id,
    commands,
    async send(command) {
      commands.push(command);
      if (command.type === 'send_message') void run(typeof command.content === 'string' ? command.content : 'parts');
      else if (command.type === 'steer' || command.type === 'remove_queued') {
        waiting =
          command.type === 'steer'
            ? [...waiting, { queue_id: `q${commands.length}`, content: command.content, held: false, steers: true }]
            : waiting.filter(({ queue_id }) => queue_id !== command.queue_id);
        publish({ type: 'queue_changed', messages: waiting });
      } else if (command.type === 'cancel') stop();
      else if (command.type === 'resolve_permission') {
        const answer = answers.get(command.tool_call_id);
        if (!answer) return { ok: false, message: 'Nothing waits for this answer.' };
        answers.delete(command.tool_call_id);
        answer(command);
      } else if (command.type === 'change_model') event({ type: 'model_changed', model: command.model });
      return { ok: true };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log: () => events,
    idle: async () => {},
    close: async () => {},
  };
};
