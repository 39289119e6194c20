/**
 * Who put a value into a call: the person, their own files, or untrusted content such as a page or a server's answer.
 * Pure. Each event of the log is read once, and a call is traced in time linear in what the conversation holds.
 */
import type { Event } from './events.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ContentPart } from './message.ts';
import { addressOf, type Carried, carriedBy } from './provenance/address.ts';
import { commandParts } from './provenance/command-parts.ts';
import { type DescribedTools, Descriptions, decidingParts, wholeCommand } from './provenance/described.ts';
import { createReader, type Reader } from './provenance/encodings.ts';
import { givenBy, namesAllOf } from './provenance/given.ts';
import { KnownText } from './provenance/known-text.ts';
import { numbersInWords } from './provenance/number-words.ts';
import type { ArgumentOrigin, ContentSource, Origin } from './provenance/origin.ts';
import { isAddressName } from './provenance/reads-only.ts';
import { isRequested, stem } from './provenance/requested.ts';
import { aboutOf, isShortEnough, resultText, shortened } from './provenance/shown.ts';
import { lettersOf, wordsOf } from './provenance/text-index.ts';
import { type Part, roleOf, type WeightyValue, weightyValues } from './provenance/values.ts';
import { writtenCommands, writtenForRunners } from './provenance/written-commands.ts';
import { type FileRun, WrittenFiles } from './provenance/written-files.ts';
import { type Scalar, scalarsIn } from './scalars.ts';
import { resultFileName, resultsNamed } from './tool/put-aside.ts';
import { bringsContent } from './tool-result.ts';

export { type ArgumentOrigin, type ContentSource, type Origin, originText, sourceText } from './provenance/origin.ts';

export type TracedTool = {
  name: string;
  /** Weighty arguments; all where absent. */
  sinks?: readonly string[];
  /** Of these, which are written into a file, only long texts of untrusted content are weighty. */
  written?: readonly string[];
  /** Arguments that are paths; absent where it is not known which. */
  paths?: readonly string[];
  /** Only addresses are weighty. */
  readsOnly?: boolean;
  /** Another host sent the call there: what else its address holds is that host's word. */
  isRedirected?: boolean;
  /** Its main argument is a command line, which counts whole. */
  isCommand?: boolean;
  /** Arguments whose values the schema lists: whichever is chosen, it names nothing of anybody's. */
  chosen?: readonly string[];
  /** Arguments that have their default weigh nothing. */
  defaults?: JsonObject;
};

export type CallTrace = {
  origins: ArgumentOrigin[];
  /** The first argument that only untrusted content holds, or that carries what stands elsewhere to a host. */
  untrusted?: ArgumentOrigin;
  /** The first recipient (or command) that the person and their files do not hold, or host that only a file holds. */
  unknown?: ArgumentOrigin;
  /** The person's words ask for what the tool does. */
  isRequested: boolean;
};

/** `I` for `you`, `is` for `are`. */
const SHORT_WORD = 2;

type OpenCall = { name: string; args: JsonObject; isUntrusted: boolean; changes: boolean };

/** Reads a growing log. `trace` looks at everything that was added before. */
export class Provenance {
  readonly #person: KnownText[] = [];
  readonly #own: KnownText[] = [];
  readonly #untrusted: KnownText[] = [];
  /** Nobody's word: what commands print, and what may hold what was written since. It is still not to be carried off. */
  readonly #printed: KnownText[] = [];
  /** The person's words, and their stems. */
  readonly #said = new Set<string>();
  readonly #asked = new Set<string>();
  /** The person's amounts in words. */
  readonly #spelled = new Set<number>();
  readonly #calls = new Map<string, OpenCall>();
  /** Something ran after untrusted content came in that could have put it into a file. */
  #mayBeLaundered = false;
  /** What was written into files since, and read from files of strangers. */
  readonly #files = new WrittenFiles((part) => this.#originOf(part).origin === 'untrusted');
  readonly #reader: Reader;
  readonly #descriptions: Descriptions;

  constructor(reader: Reader = createReader()) {
    this.#reader = reader;
    this.#descriptions = new Descriptions(reader);
  }

  get hasUntrusted(): boolean {
    return this.#untrusted.length > 0;
  }

