/**
 * A regular expression → the GBNF of what stands between the quotes of a JSON string. Covers what patterns of arguments are
 * made of: literals, classes, groups, alternatives and quantifiers, anchored at both ends. Undefined for everything else
 * (look-around, back references, `.` of any character), where a check afterwards holds the pattern.
 */
const CLASSES: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_', s: ' ' };
/** What JSON would have to escape cannot stand in a string as it is. */
const NEEDS_ESCAPE = /["\\\u0000-\u001f]/;

/** Groups in groups; one deeper is checked afterwards. */
const DEPTH_MAX = 32;

class Unsupported extends Error {}

const quoted = (character: string): string => {
  if (NEEDS_ESCAPE.test(character)) throw new Unsupported();
  return `"${character}"`;
};
const inClass = (character: string): string => {
  if (NEEDS_ESCAPE.test(character)) throw new Unsupported();
  return /[\]\\^-]/.test(character) ? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}` : character;
};

export const patternGrammar = (pattern: string): string | undefined => {
  if (!pattern.startsWith('^') || !pattern.endsWith('$') || pattern.endsWith('\\$')) return undefined;
  const text = pattern.slice(1, -1);
  let at = 0;
  let depth = 0;

  const readClass = (): string => {
    if (text[at] === '^') throw new Unsupported();
    let body = '';
    while (text[at] !== ']') {
      const character = text[at];
      if (character === undefined) throw new Unsupported();
      if (character === '\\') {
        const name = text[at + 1] ?? '';
        body += CLASSES[name] ?? inClass(/[A-Za-z0-9]/.test(name) ? '"' : name);
        at += 2;
      } else if (character === '-' && body !== '' && text[at + 1] !== ']') {
        body += '-';
        at += 1;
      } else {
        body += inClass(character);
        at += 1;
      }
    }
    at += 1;
    return `[${body}]`;
  };

  const readAtom = (): string => {
    const character = text[at] ?? '';
    at += 1;
    if (character === '[') return readClass();
    if (character === '(') {
      if (text[at] === '?') {
        if (text[at + 1] !== ':') throw new Unsupported();
        at += 2;
      }
      depth += 1;
      if (depth > DEPTH_MAX) throw new Unsupported();
      const inner = readChoice();
      depth -= 1;
      if (text[at] !== ')') throw new Unsupported();
      at += 1;
      return `(${inner})`;
    }
    if (character === '\\') {
      const name = text[at] ?? '';
      at += 1;
      if (CLASSES[name] !== undefined) return `[${CLASSES[name]}]`;
      if (/[A-Za-z0-9]/.test(name) || name === '') throw new Unsupported();
      return quoted(name);
    }
    if (/[.*+?{}^$]/.test(character)) throw new Unsupported();
    return quoted(character);
  };

  const readSequence = (): string => {
    const items: string[] = [];
    while (at < text.length && text[at] !== '|' && text[at] !== ')') {
      const atom = readAtom();
      const quantifier = /^(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})/.exec(text.slice(at))?.[0] ?? '';
      at += quantifier.length;
      if (text[at] === '?') at += 1;
      items.push(`${atom}${quantifier}`);
    }
    return items.length === 0 ? '""' : items.join(' ');
  };

  const readChoice = (): string => {
    const choices = [readSequence()];
    while (text[at] === '|') {
      at += 1;
      choices.push(readSequence());
    }
    return choices.join(' | ');
  };

  try {
    const body = readChoice();
    return at === text.length ? body : undefined;
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
};
