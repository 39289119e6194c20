/** The texts, numbers and truth values in a JSON value, however deep. */
import type { JsonValue } from './json.ts';

export type Scalar = {
  /** `recipients[0].name` */
  place: string;
  /** The last key of the place. */
  key: string;
  value: string | number | boolean;
};

/** In their order. A value may be nested deeper than functions can be. */
export const scalarsIn = (value: JsonValue | undefined, place = ''): Scalar[] => {
  const found: Scalar[] = [];
  const open: { place: string; key: string; value: JsonValue | undefined }[] = [{ place, key: place, value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: one, key } = next;
    if (one === undefined || one === null) continue;
    if (typeof one !== 'object') found.push({ place: next.place, key, value: one });
    else if (Array.isArray(one))
      for (let index = one.length - 1; index >= 0; index -= 1)
        open.push({ place: `${next.place}[${index}]`, key, value: one[index] });
    else
      for (const [name, inner] of Object.entries(one).reverse())
        open.push({ place: next.place === '' ? name : `${next.place}.${name}`, key: name, value: inner });
  }
  return found;
};

/** Every text in a value, and the keys in it as well: a record may be kept by path. */
export const textsIn = (value: JsonValue | undefined): string[] => {
  const texts: string[] = [];
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null) {
      if (!Array.isArray(next)) texts.push(...Object.keys(next));
      open.push(...Object.values(next).reverse());
    }
  }
  return texts;
};
