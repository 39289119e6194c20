/**
 * Names of files are bytes. As text, one that is no UTF-8 is the name of another file, or of none, so nothing is done with
 * its text but showing it.
 */

/** What such a name is read as has at least one of these; so may a name that is in order. */
export const mayBeOdd = (text: string): boolean => text.includes('\ufffd');

/** How a name that is no UTF-8 is shown: `\xNN` for each byte that is no plain letter or sign. Undefined for all others. */
export const oddName = (bytes: Uint8Array): string | undefined => {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return undefined;
  } catch {
    return Array.from(bytes, shownByte).join('');
  }
};

const BACKSLASH = 0x5c;
const shownByte = (byte: number): string =>
  byte <= 0x20 || byte > 0x7e || byte === BACKSLASH
    ? `\\x${byte.toString(16).padStart(2, '0')}`
    : String.fromCharCode(byte);

/** Of the names in one folder: those that are text, and how the others are shown. */
export const splitNames = <Bytes extends Uint8Array>(
  names: readonly Bytes[],
): { texts: string[]; odd: { bytes: Bytes; shown: string }[] } => {
  const split = { texts: [] as string[], odd: [] as { bytes: Bytes; shown: string }[] };
  for (const bytes of names) {
    const shown = oddName(bytes);
    if (shown === undefined) split.texts.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    else split.odd.push({ bytes, shown });
  }
  return split;
};
