/** A time, an amount, a date or a version is one value, in whatever form it is written. */
export const formOf = (value: string): string => {
  if (!/\p{N}[.,:/-]\p{N}/u.test(value)) return value;
  const parts = value.split(SIGN);
  if (/^\p{N}+[.,:]\p{N}+$/u.test(value)) return pairOf(parts);
  const [first = '', second = '', third = ''] = parts.map(unpadded);
  if (parts.length === 3 && first.length === YEAR) return `${first}-${second}-${third}`;
  return parts.length === 3 && third.length === YEAR ? `${third}-${second}-${first}` : value;
};
const SIGN = /[.,:/-]/u;
const YEAR = 4;

/** "4.30" is "4,3", and "4:50" is "4.50". */
const pairOf = ([first = '', second = '']: readonly string[]): string => {
  const rest = second.replace(/(?<!0)0+$/u, '');
  return `${unpadded(first)}${rest === '' ? '' : `.${rest}`}`;
};
const unpadded = (part: string): string => part.replace(/^0+(?=\p{N})/u, '');
