/** The log of a session is a list of these; state is a fold over it. Names are past tense: they are facts. */
import type { KnownFile } from './content-part.ts';
import type { JsonObject } from './json.ts';
import type { WindowEvidence } from './learned-window.ts';
import type { Limits } from './limits.ts';
import type { AssistantMessage, ContentPart, Repair, Usage } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { OwnSettings } from './own-settings.ts';
import type { PermissionDecision } from './permission-decision.ts';
import type { Mode } from './policy/modes.ts';
import type { Job, LayerState, Task } from './ports.ts';
import type { ArgumentOrigin } from './provenance/origin.ts';
import type { ServerAnswer, ServerQuestion } from './server-question.ts';
import type { ModelContent, ResultForm } from './tool/model-content.ts';
import type { Preview, Risk } from './tool.ts';
import type { ToolResult } from './tool-result.ts';
import type { ConversationNotes } from './window/notes.ts';

export type { PermissionDecision } from './permission-decision.ts';

export const SESSION_VERSION = 1;

/** `pattern` absent: the whole tool. */
export type Rule = {
  tool: string;
  pattern?: string;
  /** The identity of an MCP server's tool that the yes was given to. */
  bound_to?: string;
};
export type PolicyVerdict = 'allow' | 'ask' | 'deny';

export type StopReason = 'limit' | 'retries_exhausted' | 'loop' | 'model_unusable' | 'permission_required' | 'error';

export type PromptPrefix = {
  /** The size that instructions and tools were chosen for. */
  tier?: 'small' | 'standard';
  system: string;
  /** Each tool on offer, with a digest of how it is described. */
  tools: { name: string; digest: string }[];
};

/** Digests of the messages that the model had read: the first `kept` are those of the answer before. */
export type PromptRecord = {
  kept: number;
  digests: string[];
  /**
   * The form in which it read results; `full` where this and `compact_results` are absent. `compact` is read here, and
   * written no more: 0.1.0 leaves out an answer with it, and would ask the model again.
   */
  results?: Exclude<ResultForm, 'full'>;
  /** The form is `compact`. */
  compact_results?: true;
  /** The size of the instructions and tools, where it is another one than the session began with. */
  tier?: PromptPrefix['tier'];
  /** The usage of the answer is of another request than this one: of a reminder behind it, or under a schema. */
  other_usage?: true;
};

/**
 * `beside`: the old content was written under another name, and the file itself was left as it is. `partly`: some of its
 * lines are as they were; the change stays open, and the rest of it can be taken back later.
 */
export type UndoOutcome = 'restored' | 'removed' | 'beside' | 'left' | 'partly';

/** What may stand beside the text of a message. */
export type MessageExtras = {
  /** What a program calls the request that it sent. */
  request_id?: string;
  /** Sent again under the same key, it is the same message, and stands in the session once. */
  idempotency_key?: string;
  /** The span that it was sent in, in the words of W3C Trace Context: the spans of its run are below it. */
  traceparent?: string;
  /** Put before the message for the model; the person does not see it (E10). */
  context_note?: string;
  /** No tool is offered in this run, and none runs. */
  tools?: 'off';
  /** Nobody is there to say "go on": a run that reaches a limit ends with a last answer. */
  unattended?: true;
};

