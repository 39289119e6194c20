/** What stands in an opening tag: a name alone, or attributes. */
import { decodeEntities } from '../entities.ts';

/** `name` is empty where the tag is damaged. */
export type TagHeader = { name: string; attributes: ReadonlyMap<string, string> };

const NAME_ATTRIBUTES = ['name', 'tool', 'key'];
const ATTRIBUTE = /^[\w:.-]+$/;

/** `get_weather`, `"get_weather"`, `name="city" string="true"`, `name='city'`, `name=city`. */
export const readTagHeader = (text: string, entities = true): TagHeader => {
  const attributes = readAttributes(text, entities);
  const key = NAME_ATTRIBUTES.find((one) => attributes.has(one));
  const name = (key === undefined ? unquote(text.trim()) : (attributes.get(key) ?? '')).trim();
  return { name: [...attributes.keys()].every((one) => ATTRIBUTE.test(one)) ? name : '', attributes };
};

/** A parameter may have any name but one that holds the marks of a tag: then the tag was damaged. */
export const isParameterName = (name: string): boolean => name !== '' && !/[<>"'={}()\p{Cc}]/u.test(name);

const readAttributes = (text: string, entities: boolean): Map<string, string> => {
  const attributes = new Map<string, string>();
  let at = 0;
  for (;;) {
    const equals = text.indexOf('=', at);
    if (equals < 0) return attributes;
    const key = text.slice(at, equals).trim();
    let start = equals + 1;
    while (text[start] === ' ') start++;
    const quote = text[start];
    const quoted = quote === '"' || quote === "'";
    const closing = text.indexOf(quoted ? quote : ' ', start + 1);
    const end = closing < 0 ? text.length : closing;
    // A quote that is never closed stays, so that nobody takes the value for whole.
    const value = text.slice(quoted && closing >= 0 ? start + 1 : start, end);
    attributes.set(key, entities ? decodeEntities(value) : value);
    at = end + 1;
    if (at >= text.length) return attributes;
  }
};

const unquote = (text: string): string => {
  const first = text[0];
  const quoted = text.length > 1 && (first === '"' || first === "'" || first === '`') && text.endsWith(first);
  return quoted ? text.slice(1, -1).trim() : text;
};
