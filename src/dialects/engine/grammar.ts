/** What a dialect is, as data. The engine knows grammars; a dialect says by which markers they are met. */

import type { CallShape } from './call-object.ts';
import type { Core } from './core.ts';
import type { Markers } from './markers.ts';
import type { Routine } from './scanner.ts';
import type { Naming, Reading, Site } from './site.ts';
import type { ValueOptions } from './value-sink.ts';

export type ReasoningSyntax = {
  /** Absent where only the prompt opens it. */
  open?: string;
  close: readonly string[];
  /** The opening words belong to the reasoning themselves. */
  keepOpen?: boolean;
};

/** An object that names the tool, alone, one after the other or in an array: `{"name": …, "arguments": {…}}`. */
export type JsonBody = { kind: 'json' } & CallShape;

export const JSON_BODY: JsonBody = { kind: 'json' };

/** The name, a separator, and the arguments as a value: `name<sep>{…}`. */
export type NamedBody = {
  kind: 'named';
  /** Reads what stands before the `{`; undefined where no call can begin like that. */
  head(text: string): { name: string; id?: string; form?: string } | undefined;
  value?: ValueOptions;
};

/** A Python call: `name(key=value)`. */
export type PythonBody = { kind: 'python' };

/** An element for the call, an element for each argument, values as raw text: `<call=name><key=k>value</key></call>`. */
/** Each line break of the two, or only both: one at the end alone is the value's own. */
export type TrimsNewline = 'each' | 'pair';

export type TagsBody = {
  kind: 'tags';
  open: readonly string[];
  /** `>` where nothing else is said. */
  openEnd?: readonly string[];
  close: readonly string[];
  parameter: readonly string[];
  parameterEnd?: readonly string[];
  parameterClose: readonly string[];
  /** One line break on each side of a value is markup. */
  trimsNewline?: TrimsNewline;
  /** Attributes are written with entities. */
  entities?: boolean;
  /** A value may stand between these, whatever it holds. */
  literal?: readonly [open: string, close: string];
};

/** The name, then keys and values each in an element of their own: `name<key>k</key><value>v</value>`. */
export type PairsBody = {
  kind: 'pairs';
  /** May stand behind the name. */
  nameEnd?: readonly string[];
  key: readonly string[];
  keyClose: readonly string[];
  type?: readonly string[];
  typeClose?: readonly string[];
  value: readonly string[];
  valueClose: readonly string[];
};

/** Arguments as elements named by their keys, nested: `<invoke name="n"><key>value</key></invoke>`. */
export type ElementsBody = {
  kind: 'elements';
  open: readonly string[];
  close: readonly string[];
  /** Stands before every tag. */
  prefix: string;
};

/** Raw code for a tool that takes code. */
export type CodeBody = { kind: 'code' };

/** Anything else that begins with a name or a word. */
export type RoutineBody = { kind: 'routine'; read(site: Site): Routine<Reading> };

export type Body = JsonBody | NamedBody | PythonBody | TagsBody | PairsBody | ElementsBody | CodeBody | RoutineBody;

/** A way into a call. */
export type CallSyntax = {
  /** The dialect that it belongs to, where it stands in another. */
  dialect?: string;
  /** Any of these, one or several after another. */
  open: readonly string[];
  close?: readonly string[];
  bodies: readonly Body[];
  /** These may stand between the opening marker and the call and mean nothing. */
  skip?: readonly string[];
  /** Counts only for a tool that was offered: the marker is one that prose may hold. */
  offeredOnly?: boolean;
  /** Counts only at the beginning of a line. */
  atLineStart?: boolean;
  /** Calls of these names do nothing and are left out, unless there is such a tool. */
  ignores?: readonly string[];
  /**
   * Which dialect it is, where several share the marker: by the form of the first call that a body tells of, by the
   * marker, or by the kind of the body.
   */
  dialects?: Readonly<Record<string, string>>;
  /** Bodies that stand without brackets around them may follow one another. */
  many?: boolean;
};