export type EventBody =
  | {
      type: 'session_started';
      version: number;
      session_id: string;
      workspace: string;
      model: string;
      preset?: string;
      /** The limits of its runs; without them nobody could tell later why a run was stopped. */
      limits?: Limits;
      /** Another session that this one began as a copy of, up to that event. */
      forked_from?: { session_id: string; seq: number };
      /** The prompt prefix of the session: it stays as it was, also when the session is resumed. */
      head?: PromptPrefix;
    }
  /** What its prompts begin with, of a session that a call from outside began: no model was known then. */
  | { type: 'prompt_begun'; head: PromptPrefix }
  /** `steers`: said in the middle of a run, which goes on with it at its next step. */
  | ({
      type: 'user_message_added';
      content: string | ContentPart[];
      steers?: true;
      /** Files that somebody else changed since the model saw them; it is told. Null: not there any more. */
      files_changed?: { path: string; hash: string | null }[];
    } & MessageExtras)
  /**
   * `thought_seconds`: its thoughts took so long to come; absent where they were not told apart while they came. `broken_by`:
   * why it broke off, in a sentence for the person.
   */
  | {
      type: 'assistant_message_added';
      message: AssistantMessage;
      prompt?: PromptRecord;
      thought_seconds?: number;
      broken_by?: string;
    }
  /** `status` and `retry_after_seconds`: what the model server answered, where it answered. */
  | {
      type: 'model_failed';
      code: string;
      message: string;
      hint?: string;
      status?: number;
      retry_after_seconds?: number;
    }
  /** The next part of an answer that still comes. The answer itself takes its place; it counts where halter was killed. */
  | { type: 'answer_streamed'; text: string; reasoning?: string; begins?: true }
  | { type: 'arguments_rejected'; tool_call_id: string; result: ToolResult }
  | {
      type: 'policy_evaluated';
      tool_call_id: string;
      verdict: PolicyVerdict;
      risk: Risk;
      /** Runs by itself, after all before it and before all after it. */
      exclusive: boolean;
      /** The tool polls or tells the time, so that calling it again is no loop. */
      polling?: boolean;
      /** The arguments that will run: defaults in, unknown ones dropped. */
      arguments: JsonObject;
      dropped_arguments?: string[];
      /** Conversions that lost nothing, besides those on the call itself. */
      repairs?: Repair[];
      /** Which rule said so, for a person. */
      because: string;
      /** What comes back is untrusted: a page, a server, a file outside the workspace. */
      untrusted_content?: true;
      /** A yes for the session counts once: it is asked about again each time. */
      asks_each_time?: true;
    }
  | {
      type: 'permission_requested';
      tool_call_id: string;
      risk: Risk;
      /** What Session and Remember would store, unless the answer names another rule that covers the call. */
      rule: Rule;
      preview?: Preview;
      /** Why it is asked. */
      because?: string;
      /** Other rules to choose from, the narrowest first. */
      suggestions?: Rule[];
      /** The rule that lets the call pass as a flag of a run; absent where only an answer does. */
      flag_rule?: Rule;
      asks_each_time?: true;
      /** A command that the rules of the shell know to read or print and to do nothing else. */
      only_reads?: true;
      /** What it runs stands in the sandbox of commands, where there is one. */
      in_sandbox?: true;
      /** After untrusted content: whose words the weighty arguments are. */
      provenance?: ArgumentOrigin[];
    }
  | {
      type: 'permission_resolved';
      tool_call_id: string;
      decision: PermissionDecision;
      rule?: Rule;
      reason?: string;
      /** Nobody was there to answer: `reason` says why it was asked about and what lets it pass. */
      unanswered?: true;
    }
  /** `preview`: what a change that nobody was asked about does. */
  | { type: 'tool_started'; tool_call_id: string; preview?: Preview }
  /** `for_model`: what the model reads in place of the data; pictures are shown to models that see. */
  | {
      type: 'tool_finished';
      tool_call_id: string;
      result: ToolResult;
      for_model?: ModelContent;
      /** The data is a value as JSON text. */
      is_json?: true;
      /** The files that it read or wrote, with what they hold from then on as the conversation knows it. */
      files?: KnownFile[];
    }
  | { type: 'task_changed'; task: Task }
  /** A command in the background began or ended. `with_halter`: it did not end by itself, and may have ended before. */
  | { type: 'job_changed'; job: Job; with_halter?: true }
  /** A call that no model made: a person or a program made it for this session. The model is not told of it. */
  | { type: 'tool_called'; name: string; arguments: JsonObject; result: ToolResult; files?: KnownFile[] }
  /** A server of the Model Context Protocol wants something of the person. Open until it is answered. */
  | { type: 'server_asked'; question: ServerQuestion }
  /** What was filled in went to the server and is not kept. */
  | { type: 'server_answered'; question_id: string; action: ServerAnswer['action'] }
  | { type: 'iteration_completed'; iteration: number }
  /** Turns before `kept_from_seq` (a message of the person) are the summary now; older results are one line each. */
  | {
      type: 'context_compacted';
      summary: string;
      kept_from_seq: number;
      results_from_seq?: number;
      /** Results that stay are cut at so many characters: one alone was larger than the window. */
      results_characters?: number;
      /**
       * Of the turn that begins at `kept_from_seq`, the rounds of calls before this event are left out too:
       * `rounds_summary` stands for them, behind the message of the person.
       */
      rounds_from_seq?: number;
      rounds_summary?: string;
      /** No tools are described at the end of messages any more, and what stands for a dropped result is a word. */
      tightest?: true;
      /** What the person wanted kept when they asked for room, word for word; it is part of `summary` from then on. */
      focus?: string;
      /** What the model noted of the turns that were left out; they are part of `summary`. */
      notes?: ConversationNotes;
      /**
       * How what the person said was chosen for `summary`, where not all of it had room: of so many messages, within so
       * many characters. The next compaction goes on from it, so that what was read already stands as it was.
       * `lacks_facts`: something that was said once, and like nothing else, had no room; it comes back as soon as it has.
       */
      said?: { messages: number; characters: number; lacks_facts?: true };
      /**
       * For a person: the prompt's size in tokens, how many turns and results were left out in all, how many calls of
       * a turn that goes on, and how many of their messages (some shortened) and decisions were kept.
       */
      report?: {
        before_tokens: number;
        after_tokens: number;
        turns: number;
        results: number;
        calls?: number;
        messages?: number;
        shortened?: number;
        /** The first words of those that were shortened; of many, the newest. */
        shortened_messages?: string[];
        /** The same of those of which nothing was kept, the weightiest first. */
        dropped_messages?: string[];
        decisions?: number;
        /** The model was asked for notes, and what it wrote could not be used. */
        notes_failed?: true;
        /** The notes are those of an earlier time. */
        notes_kept?: true;
        /** The window that room was made for; in a larger one what was left out comes back. */
        window_tokens?: number;
        /** Nobody told it: a prompt that was cut in silence showed it, another answer did, or a refusal without a size. */
        window_learned?: WindowEvidence;
      };
    }
  /** `role`: not by the person's word. `plan`: the model for plan mode; `main`: the session's own one again. */
  | { type: 'model_changed'; model: string; role?: 'plan' | 'main' }
  /** Another mode decides how often the person is asked; `ask` before the first of these. */
  | { type: 'mode_changed'; mode: Mode }
  /** What the person set for this session; absent parts are as halter was started. It replaces what was set before. */
  | { type: 'settings_changed'; settings: OwnSettings }
  /** The session goes on with other limits than before. */
  | { type: 'limits_changed'; limits: Limits }
  /**
   * The conversation goes on from the state after the event `at_seq`; what came after that is left aside. The model in
   * use stays. `run`: the model is asked again what to answer there.
   */
  | { type: 'branch_selected'; at_seq: number; model: string; run?: true }
  /** The name that the person gave the session; empty: its first words again. */
  | { type: 'session_renamed'; title: string }
  /**
   * Written ahead of a change to a file, so that what came of it can be told after a crash and the change can be taken
   * back. Hashes are SHA-256; `before` is null for a file that was not there, `after` is `removed` for one that a command
   * removed. `mode_before` and `mode_after` are permission bits: of the file that was there, and of what a command made
   * of it. `link_before` and `link_after` are the targets of a link, `folder_before` and `folder_after` say that it was or
   * is an empty folder: then no file was or is there.
   */
  | {
      type: 'change_recorded';
      tool_call_id: string;
      path: string;
      before: string | null;
      after: string;
      kept: boolean;
      folders?: string[];
      mode_before?: number;
      mode_after?: number;
      link_before?: string;
      link_after?: string;
      folder_before?: true;
      folder_after?: true;
    }
  /** Where the changes of a command stand, so that it can be told after a crash whether they count. */
  | ({ type: 'layer_changed'; tool_call_id: string } & LayerState)
  /** A change was taken back (`change_seq` is its `change_recorded`), or the person decided to leave it. */
  | {
      type: 'change_undone';
      change_seq: number;
      path: string;
      how: UndoOutcome;
      beside?: string;
      /** `partly`: the hash of what the file holds from then on. */
      after?: string;
    }
  /** `shown_sources`: those that a person would cite, where these are not all; a page knows no tool by its name. */
  | { type: 'run_completed'; sources: string[]; shown_sources?: string[] }
  | { type: 'run_stopped'; reason: StopReason; code?: number; name: string; message: string }
  | { type: 'run_cancelled' };

