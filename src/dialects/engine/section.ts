/** Calls behind an opening marker: one or several, alone, in an array, in a wrapper. */
import { DIALECT_LIMITS } from '../../core/limits/dialect-limits.ts';
import { codeCall } from './bodies/code-body.ts';
import { elementsCall } from './bodies/elements-body.ts';
import { jsonCall } from './bodies/json-body.ts';
import { namedCall, pythonCall } from './bodies/named-body.ts';
import { pairsCall, tagsCall } from './bodies/tags-body.ts';
import type { Core } from './core.ts';
import type { Body } from './grammar.ts';
import { type Hold, isNameLetter } from './output.ts';
import type { CallPlan, InSection } from './plan.ts';
import { OneCharacter, type Routine } from './scanner.ts';
import { type Naming, type Reading, type Site, siteIn } from './site.ts';

/** `text`: it held no call and is text. `cut`: the text is over inside it. */
export type SectionResult = 'calls' | 'text' | 'cut';

/** What became of a section, and the dialect that its calls were written in. */
export type SectionEnd = { result: SectionResult; dialect: string };

const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const COMMA = 44;
const SEMICOLON = 59;
const BACKTICK = 96;
/** The form of calls in an array. */
const ARRAY = 'array';

/**
 * Behind the opening marker. `bare`: there is none, so there is nothing but the calls themselves, and each must be one
 * that was offered.
 */
