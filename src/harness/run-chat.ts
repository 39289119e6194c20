/** What goes on while a message is answered: the run is followed, questions are asked, and a value is read. */
import { createStreamLines, type PermissionRequest } from '../agent/loop/call-model/stream-lines.ts';
import type { PrepareStep, StepOverrides } from '../agent/loop/step-overrides.ts';
import { ModelFailure } from '../core/errors.ts';
import type { Rule, SessionFace, SessionUpdate } from '../core/events.ts';
import type { ContentPart, Usage } from '../core/message.ts';
import { inOptions } from '../core/option-words.ts';
import { thrownName, thrownText } from '../core/thrown-text.ts';
import type { Tool } from '../core/tool.ts';
import type { ChatEvents } from './chat-events.ts';
import {
  type ChatFinish,
  type ChatResult,
  type PartialResult,
  rejectWhenAborted,
  type ToolCallRecord,
  withPartial,
} from './chat-result.ts';
import { HARNESS_LIMITS } from './limits.ts';
import type { GoingOn } from './page-answers.ts';
import { PageQuestions } from './page-questions.ts';
import { PartialOutput } from './partial-output.ts';
import { answerPermission, type OnPermission, unansweredText } from './permission.ts';
import { partialOf, resultOf } from './read-result.ts';
import type { OutputFormat } from './structured-output.ts';

/** What `stopWhen` and `prepareStep` go by: what the message came to so far. */
export type Step<T extends Tool = Tool> = {
  /** Requests to the model whose calls are done. */
  steps: number;
  toolCalls: readonly ToolCallRecord<T>[];
  usage: Usage;
};

export type StepHooks = {
  stops?: (() => Promise<boolean>) | undefined;
  prepare?: PrepareStep | undefined;
};

export type ChatSettings = {
  opening: Promise<SessionFace>;
  message: string | ContentPart[];
  onPermission: OnPermission | undefined;
  /** A page answers the questions, in a later request. `goingOn`: what it answered now, known when the session is open. */
  page: { secret: string; goingOn(): GoingOn | undefined } | undefined;
  signal: AbortSignal | undefined;
  /** Aborts when the harness closes, which ends the session's work by itself. */
  closing: AbortSignal;
  /** The shape of the answer, where it is a value. */
  format: Promise<OutputFormat> | undefined;
  /** Tells the model's next requests what shape is wanted; undefined: none. */
  constrain(format: OutputFormat | undefined): void;
  /** Whether the run ends here, asked when the calls of a step are done. */
  stopWhen: ((step: Step) => boolean | Promise<boolean>) | undefined;
  /** What is different in the next request. */
  prepareStep: ((step: Step) => StepOverrides | undefined | Promise<StepOverrides | undefined>) | undefined;
  /** Where the run asks, while this message is answered. */
  onStep(hooks: StepHooks): void;
  /** A yes for the session, which holds for `executeTool` too. */
  onGranted(rule: Rule): void;
  /** The message is on its way: what is said from now on steers it. */
  onSaid(session: SessionFace): void;
  onWarning(code: string, message: string): void;
  /** Of the open session, for whoever follows it. */
  facts(): { workspace: string; tools: string[] };
};

export const runChat = async (
  settings: ChatSettings & { signal: AbortSignal },
  events: ChatEvents,
): Promise<ChatResult<Tool, unknown>> => {
  const { signal } = settings;
  const session = await rejectWhenAborted(settings.opening, signal).catch((error: unknown) => {
    // A run that goes on began with its session.
    void settings.opening.then(
      (opened) => settings.page?.goingOn() && opened.send({ type: 'cancel' }),
      () => undefined,
    );
    throw error;
  });
  const goingOn = settings.page?.goingOn();
  const format = await settings.format;
  const watch = new RunWatch(session, settings, events);
  const output = format && new PartialOutput(format.readPart, format.readWhole);
  events.begin(
    { session_id: session.id, ...settings.facts() },
    { lines: createStreamLines(), output, approvalIdOf: watch.approvalIdOf },
  );
  const cancel = (): void => void session.send({ type: 'cancel' });
  const { stopWhen, prepareStep } = settings;
  settings.constrain(format);
  settings.onStep({
    stops: (stopWhen || settings.page) && (() => watch.stops()),
    prepare: prepareStep && (() => prepareStep(watch.step())),
  });
  const hear = (update: SessionUpdate): void => watch.hear(update);
  const unsubscribe = goingOn ? goingOn.follow(hear) : session.subscribe(hear);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (goingOn) {
      settings.onSaid(session);
      await session.idle();
    } else await say(session, settings.message, format?.note, settings.onSaid);
    const result = watch.result();
    const hasValue = format !== undefined && result.finishReason !== 'tool_end';
    return hasValue
      ? await withOutput(session, watch, result, { format, ended: AbortSignal.any([signal, settings.closing]) })
      : result;
  } finally {
    settings.constrain(undefined);
    settings.onStep({});
    unsubscribe();
    watch.end();
    signal.removeEventListener('abort', cancel);
  }
};

const say = async (
  session: SessionFace,
  content: string | ContentPart[],
  note: string | undefined,
  onSaid?: (session: SessionFace) => void,
): Promise<void> => {
  const extras = note === undefined ? {} : { context_note: note };
  const sent = await session.send({ type: 'send_message', content, unattended: true, ...extras });
  if (!sent.ok) throw new TypeError(sent.message);
  onSaid?.(session);
  await session.idle();
};