/** `seq` counts from 1 without gaps; `at` is milliseconds since 1970, stamped by the runtime. */
export type Event = { seq: number; at: number } & EventBody;
export type EventOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>;

/** Shown while it happens, not kept. */
export type Progress =
  | { type: 'model_started'; model: string; iteration: number }
  /** `queue_position`: the place among the requests that wait for the model server, from 1; 0 when the wait is over. */
  | { type: 'loading'; message: string; fraction?: number; queue_position?: number }
  /** `estimated`: the server says nothing, so this is by the speed that was learned of the model. */
  | {
      type: 'prefill';
      processed: number;
      total: number;
      cached?: number;
      seconds_left?: number;
      estimated?: true;
    }
  /** A local engine reads what the next prompt begins with, while nothing else happens. */
  | { type: 'warm_up'; state: 'started' | 'finished' | 'cancelled' | 'failed'; usage?: Usage }
  /** The person asked for room in the window. What they say until it is finished waits; `cancel` ends it. */
  | { type: 'compaction'; state: 'started' | 'finished' | 'cancelled' }
  /** The model is asked which parts of a long file matter (H3): a request besides the conversation's own. */
  | { type: 'curation'; state: 'started' | 'finished' | 'failed'; path: string; usage?: Usage }
  | { type: 'text_delta'; delta: string }
  /** `seconds`: for who comes later, all that was thought so far in one piece, and how long that took. */
  | { type: 'reasoning_delta'; delta: string; seconds?: number }
  | { type: 'tool_call_delta'; index: number; name?: string; arguments_delta: string }
  | { type: 'tool_output_delta'; tool_call_id: string; delta: string }
  | { type: 'usage'; usage: Usage }
  /**
   * Messages that wait for the run to end; one that is `held` waits for the person. `removed`: which of those that waited
   * before a person took out, by their ids, the latest last; who keeps the words of one forgets it then.
   */
  | { type: 'queue_changed'; messages: QueuedMessage[]; removed?: readonly string[] }
  | { type: 'warning'; code: string; message: string };

