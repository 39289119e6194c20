/**
 * Writes the arguments of one call, value by value: fixed text goes in as it is, values come from the request where it
 * names them, and from the model under a grammar where it has a choice.
 */
import type { JsonObject, JsonSchema, JsonValue } from '../../../core/json.ts';
import type { Constraint, LedDraft, LedPort, LedTurn } from '../../../core/led-port.ts';
import type { ToolSchema } from '../../../core/tool.ts';
import { checkValue } from '../../../schema/check.ts';
import { asSchema, jsonLiteral, literal, schemaGrammar, schemaTypes, spacedJson } from '../grammar.ts';
import { LED_LIMITS } from '../limits.ts';
import type { Meter } from '../meter.ts';
import { isDateArgument } from '../request-facts/dates.ts';
import { findObject } from '../request-facts/values.ts';
import type { RequestFacts } from '../request-facts.ts';
import { contentWords } from '../words.ts';
import { isFreeText, isPathArgument, isSaidText, listedValues, namingWords } from './choose-arguments.ts';

/** What decoding needs of a turn. */
export type WriterContext = { port: LedPort; meter: Meter; signal: AbortSignal };

export type CallPlan = {
  tool: ToolSchema;
  /** What the model reads before the arguments. */
  turns: readonly LedTurn[];
  facts: RequestFacts;
  /** A string is one name of several, and not the whole rest of the request. */
  short: boolean;
};

/** The largest number that a model makes up. */
const SHORT_NUMBER = 999_999;

/** Cut off by the limit of tokens, or cancelled: what was written is no whole call. */
export class IncompleteCallError extends Error {
  override name = 'IncompleteCallError';
}

/** Writes JSON step by step: fixed text goes in as it is, values come from the model. */
export class CallWriter {
  /** What stands, piece by piece: an engine reads each of them as it was written. */
  private readonly pieces: string[] = [];
  private readonly members: JsonObject = {};
  private name = '';
  private readonly context: WriterContext;
  private readonly turns: readonly LedTurn[];
  private readonly facts: RequestFacts;
  private readonly short: boolean;
  /** What the tool is called and does, by stems. */
  private readonly purpose: ReadonlySet<string>;
  /** Begun at the first value that the model has a choice in. */
  private draft: LedDraft | undefined;
  private first = true;

  constructor(context: WriterContext, { tool, turns, facts, short }: CallPlan) {
    this.context = context;
    this.purpose = new Set(contentWords(`${tool.function.name} ${tool.function.description}`));
    this.turns = turns;
    this.facts = facts;
    this.short = short;
  }

  get text(): string {
    return this.pieces.join('');
  }

  fixed(text: string): void {
    this.pieces.push(text);
  }

  /** One value under a constraint; it begins with the blank that tokenizers join to what follows. */
  private async generate(constraint: Constraint): Promise<string> {
    const { port, signal, meter } = this.context;
    if (signal.aborted) throw new IncompleteCallError();
    this.draft ??= await port.begin(this.turns, signal);
    const written = await this.draft.write({
      pieces: this.pieces,
      constraint,
      member: { before: this.members, name: this.name },
      maxTokens: LED_LIMITS.ledCallTokens,
      signal,
    });
    if (written.finish !== 'stop') throw new IncompleteCallError();
    // The prompt counts once: each further value finds all that stands before it in the cache.
    const { completionTokens } = written;
    meter.add(this.first ? written : { promptTokens: 0, cachedTokens: 0, completionTokens });
    this.first = false;
    this.fixed(written.text);
    return written.text;
  }

  /** One of several texts. */
  private async oneOf(
    texts: readonly string[],
    rules: Record<string, string> = {},
    schema?: JsonSchema,
  ): Promise<string> {
    const named = Object.entries(rules).map(([name, body]) => `${name} ::= ${body}`);
    const grammar = [`root ::= ${texts.join(' | ')}`, ...named].join('\n');
    return this.generate({ grammar, ...(schema === undefined ? {} : { schema }) });
  }
  /** One of several values: written without asking where there is only one. */
  private async choose(values: readonly JsonValue[]): Promise<JsonValue> {
    const only = values[0];
    if (values.length === 1 && only !== undefined) {
      this.fixed(` ${spacedJson(only)}`);
      return only;
    }
    const texts = values.map((value) => `" " ${jsonLiteral(value)}`);
    return JSON.parse(await this.oneOf(texts, {}, { enum: [...values] })) as JsonValue;
  }

  /** As the schema says, and nothing of the request's own. */
  private bySchema(schema: JsonSchema): Promise<string> {
    return this.generate({ grammar: afterBlank(schemaGrammar(schema)), schema });
  }

