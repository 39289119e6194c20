/** What a picture is, and how large it is when it is drawn, by its first bytes. */
export type ImageFile = { format: 'png' | 'jpg' | 'webp' | 'gif'; width?: number; height?: number };

type Size = { width: number; height: number };

export const imageFile = (bytes: Uint8Array): ImageFile | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 24 && view.getUint32(0) === 0x89504e47 && view.getUint32(4) === 0x0d0a1a0a) {
    return { format: 'png', width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (bytes.length >= 4 && view.getUint32(0) >>> 8 === 0xffd8ff) return { format: 'jpg', ...jpegSize(view) };
  if (bytes.length >= 12 && view.getUint32(0) === RIFF && view.getUint32(8) === WEBP) {
    return { format: 'webp', ...webpSize(view) };
  }
  if (bytes.length >= 10 && view.getUint32(0) === GIF8) {
    return { format: 'gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  return undefined;
};

const RIFF = 0x52494646;
const WEBP = 0x57454250;
const GIF8 = 0x47494638;
const VP8 = 0x56503820;
const VP8_LOSSLESS = 0x5650384c;
const VP8_EXTENDED = 0x56503858;

/** The segments follow each other by their lengths until one begins a frame. */
const jpegSize = (view: DataView): Size | undefined => {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // Fill bytes and markers that stand alone.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
};

const webpSize = (view: DataView): Size | undefined => {
  if (view.byteLength < 30) return undefined;
  const low24 = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (view.getUint32(12)) {
    case VP8:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case VP8_LOSSLESS: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case VP8_EXTENDED:
      return { width: low24(24) + 1, height: low24(27) + 1 };
    default:
      return undefined;
  }
};