export type ProgressOf<T extends Progress['type']> = Extract<Progress, { type: T }>;

/** `steers`: it is given to the run at its next step, and begins one where none goes on. */
export type QueuedMessage = { queue_id: string; content: string | ContentPart[]; held: boolean; steers?: true };

/** What a surface may ask of a session. */
export type Command =
  | ({ type: 'send_message'; content: string | ContentPart[] } & MessageExtras)
  /** Said to the run that goes on: the model reads it at its next step. Where none goes on, it is sent as a message. */
  | { type: 'steer'; content: string | ContentPart[]; idempotency_key?: string }
  | { type: 'resolve_permission'; tool_call_id: string; decision: PermissionDecision; rule?: Rule; reason?: string }
  /** Denies what is asked where nobody is there to answer, and says so; in the words of `reason` where there are any. */
  | { type: 'leave_unanswered'; tool_call_id: string; reason?: string }
  /** The answer to a `server_asked`. `content`: the values of a form; of words of the model, `text` in their place. */
  | { type: 'answer_server'; question_id: string; action: ServerAnswer['action']; content?: JsonObject }
  /** Messages that wait are not sent, or with `keep` are held until the person sends or removes them. */
  | { type: 'cancel'; queue?: 'drop' | 'keep' | undefined }
  | { type: 'send_queued'; queue_id: string }
  | { type: 'remove_queued'; queue_id: string }
  | { type: 'change_model'; model: string }
  | { type: 'change_mode'; mode: Mode }
  /** All of what the person sets for this session; what is absent is as halter was started. */
  | { type: 'change_settings'; settings: OwnSettings }
  /** `focus`: what matters to the person, in their words; it is told to the model when it writes notes. */
  | { type: 'compact'; focus?: string }
  /**
   * Takes back the last change to a file that is not taken back yet, and the others of the same call with it. `on_change`:
   * what to do where a file changed since. `since_seq`: everything that this branch changed after that event; what
   * changed since stays, and the refusal names it. `scope: 'message'`: in the same way everything that the answer to one
   * message changed, the newest message of which changes are left.
   */
  | {
      type: 'undo';
      on_change?: 'refuse' | 'keep' | 'force' | 'beside';
      since_seq?: number;
      scope?: 'call' | 'message';
    }
  /**
   * Settles every open change of one file: `undo` puts back what it held before them, `accept` leaves it for good. `hash` is
   * that of the content the person was shown (null: no file), and with another one nothing is done. `hunks`: only these
   * places of the difference are put back. `on_change`: what to do where somebody else changed the file since.
   */
  | {
      type: 'resolve_changes';
      path: string;
      hash: string | null;
      decision: 'undo' | 'accept';
      hunks?: number[];
      on_change?: 'refuse' | 'force' | 'beside';
    }
  /** Goes on from the state after the event `at_seq`. With `run` the model answers there anew. */
  | { type: 'branch'; at_seq: number; run?: boolean }
  /** The last message of the person is answered anew, beside the answer that is there. */
  | { type: 'regenerate' }
  /** The answer of this event in the person's words, on a branch of its own. One that called tools stays as it is. */
  | { type: 'edit_answer'; seq: number; content: string }
  | { type: 'rename'; title: string };