  /** A value read out of the request may still break a rule of the schema; then the schema's own grammar writes it. */
  async member(parameters: JsonSchema, name: string, isFirst: boolean): Promise<void> {
    this.name = name;
    this.fixed(`${isFirst ? '' : ', '}${JSON.stringify(name)}:`);
    const schema = withDefinitions(asSchema(asSchema(parameters['properties'])[name]), parameters);
    const before = this.pieces.length;
    await this.value(schema, name);
    const written = (): JsonValue => JSON.parse(this.pieces.slice(before).join('')) as JsonValue;
    if (checkValue(schema, written()).length > 0) {
      this.pieces.length = before;
      await this.bySchema(schema);
    }
    this.members[name] = written();
  }

  private async value(schema: JsonSchema, name: string): Promise<void> {
    const type = schemaTypes(schema)[0];
    if (type === 'array') return this.array(schema);
    const listed = this.facts.named(listedValues(schema));
    const values = listed.length > 0 ? listed : Array.isArray(schema['enum']) ? schema['enum'] : [];
    if (values.length > 0 && (type === 'string' || schema['enum'] !== undefined)) {
      const value = await this.choose(values);
      if (typeof value === 'string') this.facts.useText(value);
      return;
    }
    if (type === 'object' && this.givenObject(schema)) return;
    if (type === 'boolean') return this.boolean(schema, name);
    if (type === 'integer' || type === 'number') return this.number(schema, type, name);
    if (type === 'string' && isPlainString(schema, this.facts.text.length)) return this.string(schema, name);
    await this.bySchema(schema);
  }

  private async string(schema: JsonSchema, name: string): Promise<void> {
    const paths = isPathArgument(name, schema) ? this.facts.paths() : [];
    const named = isPathArgument(name, schema) && paths.length === 0 ? this.facts.quoted() : paths;
    if (named.length > 0) {
      this.facts.useText(String(await this.choose(named)));
      return;
    }
    const description = typeof schema['description'] === 'string' ? schema['description'] : '';
    const dates = isDateArgument(name, description) ? this.facts.dates(description) : [];
    if (dates.length > 0) {
      // Dates stand in the order in which they are meant: from, then to.
      this.fixed(` ${JSON.stringify(dates[0]?.written ?? '')}`);
      this.facts.useText(dates[0]?.text ?? '');
      return;
    }
    const following =
      isSaidText(name) && this.facts.quoted().length === 0 ? this.facts.following(namingWords(name)) : undefined;
    if (following !== undefined) {
      this.fixed(` ${JSON.stringify(following)}`);
      this.facts.useText(following);
      return;
    }
    const own = this.short && !isFreeText(name) ? new Set(namingWords(name)) : undefined;
    const copy = this.facts.copy({
      short: this.short,
      notFirst: this.purpose,
      ...(own ? { own } : {}),
      ...(PLACED.test(description) ? { placed: true } : {}),
    });
    if (copy === undefined) {
      await this.bySchema(schema);
      return;
    }
    const text = await this.oneOf([`" \\"" ${copy.start} "\\""`], copy.rules, { enum: copy.texts });
    this.facts.useText(String(JSON.parse(text)));
  }

  /** An object that the request itself holds as JSON, where the schema leaves its members open. */
  private givenObject(schema: JsonSchema): boolean {
    const found = findObject(this.facts.text);
    if (found === undefined || Object.keys(asSchema(schema['properties'])).length > 0) return false;
    if (schema['required'] !== undefined || typeof schema['additionalProperties'] === 'object') return false;
    this.fixed(` ${spacedJson(found as JsonObject)}`);
    return true;
  }

  private async boolean(schema: JsonSchema, name: string): Promise<void> {
    const words = namingWords(name);
    if (words.length > 0 && words.every((word) => this.facts.words.has(word))) {
      this.fixed(` ${words.some((word) => this.facts.isDenied(word)) ? 'false' : 'true'}`);
    } else if (typeof schema['default'] === 'boolean') this.fixed(` ${schema['default']}`);
    else await this.bySchema(schema);
  }

