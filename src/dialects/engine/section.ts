/** Calls behind an opening marker: one or several, alone, in an array, in a wrapper. */
import { codeCall } from './code-body.ts';
import type { Core } from './core.ts';
import { elementsCall } from './elements-body.ts';
import type { Body } from './format.ts';
import { jsonCall } from './json-body.ts';
import { namedCall, pythonCall } from './named-body.ts';
import type { Hold } from './output.ts';
import type { FormPlan, InSection } from './plan.ts';
import { OneCharacter, type Routine } from './scanner.ts';
import { type Naming, type Reading, Site } from './site.ts';
import { pairsCall, tagsCall } from './tags-body.ts';

/** `text`: it held no call and is text. `cut`: the text is over inside it. */
export type SectionResult = 'calls' | 'text' | 'cut';

const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const COMMA = 44;
const SEMICOLON = 59;

export class Section {
  readonly #core: Core;
  readonly #plan: FormPlan;
  readonly #naming: Naming;
  /** Without a marker there is nothing but the calls themselves, and each must be one that was offered. */
  readonly #bare: boolean;
  #hold: Hold | undefined;
  /** How much of what is held is the marker, which is not looked at twice. */
  #opener: number;
  /** The character before what is held. */
  #previous: number;
  readonly #kinds = new Set<Body['kind']>();
  /** No call has come since the last opening marker. */
  #fresh = true;
  /** No closing marker has come since. */
  #inside = true;
  #brackets = 0;
  /** A code fence was opened inside the section. */
  #fenced = false;
  #calls = 0;
  /** An array was there and held nothing. */
  #none = false;

