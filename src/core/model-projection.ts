/** The model's reading of a log. It only ever grows at its end, so that a server can reuse what it has already read (B4). */

import { undoneNote } from './changes.ts';
import { stoppedText } from './command-layer.ts';
import type { Event, EventOf } from './events.ts';
import type { JsonObject } from './json.ts';
import { changedNote } from './known-files.ts';
import { LIMITS } from './limits.ts';
import { ROUNDS_TOLD, type Round, repeatNote, roundOf, timesRepeated, withRound } from './loop-guard.ts';
import {
  type ContentPart,
  type ModelMessage,
  messageText,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from './message.ts';
import { unansweredCall } from './policy/refusal-words.ts';
import { pictureHeading } from './result-pictures.ts';
import { endedJobText } from './session-jobs.ts';
import { summarizeResult } from './summarize.ts';
import { compactText, type ModelContent, picturesIn, type ResultForm, textIn } from './tool/model-content.ts';
import { PERMISSION_REQUIRED, type ToolResult } from './tool-result.ts';
import {
  cutMessageText,
  cutResultText,
  droppedResultText,
  type ShortenedResult,
  shortDroppedText,
} from './window/text.ts';

export type ProjectionOptions = {
  system: string;
  /** What the model reads of a result. */
  results: ResultForm;
  summaryCharacters: number;
  /** The tool's own choice of items for a summary. */
  summaryItems?(name: string, result: ToolResult, args: JsonObject): string[] | undefined;
  /** Such a call does nothing but give its result, so it may be made again for it. Absent: none. */
  mayRepeat?(call: ToolCall): boolean;
  /** What is put to the end of a message of the person: the same words have the same end, whenever they are read. */
  ending?(text: string): string | undefined;
};

export type Projection = {
  /** Takes the next event of the log. */
  add(event: Event): void;
  /** The same array, grown; another one after a compaction. Callers must not change it. */
  messages(): readonly ModelMessage[];
  /** What stands before the next message of the person: a message that was too long is cut by then. */
  beforeNext(): readonly ModelMessage[];
  /** What the messages would be after such a compaction. */
  preview(event: EventOf<'context_compacted'>): readonly ModelMessage[];
};

/** Folds a path (`activePath`) into the messages that a model reads, event by event, so that long sessions stay cheap. */
export const createProjection = (options: ProjectionOptions): Projection => new ModelProjection(options);

/** One message of the model, as it was first, and the event that its turn or its round of calls began with. */
type Kept = {
  message: ModelMessage;
  origin: number /** Without the tools that are described at its end. */;
  plain?: UserMessage;
};

/** What came of a call. */
type Ended = { result: ToolResult; shown: ModelContent | undefined };

class ModelProjection implements Projection {
  readonly #options: ProjectionOptions;
  #messages: ModelMessage[];
  /** Everything, also what a compaction leaves out now: a later one may have more room. */
  readonly #whole: Kept[];
  /** The calls of the last answer, the event that it came with, and their results so far. */
  #open: readonly ToolCall[] = [];
  #openSince = 0;
  #results = new Map<string, Ended>();
  #polling = new Set<string>();
  #rounds: readonly Round[] = [];
  #toolNumber = 0;
  /** The last one. */
  #compaction: EventOf<'context_compacted'> | undefined;
  /** The last message was refused as too long. */
  #isTooLong = false;
  /** Told with the next message of the person, so that nothing that was sent changes. */
  #undone: EventOf<'change_undone'>[] = [];
  /** Changes of this branch; those of others are nothing that this conversation knows of. */
  readonly #made = new Set<number>();
  /** Of commands that the person stopped, or that ended with halter; told like what was undone. */
  #stopped: string[] = [];
  readonly #ended = new Set<string>();

  constructor(options: ProjectionOptions) {
    this.#options = options;
    this.#messages = options.system === '' ? [] : [{ role: 'system', content: options.system }];
    this.#whole = this.#messages.map((message) => ({ message, origin: 0 }));
  }

  add(event: Event): void {
    if (event.type === 'user_message_added') this.#addUser(event);
    else if (event.type === 'policy_evaluated') {
      if (event.polling) this.#polling.add(event.tool_call_id);
    } else if (event.type === 'assistant_message_added') {
      this.#push(event.seq, event.message);
      this.#open = event.message.tool_calls;
      this.#openSince = event.seq;
      this.#isTooLong = false;
    } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
      const shown = event.type === 'tool_finished' ? event.for_model : undefined;
      this.#finish(event.tool_call_id, { result: event.result, shown });
      this.#ended.add(event.tool_call_id);
    } else if (event.type === 'context_compacted') {
      // A new list: what is left out is gone from it, and the rest stands in it as it was.
      this.#messages = compacted(this.#keptOf(event), event, this.#options);
      this.#compaction = event;
    } else if (event.type === 'change_recorded') this.#made.add(event.seq);
    else if (event.type === 'change_undone') {
      if (this.#made.has(event.change_seq)) this.#undone.push(event);
    } else if (event.type === 'layer_changed') {
      const text = this.#ended.has(event.tool_call_id) ? stoppedText(event, 'The command') : undefined;
      if (text !== undefined) this.#stopped.push(text);
    } else if (event.type === 'job_changed') {
      const text = endedJobText(event);
      if (text !== undefined) this.#stopped.push(text);
    } else if (event.type === 'model_failed' && event.code === 'context_overflow') this.#isTooLong = true;
  }

  messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  beforeNext(): readonly ModelMessage[] {
    return this.#isTooLong ? (this.#unansweredCut()?.messages ?? this.#messages) : this.#messages;
  }

  preview(event: EventOf<'context_compacted'>): readonly ModelMessage[] {
    return compacted(this.#keptOf(event), event, this.#options);
  }

  #push(origin: number, message: ModelMessage, plain?: UserMessage): void {
    this.#messages.push(message);
    this.#whole.push({ message, origin, ...(plain ? { plain } : {}) });
  }

  #keptOf(event: EventOf<'context_compacted'>): Kept[] {
    const { kept_from_seq: keptFrom, rounds_from_seq: roundsFrom = 0 } = event;
    return this.#whole.filter(
      ({ message, origin }) =>
        message.role === 'system' || (origin >= keptFrom && (origin >= roundsFrom || isFromPerson(message))),
    );
  }

  #addUser(event: Extract<Event, { type: 'user_message_added' }>): void {
    const cut = this.#isTooLong ? this.#unansweredCut() : undefined;
    if (cut) {
      this.#whole[this.#whole.length - 1] = cut.kept;
      this.#messages = cut.messages;
    }
    this.#isTooLong = false;
    const note = undoneNote(this.#undone);
    const stopped = this.#stopped.map((text) => `[${text}]`).join('\n');
    const ending = this.#options.ending?.(messageText(event.content));
    const changed = changedNote(event.files_changed);
    const whole = (said: UserMessage): UserMessage => {
      const own = event.context_note ? withSummary(said, event.context_note) : said;
      const noted = stopped === '' ? own : withSummary(own, stopped);
      return withNote(changed === '' ? noted : withSummary(noted, changed), note);
    };
    const plain: UserMessage = { role: 'user', content: event.content, ...(event.steers ? { steers: true } : {}) };
    this.#push(event.seq, whole(withEnding(plain, ending)), ending === undefined ? undefined : whole(plain));
    this.#undone = [];
    this.#stopped = [];
    this.#rounds = [];
  }

  /**
   * A message that no window had room for was not answered: its beginning stays, so that the next one has room, and so does
   * what stands before it for turns that were left out.
   */
  #unansweredCut(): { kept: Kept; messages: ModelMessage[] } | undefined {
    const last = this.#whole.at(-1);
    if (last?.message.role !== 'user' || messageText(last.message.content).length <= LIMITS.unansweredCharacters)
      return undefined;
    const text = messageText((last.plain ?? last.message).content);
    const message: UserMessage = { role: 'user', content: cutMessageText(text, LIMITS.unansweredCharacters) };
    const kept = { message, origin: last.origin };
    const shown = this.#compaction ? compacted([kept], this.#compaction, this.#options) : [message];
    return { kept, messages: [...this.#messages.slice(0, -1), ...shown] };
  }

  /** Results enter in the order of the calls, whatever order they came in. */
  #finish(id: string, result: Ended): void {
    const open = this.#open;
    if (!open.some((call) => call.id === id) || this.#results.has(id)) return;
    this.#results.set(id, result);
    if (this.#results.size < open.length) return;
    const ended = open.map((call) => ({
      call,
      ...toldToModel(call, this.#results.get(call.id) as Ended),
      polling: this.#polling.has(call.id),
    }));
    this.#rounds = withRound(this.#rounds, roundOf(ended));
    const isRepeated = timesRepeated(this.#rounds) >= ROUNDS_TOLD;
    for (const { call, result: own, shown, polling } of ended) {
      this.#push(this.#openSince, this.#toolMessage(call, own, shown, isRepeated && !polling));
    }
    const pictures = ended.flatMap(({ call, shown }) => pictureParts(call, shown));
    if (pictures.length > 0) this.#push(this.#openSince, { role: 'user', content: pictures, of_results: true });
    this.#open = [];
    this.#results = new Map();
    this.#polling = new Set();
  }

  #toolMessage(call: ToolCall, result: ToolResult, shown: ModelContent | undefined, isRepeated: boolean): ToolMessage {
    this.#toolNumber += 1;
    const note = isRepeated ? repeatNote(result) : undefined;
    const form = this.#options.results;
    const toMessage = (content: string): ToolMessage => ({
      role: 'tool',
      tool_call_id: call.id,
      name: call.name,
      content,
      result,
    });
    if (shown !== undefined) return toMessage(shownText(shown, note));
    if (form === 'summary') return { ...toMessage(this.#summary(call, result, note)), says_name: true };
    return note === undefined ? wholeResult(call, result, form) : toMessage(textOf(result, form, note));
  }

  #summary({ name, arguments: args }: ToolCall, result: ToolResult, note: string | undefined): string {
    const { summaryCharacters: maxCharacters, summaryItems } = this.#options;
    const items = summaryItems?.(name, result, args);
    // The line says the name already.
    const text = summarizeResult(name, result, { maxCharacters, items }).replace(`[${name}] `, '');
    const { truncated = '' } = result.metadata;
    const cut = text.includes(truncated) ? undefined : truncated;
    const line = `Tool ${this.#toolNumber} [${name || 'none'}]: ${text}`;
    return [line, cut, note].filter((one) => one !== undefined).join('\n');
  }
}

/** The words of a refusal that nobody gave name rules, flags and options, which no model can set. */
const toldToModel = ({ name }: ToolCall, { result, shown }: Ended): Ended =>
  result.metadata.reason === PERMISSION_REQUIRED
    ? { result: { ...result, error_message: unansweredCall(name) }, shown }
    : { result, shown };

const pictureParts = (call: ToolCall, shown: ModelContent | undefined): ContentPart[] => {
  const pictures = picturesIn(shown);
  return pictures.length === 0 ? [] : [{ type: 'text', text: pictureHeading(call.name, call.id) }, ...pictures];
};

/** The line that tells of pictures at the end of a result's text, for who reads messages back. */
export const PICTURES_NOTE = /(?:^|\n)\[(?:a picture|\d+ pictures), in the next message to a model that sees\]$/;

const shownText = (shown: ModelContent, note: string | undefined): string => {
  const count = picturesIn(shown).length;
  const where =
    count === 0 ? '' : `[${count === 1 ? 'a picture' : `${count} pictures`}, in the next message to a model that sees]`;
  const text = [textIn(shown), where, note === undefined ? '' : `[${note}]`].filter((part) => part !== '').join('\n');
  return text === '' ? '(no output)' : text;
};

/** The message stays, since templates and prefixes go by what there is; the pictures are gone. */
const DROPPED_PICTURES: UserMessage = {
  role: 'user',
  content: '[The pictures of earlier results were dropped to save room.]',
  of_results: true,
};

const compacted = (
  kept: readonly Kept[],
  event: EventOf<'context_compacted'>,
  { mayRepeat }: ProjectionOptions,
): ModelMessage[] => {
  const calls = new Map(
    kept.flatMap(({ message }) =>
      message.role === 'assistant' ? message.tool_calls.map((call) => [call.id, call] as const) : [],
    ),
  );
  return kept.map(({ message: whole, origin, plain }) => {
    const message = event.tightest ? (plain ?? whole) : whole;
    if (message.role === 'tool') {
      const shortened = shortenedResult(message, calls.get(message.tool_call_id), mayRepeat);
      return origin < (event.results_from_seq ?? 0)
        ? withoutResult(message, shortened, event.tightest)
        : cutResult(message, shortened, event.results_characters);
    }
    if (message.role === 'user' && message.of_results && origin < (event.results_from_seq ?? 0))
      return DROPPED_PICTURES;
    return message.role === 'user' && origin === event.kept_from_seq ? withLeftOut(message, event) : message;
  });
};

/** What stands for older turns is in front of the message, and what stands for its own rounds behind it. */
const withLeftOut = (
  message: UserMessage,
  { summary, rounds_summary: rounds }: EventOf<'context_compacted'>,
): UserMessage => withEnding(summary === '' ? message : withSummary(message, summary), rounds);

const isFromPerson = (message: ModelMessage): boolean => message.role === 'user' && !message.of_results;

const shortenedResult = (
  { name, content, result }: ToolMessage,
  call: ToolCall | undefined,
  mayRepeat: ProjectionOptions['mayRepeat'],
): ShortenedResult => ({
  name,
  arguments: call?.arguments ?? {},
  success: result.success,
  content,
  leftOut: result.metadata.truncated,
  place: result.metadata.result_file,
  mayRepeat: call !== undefined && mayRepeat?.(call) === true,
});

/** The call stays, so that the model knows what it did; what came back is a line. */
const withoutResult = (message: ToolMessage, shortened: ShortenedResult, isTightest = false): ToolMessage => {
  const text = isTightest ? shortDroppedText(shortened) : droppedResultText(shortened);
  const most = isTightest ? text.length : LIMITS.compactionResultCharacters;
  if (message.content.length <= most) return message;
  return withContent(isTightest ? { ...message, says_name: false } : message, text);
};

/** A result that was larger than the window: its beginning, and a word about the rest. */
const cutResult = (message: ToolMessage, shortened: ShortenedResult, characters: number | undefined): ToolMessage =>
  characters === undefined || message.content.length <= characters
    ? message
    : withContent(message, cutResultText(shortened, characters));

const withContent = (message: ToolMessage, content: string): ToolMessage => ({
  ...message,
  content,
  result: { ...message.result, data: content },
});

const withNote = (message: UserMessage, note: string): UserMessage =>
  note === ''
    ? message
    : withSummary(
        message,
        `[Undone by the user since your last answer: ${note}. Read the files again before you change them.]`,
      );

/** In front of the first message that is left: templates want the person's and the model's messages in turns. */
const withSummary = (message: UserMessage, summary: string): UserMessage => ({
  ...message,
  content:
    typeof message.content === 'string'
      ? `${summary}\n\n${message.content}`
      : [{ type: 'text', text: summary }, ...message.content],
});

const withEnding = (message: UserMessage, ending: string | undefined): UserMessage => {
  if (ending === undefined) return message;
  const { content } = message;
  return {
    ...message,
    content: typeof content === 'string' ? `${content}\n\n${ending}` : [...content, { type: 'text', text: ending }],
  };
};

/**
 * What most of a prompt consists of, and what never changes: written once for each result, so that who looks at a session
 * again and again (to make room in the window) neither writes nor counts it anew.
 */
const textOf = (result: ToolResult, form: ResultForm, note?: string): string =>
  form === 'full' ? JSON.stringify(note === undefined ? result : { ...result, note }) : compactText(result, note);

const wholeResults = new WeakMap<ToolResult, { message: ToolMessage; form: ResultForm }>();
const wholeResult = (call: ToolCall, result: ToolResult, form: ResultForm): ToolMessage => {
  const known = wholeResults.get(result);
  const { message: written } = known ?? {};
  if (known?.form === form && written?.tool_call_id === call.id && written.name === call.name) return written;
  const message: ToolMessage = {
    role: 'tool',
    tool_call_id: call.id,
    name: call.name,
    content: textOf(result, form),
    result,
  };
  wholeResults.set(result, { message, form });
  return message;
};