export function* readSection(
  core: Core,
  plan: CallPlan,
  opener: string,
  outer: Naming,
  bare = false,
): Routine<SectionEnd> {
  const { out } = core;
  const { syntax } = plan;
  /** How the first call is written. */
  const forms: string[] = [];
  const onForm = (form: string): void => {
    if (calls === 0) forms.push(form);
  };
  const naming = { ...outer, offeredOnly: bare || syntax.offeredOnly === true, ignores: syntax.ignores ?? [], onForm };
  let hold: Hold | undefined = out.begin(opener);
  /** How much of what is held is the marker, which is not looked at twice. */
  let marked = opener.length;
  /** The character before what is held. */
  let { previous } = core;
  let kind: Body['kind'] | undefined;
  /** No call has come since the last opening marker. */
  let fresh = true;
  /** No closing marker has come since. */
  let inside = true;
  let brackets = opener.endsWith('[') ? 1 : 0;
  /** A code fence was opened inside the section. */
  let fenced = false;
  let calls = 0;
  /** Opening markers since the last call: what comes behind them is read again from each that is put back. */
  let openers = 0;
  /** An array was there and held nothing. */
  let none = false;

  const siteAt = (marker: string): Site => {
    if (hold === undefined) {
      marked = marker.length;
      previous = core.previous;
      hold = out.begin(marker);
    }
    return siteIn(core, hold, naming);
  };
  const settle = (): void => {
    if (hold !== undefined) out.commit(hold);
    hold = undefined;
  };

  /** What comes next is no part of the section. `marker` was eaten already. */
  const leave = (reading: Reading, marker = ''): SectionResult => {
    // An empty list says that there is no call.
    const isEmpty = none && calls === 0 && !bare;
    if (isEmpty && reading === 'none') settle();
    if (hold === undefined) core.putBack(marker);
    else {
      const text = out.abandon(hold);
      hold = undefined;
      const written = reading === 'none' ? marked : text.length;
      out.text(text.slice(0, written));
      core.putBack(text.slice(written), written === 0 ? previous : text.charCodeAt(written - 1));
    }
    return (calls > 0 || isEmpty) && reading === 'none' ? 'calls' : 'text';
  };

  const after = (reading: Reading): SectionResult | undefined => {
    if (reading === 'call') {
      if (kind === 'json' && brackets > 0) onForm(ARRAY);
      settle();
      calls++;
      fresh = false;
      none = false;
      return undefined;
    }
    if (reading !== 'cut') return leave(reading);
    core.dropRest();
    settle();
    return 'cut';
  };

  const atEnd = (): SectionResult => {
    if (bare && calls === 0) return leave('none');
    if (fresh && !none) {
      return after(siteAt('').close('cut')) as SectionResult;
    }
    core.dropRest();
    settle();
    return 'calls';
  };

  /** A marker stands here. Undefined: the section goes on. */
  const atMarker = function* (meaning: InSection, text: string): Routine<SectionResult | undefined> {
    switch (meaning.kind) {
      case 'open':
        openers = fresh ? openers + 1 : 0;
        if (openers > DIALECT_LIMITS.openingMarkers) return leave('none', text);
        siteAt(text);
        if (text.endsWith('[')) brackets = 1;
        fresh = true;
        inside = true;
        return undefined;
      case 'foreign':
        return leave('none', text);
      case 'skip':
        if (!inside && !fenced) return leave('none', text);
        if (text.startsWith('`')) fenced = !fenced;
        // Without a marker it belongs to the calls only where another one follows.
        if (bare && hold === undefined) {
          siteAt(text);
          marked = 0;
        }
        return undefined;
      case 'close':
        if (fresh && !none) return leave('none', text);
        settle();
        fresh = false;
        inside = false;
        brackets = 0;
        return undefined;
      default: {
        if (!inside) return leave('none', text);
        const site = siteAt(text);
        kind ??= meaning.kind;
        const reading =
          meaning.kind === 'tags'
            ? yield* tagsCall(site, meaning.body, meaning.place)
            : yield* elementsCall(site, meaning.place);
        return after(site.close(reading));
      }
    }
  };

  /** Something else stands here, beginning with this character. */
  const atOther = function* (next: number): Routine<SectionResult | undefined> {
    const closes = next === CLOSE_BRACKET || next === CLOSE_BRACE;
    if (next === OPEN_BRACKET && inside && (plan.json !== undefined || plan.python) && brackets < 2) {
      // Behind a call it may begin the text that follows.
      siteAt('');
      brackets++;
    } else if (next === CLOSE_BRACKET && brackets > 0) {
      brackets--;
      if (fresh) none = true;
      else if (brackets === 0 && syntax.many !== true) inside = false;
    } else if (closes) {
      // Brackets too many behind a call are left out, but text that begins with one is text.
      if (fresh || calls === 0) return leave('none');
    } else if ((next === COMMA || next === SEMICOLON) && inside && !fresh) siteAt('');
    else {
      const body = inside ? bodyFor(next) : undefined;
      if (body === undefined) return leave('none');
      const site = siteAt('');
      return after(site.close(yield* body(site)));
    }
    yield new OneCharacter();
    return undefined;
  };

  const bodyFor = (next: number): ((site: Site) => Routine<Reading>) | undefined => {
    const { json, named, pairs, code, routine } = plan;
    const inList = brackets > 0;
    if (none && !inList) return undefined;
    const read = (one: Body['kind'], body: (site: Site) => Routine<Reading>) => {
      kind ??= one;
      return body;
    };
    if (next === OPEN_BRACE && json !== undefined) {
      const place = { after: plan.after, inArray: inList, strict: bare };
      return read('json', (site) => jsonCall(site, json, place));
    }
    if (code !== undefined && fresh) return read('code', (site) => codeCall(site, code));
    // A name may be written as code; without a marker or a bracket a backtick begins a quotation.
    const mayBeCode = inList ? plan.python : fresh && !bare;
    if (!beginsName(next) && !(next === BACKTICK && mayBeCode)) return undefined;
    if (plan.python && (fresh || inList || syntax.many === true))
      return read('python', (site) => pythonCall(site, inList));
    const mayFollow = pairs !== undefined || (named !== undefined && syntax.many === true);
    if (!fresh && !mayFollow) return undefined;
    if (named !== undefined) return read('named', (site) => namedCall(site, named.body, named.place, !fresh));
    if (pairs !== undefined) return read('pairs', (site) => pairsCall(site, pairs.body, pairs.place));
    return routine && read('routine', routine.read);
  };

  const opened = plan.opensBody.get(opener);
  let result = opened && (yield* atMarker(opened, ''));
  while (result === undefined) {
    const { space, next } = yield* core.space();
    if (hold === undefined) out.text(space);
    const match = next < 0 ? undefined : yield* core.match(plan.markers);
    if (match === undefined || (match.partial && match.surplus.length > 1)) result = atEnd();
    else if (match.found === undefined) result = yield* atOther(next);
    else result = yield* atMarker(match.found.meaning as InSection, match.found.text);
  }
  const { dialects = {} } = syntax;
  const told = [...forms, opener, kind ?? ''].find((form) => Object.hasOwn(dialects, form));
  return { result, dialect: dialects[told ?? ''] ?? plan.dialect };
}

const beginsName = (code: number): boolean => isNameLetter(code) || code === 95;