/** Only an answer that does not fit is asked for again, with the validator's words. */
const withOutput = async (
  session: SessionFace,
  watch: RunWatch,
  first: PartialResult,
  { format, ended }: { format: OutputFormat; ended: AbortSignal },
): Promise<ChatResult<Tool, unknown>> => {
  let result = first;
  for (let attempt = 0; ; attempt += 1) {
    // The program's own check may throw, and may never end.
    const cut = CUT_BY.get(result.finishReason);
    const read = await rejectWhenAborted(format.read(result.answer, cut !== undefined), ended).catch(
      (thrown: unknown) => {
        if (!ended.aborted) watch.reject({ code: thrownName(thrown), message: thrownText(thrown) });
        throw withPartial(thrown, { ...result, finishReason: ended.aborted ? 'aborted' : 'error' });
      },
    );
    if (read.ok) return { ...result, output: read.value };
    if (attempt === HARNESS_LIMITS.outputAttempts || cut !== undefined) {
      const why = cut === undefined ? read.problem : `it was cut by ${cut}`;
      const failure = new ModelFailure({ code: 'protocol', message: `The answer does not fit the schema: ${why}.` });
      watch.reject(failure);
      const finishReason = cut === undefined ? 'error' : result.finishReason;
      throw Object.assign(failure, { partial: { ...result, finishReason } });
    }
    await say(session, format.askAgain(read.problem), undefined);
    result = watch.result();
  }
};

/** Follows one run: hands updates on, answers questions, and ends the run where the program says so. */
class RunWatch {
  readonly from: number;
  private readonly session: SessionFace;
  private readonly settings: ChatSettings;
  private readonly events: ChatEvents;
  /** Made with the first question: most chats ask nothing, and an abort costs a stack trace. */
  private questions: AbortController | undefined;
  private readonly warnings: PartialResult['warnings'] = [];
  /** Tools that would have had to be asked about. */
  private readonly refused = new Set<string>();
  private readonly page: PageQuestions | undefined;

  constructor(session: SessionFace, settings: ChatSettings, events: ChatEvents) {
    const { page } = settings;
    this.session = session;
    this.settings = settings;
    this.events = events;
    this.from = page?.goingOn()?.from ?? session.log().length;
    this.page = page && new PageQuestions(session, page);
  }

  readonly approvalIdOf = (question: PermissionRequest): string | undefined => this.page?.idOf(question);

  hear(heard: SessionUpdate): void {
    const update = heard.seq === undefined && heard.type === 'warning' ? inProgram(heard) : heard;
    if (update.type === 'permission_requested') this.page?.answer(update);
    this.events.hear(update);
    if (update.seq === undefined) {
      if (update.type === 'warning') this.warn(update);
    } else if (update.type === 'permission_requested') this.ask(update);
    else if (update.type === 'permission_resolved') this.noteAnswer(update);
    else if (update.type === 'run_cancelled' || update.type === 'run_stopped') this.end();
  }

  private noteAnswer(answer: Extract<SessionUpdate, { type: 'permission_resolved' }>): void {
    if (answer.unanswered && !this.page?.isPutOff(answer.tool_call_id))
      this.warnWhereNobodyIs(answer.tool_call_id, answer.reason ?? '');
    else if (answer.decision === 'session' && answer.rule) this.settings.onGranted(answer.rule);
  }

  private warn({ code, message }: { code: string; message: string }): void {
    this.warnings.push({ code, message });
  }

  /** What is still asked needs no answer any more. */
  end(): void {
    this.questions?.abort();
    this.questions = undefined;
  }

  reject({ code, message }: Pick<Error, 'message'> & { code: string }): void {
    this.events.reject({ code: null, name: code, message });
  }

  private ask(asked: Extract<SessionUpdate, { type: 'permission_requested' }>): void {
    const { onPermission } = this.settings;
    if (onPermission === undefined) return;
    this.questions ??= new AbortController();
    void answerPermission(this.session, asked, onPermission, this.questions.signal);
  }

  private warnWhereNobodyIs(callId: string, refusal: string): void {
    const call = this.lastCalls().find(({ id }) => id === callId);
    if (call === undefined || this.refused.has(call.name)) return;
    this.refused.add(call.name);
    const isAsked = this.settings.onPermission !== undefined;
    const message = inOptions(isAsked ? refusal : unansweredText(refusal));
    this.warnings.push({ code: 'permission', message });
    this.settings.onWarning('permission', message);
  }

  private lastCalls(): readonly { id: string; name: string }[] {
    const last = this.session.log().findLast((event) => event.type === 'assistant_message_added');
    return last?.type === 'assistant_message_added' ? last.message.tool_calls : [];
  }

  /** Throws what ended the run, with `partial` on it. */
  result(): PartialResult {
    return resultOf(this.session, this.from, this.warnings);
  }

  /** Where the calls of a step are done, and before the model is asked again. */
  async stops(): Promise<boolean> {
    return this.page?.isAsked === true || (await this.settings.stopWhen?.(this.step())) === true;
  }

  step(): Step {
    const { toolCalls, usage, steps } = partialOf(this.session, this.from);
    return { steps, toolCalls, usage };
  }
}

/** What cut an answer that is not whole. */
const CUT_BY: ReadonlyMap<ChatFinish, string> = new Map([
  ['length', 'the token limit'],
  ['content_filter', 'a filter'],
  ['other', 'the server'],
]);

const inProgram = <W extends { message: string }>(warning: W): W => ({
  ...warning,
  message: inOptions(warning.message),
});