/** What a surface hears: facts with their `seq`, and progress without. */
export type SessionUpdate = Event | ({ seq?: undefined } & Progress);

/** The one face of a session, the same for every surface. */
export type SessionFace = {
  readonly id: string;
  /** Resolves when the command was taken (not when its work is done), or says why it was not: `unreachable` where the store is away. */
  send(command: Command): Promise<{ ok: true } | { ok: false; message: string; reason?: string | undefined }>;
  subscribe(listener: (update: SessionUpdate) => void): () => void;
  log(): readonly Event[];
  /** The mode that it was in before it was opened here, where less is asked now. */
  readonly loosenedFrom?: Mode | undefined;
  /** A sentence where it goes on with another model than its own, because that is not there. */
  readonly missingModel?: string | undefined;
  /** What was thrown where a run was last stopped by it, and the `run_stopped` of that; absent where it runs in another process. */
  defect?(): { seq: number; thrown: unknown } | undefined;
  /** Commands that go on in its background; absent where it runs in another process. */
  readonly jobs?: { list(): readonly Job[]; stop(id: string): Promise<Outcome<unknown>> };
  /** Resolves when nothing is running and nothing waits for anything but the person's next message. */
  idle(): Promise<void>;
  /** What runs is noted as interrupted; with `limit`, as out of time. */
  close(why?: 'limit'): Promise<void>;
};
