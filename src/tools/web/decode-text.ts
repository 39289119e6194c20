/** Bytes of the web → text, by what the bytes, the header and the page itself say of their character set. */

const META_BYTES = 4_096;

const labelled = (label: string | undefined): InstanceType<typeof TextDecoder> | undefined => {
  if (label === undefined || label === '') return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};

/** `charset=…` of a Content-Type header, quotes or not. */
export const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** `<meta charset=…>`, `<meta http-equiv … charset=…>` or an XML declaration, near the beginning. */
const charsetInside = (bytes: Uint8Array): string | undefined => {
  const head = latin1(bytes.subarray(0, META_BYTES));
  const found =
    /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1];
  // A page that can be read as ASCII up to here is not in UTF-16, whatever it says.
  return found !== undefined && /^utf-?16/i.test(found) ? 'utf-8' : found;
};

const byteOrderMark = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
};

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

export const decodeText = (bytes: Uint8Array, contentType = ''): string => {
  const decoder = labelled(byteOrderMark(bytes)) ?? labelled(charsetOf(contentType)) ?? labelled(charsetInside(bytes));
  if (decoder) return decoder.decode(bytes);
  // Nobody said: UTF-8 where it is that, else what browsers take for the West.
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252').decode(bytes);
};
