/** The calls of a session as they become known: what the model sent, what was repaired, what is asked, what came of it. */
import { writtenBeside, writtenOf } from '../../../../core/call-arguments.ts';
import type { EventOf } from '../../../../core/events.ts';
import { copyOf, type JsonObject } from '../../../../core/json.ts';
import type { ToolCall } from '../../../../core/message.ts';
import { ruleText } from '../../../../core/policy.ts';
import { shownArguments } from '../../../../core/shown-arguments.ts';
import { referencesIn } from '../../../../core/tool/result-reference.ts';
import type { ToolResult } from '../../../../core/tool-result.ts';
import type { PermissionRequest, RecordedCall, StreamEventBody } from '../stream-event.ts';

export class RecordedCalls {
  readonly #calls = new Map<string, RecordedCall>();
  readonly #announced = new Set<string>();
  /** Calls that take an earlier result; a question about one shows what that is. */
  readonly #referring = new Set<string>();
  readonly #shown = new Map<string, JsonObject>();

  list(): RecordedCall[] {
    return [...this.#calls.values()];
  }

  get(id: string): RecordedCall | undefined {
    return this.#calls.get(id);
  }

  add(call: ToolCall): void {
    if (referencesIn(call).length > 0) this.#referring.add(call.id);
    const malformed = call.malformed ? { malformed: call.malformed } : {};
    const { id, name, repairs } = call;
    const given = { arguments: call.arguments, ...writtenOf(call) };
    this.#calls.set(id, { id, name, ...given, repairs: [...repairs], ...malformed, result: null });
  }

  /** A call is told once its arguments were looked at, so that every repair stands on its line. */
  announce(id: string): StreamEventBody[] {
    const call = this.#calls.get(id);
    if (call === undefined || this.#announced.has(id)) return [];
    this.#announced.add(id);
    const { result: _result, ...fields } = call;
    return [{ type: 'tool_call', ...copyOf(fields) }];
  }

  /** What runs: as the model sent it, unless something in it was repaired; defaults are nobody's words. */
  revise(update: EventOf<'policy_evaluated'>): void {
    const call = this.#calls.get(update.tool_call_id);
    const runs = shownArguments(call?.arguments ?? {}, update.arguments);
    if (this.#referring.has(update.tool_call_id)) this.#shown.set(update.tool_call_id, runs);
    if (call === undefined || update.repairs === undefined) return;
    call.arguments = runs;
    call.repairs.push(...update.repairs);
  }

  question(event: EventOf<'permission_requested'>, seq: number): PermissionRequest {
    const call = this.#calls.get(event.tool_call_id);
    const shown = this.#shown.get(event.tool_call_id) ?? call?.arguments ?? {};
    return {
      id: `permission_${seq}`,
      tool_call_id: event.tool_call_id,
      name: call?.name ?? event.rule.tool,
      arguments: shown,
      ...writtenBeside(call ?? {}, shown),
      risk: event.risk,
      preview: event.preview?.summary ?? null,
      ...(event.preview?.diff === undefined ? {} : { diff: event.preview.diff }),
      rule: ruleText(event.rule),
      because: event.because,
      ...(event.suggestions === undefined ? {} : { suggestions: event.suggestions.map(ruleText) }),
      ...(event.flag_rule === undefined ? {} : { flag_rule: ruleText(event.flag_rule) }),
      ...(event.asks_each_time ? { asks_each_time: true } : {}),
      ...(event.only_reads ? { only_reads: true } : {}),
      ...(event.in_sandbox ? { in_sandbox: true } : {}),
      ...(event.provenance ? { provenance: event.provenance } : {}),
    };
  }

  /** Its line, and that of its call where it is not told yet. */
  finish(update: EventOf<'tool_finished'> | EventOf<'arguments_rejected'>): StreamEventBody[] {
    const { tool_call_id: id, result } = update;
    const announced = this.announce(id);
    const name = this.#addResult(id, result);
    const isJson = update.type === 'tool_finished' && update.is_json ? { is_json: true as const } : {};
    return [...announced, { type: 'tool_result', id, name, result, ...isJson }];
  }

  #addResult(id: string, result: ToolResult): string {
    const call = this.#calls.get(id);
    if (call) call.result = result;
    return call?.name ?? '';
  }
}