  add(event: Event): void {
    if (event.type === 'user_message_added') this.#addMessage(event.content);
    else if (event.type === 'assistant_message_added') {
      for (const { id, name, arguments: args } of event.message.tool_calls) {
        this.#calls.set(id, { name, args, isUntrusted: false, changes: true });
      }
    } else if (event.type === 'policy_evaluated') {
      const call = this.#calls.get(event.tool_call_id);
      if (call === undefined) return;
      call.isUntrusted = event.untrusted_content === true;
      call.changes = event.exclusive;
      call.args = event.arguments;
    } else if (event.type === 'tool_finished') {
      const call = this.#calls.get(event.tool_call_id);
      if (call !== undefined && bringsContent(event.result))
        this.#addResult(event.tool_call_id, call, resultText(event.result, event.for_model));
    }
  }

  #addMessage(content: string | readonly ContentPart[]): void {
    for (const part of typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content) {
      if (part.type !== 'text') continue;
      if (part.untrusted_content)
        this.#untrusted.push(new KnownText({ kind: 'untrusted', about: part.shown }, part.text, this.#reader));
      else if (part.shown !== undefined)
        this.#own.push(new KnownText({ kind: 'own_file', about: part.shown }, part.text, this.#reader));
      else {
        this.#person.push(new KnownText({ kind: 'person' }, part.text, this.#reader));
        const words = wordsOf(part.text);
        for (const word of words) {
          this.#said.add(word);
          this.#asked.add(stem(word));
        }
        for (const number of numbersInWords(words)) this.#spelled.add(number);
      }
    }
  }

  #addResult(readBy: string, reading: OpenCall, text: string): void {
    const [id, call] = this.#putAside(reading.args) ?? [readBy, reading];
    const source: ContentSource = {
      kind: call.isUntrusted ? 'untrusted' : 'own_file',
      tool_call_id: id,
      tool: call.name,
      about: aboutOf(call.args),
    };
    const brought = call.isUntrusted ? undefined : this.#files.sourceOf(call.args);
    const known = new KnownText(brought ?? source, text, this.#reader, call.args);
    if (call.isUntrusted || brought !== undefined) this.#untrusted.push(known);
    // What a command prints, and what a file holds that may have been written since, is nobody's word.
    else if (!call.changes && !this.#mayBeLaundered) this.#own.push(known);
    else this.#printed.push(known);
    if (call.isUntrusted) this.#files.addOutside(call.args, source);
    if (!call.changes || !this.hasUntrusted) return;
    this.#mayBeLaundered = true;
    this.#files.add(call.args);
  }

  /** The call that brought what is read again out of a result that was put aside; of several, one that is not to be trusted. */
  #putAside(args: JsonObject): [id: string, call: OpenCall] | undefined {
    const names = resultsNamed(args);
    if (names === undefined) return undefined;
    const brought = [...this.#calls].filter(
      ([id, call]) =>
        resultsNamed(call.args) === undefined && (names.length === 0 || names.includes(resultFileName(id))),
    );
    return brought.find(([, call]) => call.isUntrusted) ?? brought[0];
  }

  /** Undefined where no untrusted content came in, so that nothing but the person can have caused the call. */
  trace(tool: TracedTool, args: JsonObject): CallTrace | undefined {
    if (!this.hasUntrusted) return undefined;
    const names = tool.sinks ?? Object.keys(args).filter((name) => !tool.readsOnly || mayBeAddress(name, args[name]));
    const weighed = names.filter((name) => !isSame(args[name], tool.defaults?.[name]));
    const values = weightyValues(args, weighed, tool.isCommand ? 'content' : undefined);
    if (values === undefined) return unreadable(names, this.#untrusted[0]?.source);
    const trace: CallTrace = { origins: [], isRequested: isRequested(tool.name, this.#asked) };
    for (const value of values) {
      if (tool.written?.includes(value.argument)) this.#weighWritten(value, trace);
      else this.#weigh(value, tool, trace);
    }
    this.#weighCommandFile(tool, weighed, args, trace);
    this.#weighGiven(values, tool, args, trace);
    if (tool.isCommand) this.#weighCommands(weighed, args, trace);
    this.#weighFilesRun(tool, weighed, args, trace);
    return trace;
  }

  /** The first deciding value that stands in what servers say of their tools and in nothing else that came in. */
  describedIn(tool: TracedTool, args: JsonObject, tools: readonly DescribedTools[]): ArgumentOrigin | undefined {
    const known = this.#descriptions.of(tools);
    if (known.length === 0) return undefined;
    const names = tool.sinks ?? Object.keys(args).filter((name) => !tool.readsOnly || mayBeAddress(name, args[name]));
    const isOwnChoice = (value: WeightyValue): boolean => {
      const name = value.argument.split(/[.[]/)[0] ?? '';
      return isChosen(value, tool) || isSame(args[name], tool.defaults?.[name]);
    };
    // More than can be looked at asks only where untrusted content came in: descriptions alone are no reason.
    const values = weightyValues(args, names, tool.isCommand ? 'content' : undefined) ?? [];
    const deciding = values.flatMap((value) => {
      const parts = decidingParts(value, isOwnChoice(value));
      return (tool.readsOnly ? hostsOf(parts) : parts).map((part) => ({ ...value, part }));
    });
    const commands = tool.isCommand ? names.map((name) => wholeCommand(name, textOf(args[name]))) : [];
    for (const value of [...deciding, ...commands.flat()]) {
      const described = known.find((each) => each.mayHold(value.part));
      if (described === undefined || this.#originOf(value.part).origin !== 'unknown') continue;
      const { argument, part } = value;
      return { argument, value: shown(part, value), origin: 'untrusted', source: described.source };
    }
    return undefined;
  }

  /** The person's words ask for what the tool does, and what it is told is theirs. */
  asksFor(tool: TracedTool, args: JsonObject): boolean {
    const names = tool.isCommand ? (tool.sinks ?? []) : Object.keys(args);
    const values = names
      .filter((name) => !isSame(args[name], tool.defaults?.[name]))
      .flatMap((name) => scalarsIn(args[name]));
    const isTheirs = ({ value }: Scalar): boolean => {
      const text = String(value);
      return this.#isWritten(text) || (!tool.isCommand && wordsOf(text).every((word) => this.#said.has(word)));
    };
    return (tool.isCommand === true || isRequested(tool.name, this.#asked)) && values.every(isTheirs);
  }

  /** A file reaches nobody by itself, but what is in it may run, or be read as the person's own, later. */
  #weighWritten(value: WeightyValue, trace: CallTrace): void {
    for (const part of value.parts) {
      if (part.kind !== 'span') continue;
      const { origin, source } = this.#originOf(part);
      if (origin !== 'untrusted') continue;
      const found: ArgumentOrigin = { argument: value.argument, value: shown(part, value), origin, source };
      trace.untrusted ??= found;
      trace.origins.push(found);
      return;
    }
  }

  /** What is written where a runner takes its commands from is weighed as these commands. */
  #weighCommandFile(tool: TracedTool, names: readonly string[], args: JsonObject, trace: CallTrace): void {
    for (const { place, value } of trace.untrusted === undefined ? writtenForRunners(tool, names, args) : []) {
      this.#weighParts(place, writtenCommands(String(value)), trace);
      for (const file of this.#files.namedIn(String(value))) this.#weighFile(place, file, trace);
    }
  }

  /** A file that a call runs is weighed as the commands in it. */
  #weighFilesRun(tool: TracedTool, names: readonly string[], args: JsonObject, trace: CallTrace): void {
    if (!tool.isCommand && (tool.readsOnly || tool.paths !== undefined || !RUNS.test(tool.name))) return;
    for (const { place, value } of names.flatMap((name) => scalarsIn(args[name], name))) {
      const text = String(value);
      const files = tool.isCommand ? this.#files.runBy(text) : this.#files.namedIn(text);
      if (!this.#isWritten(text)) for (const file of files) this.#weighFile(place, file, trace);
    }
    for (const file of tool.isCommand ? [] : this.#files.found()) this.#weighFile(tool.name, file, trace);
  }

  #weighFile(place: string, { names, dictated, source }: FileRun, trace: CallTrace): void {
    const name = names.at(-1) ?? 'a file';
    const argument = `${name}, which ${place} may run,`;
    if (source) trace.untrusted ??= { argument, value: shortened(name), origin: 'untrusted', source };
    this.#weighParts(argument, dictated, trace);
  }

  #weighParts(argument: string, parts: readonly Part[] | undefined, trace: CallTrace): void {
    if (trace.untrusted !== undefined) return;
    if (parts === undefined) trace.untrusted = unreadable([argument], this.#untrusted[0]?.source).untrusted;
    for (const part of parts ?? []) {
      const { origin, source } = this.#originOf(part);
      if (origin !== 'untrusted') continue;
      trace.untrusted = { argument, value: shortened(part.words?.join(' ') ?? part.text), origin, source };
      trace.origins.push(trace.untrusted);
      return;
    }
  }

  #weigh(value: WeightyValue, tool: TracedTool, trace: CallTrace): void {
    let weakest: ArgumentOrigin | undefined;
    for (const part of tool.readsOnly ? hostsOf(value.parts) : value.parts) {
      const { origin, source } = this.#originOf(part);
      // Letters that happen to be readable as base64, and stand nowhere: what the person wrote is theirs.
      if (part.isDecoded && origin === 'unknown' && this.#isWritten(value.text)) continue;
      const found: ArgumentOrigin = { argument: value.argument, value: shown(part, value), origin, source };
      if (weakest === undefined || STRENGTH[origin] < STRENGTH[weakest.origin]) weakest = found;
      if (origin === 'untrusted') trace.untrusted ??= found;
      const mustBeKnown =
        tool.isCommand ||
        tool.readsOnly ||
        value.role === 'recipient' ||
        value.role === 'id' ||
        (value.role === 'other' && part.kind === 'name' && !isChosen(value, tool)) ||
        part.kind === 'host' ||
        part.kind === 'email';
      // Files of a folder may be a stranger's: nobody can tell who wrote an address in them.
      const isFromFile = origin === 'own_file' && part.kind === 'host' && isAddressName(value.argument);
      if ((origin === 'unknown' && mustBeKnown) || isFromFile) trace.unknown ??= found;
    }
    const carried = tool.readsOnly && !tool.isRedirected ? this.#carriedBy(value) : undefined;
    if (carried?.source) trace.untrusted ??= carried;
    else if (carried) trace.unknown ??= carried;
    if (carried ?? weakest) trace.origins.push((carried ?? weakest) as ArgumentOrigin);
  }

  /** What an address holds besides its host, where it is not the person's and not the host's own. */
  #carriedBy({ argument, text, parts }: WeightyValue): ArgumentOrigin | undefined {
    if (!parts.some(({ kind }) => kind === 'host')) return undefined;
    const address = addressOf(text);
    const isPersons = (letters: string): boolean =>
      this.#said.has(letters) || this.#person.some((known) => known.index().holdsWords(letters));
    const texts = { own: this.#own, printed: this.#printed, untrusted: this.#untrusted };
    const carried = address && carriedBy(address, { isPersons, ...texts });
    return carried && carriedOrigin(argument, carried);
  }

  /**
   * Which of the person's things a call is about is the server's word: an id in a field of its answer, a name in its list of
   * such names. It counts where the person asked for such a call and all else in it is theirs.
   */
  #weighGiven(values: readonly WeightyValue[], tool: TracedTool, args: JsonObject, trace: CallTrace): void {
    if ((trace.untrusted ?? trace.unknown) === undefined || !trace.isRequested) return;
    const others = trace.origins.filter(
      ({ argument, origin }) => origin !== 'person' && !this.#saidWordsOf(argument, args),
    );
    const given = others.map(({ argument, value }) => {
      const weighed = values.find((each) => each.argument === argument);
      return givenBy(tool.name, weighed, value, this.#untrusted, (word) => this.#said.has(word));
    });
    const hasTheirs =
      others.length < trace.origins.length ||
      given.includes('looked up') ||
      Object.keys(args).some((name) => this.#saidWordsOf(name, args)) ||
      others.some(({ argument }) => this.#person.some(({ text }) => namesAllOf(text, argument)));
    if (!hasTheirs || given.includes(undefined)) return;
    delete trace.untrusted;
    delete trace.unknown;
  }

  /** A text that is made of the person's words alone, whatever their order; short ones say nothing of where they are from. */
  #saidWordsOf(name: string, args: JsonObject): boolean {
    const value = args[name];
    if (typeof value !== 'string' || roleOf(name) !== 'content') return false;
    const words = wordsOf(value).filter((word) => word.length > SHORT_WORD || /\d/.test(word));
    return words.length > 0 && words.every((word) => this.#said.has(word));
  }

  /** A command is known where the person wrote it as it is; words of it elsewhere say nothing. */
  #weighCommands(names: readonly string[], args: JsonObject, trace: CallTrace): void {
    for (const name of names) {
      const text = textOf(args[name]);
      const isWritten = this.#isWritten(text);
      trace.isRequested = isWritten;
      if (isWritten) continue;
      this.#weighDictated(name, text, trace);
      const found: ArgumentOrigin = { argument: name, value: shortened(text), origin: 'unknown' };
      trace.unknown ??= found;
      if (!trace.origins.some(({ argument }) => argument === name)) trace.origins.push(found);
    }
  }

  /** One of its commands, or a path that it names, stands in untrusted content alone: as with a tool that is given the path. */
  #weighDictated(argument: string, text: string, trace: CallTrace): void {
    const parts = commandParts(text);
    if (parts === undefined) trace.untrusted ??= unreadable([argument], this.#untrusted[0]?.source).untrusted;
    for (const part of trace.untrusted === undefined ? (parts ?? []) : []) {
      const { origin, source } = this.#originOf(part);
      if (origin !== 'untrusted') continue;
      trace.untrusted = { argument, value: shortened(text), origin, source };
      trace.origins = [trace.untrusted, ...trace.origins.filter((known) => known.argument !== argument)];
      return;
    }
  }

  /** By the person, as it is. */
  #isWritten(text: string): boolean {
    const part: Part = { kind: 'name', text: lettersOf(text) };
    return this.#person.some((known) => known.holds(part));
  }

  #originOf(part: Part): { origin: Origin; source?: ContentSource } {
    const person = this.#person.find((known) => known.holds(part));
    if (person) return { origin: 'person', source: person.source };
    if (part.kind === 'number' && this.#spelled.has(Number(part.text)))
      return { origin: 'person', source: { kind: 'person' } };
    if (part.words?.every((word) => this.#said.has(word))) return { origin: 'person', source: { kind: 'person' } };
    const own = this.#own.find((known) => !known.echoes(lettersOf(part.text)) && known.holds(part));
    if (own) return { origin: 'own_file', source: own.source };
    const untrusted = this.#untrusted.find((known) => known.mayHold(part));
    return untrusted ? { origin: 'untrusted', source: untrusted.source } : { origin: 'unknown' };
  }
}

const carriedOrigin = (argument: string, { place, text, source }: Carried): ArgumentOrigin => ({
  argument: `${argument}.${place}`,
  value: shortened(text),
  origin: source === undefined ? 'unknown' : source.kind,
  source,
});

const isChosen = ({ argument }: WeightyValue, { chosen = [] }: TracedTool): boolean =>
  chosen.includes(argument.split(/[.[]/)[0] ?? '');

const STRENGTH: Record<Origin, number> = { untrusted: 0, unknown: 1, own_file: 2, person: 3 };

/** Tools of servers whose name says that they run something. */
const RUNS = /run|exec|eval|start|launch|script|shell|spawn|command|terminal|test|build|compile|lint|deploy|debug/i;

/** An address without a host that can be told is taken whole. */
const hostsOf = (parts: readonly Part[]): readonly Part[] => {
  const hosts = parts.filter(({ kind }) => kind === 'host');
  return hosts.length > 0 ? hosts : parts;
};

const mayBeAddress = (name: string, value: JsonValue | undefined): boolean =>
  isAddressName(name) || /:\/\/|^\s*www\./i.test(textOf(value));

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

const unreadable = (names: readonly string[], source: ContentSource | undefined): CallTrace => {
  const origin: ArgumentOrigin = {
    argument: names.join(', '),
    value: 'too much to be traced',
    origin: 'untrusted',
    source,
  };
  return { origins: [origin], untrusted: origin, isRequested: false };
};

/** A host or a mail address stands out of its text; of a long text only a code does. */
const shown = (part: Part, { text }: Pick<WeightyValue, 'text'>): string => {
  const isAddress = part.kind === 'host' || part.kind === 'email';
  return shortened(isAddress || (part.kind === 'code' && !isShortEnough(text)) ? part.text : text);
};

const isSame = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  other !== undefined && JSON.stringify(one) === JSON.stringify(other);