  constructor(core: Core, plan: FormPlan, opener: string, naming: Naming, bare = false) {
    this.#core = core;
    this.#plan = plan;
    this.#naming = {
      ...naming,
      offeredOnly: bare || plan.form.offeredOnly === true,
      ignores: plan.form.ignores ?? [],
    };
    this.#bare = bare;
    this.#opener = opener.length;
    this.#previous = core.previous;
    if (opener.endsWith('[')) this.#brackets = 1;
    this.#hold = core.out.begin(opener);
  }

  /** The format that the calls were written in. */
  get format(): string {
    const [kind] = this.#kinds;
    return (kind === undefined ? undefined : this.#plan.form.formats?.[kind]) ?? this.#plan.format;
  }

  *read(opened?: InSection): Routine<SectionResult> {
    const core = this.#core;
    const plan = this.#plan;
    if (opened !== undefined && opened.kind !== 'open') {
      const result = yield* this.#marked(opened, '');
      if (result !== undefined) return result;
    }
    for (;;) {
      const { space, next } = yield* core.space();
      if (this.#hold === undefined) core.out.text(space);
      if (next < 0) return this.#atEnd();
      const match = yield* core.match(plan.markers);
      if (match.partial && match.surplus.length > 1) return this.#atEnd();
      const result =
        match.found === undefined
          ? yield* this.#unmarked(next)
          : yield* this.#marked(match.found.meaning as InSection, match.found.text);
      if (result !== undefined) return result;
    }
  }

  #atEnd(): SectionResult {
    if (this.#fresh && !this.#none) return this.#bare ? this.#leave('none') : this.#cut();
    this.#core.dropRest();
    this.#settle();
    return 'calls';
  }

  #begin(marker: string): Hold {
    if (this.#hold === undefined) {
      this.#opener = marker.length;
      this.#previous = this.#core.previous;
      this.#hold = this.#core.out.begin(marker);
    }
    return this.#hold;
  }

  /** The text is over behind the opening marker. */
  #cut(): SectionResult {
    this.#core.dropRest();
    this.#site('').close('cut');
    this.#settle();
    return 'cut';
  }

  #settle(): void {
    if (this.#hold !== undefined) this.#core.out.commit(this.#hold);
    this.#hold = undefined;
  }

  /** A marker stands here. Undefined: the section goes on. */
  *#marked(meaning: InSection, text: string): Routine<SectionResult | undefined> {
    switch (meaning.kind) {
      case 'open':
        this.#begin(text);
        if (text.endsWith('[')) this.#brackets = 1;
        this.#fresh = true;
        this.#inside = true;
        return undefined;
      case 'skip':
        if (!this.#inside && !this.#fenced) return this.#leave('none', text);
        if (text.startsWith('`')) this.#fenced = !this.#fenced;
        return undefined;
      case 'close':
        if (this.#fresh && !this.#none) return this.#leave('none', text);
        this.#settle();
        this.#fresh = false;
        this.#inside = false;
        this.#brackets = 0;
        return undefined;
      case 'tags':
      case 'elements': {
        if (!this.#inside) return this.#leave('none', text);
        const site = this.#site(text);
        this.#kinds.add(meaning.kind);
        const reading =
          meaning.kind === 'tags'
            ? yield* tagsCall(site, meaning.body, meaning.place)
            : yield* elementsCall(site, meaning.place);
        return this.#after(site.close(reading));
      }
    }
  }

  /** Something else stands here, beginning with this character. */
  *#unmarked(next: number): Routine<SectionResult | undefined> {
    const plan = this.#plan;
    if (next === OPEN_BRACKET && this.#inside && (plan.json !== undefined || plan.python) && this.#brackets < 2) {
      yield* this.#eat();
      this.#brackets++;
      return undefined;
    }
    if (next === CLOSE_BRACKET || next === CLOSE_BRACE) return yield* this.#bracketClosed(next);
    if ((next === COMMA || next === SEMICOLON) && this.#inside && !this.#fresh) {
      yield* this.#eat();
      return undefined;
    }
    const body = this.#inside ? this.#bodyFor(next) : undefined;
    if (body === undefined) return this.#leave('none');
    const site = this.#site('');
    return this.#after(site.close(yield* body(site)));
  }

  *#bracketClosed(next: number): Routine<SectionResult | undefined> {
    if (next === CLOSE_BRACKET && this.#brackets > 0) {
      yield* this.#eat();
      this.#brackets--;
      if (this.#fresh) this.#none = true;
      else if (this.#brackets === 0 && this.#plan.form.many !== true) this.#inside = false;
      return undefined;
    }
    if (this.#fresh || this.#calls === 0) return this.#leave('none');
    // Brackets too many behind a call are left out, but text that begins with one is text.
    yield* this.#eat();
    return undefined;
  }

  #bodyFor(next: number): ((site: Site) => Routine<Reading>) | undefined {
    const plan = this.#plan;
    const fresh = this.#fresh;
    const { json, named, pairs, code, routine } = plan;
    const kind = (one: Body['kind'], read: (site: Site) => Routine<Reading>) => {
      this.#kinds.add(one);
      return read;
    };
    if (next === OPEN_BRACE && json !== undefined) {
      const place = { after: plan.after, inArray: this.#brackets > 0, strict: this.#bare };
      return kind('json', (site) => jsonCall(site, json, place));
    }
    if (code !== undefined && fresh) return kind('code', (site) => codeCall(site, code));
    if (!beginsName(next)) return undefined;
    if (plan.python && (fresh || this.#brackets > 0 || plan.form.many === true)) {
      const inList = this.#brackets > 0;
      return kind('python', (site) => pythonCall(site, inList));
    }
    if (!fresh) return undefined;
    if (named !== undefined) return kind('named', (site) => namedCall(site, named.body, named.place));
    if (pairs !== undefined) return kind('pairs', (site) => pairsCall(site, pairs.body, pairs.place));
    return routine && kind('routine', (site) => routine.read(site));
  }

  /** One character that only separates. */
  *#eat(): Routine {
    yield new OneCharacter();
  }

  #site(marker: string): Site {
    const hold = this.#begin(marker);
    return new Site(this.#core, hold, this.#naming);
  }

  #after(reading: Reading): SectionResult | undefined {
    if (reading === 'call') {
      this.#settle();
      this.#calls++;
      this.#fresh = false;
      this.#none = false;
      return undefined;
    }
    if (reading === 'cut') {
      this.#core.dropRest();
      this.#settle();
      return 'cut';
    }
    return this.#leave(reading);
  }

  /** What comes next is no part of the section. `marker` was eaten already. */
  #leave(reading: Reading, marker = ''): SectionResult {
    const core = this.#core;
    const hold = this.#hold;
    if (hold === undefined) core.putBack(marker);
    else {
      const text = core.out.abandon(hold);
      this.#hold = undefined;
      const written = reading === 'none' ? this.#opener : text.length;
      core.out.text(text.slice(0, written));
      core.putBack(text.slice(written), written === 0 ? this.#previous : text.charCodeAt(written - 1));
    }
    return this.#calls > 0 && reading === 'none' ? 'calls' : 'text';
  }
}

const beginsName = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code > 127;