  private async number(schema: JsonSchema, type: 'integer' | 'number', name: string): Promise<void> {
    const duration = this.facts.duration(schema, type, name);
    if (duration !== undefined) {
      this.facts.useNumber(duration.said);
      return this.fixed(` ${duration.value}`);
    }
    const candidates = this.facts.numbers(schema, type, name);
    if (candidates.length > 0) {
      const value = await this.choose(candidates);
      this.facts.useNumber(Number(value));
      return;
    }
    if (typeof schema['default'] === 'number') return this.fixed(` ${schema['default']}`);
    // Nothing in the request says it: a short number of the model's own.
    const free = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].every(
      (key) => schema[key] === undefined,
    );
    if (!free) return void (await this.bySchema(schema));
    const grammar = 'root ::= " " ("0" | [1-9] [0-9]{0,5})';
    await this.generate({ grammar, schema: { type: 'integer', minimum: 0, maximum: SHORT_NUMBER } });
  }

  private async array(schema: JsonSchema): Promise<void> {
    const items = asSchema(schema['items']);
    const type = schemaTypes(items)[0];
    const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : LED_LIMITS.ledArrayItems;
    const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
    if (type === 'integer' || type === 'number') {
      const lists = this.facts.lists();
      if (lists.length > 0) {
        // Lists stand in the order in which they are meant.
        const list = lists[0] ?? '[]';
        this.fixed(` ${list}`);
        return this.facts.useList(list);
      }
    }
    if ((type === 'integer' || type === 'number') && this.facts.unused().length >= Math.max(1, least)) {
      if (this.context.port.takes === 'schema')
        return this.wholeList(schema, this.facts.numbers(items, type, ''), most);
      return this.numbers(items, type, Math.max(1, least), most);
    }
    const named = this.facts.named(listedValues(schema));
    if (type === 'string' && named.length >= Math.max(1, least) && named.length <= most)
      return this.fixed(` ${spacedJson(named)}`);
    if (type === 'string' && isPlainString(items, this.facts.text.length)) {
      if (this.context.port.takes === 'grammar') return this.strings(items, Math.max(1, least), most);
      const copied = this.facts.copy({ short: true, item: true, notFirst: this.purpose })?.texts ?? [];
      return this.wholeList(schema, Array.isArray(items['enum']) ? items['enum'] : copied, most);
    }
    await this.bySchema(schema);
  }

  /** For engines that write a value in one go: a list of what the request names. */
  private async wholeList(schema: JsonSchema, values: readonly JsonValue[], most: number): Promise<void> {
    if (values.length === 0) return void (await this.bySchema(schema));
    const list = { ...schema, items: { enum: [...values] }, minItems: 1, maxItems: Math.min(most, values.length) };
    const written = JSON.parse(await this.bySchema(list)) as JsonValue[];
    for (const value of written) {
      if (typeof value === 'number') this.facts.useNumber(value);
      else this.facts.useText(String(value));
    }
  }

  /** Numbers one by one, each of those not used yet. */
  private async numbers(items: JsonSchema, type: 'integer' | 'number', least: number, most: number): Promise<void> {
    this.fixed(' [');
    for (let given = 0; given < most && this.facts.unused().length > 0; given += 1) {
      const comma = given === 0 ? '' : ', ';
      const bodies = this.facts.numbers(items, type, '').map((value) => literal(`${comma}${value}`));
      if (bodies.length === 0) break;
      const text = await this.oneOf([...bodies, ...(given >= least ? ['"]"'] : [])]);
      if (text === ']') return;
      this.facts.useNumber(Number(text.slice(comma.length)));
    }
    this.fixed(']');
  }

  /** Strings one by one, each of what is left; after enough of them the model may close the list. */
  private async strings(items: JsonSchema, least: number, most: number): Promise<void> {
    this.fixed(' [');
    const given: JsonValue[] = [];
    const allowed = Array.isArray(items['enum']) ? items['enum'] : undefined;
    while (given.length < most) {
      const comma = given.length === 0 ? '' : ', ';
      // What an enumeration goes on with belongs to the list; else the model may close it.
      const from = given.length > 0 && !allowed ? this.facts.nextInList() : undefined;
      const close = given.length >= least && from === undefined ? ['"]"'] : [];
      const left = allowed?.filter((value) => !given.includes(value));
      const copy = allowed
        ? undefined
        : this.facts.copy({ short: true, item: true, notFirst: this.purpose, ...(from === undefined ? {} : { from }) });
      const bodies =
        left?.map((value) => literal(`${comma}${spacedJson(value)}`)) ??
        (copy ? [`${literal(`${comma}"`)} ${copy.start} "\\""`] : []);
      if (bodies.length === 0) break;
      const text = await this.oneOf([...bodies, ...close], copy?.rules ?? {});
      if (text === ']') return;
      const value = JSON.parse(text.slice(comma.length)) as JsonValue;
      given.push(value);
      if (typeof value === 'string') this.facts.useText(value);
    }
    this.fixed(']');
  }
}

/** The form of a place: "City, State", "Street Address, City, State (abbr), Country". */
const PLACED =
  /\b(?:city|address|location|town|district)\b(?: \(\w+\))?, (?:\w+ )?(?:state|country|city|province|region)\b/i;

/** References point into the whole schema, so its definitions come along. */
const withDefinitions = (schema: JsonSchema, root: JsonSchema): JsonSchema => {
  const { $defs, definitions } = root;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    ...schema,
  };
};

/** A text that any part of the request fits into. */
const isPlainString = (schema: JsonSchema, longest: number): boolean => {
  const { minLength, maxLength } = schema;
  const roomy =
    (typeof minLength !== 'number' || minLength <= 1) && (typeof maxLength !== 'number' || maxLength >= longest);
  return roomy && ['pattern', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'].every((key) => schema[key] === undefined);
};

/** The grammar with one blank before its value. */
const afterBlank = (grammar: string): string =>
  grammar.replace(/^root ::= (.*)$/m, (_all, body: string) => `root ::= " " body\nbody ::= ${body}`);
