/** Holds the questions of a session in their order and carries the answer to the first one back. */
import { asWritten } from '../../core/call-arguments.ts';
import type { EventOf } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Tool } from '../../core/tool.ts';
import type { QuestionsHost } from './host.ts';
import { PermissionPrompt } from './permission-prompt.ts';
import { TypeAhead } from './type-ahead.ts';

const defaultsOf = (tool: Tool | undefined): JsonObject => {
  const properties = Object.entries((tool?.parameters.properties ?? {}) as Record<string, { default?: JsonValue }>);
  return Object.fromEntries(
    properties.flatMap(([name, schema]) => (schema.default === undefined ? [] : [[name, schema.default]])),
  );
};

export class PermissionController {
  readonly #host: QuestionsHost;
  readonly #typeAhead: TypeAhead;
  #asked: EventOf<'permission_requested'>[] = [];
  #prompt: PermissionPrompt | undefined;
  #isAnswering = false;

  constructor(host: QuestionsHost, typeAhead: TypeAhead = new TypeAhead(host)) {
    this.#host = host;
    this.#typeAhead = typeAhead;
  }

  get prompt(): PermissionPrompt | undefined {
    return this.#prompt;
  }

  add(asked: EventOf<'permission_requested'>): void {
    this.#asked.push(asked);
    this.#show();
  }

  /** The call is decided or over, here or on another surface; without an id, all are. */
  forget(callId?: string): void {
    this.#asked = callId === undefined ? [] : this.#asked.filter((asked) => asked.tool_call_id !== callId);
    const shown = this.#prompt?.question.callId;
    if (shown === undefined || this.#asked.some((asked) => asked.tool_call_id === shown)) return;
    this.#prompt = undefined;
    this.#isAnswering = false;
    this.#show();
  }

  #show(): void {
    const asked = this.#asked[0];
    if (!asked || this.#prompt) return;
    const transcript = this.#host.transcript();
    const call = transcript.call(asked.tool_call_id);
    const name = call?.name ?? asked.rule.tool;
    const tool = transcript.tool(name);
    this.#prompt = new PermissionPrompt(
      {
        callId: asked.tool_call_id,
        name,
        arguments: asWritten(call ?? {}, this.#evaluated(asked.tool_call_id)?.arguments ?? call?.arguments ?? {}),
        risk: asked.risk,
        rule: asked.rule,
        because: asked.because,
        provenance: asked.provenance,
        suggestions: asked.suggestions,
        asksEachTime: asked.asks_each_time,
        onlyReads: asked.only_reads,
        preview: asked.preview,
        mainArgument: tool?.main_argument,
        sandbox: this.#host.sandbox,
        defaults: defaultsOf(tool),
        mode: this.#host.mode(),
        isRaised: tool !== undefined && tool.risk !== asked.risk,
        isEdit: tool?.effects === 'write' && asked.preview?.diff !== undefined && !asked.asks_each_time,
      },
      this.#host.theme,
    );
  }

  /** The arguments that will run, as the log has them. */
  #evaluated(callId: string): EventOf<'policy_evaluated'> | undefined {
    return this.#host
      .session()
      .log()
      .findLast(
        (event): event is Extract<typeof event, { type: 'policy_evaluated' }> =>
          event.type === 'policy_evaluated' && event.tool_call_id === callId,
      );
  }

  async key(data: string): Promise<void> {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    if (this.#isAnswering) this.#typeAhead.takesStray(data, prompt.meaningOf(data));
    else await this.#typeAhead.key(prompt, data, (key) => this.#take(prompt, key));
  }

  async #take(prompt: PermissionPrompt, data: string): Promise<void> {
    // Another question may have come in its place.
    if (this.#prompt !== prompt || this.#isAnswering) return;
    const answer = prompt.key(data, this.#host.now(), this.#host.isWriting());
    if (answer.type === 'open') this.#host.print([...answer.lines, '']);
    if (answer.type === 'stop') this.#host.cancel();
    if (answer.type === 'decide' && this.#isStillTheSame(prompt)) {
      this.#isAnswering = true;
      if (answer.mode !== undefined) await this.#host.session().send({ type: 'change_mode', mode: answer.mode });
      const sent = await this.#host.session().send({
        type: 'resolve_permission',
        tool_call_id: prompt.question.callId,
        decision: answer.decision,
        ...(answer.decision === 'remember' || answer.decision === 'session' ? { rule: prompt.question.rule } : {}),
        reason: answer.reason,
      });
      this.#isAnswering = false;
      if (!sent.ok) prompt.refuse(sent.message, this.#host.now());
    }
    this.#host.armed();
  }

  /** What was read is what runs: an answer never carries over to other arguments, the question is put again. */
  #isStillTheSame(prompt: PermissionPrompt): boolean {
    const evaluated = this.#evaluated(prompt.question.callId);
    if (!evaluated || JSON.stringify(evaluated.arguments) === JSON.stringify(prompt.question.arguments)) return true;
    this.#prompt = undefined;
    this.#show();
    return false;
  }
}
