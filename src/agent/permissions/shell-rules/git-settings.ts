/** The grammar of git's settings, as git itself reads them. */

/**
 * Keys in small letters (the middle part as written) with their values, read as git does: a comment ends with its line,
 * whatever its last character is, and only a value goes on after a backslash. What is odd becomes an unknown key.
 */
export const configKeys = (text: string): { key: string; value: string }[] => {
  const keys: { key: string; value: string }[] = [];
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  let section = '';
  for (let at = 0; at < lines.length; at += 1) {
    let line = (lines[at] as string).trim();
    const header = /^\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (header) {
      const name = header[2]?.replaceAll(/\\(.)/g, '$1');
      section = (header[1] as string).toLowerCase() + (name === undefined ? '' : `.${name}`);
      line = line.slice(header[0].length).trim();
    }
    if (line === '' || /^[#;]/.test(line)) continue;
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/s.exec(line);
    if (entry === null) {
      keys.push({ key: `${section}.?`, value: line });
      continue;
    }
    const key = `${section}.${(entry[1] as string).toLowerCase()}`;
    if (entry[2] === undefined) {
      keys.push({ key, value: 'true' });
      continue;
    }
    // The end of the line may be a backslash, which `trim` left where it was.
    const read = configValue(entry[2].trimStart(), lines, at);
    keys.push(read === undefined ? { key: `${section}.?`, value: line } : { key, value: read.value });
    at = read?.at ?? at;
  }
  return keys;
};

/** A value with its quotes, escapes and continued lines taken away, and the line it ends on; undefined for a broken one. */
const configValue = (
  start: string,
  lines: readonly string[],
  from: number,
): { value: string; at: number } | undefined => {
  let text = start;
  let at = from;
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '\\' && index === text.length - 1) {
      at += 1;
      if (at >= lines.length) break;
      text += `\0${lines[at] as string}`;
    } else if (character === '\\') {
      index += 1;
      const escaped = ESCAPES[text[index] as string];
      if (escaped === undefined) return undefined;
      value += escaped;
      kept = value.length;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) break;
    else if (character !== '\0') {
      value += character;
      if (isQuoted || !/\s/.test(character)) kept = value.length;
    }
  }
  return isQuoted ? undefined : { value: value.slice(0, kept), at };
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\' };