/** A dialect whose messages say in a header for whom they are: reasoning, answer, or a tool. */
export type ChannelSyntax = {
  /** The dialect that it belongs to, where it stands in another, by the header. */
  dialect?: (header: string) => string;
  /** Begins a header. */
  open: readonly string[];
  /** The text itself may begin inside a header, with these words. */
  startsWith?: readonly string[];
  /** The text may begin inside a header that is a name and nothing else. */
  startsWithName?: boolean;
  /** Ends the header. */
  headerEnd: readonly string[];
  /** Ends the message. */
  close: readonly string[];
  read(header: string): ChannelMeaning;
  /** How calls are written in a message to a tool; with none, the message is the arguments. */
  bodies: readonly Body[];
  /** What stands around the calls of a message. */
  callOpen?: readonly string[];
  callClose?: readonly string[];
};
export type ChannelMeaning = { to: 'text' | 'reasoning' | 'nobody' } | { to: 'tool'; name: string };

/** Words, or an offered tool's name in a line of its own, that tell at the beginning how the answer is written. */
export type StartSyntax = { words: readonly string[]; toolLine?: boolean; lines: (turn: Turn) => Routine };

/** What a mark that begins a call, or the message to a tool, stands for. */
export type CallMark = { readonly kind: 'call' | 'channel' };

/** The answer that a routine reads. */
export type Turn = {
  readonly core: Core;
  readonly naming: Naming;
  /** The dialect that the text turned out to be written in. */
  found(dialect: string): void;
  /** A token that ends the turn, wherever the text goes on or not. */
  endToken(token: string): Routine;
  /** Marks of calls in other notations, which lines of words must not hide. */
  readonly calls: readonly Markers<CallMark>[];
  /** Reads what begins with such a mark, which was just eaten. `before`: the character before it, -1 at the beginning. */
  call(mark: CallMark, text: string, before: number): Routine;
};

/** How calls, arguments and reasoning of a dialect are found in a text. */
export type Grammar = {
  name: string;
  reasoning?: readonly ReasoningSyntax[];
  calls: readonly CallSyntax[];
  /** Markers that only frame the answer; they are left out. */
  frame?: readonly string[];
  /** It is not known that the text is written in this dialect. */
  cautious?: boolean;
  /** Tokens that end a turn, besides those that every dialect knows. */
  endTokens?: readonly string[];
  /** A message that is nothing but calls needs no marker. */
  bare?: readonly Body[];
  /** Which dialect such a message is written in, by its calls. */
  bareDialects?: CallSyntax['dialects'];
  channels?: readonly ChannelSyntax[];
  /** For dialects that consist of lines: reads the whole answer. */
  lines?: (turn: Turn) => Routine;
  /** How an answer begins that is written in another dialect with lines of its own. */
  starts?: readonly StartSyntax[];
};

/** Words all of which must be there, or one word alone. */
export type Clue = string | readonly string[];

/** By what a dialect is recognized. */
export type Clues = {
  /** In the text of a chat template. */
  template?: readonly Clue[];
  /** In a model's name: lower case letters and digits only, as `llama31` in `Llama-3.1-8B`. */
  model?: readonly Clue[];
  /** At the end of a prompt: the answer begins inside reasoning. What `reasoning` of the grammar opens needs no clue. */
  opensReasoning?: readonly string[];
};

/** Marks of thoughts that models and prompts use in every notation. */
export const THINK: readonly ReasoningSyntax[] = [
  { open: '<think>', close: ['</think>'] },
  { open: '<thinking>', close: ['</thinking>'] },
  { open: '<reasoning>', close: ['</reasoning>'] },
  { open: '◁think▷', close: ['◁/think▷'] },
  { open: '<|begin_of_thought|>', close: ['<|end_of_thought|>'] },
];

/** Tokens that end a turn. A server cuts them off; where one did not, they are left out at the end of a text. */
export const END_TOKENS: readonly string[] = [
  ...'im_end eot_id eom_id end_of_text endoftext end eot eom return call end▁of▁sentence END_OF_TURN_TOKEN observation user end_of_turn endofprompt endofresponse end_of_sentence EOT assistant role_end eos'
    .split(' ')
    .map((name) => `<|${name}|>`),
  '<|im_start|>assistant',
  '<|im_start|>user',
  '<|start_header_id|>assistant<|end_header_id|>',
  '</s>',
  '<eos>',
  '<end_of_turn>',
  '<｜end▁of▁sentence｜>',
  '[|endofturn|]',
  '<turn|>',
  '<start_of_turn>model',
  '<｜Assistant｜>',
  '[EOS]',
  '[EOT]',
];
