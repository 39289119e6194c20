/** Characters as XML writes them. */

const NAMES = ['quot', 'apos', 'lt', 'gt', 'amp'];
const CHARACTERS = '"\'<>&';

/** `&amp;`, `&#38;` and `&#x26;`; each is read once. What is none of them stays. */
export const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,5}|x[\da-fA-F]{1,5})|(quot|apos|lt|gt|amp));/g, (_, code: string, name: string) =>
    name ? (CHARACTERS[NAMES.indexOf(name)] ?? '') : String.fromCodePoint(Number(`0${code}`)),
  );
